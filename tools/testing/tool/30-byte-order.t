#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every golden recording as a big-endian machine would have written it reads as the
# little-endian one does: dump (without its bytes), header, script, report, and script from
# a pipe.
set -u
here=$(cd "$(dirname "$0")" && pwd)
perf=$(realpath "${PERF:-build/perf}")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C DEBUGINFOD_URLS= PERF_PAGER=cat PAGER=cat PERF_CONFIG=/dev/null
cd "$here/../golden" || exit 1
args="--symfs $PWD/symfs --kallsyms $PWD/kallsyms"
mkdir -p "$tmp/be" "$tmp/le"
nr=0 failed=0

# The compressed recording's records stand elsewhere; so does its header's size of data.
show() {
	case $2 in
	dump)	"$perf" report -D -i "$1" $args | grep -v '^\.' |
			sed -E 's/^0?x?[0-9a-f]+@.*//; s/^([0-9 -]*)0x[0-9a-f]+ \[/\1[/' |
			grep -v COMPRESSED | sed 's/ *([ 0-9.]*%)$//; /TOTAL events/d' ;;
	header)	"$perf" report --header-only -I -i "$1" | grep -v '^# data size\|^# feat offset\|^# captured' ;;
	script)	"$perf" script -i "$1" $args --show-task-events --show-mmap-events ;;
	report)	"$perf" report --stdio -i "$1" $args ;;
	pipe)	cat "$1" | "$perf" script -i - $args ;;
	esac
}

set -- *.data
echo "1..$(($# * 5))"
for f; do
	"$here/swap-perfdata" "$f" "$tmp/be/$f" || { echo "Bail out! cannot convert $f"; exit 1; }
	cp "$f" "$tmp/le/$f"
	for what in dump header script report pipe; do
		nr=$((nr + 1))
		(cd "$tmp/le" && show "$f" $what) > "$tmp/le.txt" 2>&1
		(cd "$tmp/be" && show "$f" $what) > "$tmp/be.txt" 2>&1
		if [ -s "$tmp/le.txt" ] && cmp -s "$tmp/le.txt" "$tmp/be.txt"; then
			echo "ok $nr - $f $what"
		else
			echo "not ok $nr - $f $what"
			diff -u "$tmp/le.txt" "$tmp/be.txt" | sed -n '1,10s/^/# /p'
			failed=1
		fi
	done
done
exit $failed
