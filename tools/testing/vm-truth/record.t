#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Callchains by our kernel are true: programs of tools/testing/tool/truth, whose callchains are
# known, recorded in one boot (guest.sh). Needs KERNEL and INITRD; leaves the recordings in
# $O/test/vm-truth.
. "$(dirname "$0")/../lib/guest.sh"

build_truth --cxx g++
boot_guest vm-truth guest.sh --mem 1024 --timeout 600 "${truth_in[@]}"
unpack_initrd

for mode in 1 0; do
	for p in static pie; do
		is_true $p.table.$mode $p nothing
		is_true $p.live.$mode $p 'ends at [^ ]*huge'
	done
	is_true fp.defer.$mode fp 'no frame pointer' --fp
done
is_true all.table static nothing
is_true attach.table pie nothing --least 30
finish
