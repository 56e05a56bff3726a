#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A recording outlives its kernel: one guest records the kernel and a module (record.sh), another one with another kernel
# reads it (report.sh). Needs KERNEL, OTHER (a kernel of another configuration), MODULE and INITRD; leaves all in
# $O/test/vm-reboot.
set -u
me=$(cd "$(dirname "$0")" && pwd)
O=${O:-$me/../../../build}
dir=$O/test/vm-reboot
rm -rf "$dir" && mkdir -p "$dir/first" "$dir/second" || exit 1
boot() { # NAME KERNEL SCRIPT FILE...: into the guest
	local name=$1 kernel=$2 script=$3 f in=()
	shift 3
	for f; do in+=(--in "$f"); done
	"$me/../vm/run" --kernel "$kernel" --initrd "$INITRD" --timeout 900 --log "$dir/$name.log" --in "$me/$script" "${in[@]}" \
		--out "$dir/$name" -- "sh /in/$script" > "$dir/$name.stdout" 2> "$dir/$name.stderr"
}
boot first "$KERNEL" record.sh "$MODULE"
first=$?
boot second "$OTHER" report.sh "$dir"/first/{home,kernel.data,module.data,injected.data}
second=$?

. "$me/../lib/record.sh"
dir=$(realpath "$dir")
ran() { [ "$2" = 0 ] || { tail -n 20 "$dir/$1.stderr"; return 1; }; }
ok 'the first guest ran to its end'	ran first $first
ok 'the second guest ran to its end'	ran second $second
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
