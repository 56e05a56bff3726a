#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What perf record's options put into the file.
. "$(dirname "$0")/../../lib/record.sh"
B=$W/burn

has() { # what, OPTION...: the samples have it and both readers agree
	local what=$1
	shift
	rec -e cpu-clock "$@" -- "$B" 20
	[ "$status" = 3 ] && header "$T/data" "sample_type = [^,]*\\b$what\\b" && same "$T/data" 5 && no_complaint "$T/data"
}
data_maps() { # mappings without code, which are not there without the option
	rec -e cpu-clock -- "$B" 20
	script_has "$T/data" 'MMAP2 .* r--p ' --show-mmap-events && return 1
	rec -e cpu-clock --data-mmap -- "$B" 20
	script_has "$T/data" 'MMAP2 .* r--p ' --show-mmap-events && same "$T/data" 5
}
times_of_counts() {
	rec -e '{cpu-clock,task-clock}:S' --running-time -- "$B" 20
	header "$T/data" 'read_format = TOTAL_TIME_ENABLED\|TOTAL_TIME_RUNNING' && same "$T/data" 5 &&
		"$PERF" report -D -i "$T/data" | grep -aq 'time running'
}
no_period() {
	rec -e cpu-clock -c 1000000 -- "$B" 20
	! header "$T/data" 'sample_type = [^,]*\bPERIOD\b' && same "$T/data" 5
}
ok '-d'				has ADDR -d
ok '-d: DATA_SRC'		has DATA_SRC -d
ok '--phys-data'		has PHYS_ADDR --phys-data
ok '--data-mmap'		data_maps
ok '--running-time'		times_of_counts
ok '--data-page-size'		has DATA_PAGE_SIZE --data-page-size
ok '--code-page-size'		has CODE_PAGE_SIZE --code-page-size
ok '-T'				has TIME -T
ok '-P'				has PERIOD -P -c 1000000
ok '-c: no period in samples'	no_period
ok '-W'				has WEIGHT_STRUCT -W
ok '-R'				has RAW -R
ok '--sample-cpu'		has CPU --sample-cpu
ok '--sample-identifier'	has IDENTIFIER --sample-identifier
ok '--user-regs'		has REGS_USER --user-regs=ax,ip
ok '--user-regs: the mask'	header "$T/data" 'sample_regs_user = 0x101'
ok '-I'				has REGS_INTR -I
# (Debian's perf has no name for this one in its headers.)
transaction() {
	rec -vv -e cpu-clock --transaction -- "$B" 20
	says 'TRANSACTION' && same "$T/data" 5
}
ok '--transaction'		transaction
ok '--all-cgroups'		has CGROUP --all-cgroups
"$PERF" record '-I?' true 2> "$T/err"
ok '-I?: lists registers'	says 'available registers: AX'
rec --user-regs=zz true
ok '--user-regs: wrong'		says "no register 'zz'"

rate() { # SPEC ATTRIBUTE
	rec -e cpu-clock "$1" "$2" -- "$B" 20
	header "$T/data" "$3" && same "$T/data" 1
}
ok '-F'			rate -F 333 'sample_freq \} = 333.*freq = 1'
ok '-c: the period'	rate -c 3000000 'sample_freq \} = 3000000,'
max=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
# Page faults: a clock that interrupts 100,000 times a second leaves a virtual machine no time
# for anything else.
fastest() {
	rec -e page-faults -F max -- "$B" 20
	header "$T/data" "sample_freq \\} = $max"
}
ok '-F max'		fastest
# With stacks to walk these would take all the time there is: it did not end within five minutes.
rec -a -e cpu-clock -F max -g sleep 0.1
bounded() { [ "$status" = 0 ] && header "$T/data" 'sample_freq \} = 20000'; }
ok '-F max: a clock with callchains'	bounded
rec -e page-faults -F $((max + 1)) true
lowered() { says "using $max" && [ "$status" = 0 ]; }
ok "-F: too high is lowered"	lowered
rec -e cpu-clock -F $((max + 1)) --strict-freq true
ok '--strict-freq'	says 'omit --strict-freq'
rec -F 0 true;		ok '-F 0' says '-F needs samples per second'
rec -c 0 true;		ok '-c 0' says '-c 0 would take no sample'
rec -o '' true;		ok "-o ''" says '-o needs the name of a file'
rec -F 10 -c 10 true;	ok '-F with -c' says '-c and -F exclude each other'

chain() { # ATTRIBUTE OPTION...
	local what=$1
	shift
	rec -e cpu-clock "$@" -- "$B" 20
	header "$T/data" "$what" && same "$T/data" 5
}
ok '-g'				chain 'CALLCHAIN' -g
ok '--call-graph fp'		chain 'CALLCHAIN' --call-graph fp
deep() { script_has "$T/data" 'burn_user' && script_has "$T/data" 'tiny_main'; }
ok '--call-graph fp: caller and callee' deep
ok '--call-graph dwarf'		chain 'STACK_USER.*exclude_callchain_user = 1.*sample_stack_user = 8192' --call-graph dwarf
ok '--call-graph dwarf,1024'	chain 'sample_stack_user = 1024' --call-graph dwarf,1024
ok '--kernel-callchains'	chain 'exclude_callchain_user = 1' -g --kernel-callchains
ok '--user-callchains'		chain 'exclude_callchain_kernel = 1' -g --user-callchains
rec -g --user-callchains --kernel-callchains true
ok '--user- and --kernel-callchains' says 'exclude each other'
for mode in dwarf,defer lbr,defer; do
	rec --call-graph $mode true
	ok "--call-graph $mode: refused" says "'defer' works with 'fp' only: --call-graph fp,defer"
done
for mode in defer fp,what table,8192 no,no; do
	rec --call-graph $mode true
	ok "--call-graph $mode: refused" says "'$mode' is not one of table, bpf, "
done
rec --call-graph what true;	ok '--call-graph what' says 'is not one of table, bpf, live[,size], fp, fp,defer, dwarf[,size], lbr, no'
rec --call-graph dwarf,99999999 true; ok '--call-graph dwarf,SIZE: too large' says 'up to 65528 bytes'
# -g behind an explicit mode, as wrappers add it: the mode stays. The last mode holds.
mode() { # SAMPLE_TYPE OPTIONS...: bits of sample_type, sample_stack_user
	rec --dry-run -vv -e cpu-clock:u "${@:2}" true
	[ "$(sed -nE 's/^ *sample_stack_user +//p' "$T/err") $(grep -c 'CALLCHAIN' "$T/err")" = "$1" ]
}
ok '--call-graph dwarf,64000 -g'	mode '64000 1' --call-graph dwarf,64000 -g
ok '--call-graph fp -g'			mode ' 1' --call-graph fp -g
ok '--call-graph fp -g -g'		mode ' 1' --call-graph fp -g -g
ok '-g --call-graph dwarf,64000'	mode '64000 1' -g --call-graph dwarf,64000
ok '--call-graph dwarf --call-graph fp -g' mode ' 1' --call-graph dwarf --call-graph fp -g
ok '-g --no-call-graph'			mode ' 0' -g --no-call-graph
g_again() { rec -vv -e cpu-clock:u --no-call-graph -g -- "$B" 20; header "$T/data" CALLCHAIN; }
ok '--no-call-graph -g'			g_again
printf '[call-graph]\n\trecord-mode = dwarf,64000\n' > config
configured() { PERF_CONFIG=$T/config mode "$@"; }
ok 'a mode of the configuration, for -g alone'	configured '64000 1' -g
ok '... and not for --call-graph fp -g'		configured ' 1' --call-graph fp -g
no_chain() { rec -e cpu-clock -- "$B" 20; ! header "$T/data" CALLCHAIN; }
ok 'no callchains by default'	no_chain

# This kernel may or may not be able to defer: both ways are right, each has its signs.
rec -vv -e cpu-clock --call-graph fp,defer -- "$B" 20
if grep -q 'defer_callchain  *1' "$T/err"; then
	ok 'fp,defer: deferred here'	says 'defer_output'
else
	ok 'fp,defer: falls back, -vv says so'	says 'switching off deferred callchain support'
	rec -e cpu-clock --call-graph fp,defer -- "$B" 20
	ok 'fp,defer: falls back, one line at the normal level' test "$(grep -c 'Linux 6.19 and later' "$T/err")" = 1
	quiet() { ! grep -q 'switching off' "$T/err"; }
	ok 'fp,defer: and no other'		quiet
	ok 'fp,defer: recorded as fp'		header "$T/data" 'CALLCHAIN'
fi
ok 'fp,defer: the status'		test "$status" = 3
ok 'fp,defer: both readers'		same "$T/data" 5
printf '[call-graph]\n\trecord-mode = fp,defer\n' > config
PERF_CONFIG=$T/config rec -vv -e cpu-clock -g -- "$B" 20
ok 'call-graph.record-mode = fp,defer' test -n "$(grep -E 'switching off deferred|defer_callchain' "$T/err")"
printf '[call-graph]\n\trecord-mode = nonsense\n' > config
PERF_CONFIG=$T/config rec -g true
ok 'call-graph.record-mode: wrong' says 'call-graph.record-mode'

side() { # RECORD OPTION...
	local what=$1
	shift
	rec -e cpu-clock "$@" -- "$W/forker" 3
	[ "$(records "$T/data" "$what")" -ge 1 ] && same "$T/data" 1
}
ok '--namespaces'		side NAMESPACES --namespaces
ok '--switch-events'		side SWITCH --switch-events
ok '--switch-events -a'		side SWITCH_CPU_WIDE -a --switch-events
if awk '$3 == "cgroup2"' /proc/self/mounts | grep -q .; then
	ok '--all-cgroups: records' side CGROUP --all-cgroups
else
	skip '--all-cgroups: records' 'no cgroup2 is mounted'
fi
ok '-s'				side READ -s
no_bpf() {
	rec --no-bpf-event -e cpu-clock true
	[ "$status" = 0 ] && ! header "$T/data" 'bpf_event = 1'
}
ok '--no-bpf-event'		no_bpf

for c in monotonic CLOCK_MONOTONIC_RAW boottime realtime tai; do
	ok "-k $c"		chain 'use_clockid = 1' -k $c
done
ok '-k: in the header'		header "$T/data" 'clockid|reference time'
rec -k nosuch true;		ok '-k: wrong' says 'is not one of monotonic'
rec -k 77 true;			ok '-k: no such clock' says 'is not one of monotonic'
rec -e cpu-clock -b true;	ok '-b: where there are no branches' says 'records no branches'

rec -m 2 -e cpu-clock -F 5000 "$B" 20;	ok '-m' same "$T/data" 5
rec -m 3 -e cpu-clock "$B" 20;		ok '-m: rounded up' says 'rounded up to 4 pages'
rec -m 64K -e cpu-clock "$B" 20;	ok '-m: a size' same "$T/data" 5
flush() { # a wakeup by each sample, and a buffer is read by the sixteenth
	local rounds
	rec --mmap-flush=64K --no-buffering -F 1000 -e cpu-clock "$B" 120
	rounds=$(records "$T/data" FINISHED_ROUND)
	same "$T/data" 50 || return 1
	echo "$rounds rounds, $(wc -l < "$T/theirs.txt") samples"
	[ "$rounds" -ge 1 ] && [ $((rounds * 8)) -le "$(wc -l < "$T/theirs.txt")" ]
}
ok '--mmap-flush'			flush
rec --mmap-flush=1G -e cpu-clock "$B" 20
ok '--mmap-flush: too much'		says 'more than a quarter of a buffer'
rec --mmap-flush=x true;		ok '--mmap-flush: wrong' says "--mmap-flush needs a number of bytes"
allowed() { # CPUS: where the recorder may run
	[ "$(awk '/Cpus_allowed_list/ { print $2 }' /proc/$recorder/status)" = "$1" ]
}
begin -a -e cpu-clock -F 200 -C 0 --no-buffering --affinity=cpu sleep 60
ok '--affinity=cpu'			until_true allowed 0
kill -INT $recorder; wait $recorder
ok '--affinity=cpu: both readers'	same "$T/data" 1
# a machine with two nodes, as far as sysfs says
mkdir -p sys/devices/system/node/node0 sys/devices/system/node/node1
last=$(($(nproc --all) - 1))
echo 0 > sys/devices/system/node/node1/cpulist
echo "1-$last" > sys/devices/system/node/node0/cpulist
SYSFS_PATH=$T/sys begin -a -e cpu-clock -F 200 -C 0 --no-buffering --affinity=node sleep 60
ok '--affinity=node'			until_true allowed 0
kill -INT $recorder; wait $recorder
rec --affinity=x true;			ok '--affinity: wrong' says '--affinity needs sys, node or cpu'
rec --affinity=cpu --per-thread -e cpu-clock "$B" 20
ok '--affinity with --per-thread: said'	says 'it does not apply'
for o in --kcore --debuginfod --debuginfod=x --aux-sample --snapshot --sample-mem-info; do
	rec $o true;	ok "$o: what to use"	says 'is not part of this perf: '
done
for o in --aio --aio=4; do
	rec $o true
	refused() { says 'leave the option out' && [ $status = 129 ] && [ ! -e "$T/data" ]; }
	ok "$o: refused"		refused
done
rec -m 0 true;				ok '-m 0' says '-m 0'
rec -m x true;				ok '-m x' says "-m needs a number of pages"

# One task: of several perf 6.1 takes one's counts from another one's, where ours and
# mainline since 6.12 count by thread.
rec -e '{cpu-clock,page-faults}:S' -g "$B" 30
ok 'a group with S'		same "$T/data" 5
ok 'a group: in the header'	header "$T/data" 'group: \{cpu-clock,page-faults\}'
rec -e 'grp:{cpu-clock,page-faults}' "$W/forker" 3
ok 'a named group'		header "$T/data" 'group: grp\{cpu-clock,page-faults\}'
rec -e cpu-clock/call-graph=fp/ -e page-faults/call-graph=no,period=1/ "$W/forker" 3
ok 'callchains per event'	same "$T/data" 5
rec -n -e cpu-clock "$B" 20
ok '-n: no samples'		test "$(records "$T/data" SAMPLE)" = 0
rec --all-user -e cpu-clock "$B" 20;	ok '--all-user' header "$T/data" 'exclude_kernel = 1'
rec --all-kernel -e cpu-clock "$B" 20;	ok '--all-kernel' header "$T/data" 'exclude_user = 1'

rec -q -e page-faults -F $((max + 1)) true
ok '-q: nothing is said'	test ! -s "$T/err"
rec -v -e cpu-clock true;	ok '-v' test "$status" = 0
rec --nosuchoption true;	ok 'unknown option' says '--nosuchoption'
rec nosuchcommand;		ok 'no such command' says "cannot execute 'nosuchcommand'"
ok 'no such command: no file'	test ! -e "$T/data"
rec sh -c 'exit 77';		ok 'the status of the command' test "$status" = 77
rec sh -c 'kill -SEGV $$';	ok 'a command killed by a signal' test "$status" = 139
rec true
ok 'the default event falls back, one line' test "$(grep -c 'sampling by cpu-clock' "$T/err")" -le 1
ok 'the default event'		test "$status" = 0
finish
