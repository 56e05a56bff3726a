# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# peer.sh NAME: what reports that are compared with Debian's perf begin with: ours ($perf), the
# other one ($peer), and a folder of this run's own, which is entered; it stays if the test
# fails. Sourced.
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
perf=$(realpath "${PERF:-build/perf}")
peer=/usr/bin/perf
mkdir -p "${O:-build}/test" && out=$(realpath "$(mktemp -d "${O:-build}/test/$1.XXXXXX")") && cd "$out" || exit 1
trap '[ $? != 0 ] || rm -rf "$out"' EXIT
export LC_ALL=C DEBUGINFOD_URLS= PERF_PAGER=cat PAGER=cat PERF_CONFIG=/dev/null
export PYTHONPATH=$lib PYTHONDONTWRITEBYTECODE=1
