#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Which processes and CPUs perf record measures.
. "$(dirname "$0")/../../lib/record.sh"

rec -e cpu-clock -- "$W/burn" 40
ok 'command: its status is ours'	test "$status" = 3
ok 'command: the end line'		says '[ perf record: Captured and wrote' 'data (' 'samples) ]'
ok 'command: both readers, same samples' same "$T/data" 20
names() { # but for samples in the exit, see record.sh
	FIELDS=comm,tid,time,event same "$T/data" 20 > "$T/diff" && return
	grep '^[<>]' "$T/diff" | sed -E 's/^(.) [^ ]+ /\1 /' | sort -k2 | awk '{ n[substr($0, 3)]++ } END { for (i in n) if (n[i] != 2) exit 1 }' &&
	[ "$(grep -c '^>' "$T/diff")" -le 2 ]
}
ok 'command: both readers, same names'	names
ok 'command: nothing to complain of'	no_complaint "$T/data"
ok 'command: its first maps are there'	test "$(records "$T/data" MMAP2)" -ge 2
ok 'command: the exec is named'		script_has "$T/data" 'PERF_RECORD_COMM exec: burn' --show-task-events

rec -a --no-bpf-event -e cpu-clock -F 200 -g -- "$W/burn" 40
ok '-a with a command'			test "$status" = 3
ok '-a: both readers'			same "$T/data" 5
ok '-a: other processes are known'	test "$(records "$T/data" COMM)" -gt 5
ok '-a: samples have their CPU'		header "$T/data" 'name = cpu-clock.*IP\|TID\|TIME\|CALLCHAIN\|CPU\|PERIOD\|IDENTIFIER'
ok '-a: a dummy event takes the side-band' header "$T/data" 'name = dummy:u.* mmap = 1, comm = 1'

rec -C 0 -e cpu-clock -- "$W/burn" 50
ok '-C: one CPU is sampled, all are tracked' header "$T/data" 'name = dummy:u, , id = \{ [0-9]+, [0-9]+'
on_cpu0() {
	local n
	n=$(debian script -i "$T/data" -F cpu 2>/dev/null | sort -u)
	[ "$(echo $n)" = '[000]' ]
}
ok '-C: only that CPU'			on_cpu0
ok '-C: both readers'			same "$T/data" 5
rec -C 4095 true
ok '-C: not online'			says 'none of these CPUs is online'
rec -C 0,4095 -e cpu-clock "$W/burn" 20
ok '-C: some not online: said'		says '1 of these CPUs (4095) are not online'
rec -C x true
ok '-C: no list'			says 'no list of CPUs'

"$W/burn" 100000 0 4 & pid=$!
begin -e cpu-clock -p $pid
sleep 0.3
kill $pid; wait $pid 2>/dev/null; wait $recorder; status=$?
ok '-p: a running process, until it ends' test $status = 0
ok '-p: both readers'			same "$T/data" 20
ok '-p: its maps are synthesized'	script_has "$T/data" 'burn .*burn_user'

rec -p 2147483647
ok '-p: no such process'		says 'there is no process 2147483647'
rec -p 1,x
ok '-p: no list'			says 'not a list of process ids'

"$W/burn" 100000 0 4 & pid=$!
begin -e cpu-clock -t $pid
sleep 0.3
kill $pid; wait $pid 2>/dev/null; wait $recorder
ok '-t'					same "$T/data" 20

"$W/threads" 4 10000000 & pid=$!
all_there() { [ "$(ls /proc/$pid/task 2>/dev/null | wc -l)" = 5 ]; }
until_true all_there
begin -e cpu-clock -F 1000 -g -p $pid
sleep 0.5
kill $pid; wait $pid 2>/dev/null; wait $recorder
ok '-p: all threads'			same "$T/data" 5
several_threads() { test "$(debian script -i "$T/data" -F tid 2>/dev/null | grep -E '[0-9]' | sort -u | wc -l)" -ge 2; }
ok '-p: more than one thread'		several_threads

rec --per-thread -e cpu-clock "$W/burn" 40
ok '--per-thread'			same "$T/data" 20
ok '--per-thread: one instance'		header "$T/data" 'name = cpu-clock, , id = \{ [0-9]+ \}'

rec -i -e cpu-clock "$W/forker" 3
no_children() { test "$(debian script -i "$T/data" -F pid 2>/dev/null | sort -u | wc -l)" -le 1; }
ok '-i: children are not followed'	no_children
rec -e cpu-clock "$W/forker" 3
children() { test "$(debian script -i "$T/data" -F pid 2>/dev/null | sort -u | wc -l)" -ge 3; }
ok 'children are followed'		children
ok 'children: both readers'		same "$T/data" 5

comms() { "$PERF" script -i "$T/data" -F comm -G 2> /dev/null | sort -u | tr -d ' \n'; }
if id nobody >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
	setpriv --reuid=65534 --clear-groups "$(for_all "$W/burn")" 100000 0 4 & pid=$!
	is_nobody() { [ "$(stat -c %u /proc/$pid)" = 65534 ] && [ "$(cat /proc/$pid/comm)" = burn ]; }
	until_true is_nobody
	begin -e cpu-clock -u nobody
	sleep 0.3
	kill -INT $recorder; wait $recorder
	ok '-u'				same "$T/data" 20
	for o in '' -i --per-thread --off-cpu -g '--per-thread -i -g'; do
		rec -e cpu-clock -u nobody $o sleep 0.5
		ok "-u $o, while a command runs" grep -q burn <<< "$(comms)"
	done
	rec -e cpu-clock --switch-output-event cpu-clock -u nobody sleep 0.5
	ok '-u with a trigger'		says 'Dump '
	kill $pid; wait $pid 2>/dev/null
else
	skip '-u' 'not root'
fi
cp "$W/burn" "$T/mine"
for o in '' -i --per-thread --off-cpu -g; do
	rec -e cpu-clock:u -u "$(id -u)" $o "$T/mine" 50
	ok "-u $o: the command is one of the user's processes" grep -q mine <<< "$(comms)"
done
rec -u nosuchuser true
ok '-u: no such user'			says "no user 'nosuchuser'"
for u in 4294967296 -1 0x; do
	rec -u $u true
	ok "-u $u: no such user"	says "no user '$u'"
done
# Numbers of another PID namespace name other processes, and the events would be theirs.
if unshare --pid --fork true 2> /dev/null; then
	for o in '-p 1' '-t 1' "-u $(id -u)"; do
		unshare --pid --fork "$PERF" record -o "$T/data" -e cpu-clock $o true > "$T/out" 2> "$T/err"
		status=$?
		one_line() { [ $status = 1 ] && [ "$(wc -l < "$T/err")" = 1 ] && says 'another PID namespace'; }
		ok "$o: another /proc"	one_line
	done
	unshare --pid --fork --mount-proc "$PERF" record -o "$T/data" -e cpu-clock -p 1 true \
		> "$T/out" 2> "$T/err"
	status=$?
	ok '-p: its own /proc'	test $status = 0
else
	skip '-p: another /proc' 'no PID namespace can be made'
fi
rec -p $$ -a true
ok '-p with -a: said'			says '-a does not apply'

cg=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
cg1=$(awk '$3 == "cgroup" && $4 ~ /perf_event/ { print $2; exit }' /proc/self/mounts)
cg=${cg1:-$cg}
if [ -n "$cg" ] && mkdir "$cg/perf-test-$$" 2>/dev/null; then
	cleanup_hooks+=("rmdir $cg/perf-test-$$")
	(echo $BASHPID > "$cg/perf-test-$$/cgroup.procs"; exec "$W/burn" 100000 0 4) & pid=$!
	in_cgroup() { grep -q . "$cg/perf-test-$$/cgroup.procs" && [ "$(cat /proc/$pid/comm)" = burn ]; }
	until_true in_cgroup
	rec -a -e cpu-clock -G "perf-test-$$" sleep 0.5
	kill $pid; wait $pid 2>/dev/null
	ok '-G: the cgroup is sampled'	same "$T/data" 5
	only_burn() { ! debian script -i "$T/data" -F comm 2>/dev/null | grep -v burn; }
	ok '-G: nothing else is'	only_burn
else
	skip '-G' 'no cgroup can be made'
fi
rec -a -e cpu-clock -G nosuchcgroup true
ok '-G: no such cgroup'			says '-G nosuchcgroup'
rec -e cpu-clock -G x true
ok '-G: needs -a'			says 'it needs -a or -C'

mkfifo ctl ack
rec -D -1 -e cpu-clock --control "fifo:$T/ctl,$T/ack" sleep 60 & recorder=$!
exec 5<>ctl 6<>ack
"$W/burn" 50
echo enable >&5; read -r -t 60 answer <&6
ok '--control: enable is answered'	test "$answer" = ack
echo ping >&5; read -r -t 60 answer <&6
ok '--control: ping'			test "$answer" = ack
echo 'disable cpu-clock' >&5; read -r -t 60 answer <&6
echo evlist >&5; read -r -t 60 answer2 <&6
echo stop >&5; read -r -t 60 answer3 <&6
wait $recorder
exec 5>&- 6>&-
ok '--control: disable, evlist, stop'	test "$answer$answer2$answer3" = ackackack
ok '--control: said'			says 'Events enabled' 'Event cpu-clock disabled'
rec --control bad:1 true
ok '--control: wrong'			says 'needs fd:CTL'

rec -D 200 -e cpu-clock sh -c "$W/burn 50; sleep 0.3; $W/burn 50"
ok '-D: later'				same "$T/data" 5
rec -D 10-500,1500-60000 -e cpu-clock -F 1000 bash -c 'while [ $SECONDS -lt 3 ]; do :; done'
ok '-D: spans'				same "$T/data" 20
gap() {	# no sample for half a second somewhere: on a busy machine a task waits its turn, but not so long
	debian script -i "$T/data" -F time 2>/dev/null | tr -d ' :' |
		awk 'NR > 1 && $1 - last > 0.5 { found = 1 } { last = $1 } END { exit !found }'
}
ok '-D: a gap between spans'		gap
rec -D 20-10 true
ok '-D: wrong'				says '-D needs milliseconds'
finish
