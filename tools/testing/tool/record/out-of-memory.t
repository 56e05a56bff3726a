#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Memory that runs out while recording: one allocation that fails, and all from one on, at some 40
# places between the first and the last (RECORD_MEMORY_STEP=1: at each). perf ends with a line and
# a status, or goes on; it is never killed, and what it left can be read.
. "$(dirname "$0")/../../lib/record.sh"

gcc -shared -fPIC -o "$T/fault.so" "$here/fault-alloc.c" || exit 1
perf() { # ALLOC_FAIL ARGS...
	ALLOC_FAIL=$1 LD_PRELOAD=$T/fault.so timeout 60 "$PERF" "${@:2}" > "$T/out" 2> "$T/err"
	status=$?
}
ALLOC_COUNT=$T/count perf '' record -o "$T/data" -e cpu-clock true
ok 'records with the shim'	test $status = 0
count=$(cat "$T/count")
ok "makes allocations: $count"	test "${count:-0}" -gt 100

bad() { why="$why; allocation $n: $1: $(head -n 2 "$T/err" | tr '\n' ' ')"; }
for how in '' +; do
	why='' tried=0 ended=0
	for ((n = 1; n <= count; n += ${RECORD_MEMORY_STEP:-1 + n / 8})); do
		rm -f "$T"/data*
		perf "$n$how" record -o "$T/data" -e cpu-clock true
		tried=$((tried + 1))
		case $status in
		0) ;;
		1 | 129) ended=$((ended + 1)); grep -q . "$T/err" || bad 'no line' ;;
		*) bad "status $status" ;;
		esac
		[ -s "$T/data" ] || continue
		timeout 60 "$PERF" script -i "$T/data" > "$T/out" 2> "$T/script.err"
		[ $? -le 1 ] || bad 'what it left cannot be read'
	done
	ok "one of $count allocations fails${how:+, and all later ones}: $tried tried, $ended ended perf$why" test -z "$why" -a "$ended" -gt 0
done
finish
