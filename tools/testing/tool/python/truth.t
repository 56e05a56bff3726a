#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Python stacks are true: work.py does what Python programs do, and knows its stacks and when it had
# which; work-check.py compares each sample. By nobody, whose samples' functions are read by threads
# (live), also beside three busy loops, and by root (bpf).
#
# The shares of samples with Python functions are printed. What is asked for is less than a machine
# with other work has. TRUTH_ALL=1: more than 20,000 stacks. PYTHON: another interpreter.
. "$(dirname "$0")/../../lib/record.sh"

python=$(realpath "${PYTHON:-/usr/bin/python3}")
seconds=2
[ -z "${TRUTH_ALL:-}" ] || seconds=10
chmod 777 .
mkdir -m 777 of-nobody
perf=$(for_all "$PERF")
work=$(for_all "$here/work.py")
for i in 0 1 2 3 4; do
	echo "void native$i(void (*f)(void)) { f(); __asm__ volatile(\"\"); }"
done > native.c
gcc -O1 -shared -fPIC -o native.so native.c || exit 1
export PYTHONHASHSEED=0
ok 'all stacks of the program' "$python" "$work" rehearse truth ./native.so

# true_stacks NAME LEAST DATA LOG HOME
true_stacks() {
	HOME=$5 "$PERF" script -f -i "$3" --ns --max-stack 1000 -F comm,pid,tid,time,ip,sym,dso,srcline \
		> stacks 2> script.err
	python3 "$here/work-check.py" truth "$4" < stacks > figures
	ok "$1: $(head -n 1 figures)" awk -v least="$2" \
		'NR == 1 { exit !($2 + 0 >= 250 && $6 >= least && /, wrong 0$/) }' figures
	sed '1d; s/^/# /; s/^\(.\{600\}\).*/\1/' figures
	sed -n '/callchains of Python/s/^/# /p' err
}

# nobody NAME LEAST HZ
nobody() {
	local as=(setpriv --reuid=65534 --regid=65534 --clear-groups)

	[ "$(id -u)" = 0 ] || as=()
	rm -f of-nobody/data of-nobody/log
	"${as[@]}" env HOME="$T/of-nobody" "$perf" record -k CLOCK_MONOTONIC -F "$3" --call-graph live \
		-o of-nobody/data -- \
		"$python" "$work" $((seconds * (1 + ($3 < 500)))) of-nobody/log ./native.so 2> err
	true_stacks "nobody, $3 Hz$1" "$2" of-nobody/data of-nobody/log "$T/of-nobody"
}

if [ "$(uname -m)" = x86_64 ]; then
	nobody '' 70 999
	nobody '' 60 99
	for i in 1 2 3; do
		while :; do :; done & loops+=($!)
	done
	nobody ' beside busy loops' 35 999
	kill "${loops[@]}"
else
	skip 'nobody' 'the addresses of Python functions are for x86-64'
fi

for hz in 999 99; do
	rec -k CLOCK_MONOTONIC -F $hz --call-graph bpf -- \
		"$python" "$work" $((seconds * (1 + (hz < 500)))) log ./native.so
	if grep -q BPF err && [ "$status" != 0 ]; then
		skip "root, $hz Hz" "$(head -n 1 err)"
		continue
	fi
	true_stacks "root, $hz Hz" 97 data log "$T"
done
finish
