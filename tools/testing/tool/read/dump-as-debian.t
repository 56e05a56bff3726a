#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Recordings made here by Debian's perf 6.1, and made-up ones with every record that none of
# them has: our report -D and script -D against its, and the records that script shows when it is
# asked to. Differences of the version are named below, each is applied to the side it is of.
[ -n "${RECORDED:-}" ] || exec "$(dirname "$0")/../../lib/thrice" "$0"
. "$(dirname "$0")/../../lib/scratch.sh"
theirs=/usr/bin/perf

skip_all() {
	echo "1..0 # SKIP $1"
	[ "${CI:-}" = true ] && exit 1
	exit 0
}
$theirs version 2>/dev/null | grep -q 'version 6\.1\.' || skip_all "no perf 6.1 here (linux-perf)"
$theirs record -B -o try -e cpu-clock -- true > /dev/null 2>&1 || skip_all "perf record may not run here"

# No function of the kernel is named: one of sixteen is read faster than all.
awk 'NR % 16 == 1 || $3 ~ /^(_text|_stext|_etext)$/' /proc/kallsyms > kallsyms

# What 6.1 prints otherwise than 7.2, which we follow:
old() {
	sed -E -e 's/^ {0,4}([ A-Z0-9_]{16}|AUX_OUTPUT_HW_ID) events: /@&/' \
		-e 's/^@ {0,4}/@/; s/^@ */@/' `# statistics: a narrower column` \
		-e 's/Time Muliplier /Time Multiplier/' `# spelt so then` \
		-e 's/^(\.\.\. Time Mask       ).*/\1/' `# decimal or hex` \
		-e 's/(weight: [0-9]+,0x[0-9a-f]+,).*/\1/' `# the third is not reported on x86` \
		-e 's/^(\.\.\.\.\. +[0-9]+: [0-9a-f]{16} -> .* cycles .{4} [0-9a-f]+).*/\1/' `# types, speculation` \
		-e 's/ cpu-clock(:[HG]+)? ([0-9]+)$/ cpu-clock \2/' `# host and guest in names` \
		-e 's/^cpu-clock:HG stats:/cpu-clock stats:/' `# the same` \
		-e 's,dso: /tmp/perf-vdso\.so-.*,dso: [vdso],' `# a copy that it made now` \
		-e '/^WARNING: No sample_id_all support/d' `# a remark on stdout`
}
# In a pipe 6.1 says nothing of attributes and features.
pipe_only() {
	sed -E -e 's/(PERF_RECORD_(ATTR|FEATURE)).*/\1/' -e '/^# /d; /^#  /d; /^$/d'
}
new() {
	sed -E -e 's/ \(PERF_CONTEXT_[A-Z_]*\)$//' `# names of context markers` | old
}

check() {
	local name=$1 file=$2

	shift 2
	[ $# -gt 0 ] || set -- report -D
	$theirs "$@" --kallsyms kallsyms -i "$file" 2> err.t | old > out.t
	"$perf" "$@" --kallsyms kallsyms -i "$file" 2> err.o | new > out.o
	if [ "$1" = script ]; then
		# mainline forgets the name of a task that exited since, script does as it does
		sed -i -E 's/^( \.\.\. thread: ).*:/\1/' out.t out.o
	fi
	if [ "$name" = pipe ]; then
		pipe_only < out.t > out && mv out out.t
		pipe_only < out.o > out && mv out out.o
	fi
	[ "$(grep -c PERF_RECORD out.t)" -gt 3 ] && diff out.t out.o > diff
	ok $? "$name" diff
}

# While another recorder of this machine asks for build-ids, its kernel flags device numbers as
# build-ids for 6.1, too. Where that number is above 20, what reads the map dies of a smashed stack ("assertion
# failed at util/build-id.c"): its report, and its record unless -B keeps it from reading. So a
# recording with such a map is made once more; our perf reports it.
their_record() { # FILE OPTION...
	local file=$1 out=$1 i
	shift

	[ "$file" = pipe.data ] && out=-
	# Debian's perf waits for its thread for BPF's records, mostly 0.8 s: one recording has them.
	[ "$file" = plain ] || set -- --no-bpf-event "$@"
	for i in $(seq 20); do
		if [ $out = - ]; then
			$theirs record -q -B -o - "$@" > "$file" 2> rec.err || return
		else
			$theirs record -q -B -o "$file" "$@" > rec.out 2> rec.err || return
		fi
		"$perf" report --stats -i "$file" 2>&1 > rec.out | grep -q 'a build-id of' || return 0
	done
}

record() {
	local name=$1
	shift
	their_record "$name" "$@" || {
		skip "$name" "this machine cannot record it: $(tail -n 1 rec.err)"
		return
	}
	check "$name" "$name"
	# Its own lines are another test's (script/as-debian.t): here they show where they stand.
	check "$name: script -D" "$name" script -D -G -F misc
}

work='i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done; ls / > /dev/null; (ls /proc > /dev/null) & wait'
made() {
	python3 "$here/dump-records.py" "$1" "$2" && check "made up: $1" "$2"
	# perf stat's records, which 6.1's script dies of, are in "tools".
	[ "$1" = tools ] || check "made up: $1: script -D" "$2" script -D -G -F comm,time,ip
}

record plain -e cpu-clock -- sh -c "$work"
record callchain -g -e cpu-clock -- sh -c "$work"
record dwarf --call-graph dwarf,4096 -e cpu-clock -- sh -c "$work"
record two-events -e cpu-clock,page-faults -- sh -c "$work"
record group -e '{cpu-clock,page-faults}:S' -- sh -c "$work"
record system -a -g -e cpu-clock -- sh -c "$work"
record switches --switch-events --namespaces -e cpu-clock -- sh -c "$work"
record switches-cpu-wide -a --switch-events -e cpu-clock -- sh -c "$work"
record cgroups --all-cgroups -e cpu-clock -- sh -c "$work"
record tracepoint -e 'sched:sched_process_*' -- sh -c "$work"
record data -d -W -e page-faults -c 1 -- sh -c "$work"
record phys --phys-data --data-page-size -e page-faults -c 1 -- sh -c "$work"
record intr-regs --intr-regs=ax,bx,ip --user-regs=sp,ip -e cpu-clock -- sh -c "$work"
record no-samples -e dummy -- sh -c "$work"
record period -c 1000000 -T -P -e cpu-clock -- sh -c "$work"
record no-inherit -i -e cpu-clock -- sh -c "$work"
record per-thread --per-thread -e cpu-clock -- sh -c "$work"
record clockid -k CLOCK_MONOTONIC -e cpu-clock -- sh -c "$work"
their_record pipe.data -e cpu-clock -g -- sh -c "$work" || : > pipe.data
check pipe pipe.data
for m in kernel tools sample-all sample-read sample-group sample-raw sample-branch \
	sample-callstack sample-regs sample-misc sample-weight sample-aux sample-contexts \
	sample-unknown sample-hypervisor no-sample-id; do
	made $m $m.data
done
# -F without the tid: its column was narrower then.
check "made up: kernel: script --show-*-events" kernel.data script -F comm,cpu,time,misc \
	--show-task-events --show-mmap-events --show-switch-events --show-lost-events \
	--show-namespace-events --show-bpf-events --show-cgroup-events --show-text-poke-events \
	--show-round-events
plan
