#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# idle.sh PROGRAM INITRD FIRST SECOND: run PROGRAM (idle.c) on two kernels, each in VMs with one
# CPU whose clock counts instructions, and print what each operation costs on both,
# and on the second one by the first. INITRD is the VM's initramfs; FIRST and SECOND are
# bzImages, of any Linux that has the drivers of QEMU's serial ports and PCI built in.
#
# What fork and exec cost depends on what memory the boot left, by several percent. So
# each kernel boots with several sizes of memory: the least of all is shown, and the
# middle one of the means.
set -u
vm=$(dirname "$(readlink -f "$0")")/../vm
[ $# = 4 ] || { echo "usage: idle.sh PROGRAM INITRD FIRST SECOND" >&2; exit 2; }
program=$1 initrd=$2
shift 2
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

for kernel in "$@"; do
	[ -r "$kernel" ] || { echo "idle.sh: $kernel: no such kernel" >&2; exit 2; }
done
cp "$program" "$tmp/idle"
for which in 1 2; do
	kernel=${!which}
	for mem in 448 640 768 1024 1280; do
		"$vm/run" --kernel "$kernel" --initrd "$initrd" --in "$tmp/idle" --mem $mem --icount --timeout 900 \
			--log "$tmp/log" -- 'uname -r; /in/idle' >"$tmp/$which.$mem" || {
			echo "idle.sh: $kernel: the run failed" >&2
			exit 1
		}
	done
	# A line each: name of the kernel or the operation, least, mean.
	awk -F'\t' '
		NF == 1 { name = $1; next }
		!($1 in runs) { order[++ops] = $1 }
		{ n = ++runs[$1]; mean[$1, n] = $3; if (n == 1 || $2 < least[$1]) least[$1] = $2 }
		END {
			print name
			for (i = 1; i <= ops; i++) {
				op = order[i]
				n = runs[op]
				for (j = 1; j <= n; j++)
					for (k = j + 1; k <= n; k++)
						if (mean[op, k] < mean[op, j]) {
							swap = mean[op, j]
							mean[op, j] = mean[op, k]
							mean[op, k] = swap
						}
				print op "\t" least[op] "\t" mean[op, int((n + 1) / 2)]
			}
		}' "$tmp/$which".[0-9]* >"$tmp/$which"
done
# The first line of each names the kernel; in the others are the least and the mean.
paste "$tmp/1" "$tmp/2" | awk -F'\t' '
	function row(first, second) { return sprintf("%12.1f %12.1f %8.4f", first, second, second / first) }
	NR == 1 {
		print "instructions of " $1 ", of " $2 ", and the second by the first"
		printf "%-24s %34s %36s\n", "", "at least", "in the mean"
		next
	}
	$1 != $4 || $2 <= 0 || $3 <= 0 || $6 <= 0 { print "idle.sh: no result: " $0 >"/dev/stderr"; bad = 1; exit }
	{ printf "%-24s %s  %s\n", $1, row($2, $5), row($3, $6); rows++ }
	END { if (bad || !rows) exit 1 }' || {
	echo "idle.sh: one of the kernels gave no results" >&2
	exit 1
}
