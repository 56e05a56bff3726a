#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# perf record -g on our kernel, of programs that live some 100 ms (starts-guest.sh): their callchains are complete
# from the start if perf's cache has their tables. One boot, whose clock counts instructions: what is
# cut depends on the work between a mapping and its table. Stack copies beside it.
# Needs KERNEL and INITRD; leaves the recordings in $O/test/vm-starts.
set -u
me=$(cd "$(dirname "$0")" && pwd)
O=${O:-$me/../../../build}
dir=$O/test/vm-starts
rm -rf "$dir" && mkdir -p "$dir/symfs" || exit 1
"$me/../vm/run" --kernel "$KERNEL" --initrd "$INITRD" --icount --mem 1024 --timeout 600 --log "$dir/console.log" \
	--in "$me/starts-guest.sh" --in "$me/inputs.sh" --in "$me/work.pl" \
	--out "$dir" -- 'sh /in/starts-guest.sh' > "$dir/stdout" 2> "$dir/stderr"
booted=$?

. "$me/../lib/record.sh"
dir=$(realpath "$dir")
(cd "$dir/symfs" && cpio -id --quiet) < "$INITRD"
ok 'the guest ran to its end and its kernel did not complain' test $booted = 0
[ $booted = 0 ] || { sed 's/^/# /' "$dir/stderr" | tail -n 20; finish; exit 1; }

status_is() { [ "$(cat "$dir/$1.status" 2>/dev/null)" = "$2" ] || { cat "$dir/$1.err"; return 1; }; }
field() { # WHICH: from the first line of ends.py
	sed -nE "1s/.*\b$1 ([0-9]+).*/\1/p" "$T/ends"
}
# share NAME [COMM]: complete callchains
share() {
	local unwound=()
	if [ "$1" = dwarf ]; then
		"$PERF" script --symfs "$dir/symfs" --ns --no-inline -F tid,time,ip,dso -i "$dir/dwarf.data" > "$T/dwarf" || return 1
		unwound=(--unwound "$T/dwarf")
	fi
	"$me/ends.py" "${unwound[@]}" "$dir/symfs" "$dir/$1.data" "${2:-perl,sqlite3,cc1,sort,grep}" > "$T/ends"
}
for how in command all cold dwarf; do
	ok "$how: recorded"	status_is $how 0
	for p in perl sqlite3 cc1 sort grep; do
		share $how $p && echo "# $how: $p: $(field complete) of $(field chains) callchains are complete"
	done
done
# In a thousand instructions in the loader, or between a mapping and its table, a sample or two may fall.
whole() { share "$1" && cat "$T/ends" && [ "$(field chains)" -ge 100 ] && [ $((100 * $(field complete))) -ge $((98 * $(field chains))) ]; }
ok 'a command: 98 in a hundred callchains are complete'		whole command
ok 'the whole system: 98 in a hundred callchains are complete'	whole all
finish
