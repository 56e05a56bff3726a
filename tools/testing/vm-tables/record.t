#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# perf record by unwind tables on our kernel: one boot records Debian's own programs (guest.sh); a
# reader of the test's own (ends.py), which knows nothing of tables, says how many of
# their user callchains are complete. Needs KERNEL and INITRD; leaves the recordings in
# $O/test/vm-tables and the figures in $O/test/vm-tables/figures.
. "$(dirname "$0")/../lib/guest.sh"
boot_guest vm-tables guest.sh --icount --mem 1024 --timeout 900 --in "$here/inputs.sh" --in "$here/work.py" --in "$here/work.pl"
unpack_initrd

# complete NAME AT-LEAST [COMM]: as many callchains, nearly all complete
complete() {
	ends "$1" ${3:-} || return 1
	cat "$T/counts"
	printf '%-18s %s\n' "$1" "$(head -n 1 "$T/counts")" >> "$dir/figures"
	[ "$(field chains)" -ge "$2" ] && nearly_all "$(field complete)" "$(field chains)"
}
not_said() { ! grep -H '%) are cut' "$dir/$1.err"; }

for p in python3 perl bash sort tar gzip grep git cc1 sqlite3; do
	for mode in inline deferred; do
		f=$p.$mode
		ok "$f: recorded"		status_is $f 0
		ok "$f: complete callchains"	complete $f 10
		ok "$f: nothing to say of cut ones" not_said $f
	done
	mostly() { [ $((2 * $(field deferred))) -ge "$(field chains)" ]; }
	ok "$p: most were deferred"	mostly
done
ok 'python3 by frame pointers: recorded'	status_is python3.fp 0
by_fp() { ! complete python3.fp 10 && [ $((10 * $(field complete))) -lt "$(field chains)" ]; }
ok 'python3 by frame pointers: hardly a callchain is complete' by_fp
ok 'python3 by frame pointers: said so'		grep -q 'user callchains .* are cut: ' "$dir/python3.fp.err"
ok '-a: recorded'			status_is all 0
ok '-a: what ran before'		complete all 5 python3
for mode in 1 0; do
	ok "off-CPU, defer_inline=$mode: recorded"	status_is offcpu$mode 0
	for p in python3 perl bash sort tar gzip grep git cc1 sqlite3; do
		ok "off-CPU, defer_inline=$mode: $p"	complete offcpu$mode 10 $p
	done
done
ok '-p: recorded'			status_is attach 0
ok '-p: complete callchains'		complete attach 10
ok 'not root: recorded'			status_is user 0
ok 'not root: complete callchains'	complete user 10
gone() { grep -qx 'tables 0' "$dir/stats"; }
ok 'afterwards no table is left in the kernel'	gone
sed 's/^/# /' "$dir/figures"
finish
