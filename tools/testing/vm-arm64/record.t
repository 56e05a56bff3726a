#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# perf record on arm64 with samples taken in NMIs, in one boot: Debian's programs by unwind tables,
# by frame pointers and with stack copies (guest.sh). A reader of the test's own
# (../vm-tables/ends.py) tells how many user callchains are complete; those of programs whose
# callchains are known are compared (is_true). Needs KERNEL, INITRD, and PERF of this machine, which
# unwinds the copies; leaves the recordings and the figures in $O/test/vm-arm64.
. "$(dirname "$0")/../lib/guest.sh"
tables=$here/../vm-tables cross=$O/cross/usr/bin/aarch64-linux-gnu-
PATH=$O/cross/usr/bin:$PATH build_truth --cxx "${cross}g++" --arch arm64 --cc "${cross}gcc" \
	--objdump "${cross}objdump" "--flag=--sysroot=$O/sysroot"
boot_guest vm-arm64 guest.sh --arch arm64 --mem 1024 --timeout 900 --in "$tables/inputs.sh" --in "$tables/work.py" \
	--in "$tables/work.pl" "${truth_in[@]}"
unpack_initrd

# counted NAME [COMM]: has callchains; a line for the figures
counted() {
	ends "$@" || return 1
	[ "$(field chains)" -gt 0 ] &&
	printf '%-16s %7d %9.1f %% %8d %8.1f\n' "$1${2:+: $2}" "$(field chains)" \
		"$((1000 * $(field complete) / $(field chains)))e-1" "$(($(field bytes) / $(field samples)))" \
		"$((10 * $(field frames) / $(field chains)))e-1" >> "$dir/figures"
}
# complete NAME [COMM]: at least 99 in a hundred
complete() {
	counted "$@" || return 1
	cat "$T/counts"
	local all cut
	all=$(field chains) cut=$((all - $(field complete)))
	[ "$all" -ge 100 ] && [ $((100 * cut)) -le "$all" ]
}
for p in python3 perl bash sort git; do
	ok "$p by tables: recorded"		status_is $p.table 0
	ok "$p by tables: complete callchains"	complete $p.table
	for way in fp fp,defer dwarf; do
		ok "$p by $way: recorded"	status_is $p.$way 0
		ok "$p by $way: has callchains"	counted $p.$way
	done
done
ok '-a -g -e cycles: recorded'			status_is all 0
for p in python3 perl bash sort git; do
	ok "-a: $p: complete callchains"	complete all $p
done
in_nmi() {
	counted all && [ "$(cat "$dir/nmis")" -ge "$(field samples)" ] && grep -q 'using NMIs' "$dir/console.log" &&
		grep -qx 'nmi [1-9][0-9]*' "$dir/stats"
}
ok "samples of -a were taken in NMIs, and requests made"	in_nmi
# Programs whose callchains are known. A frame of 100 kB is larger than the copy, which also ends at
# a page that was never touched: the return address is at the frame's lower end, that of its caller
# is not there.
for p in static pie; do
	is_true $p.table $p nothing
	is_true $p.live $p 'ends at [^ ]* above [^ ]*(huge|page)'
	is_true $p.dwarf $p 'ends at [^ ]* above [^ ]*(huge|page)'
done
is_true all.truth static nothing
is_true fp.defer fp 'no frame pointer' --fp
is_true fp.fp fp 'no frame pointer' --fp
gone() { grep -qx 'tables 0' "$dir/stats"; }
ok 'afterwards no table is left in the kernel'	gone
sed 's/^/# /' "$dir/figures"
finish
