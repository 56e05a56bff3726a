#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Options that choose samples: perf report and perf script take the same words, mean the same
# samples by them, and both agree with Debian's perf where that takes them, too.
. "$(dirname "$0")/../../lib/peer.sh" filters

# 101 samples, 1 ms apart from 1000 s on, of four tasks in turn, on three CPUs in turn, in three
# kernel functions, in a program's file (5 of them) and nowhere (1).
python3 - << 'P'
from perfdata import *

base, t0, nr = 0xffffffff81000000, 1000 * 10**9, 101
with open("kallsyms", "w") as f:
    f.write("%x T _text\n%x T _stext\n" % (base, base))
    for i in range(4):
        f.write("%x T func%d\n" % (base + 0x100 + i * 0x1000, i))
    f.write("%x T _end\n" % (base + 0x4000))
tasks = [(100, 100, "alpha"), (200, 200, "beta"), (200, 201, "beta"), (300, 300, "#c")]


def write(path, sample_type, features=True):
    def ident(pid, tid, time, cpu):
        return ii(pid, tid) + q(time) + (ii(cpu, 0) if sample_type & CPU else b'')

    d = record(1, ii(-1, 0) + q(base, 0x4000, base) + string("[kernel.kallsyms]_text") +
               ident(0, 0, 0, 0), misc=1)
    for pid, tid, name in tasks:
        d += record(3, ii(pid, tid) + string(name) + ident(pid, tid, 0, 0))
    d += record(1, ii(200, 200) + q(0x400000, 0x10000, 0) + string("/nonexistent/prog") +
                ident(200, 200, 0, 0), misc=2)
    for i in range(nr):
        pid, tid, name = tasks[i % 4]
        user = (i % 10 == 0 and pid == 200) or i == 77
        ip = 0x7000 if i == 77 else 0x400100 if user else base + 0x110 + i % 3 * 0x1000
        d += record(9, q(ip) + ident(pid, tid, t0 + i * 1000000, i % 3) + q(1), misc=2 if user else 1)
    with open(path, "wb") as f:
        f.write(perf_file([attr(sample_type)], d, {
            3: feature_string("host"), 7: ii(4, 4), 21: q(t0, t0 + (nr - 1) * 1000000)}))


write("f.data", IP | TID | TIME | CPU | PERIOD)
write("nocpu.data", IP | TID | TIME | PERIOD)
P
printf '#c\nalpha\n\n' > names

ours() { # COMMAND ARGS...
	local command=$1
	shift
	timeout 60 "$perf" "$command" -i "${data:-f.data}" --kallsyms kallsyms "$@" 2> err < /dev/null
}
# What a table's rows add up to
rows() { awk '/^ +[0-9.]+%/ { n += $2 } END { print n + 0 }'; }

# passes COUNT ARGS...: so many samples, in both commands; the same ones as perf 6.1 has, unless
# $peer_cannot says why it does not know this
passes() {
	local want=$1 script report same=0
	shift
	ours script -F comm,tid,time --ns "$@" | sed 's/  */ /g; s/^ //' > script.ours
	script=$(wc -l < script.ours)
	ours report --stdio -n -g none -s dso,sym "$@" > table
	report=$(rows < table)
	echo "# script $script, report $report, wanted $want" > why
	if [ -z "${peer_cannot:-}" ]; then
		"$peer" script -i f.data --kallsyms kallsyms -F comm,tid,time --ns "$@" 2> err |
			sed 's/  */ /g; s/^ //' > script.theirs
		cmp -s script.ours script.theirs || { same=1; diff script.ours script.theirs >> why; }
	fi
	[ "$script" = "$want" ] && [ "$report" = "$want" ] && [ $same = 0 ]
	ok $? "$*: $want${peer_cannot:+ (perf 6.1: $peer_cannot)}" why
}
# refused STATUS TEXT ARGS...: by both commands, in one line, the same one
refused() {
	local want=$1 text=$2 command status good=0
	shift 2
	: > why
	for command in script "report --stdio"; do
		ours $command "$@" > out
		status=$?
		cat err >> why
		[ $status = "$want" ] && [ "$(wc -l < err)" = 1 ] && grep -qF -- "$text" err &&
			! grep -q '^[^#]' out || good=1
	done
	[ "$(sort -u why | wc -l)" = 1 ] || good=1
	ok $good "refused: $*" why
}

# Times in seconds
passes 51 --time ,1000.05
passes 51 --time 1000.05,
passes 21 --time 1000.05,1000.07
passes 11 --time 1000.010000000,1000.020000000
passes 101 --time ,
passes 101 --time 1,
passes 101 --time .05,1001
passes 101 --time 1000.,1000.1
passes 51 --time 1000.05,.
passes 101 --time 1000,0
passes 101 --time +1000,1001
passes 22 --time '1000,1000.01 1000.02,1000.03'
passes 22 --time ' 1000,1000.01  1000.02,1000.03'
passes 92 --time ',1000.01 1000.02,'
peer_cannot='no blank at the end' passes 11 --time '1000,1000.01 '
peer_cannot='nine digits at most' passes 11 --time 1000.0100000001,1000.02
# Parts
passes 10 --time 10%
passes 101 --time 100%
passes 10 --time 10%/1
passes 10 --time 10%/2
passes 11 --time 10%/10
passes 51 --time 50%/2
passes 33 --time 33%/2
passes 10 --time 0%-10%
passes 10 --time 10%-20%
passes 10 --time 10.5%-20.5%
passes 11 --time 90%-100%
passes 1 --time 10%-10%
passes 20 --time 0%-10%,50%-60%
passes 20 --time 10%/1,10%/3
passes 20 --time '10%/2, 10%/3'
passes 20 --time 10%/2,10%/3,
passes 10 --time '10% /2'
peer_cannot='parts with commas only' passes 20 --time '0%-10% 50%-60%'
peer_cannot='one kind of part' passes 50 --time 10%/1,0%-50%
for t in '' . 1 1000 abc 1000.5x 5,6,7 1000,999 -1,1001 1e3,1001 1000,1000.01,1000.02,1000.03 \
	99999999999999999999, % 0% 0%/2 10%/ 10%- 10%/0 10%/11 50%/3 34%/3 100%/2 10%-5% 20%-120% \
	-5%-10% 10%/1.5 10%/2,5 10%,20% nan% inf%; do
	refused 1 "--time: '$t' is neither start,stop in seconds" --time "$t"
done

# Tasks
passes 26 --comms alpha
passes 26 --comm alpha
passes 26 -c alpha
passes 76 --comms alpha,beta
passes 76 --comms alpha,,beta
passes 26 --comms ,alpha
passes 26 --comms 'alpha, beta'
passes 50 --comms alpha --comms beta
passes 51 --comms file://names
passes 101 --comms file://names,beta
passes 101 --comms beta,file://names
passes 26 --pid 100
passes 76 --pid 100,200
passes 76 --pid '100, 200'
passes 26 --pid 100,
passes 26 --pid 0100
passes 26 --pid +100
passes 50 --pid 100 --pid 200
passes 25 --tid 201
passes 50 --tid 200,201
passes 25 --pid 200 --tid 201
peer_cannot='no ranges of processes' passes 76 --pid 100-200
refused 129 'the list is empty' --comms ''
refused 129 'cannot read /nonexistent/names' --comms file:///nonexistent/names
for n in '' abc 100,abc , ,100 0x64 100-abc 200-100 99999999999999999999 -2; do
	refused 129 "'$n' is not a list of numbers" --pid "$n"
	refused 129 "'$n' is not a list of numbers" --tid "$n"
	refused 129 "'$n' is not a list of numbers" --cpu "$n"
done

# CPUs
passes 34 -C 0
passes 34 --cpu 0
passes 67 -C 0,2
passes 68 -C 0-1
passes 34 -C 0,
passes 34 -C 0 -C 1
peer_cannot='no blanks' passes 68 -C '0, 1'
peer_cannot='no CPU twice' passes 68 -C 0,0-1
data=nocpu.data refused 1 'nocpu.data do not say on which CPU' -C 0

# Places
passes 95 --dsos '[kernel.kallsyms]'
passes 5 --dsos prog
passes 5 --dsos /nonexistent/prog
passes 100 --dsos 'prog,[kernel.kallsyms]'
peer_cannot='only files that it knows' passes 1 --dsos '[unknown]'
passes 32 -S func1
passes 63 --symbols func1,func2
passes 32 -S ffffffff81001110
passes 32 -S 0xffffffff81001110
passes 64 -S func1,ffffffff81000110
peer_cannot='against its manual, not the start of a function' passes 32 -S ffffffff81001100
peer_cannot='nothing without a symbol' passes 1 -S 7000
peer_cannot='an option of its script only' passes 32 -S 0xffffffff81001108 --addr-range 8
peer_cannot='an option of its script only' passes 63 -S ffffffff81001000 --addr-range 0x1110

# Several at once
passes 1 --comms alpha -C 1 --time 10%/2
passes 9 --pid 200 --tid 200 -S func1,func2 --time 1000,1000.05 --dsos '[kernel.kallsyms]'

# What a filter of time or CPU drops is not there at all, the others take rows away: the
# percentages are those of perf 6.1.
# (An address without a symbol is that in memory here, that in the file there.)
table() { sed -n 's/0x[0-9a-f]*/ADDR/; s/  */ /g; s/ $//; /^ [0-9]/p'; }
for args in '--pid 100' '--comms beta' '-C 0' '--time 10%/2' '--dsos prog' '-S func1' \
	'--pid 100 --percentage relative'; do
	ours report --stdio -g none $args | table > table.ours
	"$peer" report --stdio -i f.data --kallsyms kallsyms -g none $args 2> err | table > table.theirs
	[ -s table.ours ] && diff table.ours table.theirs > why
	ok $? "$args: the percentages" why
done

# Nothing is left: one line and a status, the same for each filter in both commands.
for args in '--comms nosuch' '--pid 999' '--tid 999' '--pid -1' '--cpu 3' '--dsos nosuch' \
	'--symbols nosuch' '--symbols 1234' '--time ,1' '--time 0.5%/2' '--pid 100 --tid 201'; do
	refused 1 "f.data: no sample passes the filters: $args (of 101 samples)" $args
done
for o in '--folded -q' '--flamegraph=none.svg -q' '-g none --hierarchy'; do
	rm -f none.svg
	ours report --stdio $o --comms nosuch > out
	[ $? = 1 ] && [ "$(wc -l < err)" = 1 ] && grep -q 'no sample passes' err && [ ! -e none.svg ] &&
		! grep -q '^[^#]' out
	ok $? "nothing is left: $o" err
done
for o in '--symbol-filter nosuch' '--socket-filter 7' '--exclude-other -p nosuch' '--user -S func1'; do
	ours report --stdio $o > out
	[ $? = 1 ] && [ "$(wc -l < err)" = 1 ] && ! grep -q '^[^#]' out
	ok $? "nothing is left: report $o" err
done
ours script --switch-off cpu-clock > out
[ $? = 0 ] || grep -q 'no sample passes the filters: --switch-off cpu-clock' err
ok $? 'nothing is left: script --switch-off' err

# Between two events: report counts what script prints. (Debian's perf of its own accord starts again
# behind --switch-off, so that it is no measure.)
of_group() {
	"$perf" "$@" -i "$lib/../golden/c/group.fp.data" --symfs "$lib/../golden/c/symfs" \
		--kallsyms "$lib/../golden/c/kallsyms" 2> err
}
for o in '--switch-on page-faults' '--switch-off page-faults' '--switch-on page-faults --show-on-off-events' \
	 '--switch-on cpu-clock --switch-off page-faults' '-j 4 --switch-on page-faults'; do
	of_group script -F event -G ${o#-j 4} | awk '{ n[$1]++ } END { print n["cpu-clock:"] + 0, n["page-faults:"] + 0 }' > want
	of_group report -F sample,comm -g none --no-children --no-skip-empty -t, $o | sed -n 's/^\([0-9]*\) \([0-9]*\),.*/\1 \2/p' > got
	grep -q '^[1-9]' want && diff want got > out
	ok $? "report and script: $o" out
done
! of_group report --switch-on nosuch > out && grep -q "no event 'nosuch'" err
ok $? 'report --switch-on of an event that is not there' err

# A stream's length is not known before its end.
stream() {
	"$perf" "$@" --symfs "$lib/../golden/c/symfs" --kallsyms "$lib/../golden/c/kallsyms" -i - \
		< <(cat "$lib/../golden/c/pipe.defer.data") 2> err
}
for command in script 'report --stdio'; do
	stream $command --time 10%/2 > out
	[ $? = 1 ] && [ "$(wc -l < err)" = 1 ] && grep -q -- '--time 10%/2: the length of .* is not known' err
	ok $? "$command of a stream, a part of it" err
	stream $command --time 0,1000 > out && [ -s out ]
	ok $? "$command of a stream, seconds" err
	stream $command --comms nosuch > out
	[ $? = 1 ] && [ "$(wc -l < err)" = 1 ] && grep -q 'no sample passes the filters: --comms nosuch' err
	ok $? "$command of a stream: nothing is left" err
done
plan
