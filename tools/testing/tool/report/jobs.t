#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report on several CPUs prints, byte for byte, what it prints on one.
set -u
lib=$(cd "$(dirname "$0")/../../lib" && pwd)
perf=$(realpath "${PERF:-build/perf}")
out=${O:-build}/test/report-jobs
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 1
export LC_ALL=C DEBUGINFOD_URLS= PERF_PAGER=cat PERF_CONFIG=/dev/null
nr=0 failed=0

# FILE ARGS...: the same with 1, 2 and 5 jobs
same() {
	local f=$1 j
	shift
	nr=$((nr + 1))
	"$perf" report --stdio -i "$f" "$@" -j 1 > "$out/one" 2> "$out/err"
	for j in 2 5; do
		"$perf" report --stdio -i "$f" "$@" -j $j > "$out/many" 2> "$out/err"
		if [ ! -s "$out/one" ] || ! diff "$out/one" "$out/many" > "$out/$nr.diff"; then
			failed=$((failed + 1))
			echo "not ok $nr - ${f##*/} $* ($(wc -l < "$out/one") lines, -j $j)"
			head -n 12 "$out/$nr.diff" "$out/err" | sed 's/^/# /'
			return
		fi
	done
	echo "ok $nr - ${f##*/} $*: $(wc -l < "$out/one") lines"
}

cd "$lib/../golden/c" || exit 1
for f in *.data; do
	same $f --symfs symfs --kallsyms kallsyms
	same $f --symfs symfs --kallsyms kallsyms -g none -s comm,pid,dso,sym
done

# Fresh ones have more than a worker takes at a time.
gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o "$out/walk" "$lib/../bench/report-walk.c" || exit 1
cat > "$out/many.sh" <<'S2'
for i in 1 2 3 4 5 6; do "$1" 2500 $i & done
wait
S2
if ! "$perf" record -q -o "$out/walk.data" -e page-faults -c 1 --call-graph fp "$out/walk" 10000 12 > "$out/err" 2>&1 ||
   ! "$perf" record -q -o "$out/many.data" -e page-faults/period=1/ -e cpu-clock/freq=1000/ --call-graph fp sh "$out/many.sh" "$out/walk" > "$out/err" 2>&1; then
	[ "${CI:-}" = true ] && { echo "not ok $((nr + 1)) - cannot record here"; echo "1..$((nr + 1))"; exit 1; }
	echo "1..$nr"
	exit $((failed != 0))
fi
for f in "$out/walk.data" "$out/many.data"; do
	same "$f"
	same "$f" --no-children
	same "$f" -g none
	same "$f" -g none --no-children -n --show-total-period
	same "$f" -g address,0.2 --no-children
	same "$f" -g fractal,1,srcline -s dso,sym
	same "$f" -g folded,0 --no-children -s pid,srcline
	same "$f" -g none -s time,cpu,sym
	same "$f" --hierarchy -g none
	same "$f" --inline -s sym
	same "$f" -d walk -S fault,f12,f33 --no-children
	address=$("$perf" script -i "$f" -G -F ip 2> /dev/null | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
	same "$f" -S "$address" --no-children
	same "$f" -c walk --max-stack 5
	same "$f" -g none -p f2 -s parent,addr
	same "$f" --folded
	same "$f" --flamegraph=-
done
same "$out/many.data" --group -g none
# It counts on several CPUs when there is much, without an option.
nr=$((nr + 1))
"$perf" record -q -o "$out/big.data" -e page-faults -c 1 --call-graph fp "$out/walk" 30000 8 > /dev/null 2>&1
if cmp -s <("$perf" report --stdio -i "$out/big.data" 2> /dev/null) <("$perf" report --stdio -i "$out/big.data" -j 1 2> /dev/null); then
	echo "ok $nr - without -j"
else
	failed=$((failed + 1))
	echo "not ok $nr - without -j"
fi
echo "1..$nr"
[ $failed = 0 ]
