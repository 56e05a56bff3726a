#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Events of CPUs of several kinds (Intel's hybrid ones), and events by the vendor's names. No such CPU is at
# hand: the first are tried with a sysfs tree made up here, the second with libpfm4 told which CPU to assume.
. "$(dirname "$0")/../../lib/record.sh"

# Two kinds of CPU. Both PMUs have the number of the kernel's software PMU, so that raw events can be recorded.
kind() { # NAME TYPE CPUS
	local d=sys/bus/event_source/devices/$1

	mkdir -p $d/format $d/events
	echo $2 > $d/type
	echo $3 > $d/cpus
	echo config:0-7 > $d/format/event
	echo config1:0-15 > $d/format/ldlat
	echo event=0xcd,ldlat=3 > $d/events/mem-loads
}
last=$(($(nproc --all) - 1))
kind cpu_core 4 0
kind cpu_atom 10 1-63
export SYSFS_PATH=$T/sys

# events EVENT NAME:TYPE:CONFIG...: --dry-run -vv shows these events, in this order
events() {
	local e=$1
	shift
	"$PERF" record --dry-run -vv ${e:+-e "$e"} true 2>&1 | awk '$1 == "event" { n = $2; c = 0 }
		$1 == "type" { t = $2 } $1 == "config" { c = $2 }
		$1 == "sample_type" { print n ":" t ":" c }' | grep -v '^dummy' > got
	printf '%s\n' "$@" | diff - got
}
ok 'hardware event'		events cycles cpu_atom/cycles/:0:0xa00000000 cpu_core/cycles/:0:0x400000000
ok 'with modifiers'		events instructions:u cpu_atom/instructions/u:0:0xa00000001 cpu_core/instructions/u:0:0x400000001
ok 'with terms'			events cycles/period=77/u cpu_atom/cycles,period=77/u:0:0xa00000000 \
	cpu_core/cycles,period=77/u:0:0x400000000
ok 'the default'		events '' cpu_atom/cycles/P:0:0xa00000000 cpu_core/cycles/P:0:0x400000000
ok 'cache event'		events LLC-load-misses cpu_atom/LLC-load-misses/:3:0xa00010002 cpu_core/LLC-load-misses/:3:0x400010002
ok 'raw event'			events r1a8 cpu_atom/r1a8/:10:0x1a8 cpu_core/r1a8/:4:0x1a8
ok 'event of sysfs'		events mem-loads:P cpu_atom/mem-loads/P:10:0xcd cpu_core/mem-loads/P:4:0xcd
ok 'software has no kind'	events cpu-clock,page-faults cpu-clock:1:0 page-faults:1:0x2
ok 'one kind'			events cpu_core/cycles/u cpu_core/cycles/u:0:0x400000000
ok 'one kind, cache event'	events cpu_atom/L1-dcache-load-misses/upp cpu_atom/L1-dcache-load-misses/upp:3:0xa00010000
ok 'one kind, raw event'	events cpu_atom/r3c/ cpu_atom/r3c/:10:0x3c
ok 'one kind, terms'		events cpu_atom/event=0x3c/,cpu_core/mem-loads,ldlat=30/P cpu_atom/event=0x3c/:10:0x3c cpu_core/mem-loads,ldlat=30/P:4:0xcd
groups() { # GROUP NAMES...: its events, in their new order
	"$PERF" record --dry-run -vv -e "$1" true 2>&1 | awk '$1 == "event" { print $2 }' | grep -v dummy > got
	shift
	printf '%s\n' "$@" | diff - got
}
ok 'a group is one of each kind, software by itself'	groups '{cycles,page-faults,instructions}' \
	cpu_atom/cycles/ cpu_atom/instructions/ cpu_core/cycles/ cpu_core/instructions/ page-faults
rm -r sys; kind cpu 4 0; rm sys/bus/event_source/devices/cpu/cpus
ok 'CPUs of one kind'		events cycles,cpu/cycles/,cpu/r1a8/u cycles:0:0 cpu/cycles/:0:0 cpu/r1a8/u:4:0x1a8
rm -r sys; kind arm 8 0
ok 'the only PMU has CPUs'	events cycles cycles:0:0

if [ "$(id -u)" = 0 ] && [ "$last" -ge 1 ] && [ "$(taskset -p $$ | sed 's/.*: //')" != 1 ]; then
	rm -r sys; kind cpu_core 1 0; kind cpu_atom 1 1-63
	rec -F 500 -e '{r0,page-faults,r2}' sh -c "taskset -c 0 $W/burn 60; taskset -c 1 $W/burn 60"
	in_groups() { header "$T/data" '^# group: \{cpu_atom/r0/,cpu_atom/r2/\}$' && header "$T/data" '^# group: \{cpu_core/r0/,cpu_core/r2/\}$'; }
	ok 'groups'			in_groups
	task() { "$PERF" script -i "$T/data" -F event -G 2> "$T/err" | sort -u | grep -c 'cpu_[a-z]*/r0/' | grep -qx 2; }
	ok 'a task is recorded on both'	task
	rec -F 500 -e r0 -a sh -c "taskset -c 0 $W/burn 100 & taskset -c 1 $W/burn 100; wait"
	by_cpu() { # each kind's samples are of its CPUs
		"$PERF" script -i "$T/data" -F cpu,event -G 2> "$T/err" | sort | uniq -c > got
		grep -q '\[000\].*cpu_core/r0/' got && grep -q '\[001\].*cpu_atom/r0/' got &&
			! grep -e '\[000\].*cpu_atom' -e '\[001\].*cpu_core' got
	}
	ok 'each on its CPUs'		by_cpu
	of_both() { "$PERF" report --stdio -i "$T/data" 2> "$T/err" | grep -c "of event 'cpu_[a-z]*/r0/'" | grep -qx 2; }
	ok 'perf report has both'	of_both
	ok 'the header says which CPUs are of which kind'	header "$T/data" '^# cpu_core cpu list : 0$'
	ok "Debian's perf reads it"	same "$T/data" 20
	rec -F 500 -e r0 -C 0 sleep 0.1
	only_core() { [ "$status" = 0 ] && ! "$PERF" script -i "$T/data" -F event -G 2> "$T/err" | grep cpu_atom; }
	ok '-C of one kind'		only_core
	rec -e cpu_atom/r0/ -C 0 true
	ok '-C without the kind'	says 'cpu_atom/r0/: none of the requested CPUs is of its kind'
else
	skip 'recordings on two kinds of CPU' 'one CPU, or not root'
fi
unset SYSFS_PATH

# By the vendor's name
export LIBPFM_FORCE_PMU=skl
if "$PERF" version --build-options | grep -q 'libpfm4: \[ on  \]' && "$PERF" list pfm | grep -q skl; then
	ok 'a name'			events mem_load_retired.l3_miss mem_load_retired.l3_miss:4:0x20d1
	ok 'in upper case'		events MEM_LOAD_RETIRED.L3_MISS MEM_LOAD_RETIRED.L3_MISS:4:0x20d1
	ok 'with modifiers'		attr mem_load_retired.l3_miss:upp 'event mem_load_retired.l3_miss:upp' 'config 0x20d1' 'exclude_kernel 1' 'precise_ip 2'
	ok 'with terms'			attr mem_load_retired.l3_miss/period=77/ 'config 0x20d1' '{ sample_period, sample_freq } 77'
	ok 'in a group'			events '{l1d.replacement,cpu-clock}' l1d.replacement:4:0x151 cpu-clock:1:0
	rm -r sys; kind cpu 4 0; rm sys/bus/event_source/devices/cpu/cpus
	export SYSFS_PATH=$T/sys
	ok 'between slashes'		attr cpu/mem_load_retired.l3_miss,ldlat=9/u 'config 0x20d1' '{ bp_addr, config1 } 0x9' 'exclude_kernel 1'
	unset SYSFS_PATH
	pfm() { # EVENTS NAME:CONFIG:PRECISE:EXCLUDE_KERNEL...
		local e=$1
		shift
		"$PERF" record --dry-run -vv --pfm-events "$e" true 2>&1 | awk '
			function out() { if (n != "") print n ":" c ":" p ":" x }
			$1 == "event" { out(); n = $2; c = p = x = 0 }
			$1 == "config" { c = $2 } $1 == "precise_ip" { p = $2 } $1 == "exclude_kernel" { x = $2 }
			END { out() }' > got
		printf '%s\n' "$@" | diff - got
	}
	ok '--pfm-events'		pfm MEM_LOAD_RETIRED:L3_MISS:u:precise=2,skl::L1D:REPLACEMENT \
		MEM_LOAD_RETIRED:L3_MISS:u:precise=2:0x20d1:2:1 skl::L1D:REPLACEMENT:0x151:0:0
	ok '--pfm-events, a group'	pfm '{l1d.replacement,uops_issued.any}' l1d.replacement:0x151:0:0 uops_issued.any:0x10e:0:0
	wrong() { # TEXT ARGS...: refused with this text
		local text=$1
		shift
		! "$PERF" record --dry-run "$@" true 2> "$T/err" && says "$text"
	}
	ok 'mistyped: the nearest'	wrong 'nearest: mem_load_retired.l3_miss' -e mem_load_retired.l3_mis
	ok 'without its second half'	wrong 'libpfm4: invalid or missing unit mask' -e mem_load_retired
	ok '--pfm-events, mistyped'	wrong 'nearest: l1d.replacement' --pfm-events l1d.replacemen
	ok '--pfm-events, not closed'	wrong "not closed by '}'" --pfm-events '{l1d.replacement'
	ok '--pfm-events, missing'	wrong 'an event is missing here' --pfm-events 'l1d.replacement,'
	if may_trace; then
		ok 'tracepoints are looked up first'	attr sched:sched_switch 'type 2 (PERF_TYPE_TRACEPOINT)'
	else
		skip 'tracepoints are looked up first' 'only root reads tracefs here'
	fi
	listed() { "$PERF" list --desc --details mem_load_retired.l3 | grep -A2 '^  mem_load_retired.l3_miss  *\[Hardware event of skl\]$' | grep -q 'config=0x20d1'; }
	ok 'perf list'			listed
	every() { # what list names, record takes
		"$PERF" list pfm | awk '{ print $1 }' > names
		[ "$(wc -l < names)" -gt 100 ] && "$PERF" record --dry-run -e "$(paste -sd, names)" true 2> "$T/err"
	}
	ok 'what perf list names, record takes'	every
	# A file that is no library stands for one that is not there.
	mkdir -p empty && : > empty/libpfm.so.4
	absent() { ! LD_LIBRARY_PATH=$T/empty "$PERF" record --dry-run -e mem_load_retired.l3_miss true 2> "$T/err" && says 'need libpfm4, which is not installed'; }
	ok 'without the library'	absent
	others() { LD_LIBRARY_PATH=$T/empty "$PERF" record --dry-run -e cpu-clock,cycles true; }
	ok 'others do not need it'	others
else
	skip "events by the vendor's names" 'this perf has no libpfm4'
fi
unset LIBPFM_FORCE_PMU
finish
