#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The -e language: what each form becomes, and what is said of a wrong one.
. "$(dirname "$0")/../../lib/record.sh"

SW='type 1 (PERF_TYPE_SOFTWARE)'
ok 'software event'		attr page-faults "$SW" 'config 0x2 (PERF_COUNT_SW_PAGE_FAULTS)'
ok 'a second name'		attr faults "$SW" 'config 0x2 (PERF_COUNT_SW_PAGE_FAULTS)' 'event faults'
ok 'hardware event'		attr instructions 'type 0 (PERF_TYPE_HARDWARE)' 'config 0x1 (PERF_COUNT_HW_INSTRUCTIONS)' 'exclude_guest 1'
ok 'cache event'		attr L1-dcache-load-misses 'type 3 (PERF_TYPE_HW_CACHE)' 'config 0x10000 (PERF_COUNT_HW_CACHE_RESULT_MISS | PERF_COUNT_HW_CACHE_OP_READ | PERF_COUNT_HW_CACHE_L1D)'
ok 'cache event, store'		attr dTLB-stores 'type 3 (PERF_TYPE_HW_CACHE)' 'config 0x103 (PERF_COUNT_HW_CACHE_RESULT_ACCESS | PERF_COUNT_HW_CACHE_OP_WRITE | PERF_COUNT_HW_CACHE_DTLB)'
ok 'raw event'			attr r1a8 'type 4 (PERF_TYPE_RAW)' 'config 0x1a8'
ok 'type and config'		attr 1:9 "$SW" 'config 0x9 (PERF_COUNT_SW_DUMMY)'
ok 'breakpoint'			attr mem:0x1000/8:w:u 'type 5 (PERF_TYPE_BREAKPOINT)' 'bp_type 2' '{ bp_addr, config1 } 0x1000' '{ bp_len, config2 } 0x8' 'exclude_kernel 1' '{ sample_period, sample_freq } 1'
ok 'breakpoint, rw is the default' attr mem:0x1000 'bp_type 3' '{ bp_len, config2 } 0x4'
ok 'breakpoint on execution'	attr mem:0x1000:x 'bp_type 4' '{ bp_len, config2 } 0x8'
ok 'modifier u'			attr cpu-clock:u 'event cpu-clock:u' 'exclude_kernel 1' 'exclude_hv 1'
ok 'modifier k'			attr cpu-clock:k 'exclude_user 1' 'exclude_hv 1'
ok 'modifiers add up'		attr cpu-clock:uk 'exclude_hv 1'
ok 'modifier h'			attr cpu-clock:h 'exclude_user 1' 'exclude_kernel 1'
ok 'modifier G'			attr cycles:G 'exclude_host 1'
ok 'modifier H'			attr cycles:H 'exclude_guest 1'
ok 'modifier ppp'		attr cycles:ppp 'precise_ip 3'
ok 'modifier P'			attr cycles:P 'precise_ip 3'
ok 'modifier D'			attr cpu-clock:D 'pinned 1'
ok 'modifier I'			attr cpu-clock:I 'exclude_idle 1'
ok 'modifier S on a group'	attr '{cpu-clock,page-faults}:S' 'sample_type IP|TID|TIME|READ|PERIOD|IDENTIFIER' 'read_format ID|GROUP|LOST'
ok 'modifier W on a group'	attr '{cpu-clock,page-faults}:W' 'event page-faults'
ok 'term period'		attr cpu-clock/period=12345/ '{ sample_period, sample_freq } 12345' 'sample_type IP|TID|TIME'
ok 'term freq'			attr cpu-clock/freq=77/ '{ sample_period, sample_freq } 77' 'freq 1'
ok 'term name'			attr cpu-clock/name=ticks/ 'event ticks'
ok 'term call-graph'		attr cpu-clock/call-graph=fp/ 'sample_type IP|TID|TIME|CALLCHAIN|PERIOD'
ok 'term call-graph=dwarf, stack-size' attr cpu-clock/call-graph=dwarf,stack-size=1024/ 'sample_stack_user 1024' 'sample_regs_user 0xff0fff'
defer_term() { # a term with a comma in it, in front of another
	"$PERF" record --dry-run -vv -e cpu-clock/call-graph=fp,defer,period=77/ true 2>&1 | tr -s ' ' > "$T/attr"
	grep -q 'sample_freq } 77' "$T/attr" && grep -q 'sample_type IP|TID|TIME|CALLCHAIN' "$T/attr" &&
	grep -qE 'switching off deferred|defer_callchain' "$T/attr"
}
ok 'term call-graph=fp,defer'	defer_term
ok 'term max-stack'		attr cpu-clock/call-graph=fp,max-stack=7/ 'sample_max_stack 7'
no_inherit() {
	attr cpu-clock/no-inherit/ "$SW" && ! grep -q '^inherit ' "$T/attr"
}
ok 'term no-inherit'		no_inherit
ok 'term overwrite'		attr cpu-clock/overwrite/ 'write_backward 1'
rec -e cpu-clock/overwrite/ "$W/burn" 60
ok 'term overwrite: the samples are written' same "$T/data" 20
ok 'terms and a modifier'	attr cpu-clock/period=5/u 'exclude_kernel 1' '{ sample_period, sample_freq } 5'
named() { # EVENT NAME...: the events of the file are called so
	local e=$1
	shift
	rec -N -e "$e" true
	printf '%s\n' "$@" | diff - <("$PERF" report --header-only -i "$T/data" |
		sed -nE 's/^# event : name = (.*), , (id =|type =).*/\1/p' | grep -v '^dummy')
}
ok 'terms and modifiers tell events apart'	named cpu-clock/freq=499/u,cpu-clock/freq=99/k,faults:u,page-faults/period=3/:k \
	cpu-clock/freq=499/u cpu-clock/freq=99/k faults:u page-faults/period=3/:k
ok 'in a group, too'		named '{cpu-clock/period=100000/,cpu-clock/period=200000/}' cpu-clock/period=100000/ cpu-clock/period=200000/
ok 'not those with names of their own'	named cpu-clock/name=a,freq=9/u,cpu-clock/freq=9,name=b/ a b
ok 'PMU software by its terms'	attr software/config=2/ "$SW" 'config 0x2 (PERF_COUNT_SW_PAGE_FAULTS)'

# A machine of our own in sysfs
mkdir -p sys/bus/event_source/devices/cpu/{format,events} sys/bus/event_source/devices/unc/events
d=sys/bus/event_source/devices
echo 4 > $d/cpu/type
echo config:0-7 > $d/cpu/format/event
echo config:8-15 > $d/cpu/format/umask
echo config:0-3,32-35 > $d/cpu/format/split
echo config1:0-63 > $d/cpu/format/ldlat
echo event=0x3c,umask=0x12 > $d/cpu/events/some-event
echo event=0xcd,ldlat=3 > $d/cpu/events/mem-loads
echo 33 > $d/unc/type
echo event=1 > $d/unc/events/energy
echo Joules > $d/unc/events/energy.unit
echo 2.5e-10 > $d/unc/events/energy.scale
export SYSFS_PATH=$T/sys
ok 'PMU terms'			attr cpu/event=0x3c,umask=0x1,name=x/ 'type 4 (PERF_TYPE_RAW)' 'config 0x13c' 'event x'
ok 'PMU term over two ranges'	attr cpu/split=0xab/ 'config 0xa0000000b'
ok 'PMU term in config1'	attr cpu/event=1,ldlat=30/ '{ bp_addr, config1 } 0x1e'
ok 'PMU event'			attr cpu/some-event/ 'config 0x123c' 'event cpu/some-event/'
ok 'PMU event, term changed'	attr cpu/mem-loads,ldlat=50/u 'config 0xcd' '{ bp_addr, config1 } 0x32' 'exclude_kernel 1'
ok 'PMU event without its PMU'	attr some-event 'config 0x123c'

wrong() { # EVENT TEXT...: refused, with the caret in column $col
	local e=$1 l
	shift
	! "$PERF" record --dry-run -e "$e" true 2> "$T/err" || { echo accepted; return 1; }
	says "$@" || return 1
	grep -Eq "^ {$((col + 2))}\^$" "$T/err" || { echo "the caret is not in column $col:"; cat "$T/err"; return 1; }
}
col=0  ok 'wrong name: the nearest'		wrong cpu-clok "no event is called 'cpu-clok'" 'nearest: cpu-clock'
col=10 ok 'wrong name: behind others'		wrong cpu-clock,instrctions 'nearest: instructions'
col=4  ok 'wrong term'				wrong cpu/evnt=1/ "neither a term nor an event 'evnt'" event umask
col=10 ok 'value too large for a term'		wrong cpu/event=0x100/ 'too large'
col=0  ok 'wrong PMU'				wrong cpuu/event=1/ "'cpuu'" 'nearest: cpu'
col=10 ok 'wrong modifier'			wrong cpu-clock:z "'z' is no modifier"
col=10 ok 'no modifier'				wrong cpu-clock: 'modifier is missing'
col=0  ok 'group not closed'			wrong '{cpu-clock,page-faults' 'not closed'
col=9  ok 'terms not closed'			wrong cpu-clock/period=1 'not closed'
col=10 ok 'event missing'			wrong cpu-clock, 'an event is missing'
col=17 ok 'no number'				wrong cpu-clock/period=abc/ "not 'abc'"
col=4  ok 'breakpoint without address'		wrong mem:xyz 'needs an address'
col=13 ok 'breakpoint on execution and data'	wrong mem:0x1000:rwx 'on execution (x) or on data'
unset SYSFS_PATH

if may_trace; then
	ok 'tracepoint'		attr sched:sched_switch 'type 2 (PERF_TYPE_TRACEPOINT)' '{ sample_period, sample_freq } 1' 'sample_type IP|TID|TIME|CPU|PERIOD|RAW'
	ok 'tracepoints with terms and modifiers'	named sched:sched_switch/call-graph=fp/,sched:sched_switch:k \
		sched:sched_switch/call-graph=fp/ sched:sched_switch:k
	ok 'tracepoints of a pattern with terms'	named 'sched:sched_process_f*/period=2/k' sched:sched_process_fork/period=2/k \
		sched:sched_process_free/period=2/k
	ok 'tracepoints by a glob' attr 'sched:sched_sw*' 'event sched:sched_switch'
	col=0 ok 'wrong tracepoint' wrong sched:sched_swich 'nearest: sched:sched_switch'
	rec -e sched:sched_switch --filter 'prev_pid > 0' -e sched:sched_process_exit "$W/burn" 20 20
	ok 'tracepoints are recorded' test "$status" = 3
	ok 'tracepoints: both readers' same "$T/data"
	ok 'fields of a tracepoint' script_has "$T/data" 'prev_comm=burn' 
	rec -e sched:sched_switch --filter 'nosuchfield > 0' true
	ok 'wrong filter'	says "--filter 'nosuchfield > 0'" sched:sched_switch /events/sched/sched_switch/format
	rec -e cpu-clock --exclude-perf true
	ok '--exclude-perf without a tracepoint' says '--exclude-perf belongs after'
	rec -e cpu-clock --filter 'x > 0' true
	ok 'filter without a tracepoint' says 'belongs after'
	rec -a -e sched:sched_switch --exclude-perf -e cpu-clock "$W/burn" 20 20
	ok '--exclude-perf'	test "$status" = 3
else
	skip 'tracepoints' 'only root reads tracefs here'
fi
finish
