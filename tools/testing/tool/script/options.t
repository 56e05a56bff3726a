#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf script: options that print otherwise, and those of mainline's that are left out or can't
# be met: one line that says what to use, status 129 (usage) or 1.
. "$(dirname "$0")/../../lib/scratch.sh"
golden=$(cd "$lib/../golden/c" && pwd)
cp "$golden"/{multi.defer,deepsys.fp,group.fp}.data .
symbols="--symfs $golden/symfs --kallsyms $golden/kallsyms"
shown=(err out)

script() {
	"$perf" script $symbols "$@" > out 2> err
	status=$?
}
# refuses STATUS TEXT OPTION...: one line on stderr with this text, nothing on stdout
refuses() {
	local want=$1 text=$2
	shift 2
	script -i multi.defer.data "$@"
	[ $status = "$want" ] && [ ! -s out ] && [ "$(wc -l < err)" = 1 ] && grep -qF -- "$text" err
	ok $? "$* is refused"
}

# As in perf 7.2: -I is about the header, where that is printed.
script -i multi.defer.data
cp out plain
script -i multi.defer.data -I
[ $status = 0 ] && [ -s out ] && cmp -s out plain
ok $? '-I without --header'
script -i multi.defer.data --header -I
[ $status = 0 ] && [ "$(sed '/^#/d' out)" = "$(cat plain)" ] && grep -q '^# cpu_map\|^# sibling\|^# CPU cache\|^# node' out
ok $? '--header -I'

for o in '-s x.pl' '--dlfilter x' '--dlarg x' --list-dlfilters; do
	refuses 129 "pipe the output of 'perf script'" $o
done
refuses 129 "'perl': scripts are written in python" -g perl
export PERF_EXEC_PATH=$PWD	# no scripts are installed
refuses 129 'use perf data convert --to-firefox' report gecko
refuses 129 'use perf report -s id' syscall-counts
for o in --insn-trace --xed --call-trace --call-ret-trace '--graph-function f'; do
	refuses 129 "perf inject --itrace" $o
done
for o in '--guestmount /x' '--guestvmlinux x' '--guestkallsyms x' '--guestmodules x' --guest-code; do
	refuses 129 "'perf kvm' of linux-perf" $o
done
refuses 129 'use -F' --Latency
refuses 129 'perf record -a' -a
refuses 129 'always reported' --debug-mode
refuses 129 'callchains' --stitch-lbr
refuses 129 'without a program' --addr2line x
refuses 129 'exclude each other' --reltime --deltatime
refuses 129 "'--nonsense'" --nonsense
refuses 129 'there is no such script' some-script
refuses 1 'PERF_EXEC_PATH names another place' -l
for f in insn insnlen callindent; do
	refuses 129 'instruction traces' -F $f
done
for f in brstackinsn brstackinsnlen brstackdisasm disasm; do
	refuses 129 "use 'perf annotate'" -F $f
done
refuses 129 "'perf stat -M'" -F +metric
refuses 129 'counters of branches' -F brcntr
refuses 129 srcline -F srccode
refuses 129 'not a field' -F nonsense
refuses 129 'not both' -F +comm,tid
refuses 129 'kind of event' -F strange:comm
refuses 1 "Samples for 'page-faults' event do not have WEIGHT attribute set. Cannot print 'weight' field." -F +weight
refuses 1 'it needs ip' -F comm,srcline
# As perf 7.2: what else is named is printed.
script -i deepsys.fp.data -F comm,pid
cp out want
script -i deepsys.fp.data -F comm,pid,sym,dso -G
[ $status = 0 ] && [ -s want ] && cmp -s want out && grep -q 'without ip' err
ok $? 'sym and dso without ip: a warning'
script -i deepsys.fp.data -F comm,pid,ipc
[ $status = 0 ] && cmp -s want out
ok $? 'ipc, which only instruction traces have'
# A tracepoint's callchain goes when fields are changed, not only when they are set.
script -i multi.defer.data -F +pid
grep -q 'raw_syscalls:sys_enter: NR' out && ! grep -q '^	' out && script -i multi.defer.data && grep -q '^	' out
ok $? '+pid: tracepoints without callchains'
script -i deepsys.fp.data -F +dsoff
grep -q 'deepsys+0x' out && ! grep -q 'kallsyms\]+0x' out
ok $? '+dsoff: of files, not of the kernel'
refuses 1 'needs sym' -F ip,symoff
# The dummy of perf record -a has no samples, and so need not have a field; other events need it.
python3 - <<-'EOF'
	from perfdata import *
	T = IP | TID | TIME | IDENTIFIER
	full = T | ADDR | CGROUP | WEIGHT | PHYS_ADDR
	data = record(9, q(1, 0x400010) + ii(7, 7) + q(5, 0xadd, 33, 0xfee, 1), 2)
	for name, other in (('dummy', 9), ('clock', 1)):
	    attrs = [attr(full, type=1, config=0), attr(T, type=1, config=other)]
	    with open(name + '.data', 'wb') as f:
	        f.write(perf_file(attrs, data, ids=[[1], [2]]))
	    with open(name + '.pipe', 'wb') as f:
	        heads = b''.join(record(64, a + q(i)) for i, a in enumerate(attrs, 1))
	        f.write(b'PERFILE2' + q(16) + heads + data)
	EOF
for f in addr cgroup weight phys_addr; do
	script -i dummy.data -F "comm,$f"
	[ $status = 0 ] && [ -s out ] && [ ! -s err ] && cp out want &&
		script -i - -F "comm,$f" < dummy.pipe && cmp out want && [ ! -s err ]
	ok $? "-F $f: not of the dummy event"
	script -i clock.data -F "comm,$f"
	[ $status = 1 ] && [ ! -s out ] && [ "$(wc -l < err)" = 1 ] && grep -q "Cannot print '$f'" err
	ok $? "-F $f: another event needs it"
done
refuses 1 "Can't provide 'tod' time, missing clock data. Please record with -k/--clockid option." -F tod
refuses 1 "no event 'nothing'" --switch-on nothing
refuses 1 "no event 'nothing'" --switch-off nothing
refuses 1 "--time" --time 5x

# Up to an event, and from there. (Debian's perf goes on behind --switch-off, against its manual.)
switched() {
	script -i group.fp.data -F comm,tid,time,event -G "$@"
}
switched && mv out all
switched --switch-off page-faults
[ -s out ] && cmp -s out <(sed '/page-faults:/,$d' all); ok $? '--switch-off: nothing behind it'
switched --switch-on page-faults --show-on-off-events
[ -s out ] && cmp -s out <(sed -n '/page-faults:/,$p' all); ok $? '--switch-on: nothing before it'

# A file for each event
script -i group.fp.data && mv out all
script -i group.fp.data --per-event-dump
[ "$(grep -c '^\[ perf script: Wrote [0-9.]* MB group.fp.data.*dump ([0-9]* samples) \]$' out)" = 2 ] &&
	[ "$(cat group.fp.data.*.dump | sort | md5sum)" = "$(sort all | md5sum)" ] &&
	[ "$(grep -c page-faults: group.fp.data.page-faults.dump)" = 19 ] &&
	[ "$(grep -c cpu-clock: group.fp.data.page-faults.dump)" = 0 ]
ok $? '--per-event-dump'
# Names are equal, or become so: "/" is no part of a file's name.
python3 - << 'P'
from perfdata import *
names = 'cpu-clock', 'cpu/x', 'cpu_x', 'cpu-clock'
a = attr(IDENTIFIER | IP | TID | TIME, period=1)
desc = ii(len(names), 128)
desc += b''.join(a + ii(1) + feature_string(n) + q(i + 1) for i, n in enumerate(names))
data = b''.join(record(9, q(i % 4 + 1, 0x1000) + ii(7, 7) + q(1000 + i), misc=2) for i in range(40))
with open('same.data', 'wb') as f:
    f.write(perf_file([a] * 4, data, {12: desc}, ids=[[1], [2], [3], [4]]))
P
script -i same.data && mv out all
script -i same.data --per-event-dump
[ $status = 0 ] && [ "$(grep -c '^\[ perf script: Wrote .* (20 samples) \]$' out)" = 2 ] &&
	[ "$(grep -c . all)" = 40 ] && cmp -s same.data.cpu-clock.dump <(grep cpu-clock: all) &&
	[ "$(grep -c 'cpu.x:' same.data.cpu_x.dump)" = 20 ]
ok $? '--per-event-dump: events with one name share a file'
mkdir -p ro/d.page-faults.dump && cp group.fp.data ro/d
"$perf" script -i ro/d --per-event-dump > out 2> err
[ $? = 1 ] && [ "$(wc -l < err)" = 1 ] && grep -q 'ro/d.page-faults.dump: Is a directory' err
ok $? '--per-event-dump into what is none'

# The raw dump: in order, and as it stands
script -i deepsys.fp.data -D && cp out sorted
script -i deepsys.fp.data --dump-unsorted-raw-trace
places() { grep -o '^0x[0-9a-f]*@' "$1"; }
[ "$(places out | sort)" = "$(places sorted | sort)" ] &&
	[ "$(places out | sed 's/0x//; s/@//' | while read -r x; do echo $((16#$x)); done)" = \
	  "$(places sorted | sed 's/0x//; s/@//' | while read -r x; do echo $((16#$x)); done | sort -n)" ]
ok $? '--dump-unsorted-raw-trace'
"$perf" report -D -i deepsys.fp.data $symbols | sed '/^Aggregated stats/,$d' | grep '^0x' > all
[ -s all ] && grep '^0x' sorted | cmp -s - all; ok $? '-D dumps what report -D does'
cat deepsys.fp.data > all; "$perf" script -i deepsys.fp.data $symbols > plain
[ -s plain ] && [ "$(grep -cFxf plain sorted)" -ge "$(grep -c . plain)" ]; ok $? '-D prints the samples, too'
"$perf" script --dump-unsorted-raw-trace -i - < "$golden/pipe.defer.data" > out 2> err
ok $? '--dump-unsorted-raw-trace of a file on stdin'
cat "$golden/pipe.defer.data" | "$perf" script --dump-unsorted-raw-trace -i - > out 2> err
[ $? = 1 ] && [ ! -s out ] && grep -q 'store' err; ok $? '--dump-unsorted-raw-trace of a pipe is refused'

# A task keeps its name behind its EXIT record: it gives its memory back and switches away then.
# (mainline's perf prints :TID.) So no sample of a task that was introduced is without a name.
for f in "$golden"/*.data; do
	script -i "$f" --show-task-events -F comm,pid,tid,event -G
	awk '/PERF_RECORD_(COMM|FORK)/ { sub(/.*PERF_RECORD_/, ""); if (!match($0, /[:\/(][0-9]+[):]?/)) next
			n = split($0, w, /[^0-9]+/); for (i = 1; i <= n; i++) known[w[i]] = 1; next }
		/^ *:[0-9]+ / { nameless[$1] = $0 }
		END { for (t in nameless) if (substr(t, 2) in known) { print nameless[t]; bad = 1 }
			exit bad || !length(known) }' out > err
	ok $? "${f##*/}: every task that is known has its name"
done
script -i "$golden/sleepers.defer.data" -F comm,tid,time -G
grep -q '^ *sleepers  *132  *13.312026:' out; ok $? 'the last switch of a task that has exited'
cp "$golden/system.defer.data" .; script -i system.defer.data -F comm,tid,time -G
grep -q '^ *threads  *122  *10.091364:' out; ok $? 'exit_mmap() of a task that has exited'
script -i system.defer.data --comms threads -F comm,tid,time -G
grep -q '^ *threads  *122  *10.091364:' out; ok $? 'a filter of names finds it'

# Deferred callchains: -D dumps the records that are merged, too
"$perf" script -D -i "$golden/deepsys.defer.data" $symbols > out 2> err
grep -q 'PERF_RECORD_CALLCHAIN_DEFERRED' out && ! grep -q 'DEFERRED CALLCHAIN \[' out &&
	cmp -s <(grep -P '^\t' out) <("$perf" script -i "$golden/deepsys.defer.data" $symbols | grep -P '^\t')
ok $? '-D of deferred callchains'
plan
