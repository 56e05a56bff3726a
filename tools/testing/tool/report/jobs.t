#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report on several CPUs prints, byte for byte, what it prints on one.
. "$(dirname "$0")/../../lib/scratch.sh"

# FILE ARGS...: the same with 1, 2 and 5 jobs
same() {
	local f=$1 j differs=0
	shift
	"$perf" report --stdio -i "$f" "$@" -j 1 > "$tmp/one" 2> "$tmp/err"
	for j in 2 5; do
		"$perf" report --stdio -i "$f" "$@" -j $j > "$tmp/many" 2> "$tmp/err"
		[ -s "$tmp/one" ] && diff "$tmp/one" "$tmp/many" > "$tmp/diff" || { differs=1; break; }
	done
	ok $differs "${f##*/} $*: $(wc -l < "$tmp/one") lines, -j $j" "$tmp/diff"
}

cd "$lib/../golden/c" || exit 1
for f in *.data; do
	same $f --symfs symfs --kallsyms kallsyms
	same $f --symfs symfs --kallsyms kallsyms -g none -s comm,pid,dso,sym
done

# Fresh ones have more than a worker takes at a time.
gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls \
	-o "$tmp/walk" "$lib/../bench/report-walk.c" || exit 1
cat > "$tmp/many.sh" <<'S2'
for i in 1 2 3 4 5 6; do "$1" 2500 $i & done
wait
S2
record() { "$perf" record -q --call-graph fp "$@" > "$tmp/err" 2>&1; }
if ! record -o "$tmp/walk.data" -e page-faults -c 1 "$tmp/walk" 10000 12 ||
   ! record -o "$tmp/many.data" -e page-faults/period=1/ -e cpu-clock/freq=1000/ \
	sh "$tmp/many.sh" "$tmp/walk"; then
	skip 'fresh recordings' 'cannot record here'
	plan
	exit
fi
for f in "$tmp/walk.data" "$tmp/many.data"; do
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
same "$tmp/many.data" --group -g none
# It counts on several CPUs when there is much, without an option.
record -o "$tmp/big.data" -e page-faults -c 1 "$tmp/walk" 30000 8
cmp -s <("$perf" report --stdio -i "$tmp/big.data" 2> /dev/null) <("$perf" report --stdio -i "$tmp/big.data" -j 1 2> /dev/null)
ok $? 'without -j'
plan
