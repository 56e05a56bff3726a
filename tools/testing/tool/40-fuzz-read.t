#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Damaged copies of the golden recordings and of one of the other byte order, under the
# sanitizers. Built by make test-tool.
here=$(cd "$(dirname "$0")" && pwd)
O=$(realpath "${O:-build}")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# libtraceevent loses memory on formats that it cannot parse.
echo leak:libtraceevent > "$tmp/suppressions"
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
export LSAN_OPTIONS=suppressions=$tmp/suppressions:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1 DEBUGINFOD_URLS=
cd "$here/../golden" || exit 1
for f in extras multi zstd pipe; do
	"$here/swap-perfdata" $f.defer.data "$tmp/swapped-$f.data" || exit 1
done
"$O/test/fuzz-read" {zstd,pipe,multi,extras,threads,uret}.defer.data deepsys.dwarf.data \
	group.fp.data nocallchain.data "$tmp"/swapped-*.data 2> "$tmp/err"
status=$?
# Its own lines are counted by the program; what is left is of the sanitizers.
grep -av '^perf: ' "$tmp/err" | head -40 | sed 's/^/# /'
exit $status
