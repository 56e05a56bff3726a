#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# stacks.t SID PATCHED: callchains of Debian's own programs on sid's kernel and on the one patched
# (bzImage), by our perf and by sid's: how many are complete, one boot each (stacks-guest.sh).
# SID is the folder of series72/sid. Needs INITRD; leaves the recordings in $O/test/series72-stock
# and series72-patched, and the figures in $O/test/series72-figures.
sid=$(realpath "$1") patched=$(realpath "$2")
stock=$sid/vmlinuz
KERNEL=$stock
. "$(dirname "$0")/../lib/guest.sh"
tables=$here/../vm-tables
figures=$O/test/series72-figures
rm -f "$figures"
build_truth --cxx g++
mkdir "$T/perf-7.2" && cp -r "$sid"/{perf,lib} "$T/perf-7.2"

for kernel in stock patched; do
	KERNEL=${!kernel}
	boot_guest series72-$kernel stacks-guest.sh --icount --mem 1536 --timeout 1800 \
		--in "$tables/inputs.sh" --in "$tables/work.py" --in "$tables/work.pl" --in "$T/perf-7.2" "${truth_in[@]}"
	unpack_initrd
	modes='ours fp defer'
	[ $kernel = stock ] || modes+=' fp.serve defer.serve'
	for mode in $modes; do
		for p in python3 perl sort cc1 sqlite3; do
			ok "$kernel: $p.$mode: recorded"	status_is $p.$mode 0
			ends $p.$mode
			line="$(field complete) of $(field chains)"
			echo "$kernel $mode $p $line" >> "$figures"
			case $mode in
			fp | defer)
				ok "$kernel: $p.$mode: few are complete: $line" \
					test $((5 * $(field complete))) -le "$(field chains)" ;;
			*)
				ok "$kernel: $p.$mode: complete: $line" \
					nearly_all "$(field complete)" "$(field chains)" ;;
			esac
		done
	done
done
for p in static pie; do
	is_true $p.ours $p nothing
	is_true $p.defer.serve $p nothing
	# At once: a page of the stack that is not in memory ends the walk.
	is_true $p.fp.serve $p 'ends at .*page'
done
sed 's/^/# /' "$figures"
finish
