#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the first guest, in /out, with a test module: the kernel and a function of the module are recorded; the build-id
# cache is left in /out/home. What perf says of the recordings here is what it is to say after the reboot.
export HOME=/out/home LC_ALL=C
mkdir home
insmod /in/unwind_test.ko
at=$(awk '$3 == "stats_show" && $4 == "[unwind_test]" { print $1 }' /proc/kallsyms)
perf record -a --call-graph fp -o kernel.data -e cpu-clock -F 400 -- sh -c '
	for i in 1 2 3; do find /sys/kernel /proc/sys -type f > /dev/null; cat /proc/kallsyms > /dev/null; done' 2> kernel.err
perf record --embed -g -o module.data -e "mem:0x$at:x" -c 1 -- cat /sys/kernel/debug/unwind_test/stats > stats 2> module.err
perf record --call-graph fp -o late.data -e "mem:0x$at:x" -c 1 -- cat /sys/kernel/debug/unwind_test/stats > stats 2> late.err
perf inject --embed -i late.data -o injected.data 2> injected.err
for data in kernel module; do
	perf script -i $data.data -F comm,ip,sym,symoff,dso > $data.before 2> $data.script.err
done
cp /sys/kernel/notes notes
