#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# idle.sh: the table that it makes of two runs, and what it says where one has no result. A
# vm/run of the test's own prints the file that stands for the kernel.
. "$(dirname "$0")/bench.sh"
mkdir -p "$tmp/bench" "$tmp/vm"
cp "$bench/idle.sh" "$tmp/bench/"
cat >"$tmp/vm/run" <<'END'
#!/bin/bash
[ "$1" = --kernel ] || exit 2
cat "$2"
[ "$(basename "$2")" != dies ]
END
chmod +x "$tmp/vm/run"
printf '6.12-a\nsystem call\t200.0\t210.0\nfork\t1000.0\t2000.0\n' >"$tmp/a"
printf '6.12-b\nsystem call\t201.0\t210.0\nfork\t990.0\t1900.0\n' >"$tmp/b"
printf '6.12-c\nsystem call\t201.0\t210.0\n' >"$tmp/short"
printf '6.12-d\n' >"$tmp/empty"
cp "$tmp/a" "$tmp/dies"
: >"$tmp/program"

compare() { "$tmp/bench/idle.sh" "$tmp/program" "$tmp/initrd" "$tmp/$1" "$tmp/$2" >"$tmp/out" 2>&1; }
row() { grep -qE "$1" "$tmp/out"; }
fails() { ! compare a "$1" && row '^idle.sh: '; }
passes 'two kernels' compare a b
passes 'a system call' row '^system call +200\.0 +201\.0 +1\.0050 +210\.0 +210\.0 +1\.0000$'
passes 'a fork' row '^fork +1000\.0 +990\.0 +0\.9900 +2000\.0 +1900\.0 +0\.9500$'
passes 'a row is missing' fails short
passes 'all rows are missing' fails empty
passes 'the VM dies' fails dies
passes 'a kernel that is not there' fails absent
plan
