#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The kernel tree's perf (PERF) records in the VM, on our kernel (KERNEL) and on the one
# without deferred callchains (NOUNWIND), with the programs in INITRD; what it then says of
# its recordings is compared with our own perf (OURS) and with ../../vm-record/check.py. What
# passed is not run again while none of these has changed. Recordings: $O/test/tree-perf/vm.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../../.." && pwd)
O=$(realpath "$O") perf=$(realpath "$PERF") ours=$(realpath "$OURS")
KERNEL=$(realpath "$KERNEL") NOUNWIND=$(realpath "$NOUNWIND") INITRD=$(realpath "$INITRD")
. "$here/../../replay.sh"
. "$here/../../lib/tap.sh"
. "$here/../same.sh"
dir=$O/test/tree-perf/vm
mkdir -p "$dir"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C DEBUGINFOD_URLS= PERF_PAGER=cat PAGER=cat PERF_CONFIG=/dev/null HOME=$tmp
check=$top/tools/testing/vm-record/check.py

hash=$(realpath "$perf" "$ours" "$KERNEL" "$NOUNWIND" "$INITRD" "$here"/* "$here/../same.sh" \
	"$check" "$top/tools/testing/vm-tables/ends.py" "$top/tools/testing/vm/run" | replay_hash)
if replay_valid "$dir" "$hash"; then
	replay_note "$dir"
	cat "$dir/tap"
	exit 0
fi
replay_begin "$dir"

# boot NAME KERNEL: leaves the recordings in $dir/NAME
boot() {
	rm -rf "${dir:?}/$1"
	mkdir -p "$dir/$1"
	"$top/tools/testing/vm/run" --kernel "$2" --initrd "$INITRD" --mem 768 --timeout 600 \
		--log "$dir/$1/console.log" --in "$here/guest.sh" --out "$dir/$1" -- \
		'sh /in/guest.sh' >"$dir/$1/stdout" 2>"$dir/$1/stderr"
	ok $? "$1: the guest ran to its end and its kernel did not complain" "$dir/$1/stderr"
	cd "$dir/$1" || exit 1
}

status_is_0() { [ "$(cat "$1.status" 2>/dev/null)" = 0 ]; }
field() { # WHICH: from check.py's line
	sed -E "s/.*\b$1 ([0-9]+).*/\1/" "$tmp/check"
}
# halves FILE: there are deferred samples, and each has its record in this file
halves() {
	"$check" "$1" >"$tmp/check" 2>&1 && [ "$(field deferred)" -ge 1 ] &&
		[ "$(field lost)" = 0 ] && [ "$(field never)" = 0 ] && [ "$(field orphans)" = 0 ]
}
compare() { # NAME FILE: perf script of both
	# Without inlined functions, for which the two have different libraries.
	local args=(--no-inline --symfs "$tmp/symfs" --kallsyms kallsyms -i "$2")

	"$ours" script "${args[@]}" >"$tmp/ours" 2>/dev/null
	"$perf" script "${args[@]}" >"$tmp/theirs" 2>"$tmp/err"
	same "$1"
}
# switched NAME MOST: the samples of each file have their records in the same file, but for the last
# ones of MOST threads: one that is preempted in the kernel at that moment has its record in the next
switched() {
	local f n=0

	for f in "$1".data.2*; do
		"$check" "$f" >"$tmp/check" 2>&1 || return 1
		[ "$(field threads)" -le "$2" ] && [ "$(field never)" = 0 ] && [ "$(field lost)" = 0 ] || return 1
		[ "$(field deferred)" = 0 ] || n=$((n + 1))
	done
	[ $n -ge 2 ]
}

one_output() { # FILE: one event of it has defer_output, and others or itself are deferred
	"$perf" evlist -v -i "$1" >"$tmp/attrs" 2>&1 && grep -q 'defer_callchain: 1' "$tmp/attrs" &&
		[ "$(grep -c 'defer_output: 1' "$tmp/attrs")" = 1 ]
}

# moved NAME: the sched_switch events that perf inject -s wrote anew have found their user callchains.
# Those of a thread that ended meanwhile may not.
moved() {
	"$perf" inject -s -i "$1.data" -o "$tmp/moved.data" >"$tmp/moved" 2>&1 || return 1
	"$perf" script -F event,ip,sym -i "$tmp/moved.data" >"$tmp/theirs" 2>"$tmp/err"
	grep -c 'sched:sched_switch:' "$tmp/theirs" >"$tmp/samples"
	{ echo "$(cat "$tmp/samples") samples, $(grep -c '(cookie)' "$tmp/theirs") without"
	  head -n 20 "$tmp/theirs"; } >"$tmp/moved"
	[ "$(cat "$tmp/samples")" -ge 20 ] &&
		[ $((20 * $(grep -c '(cookie)' "$tmp/theirs"))) -le "$(cat "$tmp/samples")" ]
}

# complete NAME: nearly all user callchains end where their program begins
complete() {
	"$top/tools/testing/vm-tables/ends.py" "$tmp/root" "$1.data" >"$tmp/ends" 2>&1 || return 1
	[ "$(ends chains)" -ge 20 ] && [ $((100 * $(ends complete))) -ge $((95 * $(ends chains))) ]
}
ends() { # WHICH: from the first line of ends.py
	sed -nE "1s/.*\b$1 ([0-9]+).*/\1/p" "$tmp/ends"
}

by_table() {
	local name

	mkdir -p "$tmp/root"
	(cd "$tmp/root" && cpio -id --quiet) <"$INITRD"
	status_is_0 unit
	ok $? 'ours: perf test: Unwind tables' unit.out
	for name in sort bash perl; do
		status_is_0 $name
		ok $? "ours: $name by table is recorded" $name.err
		complete $name
		ok $? "ours: $name by table: callchains are whole" "$tmp/ends"
		sed -n "1s/^/# $name: /p" "$tmp/ends"
		compare "ours: $name by table: perf script says what our own does" $name.data
	done
	! complete sort-fp && [ "$(ends chains)" -ge 20 ]
	ok $? 'ours: sort by frame pointers: they are not' "$tmp/ends"
	sed -n '1s/^/# sort by frame pointers: /p' "$tmp/ends"
	grep -qx 'tables 0' stats
	ok $? 'ours: afterwards the kernel has no table' stats
}

on_ours() {
	local name

	boot ours "$KERNEL"
	grep -q '^ *defer_callchain  *1' file.err && grep -q '^ *defer_output  *1' file.err
	ok $? 'ours: the attribute bits are set' file.err
	! grep -q 'switching off deferred' file.err
	ok $? 'ours: nothing was switched off'
	for name in file zstd system forker threads group several pipe; do
		status_is_0 $name
		ok $? "ours: $name is recorded" $name.err
		one_output $name.data
		ok $? "ours: $name: one event receives the records" "$tmp/attrs"
		halves $name.data
		ok $? "ours: $name: each deferred sample has its record" "$tmp/check"
		compare "ours: $name: perf script says what our own does" $name.data
	done
	status_is_0 sched
	ok $? 'ours: sched is recorded' sched.err
	moved sched
	ok $? 'ours: sched: perf inject -s keeps the user callchains' "$tmp/moved"
	status_is_0 deferred
	ok $? 'ours: perf test: Deferred callchains' deferred.out
	status_is_0 shell
	ok $? 'ours: perf test: perf record deferred callchains' shell.out
	by_table
	for name in switch switch-all; do
		status_is_0 $name
		ok $? "ours: $name is recorded" $name.err
	done
	switched switch 1
	ok $? 'ours: switch: each file has the records of its samples' "$tmp/check"
	# Six threads on two CPUs
	switched switch-all 6
	ok $? 'ours: switch-all: each file has the records of its samples' "$tmp/check"
}

on_nounwind() {
	boot nounwind "$NOUNWIND"
	status_is_0 file
	ok $? 'nounwind: recorded' file.err
	grep -q 'switching off deferred callchain support' file.err
	ok $? 'nounwind: the fallback is reported' file.err
	"$perf" evlist -v -i file.data >"$tmp/attrs" 2>&1 && ! grep -q defer_ "$tmp/attrs"
	ok $? 'nounwind: the file has none of the attribute bits' "$tmp/attrs"
	"$check" file.data >"$tmp/check" 2>&1 && [ "$(field deferred)" = 0 ]
	ok $? 'nounwind: nothing is deferred' "$tmp/check"
	compare 'nounwind: perf script says what our own does' file.data
	grep -q read_zeroes "$tmp/theirs" && grep -q descend "$tmp/theirs"
	ok $? 'nounwind: plain callchains have both halves'
	status_is_0 table && grep -q 'takes no unwind tables, callchains are recorded by frame' table.err
	ok $? 'nounwind: --call-graph table says that it records frame pointers' table.err
}

mkdir -p "$tmp/symfs/g"
cp "$O"/test/workloads/* "$tmp/symfs/g/"
{
	on_ours
	on_nounwind
	echo "1..$nr"
} > >(tee "$dir/tap")
wait $!
[ "$failed" = 0 ] || exit 1
replay_keep "$dir" "$hash"
