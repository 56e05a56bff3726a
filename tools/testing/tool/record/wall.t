#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record --wall: a sample of each thread at each tick, on a CPU or not.
. "$(dirname "$0")/../../lib/record.sh"
rec --wall -e page-faults true
ok '--wall -e page-faults: why not'	eval '[ $status != 0 ] && [ ! -e "$T/data" ]'
rec --wall --sampler kernel true
ok '--wall --sampler kernel: why not'	eval '[ $status != 0 ] && says "--wall by the kernel is of -a"'
if [ "$(uname -m)" != x86_64 ]; then
	finish
	exit
fi
for p in sleeps waits; do gcc -O1 -g -pthread -o $p "$here/$p.c" || exit 1; done

# sums: ns of all samples of sleeps, and of those with long_wait(), short_wait(), polls() and
# computes(); samples, and those with whole stacks
sums() {
	"$PERF" script -i "$T/data" --comms sleeps -F period,ip,sym 2> /dev/null | awk '
		BEGIN { RS = ""; FS = "\n"; split("long_wait short_wait polls computes", f, " ") }
		{ for (i in f) s[i] += $0 ~ " " f[i] ? $1 : 0 }
		{ all += $1; n++; whole += $NF ~ / (_start|clone3)$/ }
		END { printf "%.0f %.0f %.0f %.0f %.0f %d %d\n", all, s[1], s[2], s[3], s[4], n, whole }'
}
# agree: threads x elapsed within 2 %, the shares within 2 points
agree() {
	paste <(sums) "$T/out" > both
	cat both
	awk 'function off(x) { return x < 0 ? -x : x }
		{ for (i = 2; i <= 5; i++) bad += off($i / $1 - $(i + 7) / $8) > 0.02
		  exit !(!bad && off($1 / $8 - 1) <= 0.02 && $7 >= 0.99 * $6 && $6 > 200) }' both
}
# agrees ARGS...: in one of three recordings. (A tick that comes late, on a busy machine, stands for
# all that passed: many threads, which wait together, have the wrong share.)
agrees() {
	local i
	for i in 1 2 3; do
		rec "$@"
		[ $status = 0 ] && agree && return
	done
	return 1
}
samples() { "$PERF" script -i "$T/data" -F event -G 2> /dev/null | grep -c "$1"; }
stops() { sed -n 's/.*ptrace stopped threads \([0-9]*\) times.*/\1/p' "$T/err"; }

ok 'samples x interval = threads x elapsed; shares; whole stacks'	agrees --wall ./sleeps 8
ok "both events; Debian's perf reads them"	eval '[ "$(samples ptrace-clock)" -gt 10 ] && [ "$(samples offcpu-time)" -gt 100 ] && whole "$T/data" && same "$T/data" 200'
parts() { # the sleepers' time off the CPU is in offcpu-time alone
	"$PERF" report -i "$T/data" --folded > folded 2> "$T/err"
	grep -q '^offcpu-time;sleeps;.*;long_wait;' folded &&
		grep -q '^ptrace-clock;sleeps;.*;computes' folded &&
		! grep -q '^ptrace-clock;sleeps;.*;long_wait;syscall.*[0-9]\{6\}$' folded
}
ok 'report parts them'			parts
picture() {
	"$PERF" report -i "$T/data" --flamegraph="$T/f.svg" 2> "$T/err" &&
		grep -q 'data-n="on-CPU"' "$T/f.svg" && grep -q 'data-n="off-CPU"' "$T/f.svg"
}
ok '--flamegraph: one picture'		picture
ok '1,000 threads'	agrees --wall ./sleeps 1000 only
ok '-F 500 -z'	agrees --wall -z -F 500 ./sleeps 2
./sleeps 4 > "$T/out" & running=$!
rec --wall -p $running
wait $running
ok '-p'					eval '[ $status = 0 ] && [ "$(sums | cut -d" " -f6)" -gt 200 ]'

rec --wall sleep 2
echo "# $(stops) stops, $(samples offcpu-time) samples off the CPU"
ok 'one that sleeps on is not stopped again'	eval '[ "$(stops)" -le 20 ] && [ "$(samples offcpu-time)" -ge 50 ]'
rec --wall -F 1000 ./waits 1500
ok 'no call is interrupted, nobody stops'	eval 'cat "$T/out"; [ $status = 7 ] && [ ! -s "$T/out" ]'
sh -c 'kill -STOP $$; exit 3' & running=$!
until_true grep -q '^State:.T' /proc/$running/status
begin --wall -p $running
sleep 1
ok 'a stopped program stays stopped'	grep -q '^State:.[Tt]' /proc/$running/status
kill -CONT $running
wait $running
ok 'until SIGCONT'			test $? = 3
wait $recorder
ok 'and has samples'			test "$(samples offcpu-time)" -ge 30
cat > app.py << 'P'
import time
def first():
    time.sleep(0.9)
def second():
    time.sleep(0.6)
first()
second()
P
python() { # AT-LEAST: ns in first() and second()
	"$PERF" script -i "$T/data" -F period,ip,sym 2> /dev/null | awk -v least="$1" 'BEGIN { RS = "" }
		/first \(app/ { a += $1 } /second \(app/ { b += $1 }
		END { print a, b; exit !(a >= least && a < 1.1e9 && b > 4e8 && b < 8e8) }'
}
rec --wall /usr/bin/python3 app.py
ok 'functions of a Python program that sleeps'	python 8e8
"$PERF" record --wall -o - ./sleeps 1 2> "$T/err" > "$T/data"
ok 'to a pipe'				same "$T/data" 100

# The whole system, by BPF
if [ "$(id -u)" != 0 ]; then
	skip '--wall -a' 'needs root'
else
	ok '-a: samples x interval = threads x elapsed; shares; whole stacks'	agrees --wall -a ./sleeps 8
	ok "-a: both events; Debian's perf reads them"	eval '
		[ "$(samples cpu-clock)" -gt 10 ] && [ "$(samples offcpu-time)" -gt 300 ] && whole "$T/data" && same "$T/data" 300'
	ok '-a: 1,000 threads'	agrees --wall -a -F 20 ./sleeps 1000 only
	rec --wall -a /usr/bin/python3 app.py
	# (the interpreter may be found while it sleeps already)
	ok '-a: functions of a Python program that sleeps'	python 0
	rec --wall -a -D -1 sleep 0.5
	ok '-a -D -1: disabled'		test "$(samples offcpu-time)" = 0
fi

# perf top
sleep 1000 & sleeper=$!
"$PERF" top --stdio --wall -p $sleeper -d 1 -z -s comm --show-total-period > "$T/out" 2>&1 & top=$!
sleeps_on() {
	awk '/offcpu-time/ { on = 1 } on && $2 > 3e8 && $3 == "sleep" { good = 1 } END { exit !good }' "$T/out"
}
ok 'perf top: how long it sleeps, while it does'	until_true sleeps_on
kill $top $sleeper
finish
