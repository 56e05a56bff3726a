#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# perf record on arm64 with samples taken in NMIs, in one boot: Debian's programs by unwind tables,
# by frame pointers and with stack copies (guest.sh). A reader of the test's own
# (../vm-tables/ends.py) tells how many user callchains are complete. Needs KERNEL and INITRD, and
# PERF of this machine, which unwinds the copies; leaves the recordings and the figures in
# $O/test/vm-arm64.
set -u
me=$(cd "$(dirname "$0")" && pwd)
tables=$me/../vm-tables
dir=$O/test/vm-arm64
rm -rf "$dir" && mkdir -p "$dir/symfs" || exit 1
start=$SECONDS
"$me/../vm/run" --arch arm64 --kernel "$KERNEL" --initrd "$INITRD" --mem 1024 --timeout 900 --log "$dir/console.log" \
	--in "$me/guest.sh" --in "$tables/inputs.sh" --in "$tables/work.py" --in "$tables/work.pl" \
	--out "$dir" -- 'sh /in/guest.sh' > "$dir/stdout" 2> "$dir/stderr"
booted=$?

. "$me/../lib/record.sh"
(cd "$dir/symfs" && cpio -id --quiet) < "$INITRD"
ok "the guest ran to its end ($((SECONDS - start)) s) and its kernel did not complain" test $booted = 0
[ $booted = 0 ] || { sed 's/^/# /' "$dir/stderr" | tail -n 20; finish; exit 1; }

status_is() { [ "$(cat "$dir/$1.status" 2>/dev/null)" = "$2" ] || { cat "$dir/$1.err"; return 1; }; }
field() { # WHICH: from the first line of ends.py
	sed -nE "1s/.*\b$1 ([0-9]+).*/\1/p" "$T/ends"
}
# ends NAME WAY [COMM]
ends() {
	local unwound=()
	if [ "$2" = dwarf ]; then
		"$PERF" script --symfs "$dir/symfs" --ns --no-inline -F tid,time,ip,dso -i "$dir/$1.data" > "$T/text" || return 1
		unwound=(--unwound "$T/text")
	fi
	"$tables/ends.py" "${unwound[@]}" "$dir/symfs" "$dir/$1.data" ${3:-} > "$T/ends" || { cat "$T/ends"; return 1; }
	[ "$(field chains)" -gt 0 ] &&
	printf '%-16s %7d %9.1f %% %8d %8.1f\n' "$1${3:+: $3}" "$(field chains)" \
		"$((1000 * $(field complete) / $(field chains)))e-1" "$(($(field bytes) / $(field samples)))" \
		"$((10 * $(field frames) / $(field chains)))e-1" >> "$dir/figures"
}
# complete NAME WAY [COMM]: at least 99 in a hundred
complete() {
	ends "$@" || return 1
	cat "$T/ends"
	local all cut
	all=$(field chains) cut=$((all - $(field complete)))
	[ "$all" -ge 100 ] && [ $((100 * cut)) -le "$all" ]
}
for p in python3 perl bash sort git; do
	ok "$p by tables: recorded"		status_is $p.table 0
	ok "$p by tables: complete callchains"	complete $p.table table
	for way in fp fp,defer dwarf; do
		ok "$p by $way: recorded"	status_is $p.$way 0
		ok "$p by $way: has callchains"	ends $p.$way $way
	done
done
ok '-a -g -e cycles: recorded'			status_is all 0
for p in python3 perl bash sort git; do
	ok "-a: $p: complete callchains"	complete all table $p
done
in_nmi() {
	ends all table && [ "$(cat "$dir/nmis")" -ge "$(field samples)" ] && grep -q 'using NMIs' "$dir/console.log" &&
		grep -qx 'nmi [1-9][0-9]*' "$dir/stats"
}
ok "samples of -a were taken in NMIs, and requests made"	in_nmi
gone() { grep -qx 'tables 0' "$dir/stats"; }
ok 'afterwards no table is left in the kernel'	gone
sed 's/^/# /' "$dir/figures"
finish
