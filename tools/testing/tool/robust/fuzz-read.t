#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Damaged copies of the golden recordings and of one of the other byte order, under the
# sanitizers. Built by make test-tool.
lib=$(cd "$(dirname "$0")/../../lib" && pwd)
. "$lib/sanitizers.sh"
for f in extras multi zstd pipe; do
	"$lib/swap-perfdata" $f.defer.data "$tmp/swapped-$f.data" || exit 1
done
"$O/test/fuzz-read" {zstd,pipe,multi,extras,threads,uret}.defer.data deepsys.dwarf.data \
	group.fp.data nocallchain.data ../arm64/calls.data "$tmp"/swapped-*.data 2> "$tmp/err"
status=$?
sanitizers
exit $status
