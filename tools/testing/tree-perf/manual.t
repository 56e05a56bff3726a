#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The manual pages that the series changes, built by the tree's own makefile from asciidoc, name
# what it adds. So does the help of the commands.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/tap.sh"
perf=$(realpath "$PERF")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# groff 1.23 underlines by escapes otherwise, which col does not know.
export GROFF_NO_SGR=1
export LC_ALL=C.UTF-8 PERF_CONFIG=/dev/null PERF_PAGER=cat PAGER=cat
# Debian's asciidoc is a module of Debian's python3.
export PATH=/usr/bin:/bin:$PATH
unset MAKEFLAGS MFLAGS MAKELEVEL
pages=(perf-record perf-report perf-script perf-config)

mkdir "$tmp/out"
files=("${pages[@]/#/$tmp/out/}")
make -C "$SRC/tools/perf/Documentation" OUTPUT="$tmp/out/" "${files[@]/%/.1}" >"$tmp/log" 2>&1
for page in "${pages[@]}"; do
	[ -s "$tmp/out/$page.1" ]
	ok $? "$page.1 is built" "$tmp/log"
	# One line, without the breaks of lines and words
	nroff -man "$tmp/out/$page.1" 2>/dev/null | col -b | tr -s '[:space:]' ' ' >"$tmp/$page"
done

says() { # PAGE WORDS
	grep -qF -- "$2" "$tmp/$1"
	ok $? "$1 has: $2"
}
says perf-record '"fp,defer"'
says perf-record '"table" is "fp,defer"'
says perf-record 'With "--call-graph fp,defer" events are disabled while the file is switched'
says perf-report 'perf record --call-graph fp,defer'
says perf-report 'PERF_RECORD_CALLCHAIN_DEFERRED'
says perf-script '--merge-callchains'
says perf-script '--no-merge-callchains'
says perf-config 'call-graph.record-mode'
says perf-config 'fp,defer (the same, deferred where the kernel can)'
says perf-config 'table (by unwind tables where the kernel takes them)'

"$perf" record -h >"$tmp/record-help" 2>&1
says record-help '(fp[,defer]|table|dwarf|lbr)'
"$perf" script -h >"$tmp/script-help" 2>&1
says script-help '--merge-callchains'
echo "1..$nr"
[ "$failed" = 0 ]
