#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A recording outlives its kernel: one guest records the kernel and a module (record.sh), another one with another kernel
# reads it (report.sh). Needs KERNEL, OTHER (a kernel of another configuration), MODULE and INITRD; leaves all in
# $O/test/vm-reboot.
OTHER=$(realpath "$OTHER") MODULE=$(realpath "$MODULE")
. "$(dirname "$0")/../lib/guest.sh"
boot_guest vm-reboot/first record.sh --timeout 900 --in "$MODULE"
in=()
for f in home kernel.data module.data injected.data; do in+=(--in "$dir/$f"); done
KERNEL=$OTHER boot_guest vm-reboot/second report.sh --timeout 900 "${in[@]}"
dir=$O/test/vm-reboot
another() { ! cmp -s "$dir/first/notes" "$dir/second/notes"; }
ok 'its kernel is another one'	another
same() { # BEFORE AFTER: not empty, and equal
	[ "$(wc -l < "$dir/first/$1")" -ge "$3" ] && diff "$dir/first/$1" "$dir/second/$2"
}
named() { # FILE NAME...
	local f=$1 n
	shift
	for n; do grep -qF -- "$n" "$dir/$f" || { echo "no $n"; head -n 20 "$dir/$f"; return 1; }; done
}
ok 'the kernel has names'	named first/kernel.before 'do_syscall_64+0x' '([kernel.kallsyms])'
ok 'the same after the reboot, out of the cache'	same kernel.before kernel.after 500
ok 'so has a module'		named first/module.before 'stats_show+0x0 ([unwind_test])' 'seq_read'
ok 'the same after the reboot'	same module.before module.after 10
ok 'record --embed: out of the file alone'	same module.before module.alone 10
ok 'inject --embed: out of the file alone'	named second/injected.alone 'stats_show+0x0 ([unwind_test])' 'seq_read'
# Without either: addresses, never names of the kernel that runs, and why.
ok 'neither: no names of the kernel'	eval '! grep "+0x.*kernel.kallsyms" "$dir/second/kernel.alone" && grep -q "\[unknown\] (\[kernel.kallsyms\])" "$dir/second/kernel.alone"'
ok 'and why'	named second/kernel.report 'no kallsyms or vmlinux of the recorded kernel was found' 'perf record --embed'
# Debian's perf prints the same names, in its own order.
names() { awk 'NF >= 2 && $1 ~ /^[0-9a-f]+$/ && $1 ~ /^ffffffff/ { sub(/[+]0x.*/, "", $2); print $1, $2 }' "$1" | sort -u; }
theirs() { names "$dir/first/kernel.before" > ours; names "$dir/second/kernel.theirs" > other; [ "$(wc -l < ours)" -ge 100 ] && diff ours other; }
ok "Debian's perf finds the kernel's symbols in our cache"	theirs
finish
