#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# perf unwind --serve on our kernel: one boot (guest.sh) has Debian's perf (record -g, along frame
# pointers), ftrace (userstacktrace) and bpftrace (ustack) take stacks of Debian's own programs, with the service and
# without. Needs KERNEL and INITRD; leaves the results in $O/test/vm-tracers and the
# figures in $O/test/vm-tracers/figures.
. "$(dirname "$0")/../lib/guest.sh"
tables=$here/../vm-tables
boot_guest vm-tracers guest.sh --mem 2048 --timeout 900 --in "$tables/inputs.sh" --in "$tables/work.py" --in "$tables/work.pl"
unpack_initrd

# count NAME: sets all and complete
count() {
	local program=${1#*-}

	program=${program%.*}
	case $1 in
	perf-*) ends "$1" ;;
	*) "$here/stacks.py" "$dir/symfs" "$program" "$dir/$1.txt" > "$T/counts" ;;
	esac
	cat "$T/counts"
	all=$(field 'chains') complete=$(field complete)
	[ -n "$all" ] || all=$(field stacks)
	printf '%-24s %5d of %5d\n' "$1" "$complete" "$all" >> "$dir/figures"
}
whole() { count "$1"; [ "$all" -ge 10 ] && nearly_all "$complete" "$all"; }
cut() { count "$1"; [ "$all" -ge 10 ] && [ $((10 * complete)) -le "$all" ]; }
for name in perf-perl perf-python3 perf-sort perf-bash perf-sqlite3 ftrace-gzip ftrace-sort bpftrace-perl bpftrace-sqlite3; do
	ok "$name: hardly a stack is complete without the service"	cut $name.without
	ok "$name: complete stacks with it"				whole $name.with
	count $name.first > /dev/null
done

is() { [ "$(cat "$dir/$1")" = "$2" ] || { cat "$dir/$1"; return 1; }; }
has() { grep -qE "$2" "$dir/$1" || { cat "$dir/$1"; return 1; }; }
ok '--status without a service: a status'	is none.status 1
ok '... and a line'				has none.err '^perf: perf unwind --serve does not run'
ok 'a second service: a status'			is second.status 1
ok '... and a line'				has second.err '^perf: perf unwind --serve runs already'
ok 'tables of what ran before'			has serve.err '^perf unwind: [0-9]{2,} tables of [0-9]+ bytes are registered, for all tracers$'
ok '--status: tables'				has status '^tables +[1-9][0-9]+$'
ok '--status: their bytes and the limit'	has status '^bytes +[1-9][0-9]+ of 134217728 '
ok '--status: memory and processor time'	has status '^processor time +[0-9.]+ s in [0-9]+ s$'
ok 'the kernel has the tables'			has stats '^tables [1-9][0-9]+$'
ok 'SIGTERM ends it'				is serve.status 0
ok '... and the kernel has no table left'	has stats.end '^tables 0$'
ok '... nor is there a socket'			is left ''
sed 's/^/# /' "$dir/figures" "$dir/status" "$dir/status.end"
finish
