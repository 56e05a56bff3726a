#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each golden recording cut at the boundaries of records and elsewhere, and with each of its first
# fields set to values at the boundaries: what tools/testing/fuzz/damage.c says must hold. One case
# of 97 here (DAMAGE_STRIDE); make test-damage tries all, with the sanitizers, too.
lib=$(cd "$(dirname "$0")/../../lib" && pwd)
O=$(realpath "${O:-build}")
cd "$lib/../golden/c" || exit 1
export FUZZ_GOLDEN=$PWD
exec "${DAMAGE:-$O/test/damage}" "${DAMAGE_STRIDE:-97}" ./*.data ${DAMAGE_ALL:+../cxx/*.data}
