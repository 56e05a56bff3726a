#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# perf record -g on our kernel, of programs that live some 100 ms (starts-guest.sh): their
# callchains are complete from the start, by the tables in perf's cache or else by copies of their
# stacks. One boot, whose clock counts instructions: what is cut depends on the work between a
# mapping and its table.
# --call-graph dwarf beside it. Needs KERNEL and INITRD; leaves the recordings in $O/test/vm-starts.
. "$(dirname "$0")/../lib/guest.sh"
boot_guest vm-starts starts-guest.sh --icount --mem 1024 --timeout 600 --in "$here/inputs.sh" --in "$here/work.pl"
unpack_initrd

for how in command all cold dwarf; do
	ok "$how: recorded"	status_is $how 0
	for p in perl sqlite3 cc1 sort grep; do
		ends $how $p && echo "# $how: $p: $(field complete) of $(field chains) callchains are complete"
	done
done
# In a thousand instructions in the loader, or between a mapping and its table, a sample or two may fall.
whole() { ends "$1" perl,sqlite3,cc1,sort,grep && cat "$T/counts" && [ "$(field chains)" -ge 100 ] && [ $((100 * $(field complete))) -ge $((98 * $(field chains))) ]; }
ok 'nothing cached: 98 in a hundred callchains are complete'	whole cold
ok 'a command: 98 in a hundred callchains are complete'		whole command
ok 'the whole system: 98 in a hundred callchains are complete'	whole all
finish
