#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf list, perf config, perf version.
. "$(dirname "$0")/../../lib/record.sh"

lists() { # PATTERN ARGS...
	local p=$1
	shift
	"$PERF" list "$@" 2>/dev/null | grep -Eq -- "$p"
}
# Machines of our own in sysfs: with a PMU of the CPUs, and, as most virtual machines, without
mkdir -p {counters/bus/event_source/devices/{cpu,software},none/bus/event_source/devices/{software,msr}}
echo 4 > counters/bus/event_source/devices/cpu/type
for d in {counters,none}/bus/event_source/devices/software; do echo 1 > $d/type; done
echo 9 > none/bus/event_source/devices/msr/type
export SYSFS_PATH=$T/counters
ok 'list: software'	lists '^  cpu-clock +\[Software event\]'
ok 'list: hardware'	lists '^  cycles OR cpu-cycles +\[Hardware event\]'
ok 'list: cache'	lists '^  L1-dcache-load-misses +\[Hardware cache event\]'
ok 'list: raw'		lists '^  rNNN '
ok 'list sw'		lists 'page-faults OR faults' sw
only() { ! lists 'Hardware' sw; }
ok 'list sw: nothing else' only
ok 'list hw'		lists 'instructions' hw
ok 'list cache'		lists 'dTLB-loads' cache
ok 'list GLOB'		lists '^  cpu-clock' 'cpu-c*'
ok 'list PART'		lists 'major-faults' fault
if may_trace; then
	ok 'list tracepoint' lists '^  sched:sched_switch +\[Tracepoint event\]' tracepoint
	ok "list 'sched:*'"	lists '^  sched:sched_switch ' 'sched:*'
else
	skip 'list tracepoint' 'only root reads tracefs here'
fi
cp -r none arm
d=arm/bus/event_source/devices/armv8_pmuv3_0
mkdir $d && echo 8 > $d/type && echo 0-3 > $d/cpus
SYSFS_PATH=$T/arm ok 'list: hardware, a PMU with CPUs'	lists '^  cycles OR cpu-cycles +\[Hardware event\]'
of_none() { SYSFS_PATH=$T/none lists "$@"; }
no_counters() { of_none 'cpu-clock +\[Software event\]' && of_none '^  mem:' && ! of_none '(Hardware|Hardware cache) event|rNNN'; }
ok 'list: no hardware events without a PMU'	no_counters
no_pmu() { # WORD TEXT: nothing is listed, and why
	SYSFS_PATH=$T/none "$PERF" list "$1" > out 2> "$T/err" && test ! -s out && test "$(wc -l < "$T/err")" = 1 &&
		says "$2hardware events are not listed: the kernel has no PMU"
}
for word in hw cache pfm; do
	ok "list $word without a PMU: why"	no_pmu $word "$word: "
done
ok 'list cycles without a PMU: why'	no_pmu cycles "no event matches 'cycles'; "
json() { # all names of the text, with their kinds, in its order
	"$PERF" list -j "$@" > "$T/list.json" 2> "$T/err" &&
		python3 -c 'import json, sys
for e in json.load(open(sys.argv[1])):
    assert set(e) <= {"EventName", "EventAlias", "EventType"}, e
    text = e["EventName"] + (" OR " + e["EventAlias"] if "EventAlias" in e else "")
    print("  %-50s [%s]" % (text, e["EventType"]))' "$T/list.json" > "$T/of.json" &&
		diff <("$PERF" list "$@" 2> /dev/null | grep -v -e '^  rNNN ' -e '^  mem:') "$T/of.json"
}
ok 'list -j: everything'	json
ok 'list -j: of two patterns'	json cpu-c fault
what() { # in text and JSON
	"$PERF" list --desc page-faults | grep -A1 '^  page-faults OR faults' | grep -q '^  *Page faults$' &&
		"$PERF" list -j -d page-faults | grep -q '"BriefDescription": "Page faults"' &&
		! "$PERF" list page-faults | grep -q '^  *Page faults$'
}
ok 'list --desc'	what
all_described() {
	! "$PERF" list --desc hw sw | awk '/\[.*event\]$/ { if (last) print last; last = $0; next } { last = "" } END { print last }' |
		grep .
}
ok 'list --desc: hardware and software events'	all_described
details() {
	"$PERF" list --details dummy | grep -q 'type=1,config=0x9$' &&
		"$PERF" list -j --details dummy | grep -q '"Encoding": "type=1,config=0x9"'
}
ok 'list --details'	details
none() { "$PERF" list -j nosuchevent 2> /dev/null | python3 -c 'import json, sys; assert json.load(sys.stdin) == []'; }
ok 'list -j: nothing'	none
every() { # what list names, record takes
	local e
	for e in $("$PERF" list sw | awk '{ print $1 }') $("$PERF" list hw | awk '{ print $1 }') \
		 $("$PERF" list cache | awk '{ print $1 }'); do
		"$PERF" record --dry-run -e "$e" true || return 1
	done
}
ok 'what list names, record takes' every
unset SYSFS_PATH

modes() { "$PERF" "$1" -h | sed -nE '/^ +--call-graph <mode> +/ { s///; s/\[[^]]*\]//g; s/, / /g; p }'; }
mode_lists() { test "$(modes record)" = 'table bpf live fp fp,defer dwarf lbr no' -a "$(modes top)" = 'bpf live fp dwarf lbr no'; }
ok '-h lists the modes of --call-graph'	mode_lists
mode_taken() { # each by the option, as a term and as a setting
	local m
	for m in $(modes record); do
		PERF_CONFIG=$T/modes "$PERF" config call-graph.record-mode=$m || return
		for e in "-e cpu-clock --call-graph $m" "-e cpu-clock -g" "-e cpu-clock/call-graph=$m/"; do
			PERF_CONFIG=$T/modes "$PERF" record --dry-run $e true || return
		done
	done
}
ok 'and all are accepted'	mode_taken

export PERF_CONFIG=$T/config
"$PERF" config call-graph.record-mode=fp,defer report.children=false 2> "$T/err"
got() { [ "$("$PERF" config "$1")" = "$1=$2" ]; }
ok 'config: set and get'	got call-graph.record-mode fp,defer
ok 'config: another section'	got report.children false
"$PERF" config call-graph.record-mode=dwarf
ok 'config: changed'		got call-graph.record-mode dwarf
once() { [ "$(grep -c record-mode "$T/config")" = 1 ]; }
ok 'config: once'		once
listed() { [ "$("$PERF" config -l | sort | tr '\n' ' ')" = 'call-graph.record-mode=dwarf report.children=false ' ]; }
ok 'config -l'			listed
cat > "$T/config" <<'END'
# mine
[Call-Graph]
	Record-Mode = "fp,defer"	; and why
	flag
[colors]
	top = red, default
END
ok 'config: quotes, comments, case' got call-graph.record-mode fp,defer
ok 'config: a name alone'	got call-graph.flag true
"$PERF" config colors.top=blue
keeps() { grep -q '^# mine' "$T/config" && got colors.top blue && got call-graph.record-mode fp,defer; }
ok 'config: the rest does not change'	keeps
"$PERF" config nosuch.thing > "$T/out"
ok 'config: not set'		test $? = 1
"$PERF" config nodot 2> "$T/err"
ok 'config: no name'		says 'SECTION.NAME'
echo '[broken' > "$T/config"
"$PERF" config -l 2> "$T/err"
ok 'config: broken'		says "$T/config:1"
ok 'version'			grep -q '^perf version ' <("$PERF" version)
finish
