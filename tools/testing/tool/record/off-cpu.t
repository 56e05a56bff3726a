#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record --off-cpu: how long threads waited, and where; on made-up recordings to the nanosecond.
. "$(dirname "$0")/../../lib/record.sh"

# Two events: a clock, and the switches of --off-cpu. Times in nanoseconds.
PYTHONPATH=$lib python3 - "$T/made.data" << 'P'
import sys
from perfdata import *

kind = IP | TID | TIME | ID | CPU | PERIOD | CALLCHAIN
flags = ('sample_id_all', 'mmap', 'comm', 'context_switch')
attrs = [attr(kind, flags, type=1, config=0), attr(kind, flags, type=2, config=77)]

def sample(event, tid, time, period=1):
    return record(9, q(0x1000) + ii(50, tid) + q(time) + q(event) + ii(0, 0) + q(period) + q(2, -512, 0x1000), misc=2)
def end(tid, time, event=1):
    return ii(50, tid) + q(time) + q(event) + ii(0, 0)
def switch_in(tid, time):
    return record(14, end(tid, time))
def switch_out(tid, time):
    return record(14, end(tid, time), misc=1 << 13)
def comm(tid, name):
    return record(3, ii(50, tid) + string(name) + end(tid, 1))
def gone(tid, time):
    return record(4, ii(50, 50, tid, tid) + q(time) + end(tid, time))

data = b''.join(comm(50 + i, n) for i, n in enumerate(('back', 'exits', 'sleeps', 'missing', 'runs')))
data += sample(2, 50, 100) + switch_out(50, 110)
data += sample(2, 51, 200) + switch_out(51, 210)
data += sample(2, 52, 300) + switch_out(52, 310)
data += switch_in(50, 350)
data += sample(2, 53, 400) + switch_out(53, 405)
data += sample(2, 53, 500) + switch_in(53, 510)
data += sample(1, 54, 600, 5000)
data += gone(51, 900) + gone(50, 950)
data += record(13, q(0) + end(0, 1300000, 0))
names = q(2)[:4] + ii(128)
def desc(a, i, name):
    return a + ii(1) + feature_string(name) + q(i)
features = {12: ii(2, 128) + desc(attrs[0], 1, 'cpu-clock') + desc(attrs[1], 2, 'offcpu-time')}
open(sys.argv[1], 'wb').write(perf_file(attrs, data, features, [[1], [2]]))
P

periods() { # EXPECTED: "comm:nanoseconds" of each off-CPU sample, in the order of time
	"$PERF" script -i "$T/made.data" -F comm,event,period 2> "$T/err" |
		awk '$3 == "offcpu-time:" { printf "%s%s:%s", sep, $1, $2; sep = " " }' > "$T/got"
	[ "$(cat "$T/got")" = "$1" ] || { cat "$T/got"; return 1; }
}
ok 'until the switch in, the exit, the next sample, the end'	\
	periods 'back:250 exits:700 sleeps:1299700 missing:100 missing:10'
same_total() {
	"$PERF" report -i "$T/made.data" --stdio -s comm > "$T/out" 2> "$T/err"
	grep -q '^# Event count (approx.): 1300760$' "$T/out" && grep -q '99.92% *sleeps' "$T/out"
}
ok 'report adds them up'	same_total
jobs() {
	cmp <("$PERF" report -i "$T/made.data" --stdio -s comm -j 1) <("$PERF" report -i "$T/made.data" --stdio -s comm -j 4)
}
ok 'by several workers, too'	jobs
raw_period() {
	[ "$("$PERF" script -D -i "$T/made.data" | grep -c 'period: 1 ')" = 5 ]
}
ok '-D shows what was recorded'	raw_period
folded() {
	"$PERF" report -i "$T/made.data" --folded > "$T/out" 2> "$T/err"
	grep -Eqx 'offcpu-time;sleeps;\S* 1299' "$T/out" && grep -Eqx 'cpu-clock;runs;\S* 5' "$T/out"
}
ok '--folded: microseconds of both events'	folded
picture() {
	"$PERF" report -i "$T/made.data" --flamegraph="$T/f.svg" 2> "$T/err" &&
		python3 - "$T/f.svg" << 'P'
import sys, xml.dom.minidom as m
boxes = [(g.getAttribute('data-n'), g.getAttribute('data-k'), int(g.getAttribute('data-w')), int(g.getAttribute('data-d')))
         for g in m.parse(sys.argv[1]).getElementsByTagName('g') if g.getAttribute('class') == 'b']
assert ('all', 'r', 1305760, 0) in boxes, boxes
assert ('on-CPU', 'r', 5000, 1) in boxes and ('off-CPU', 'r', 1300760, 1) in boxes, boxes
frames = [b for b in boxes if b[3] == 3]
assert {b[1] for b in frames} == {'o', 'u'}, frames
assert [b[2] for b in frames if b[1] == 'u'] == [5000], frames
P
}
ok '--flamegraph: one picture, two colours'	picture
legend() {
	grep -q '>off-CPU</text>' "$T/f.svg" &&
		! "$PERF" report -i "$lib/../golden/c/extras.defer.data" --flamegraph=- 2> "$T/err" | grep -q '>off-CPU</text>'
}
ok 'the legend has the colour where it is used'	legend

rec --off-cpu-only -e cpu-clock true
ok '--off-cpu-only with -e'	says '--off-cpu goes with -e'
rec --off-cpu -n true
ok '--off-cpu with -n'		says '--off-cpu needs them'

if ! may_trace; then
	skip 'live recordings' 'tracepoints need root'
	finish
	exit
fi

# A lower bound of what a thread waits is what it sleeps.
cat > "$T/sleepers.py" << 'P'
import threading, time
def worker():
    time.sleep(.3)
t = threading.Thread(target=worker)
t.start()
t.join()
n = 0
for i in range(3000000):
    n += i
P
sums() { # EVENT: nanoseconds by thread
	"$PERF" script -i "$T/data" -F comm,tid,event,period -G 2> "$T/err" |
		awk -v e="$1:" '$4 == e { s[$2] += $3 } END { for (t in s) print t, s[t] }'
}
waits() {
	rec --off-cpu -- python3 "$T/sleepers.py"
	[ "$status" = 0 ] && [ "$(sums offcpu-time | awk '$2 >= 300000000' | wc -l)" -ge 2 ] &&
		[ "$(sums cpu-clock | awk '$2 > 0' | wc -l)" -ge 1 ]
}
ok 'a thread that sleeps, and one that waits for it'	waits
stacks() {
	"$PERF" script -i "$T/data" 2> "$T/err" | awk '/offcpu-time:/ { on = 1; n++ } /^$/ { on = 0 } on && /schedule\+/ { have++ }
		END { exit !(n && have >= n) }'
}
ok 'each with the stack at the switch'	stacks
preempted() { # of this event there are only threads that wait: none is runnable
	"$PERF" script -i "$T/data" -F event,trace -G 2> "$T/err" | grep -q 'offcpu-time:.*prev_state=S' &&
		! "$PERF" script -i "$T/data" -F event,trace -G | grep -q 'prev_state=[RXZ]'
}
ok 'none that only lost its CPU'	preempted
peer() {
	"$THEIRS" report -i "$T/data" --stdio -g none 2> /dev/null | grep -q "of event 'offcpu-time'"
}
ok "Debian's perf reads it"	peer
never_back() { # [-a]
	local pid
	mkfifo "$T/go" "$T/ctl" "$T/ack"
	bash -c "read -r < '$T/go'; exec sleep 100" & pid=$!
	exec 6<> "$T/ctl" 7<> "$T/ack"
	if [ "${1:-}" = -a ]; then
		begin --off-cpu-only -D -1 --control "fifo:$T/ctl,$T/ack" -a
	else
		begin --off-cpu-only -D -1 --control "fifo:$T/ctl,$T/ack" -p $pid
	fi
	echo enable >&6
	read -r <&7
	echo > "$T/go"
	until_true grep -q '^sleep$' /proc/$pid/comm
	sleep 1
	kill -INT $recorder
	wait $recorder
	kill $pid
	wait $pid 2> /dev/null
	exec 6>&- 7>&-
	rm "$T/go" "$T/ctl" "$T/ack"
	"$PERF" script -i "$T/data" -F comm,pid,event,period -G | awk -v p=$pid '$2 == p { last = $3 } END { exit last < 950000000 }'
}
ok 'a sleeper that does not come back: to the end'	never_back
ok 'the same of the whole system'			never_back -a
pipe() {
	"$PERF" record -q --off-cpu -o - -- sleep 0.2 2> "$T/err" > "$T/stream" || return
	! cat "$T/stream" | "$PERF" report -i - > "$T/out" 2> "$T/err" || return
	says 'store it in a file first' || return
	"$PERF" script -i "$T/stream" -F comm,event,period -G |
		awk '$1 == "sleep" && $3 == "offcpu-time:" { s += $2 } END { exit s < 190000000 }'
}
ok 'a stream is read from a file'	pipe
with_event() {
	rec --off-cpu -e task-clock -- sleep 0.1
	"$PERF" script -i "$T/data" -F event -G > "$T/out" 2> "$T/err"
	grep -q offcpu-time: "$T/out" && ! grep -q cpu-clock "$T/out"
}
ok 'beside events of -e'	with_event
finish
