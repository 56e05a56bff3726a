# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# peer.sh NAME: what reports that are compared with Debian's perf begin with: ours ($perf), the
# other one ($peer), and a folder of this test's own, which is entered. Sourced.
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
perf=$(realpath "${PERF:-build/perf}")
out=${O:-build}/test/$1
peer=/usr/bin/perf
mkdir -p "$out" && out=$(cd "$out" && pwd) && cd "$out" || exit 1
export LC_ALL=C DEBUGINFOD_URLS= PERF_PAGER=cat PAGER=cat PERF_CONFIG=/dev/null
