#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# perf record on our kernel: one boot makes the recordings (guest.sh), then each
# is read by our script, by a reader of the test's own (check.py) and by
# Debian's perf. Needs KERNEL and INITRD; leaves the recordings in
# $O/test/vm-record.
. "$(dirname "$0")/../lib/guest.sh"
# a file offset, as uprobe_events wants it: text is mapped at 0x400000
printf '0x%x\n' $((0x$(nm "$W/uret" | awk '$3 == "probed" { print $1 }') - 0x400000)) > "$T/uret.probed"
boot_guest vm-record guest.sh --mem 768 --timeout 600 --in "$T/uret.probed"
mkdir -p "$T/symfs" && cp -r "$W" "$T/symfs/g"

joined() { # NAME AT-LEAST
	"$here/check.py" "$dir/$1.data" > "$T/counts" || return 1
	cat "$T/counts"
	[ "$(field deferred)" -ge "$2" ] || return 1
	[ "$(field lost)" = 0 ] || { echo 'records were lost'; return 1; }
	[ "$(field never)" = 0 ] && [ "$(field orphans)" = 0 ]
}
# our script's own account: what it joined is what the test's reader did
ours_agree() {
	local o
	"$PERF" script -v -i "$dir/$1.data" --symfs "$T/symfs" --kallsyms "$dir/kallsyms" > "$T/script" 2> "$T/script.err" || return 1
	o=$(grep -a 'deferred callchains:.*joined' "$T/script.err") || { echo 'no account at -v'; return 1; }
	echo "$o"
	echo "$o" | grep -qwF "$(field joined)"
}
reads() { # NAME AT-LEAST: Debian's perf reads it all
	local n
	n=$("$THEIRS" report -D -i "$dir/$1.data" 2> "$T/err" | grep -ac 'PERF_RECORD_SAMPLE')
	[ "$n" -ge "$2" ] || { echo "$n samples"; return 1; }
}
has_call() { # NAME CALLEE CALLER...: some callchain has them, in this order, in adjacent lines
	local f=$1 pattern=
	shift
	while [ $# -gt 0 ]; do
		pattern="$pattern\\n[^\\n]* $1\\+0x[^\\n]*"
		shift
	done
	"$PERF" script -i "$dir/$f.data" --symfs "$T/symfs" --kallsyms "$dir/kallsyms" 2>/dev/null | grep -Pzoq "$pattern"
}

for f in deepsys forker multi zstd pipe extras uret system; do
	[ -e "$dir/$f.defer.data" ] || { skip "$f.defer" 'this kernel has no uprobes'; continue; }
	ok "$f.defer: recorded"		status_is $f.defer 0
	ok "$f.defer: every deferred sample has its record" joined $f.defer 1
	ok "$f.defer: our script joined them"	ours_agree $f.defer
	ok "$f.defer: Debian's perf reads it"	reads $f.defer 1
done
for f in threads userchains useronly; do
	ok "$f.defer: recorded"		status_is $f.defer 0
	ok "$f.defer: every deferred sample has its record" joined $f.defer 0
done
for f in attach migrate migrate-tp forkexec all percpu; do
	ok "$f: recorded"		status_is $f.defer 0
	ok "$f: every deferred sample has its record" joined $f.defer 1
	ok "$f: our script joined them"	ours_agree $f.defer
done
for i in 1 2 3 4 5 6 7 8; do
	ok "attach, time $i: every deferred sample has its record" joined attach$i.defer 1
done
sleepers() {
	"$here/check.py" "$dir/sleepers.defer.data" > "$T/counts" || return 1
	cat "$T/counts"
	# those who sleep to the end have no record, or the one they gave at once
	[ "$(field deferred)" -ge 40 ] && [ "$(field never)" = 0 ] && [ "$(field orphans)" = 0 ] && [ "$(field lost)" = 0 ]
}
ok 'inline: as the kernel chooses, nothing is left open' joined inline.defer 0
ok 'sleepers: only those who sleep have none' sleepers
lost() {
	"$here/check.py" "$dir/lost.defer.data" > "$T/counts" || return 1
	cat "$T/counts"
	[ "$(field lost)" -ge 1 ] || [ "$(field never)" = 0 ]
}
ok 'lost: what has no record is under LOST' lost
lost_said() { ! "$here/check.py" "$dir/lost.defer.data" | grep -qvw 'lost 0' || grep -q 'Lost [0-9]* records.*-m' "$dir/lost.defer.err"; }
ok 'lost: reported, with advice'		lost_said

ok 'deepsys: the whole way down'	has_call deepsys.defer read_zeroes descend descend
ok 'migrate: through the frames'	has_call migrate-tp.defer move_to turn tiny_main
ok 'fp has the same frames'		has_call deepsys.fp read_zeroes descend descend
attrs() {
	local l
	for l in 'defer_callchain 1' 'defer_output 1' 'sample_type IP|TID|TIME|CALLCHAIN|PERIOD' 'enable_on_exec 1' \
		'sample_id_all 1' 'build_id 1' 'mmap2 1' 'comm_exec 1' 'read_format ID|LOST'; do
		tr -s ' ' < "$dir/vv.err" | grep -Fq " $l" || { echo "no '$l'"; return 1; }
	done
}
ok '-vv: the attributes that mainline sets'	attrs
tracking() { # the sampled event only defers, the dummy only takes, on both CPUs
	"$here/check.py" --attrs "$dir/migrate.defer.data" > "$T/attrs"
	cat "$T/attrs"
	printf '%s\n' 'type 1 config 0 defer_callchain 1 defer_output 0 ids 1' \
		'type 1 config 9 defer_callchain 0 defer_output 1 ids 2' | diff - "$T/attrs"
}
ok '-C: the dummy on every CPU takes the records' tracking
for f in deepsys.fp nocallchain kernchains.fp group.fp mixed deepsys.dwarf chain32.dwarf; do
	ok "$f: recorded"		status_is $f 0
	ok "$f: Debian's perf reads it"	reads $f 1
	plain() { "$here/check.py" "$dir/$f.data" 2>&1 | grep -q 'deferred 0 '; }
	ok "$f: nothing is deferred"	plain
done
whole_i386() { # 6.1 as Debian builds it cannot walk these
	"$PERF" script -i "$dir/chain32.dwarf.data" --symfs "$T/symfs" -F ip,sym --no-inline 2> "$T/err" |
		awk -v RS= '$2 == "leaf" { n++; if ($0 ~ /leaf\n[^\n]* middle\n[^\n]* top\n[^\n]* main\n/) whole++ }
			END { print whole + 0 " of " n + 0; exit n <= 50 || whole != n }'
}
ok 'i386: DWARF callchains reach main' whole_i386
ok 'overwrite: recorded'		status_is overwrite.defer 0
# Not by Debian's perf: the deferred records come before the samples, and 6.1 stops at them.
some_samples() {
	[ "$("$PERF" script -i "$dir/$1.data" -F comm,time --kallsyms "$dir/kallsyms" 2>/dev/null | grep -c .)" -ge 1 ]
}
ok 'overwrite: read'			some_samples overwrite.defer
switched() { # NAME: what was in the kernel at a switch has its record in the old file too
	local f n=0
	for f in "$dir/$1".defer.data.2*; do
		"$here/check.py" "$f" > "$T/counts" || return 1
		cat "$T/counts"
		[ "$(field deferred)" = "$(field joined)" ] && [ "$(field lost)" = 0 ] || return 1
		[ "$(field deferred)" = 0 ] || n=$((n + 1))
	done
	[ $n -ge 2 ]
}
named() { # NAME PATTERN: each file has the names of its tasks and the symbols of their frames
	local f tid n=0		# (a task's samples in its exit have no thread)
	for f in "$dir/$1".defer.data.2*; do
		"$PERF" script -i "$f" --symfs "$T/symfs" --kallsyms "$dir/kallsyms" -F comm,tid,ip,sym 2>/dev/null > "$T/script"
		! grep -E '^ *[0-9a-f]{1,12} \[unknown\]' "$T/script" || return 1
		for tid in $(sed -nE 's/^ *:([0-9]+) .*/\1/p' "$T/script" | sort -u); do
			"$PERF" report -D -i "$f" 2>/dev/null | grep -aq "PERF_RECORD_EXIT([0-9]*:$tid)" || { echo "$f: $tid"; return 1; }
		done
		! grep -q "$2" "$T/script" || n=$((n + 1))
	done
	[ $n -ge 2 ]
}
ok 'switch-output: each file is joined by itself'	switched switch
ok 'switch-output: each file is named by itself'	named switch descend
ok 'switch-output -a: each file is joined by itself'	switched switch-all
ok 'switch-output -a: each file is named by itself'	named switch-all thread_main
lost_once() { # what the files' LOST_SAMPLES count is what the end line says
	local f told sum=0
	for f in "$dir"/lostswitch.defer.data.2*; do
		"$here/check.py" "$f" > "$T/counts" || return 1
		sum=$((sum + $(field counted)))
	done
	told=$(sed -n 's/.*Lost \([0-9]*\) records.*/\1/p' "$dir/lostswitch.defer.err")
	echo "the files say $sum, the end line ${told:-0}"
	[ "$sum" -ge 1 ] && [ "$sum" = "$told" ]
}
ok 'switch-output: losses are counted once' lost_once
in_cgroup() { # NAME: its task is sampled, and no other
	status_is "$1" 0 && reads "$1" 10 &&
	[ "$("$THEIRS" script -i "$dir/$1.data" -F comm 2>/dev/null | sort -u | tr -d ' \n')" = burn ]
}
complains() { # NAME TEXT
	! status_is "$1" 0 && grep -Fq -- "$2" "$dir/$1.err" || { cat "$dir/$1.err"; return 1; }
}
ok '-G: version 2'			in_cgroup cg-v2
ok '-G /NAME'				status_is cg-v2-slash 0
ok '-G: version 1'			in_cgroup cg-v1
ok '-G: version 2 without controllers'	complains cg-fresh 'has not set up perf events in the cgroups of /sys/fs/cgroup yet'
ok '-G: no such cgroup'			complains cg-v2-none '/sys/fs/cgroup/b: No such file'
ok '-G: version 1 has it'		complains cg-held '/tmp/cg1/a: No such file'
ok '-G: version 1 has it, out of sight'	complains cg-hidden 'but in a version 1 hierarchy'
if [ -e "$dir/can-offline" ]; then
	ok 'a CPU that goes offline: recorded'	status_is offline.defer 0
	ok 'a CPU that goes offline: it went, while it was recorded' grep -qx 0 "$dir/went-offline"
	ok 'a CPU that goes offline: read'	reads offline.defer 1
	ok 'a CPU that is offline: the other one is recorded' status_is offline-before.defer 0
	ok 'a CPU that is offline: read'	reads offline-before.defer 1
	ok 'a CPU that is offline: said'	grep -q '(1) are not online' "$dir/offline-before.defer.err"
else
	skip 'a CPU that goes offline' 'this kernel has no CPU hotplug'
fi
finish
