#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# demo-guest.sh: what "make demo" records, in the guest, in /out.
set -e
cp /proc/kallsyms kallsyms
uname -r >release
for graph in fp fp,defer; do
	perf record -q -e cpu-clock -F 999 --call-graph $graph -o reads.$graph.data \
		/in/deepread 8 16
	perf record -q -e sched:sched_switch -c 1 --call-graph $graph -o switches.$graph.data \
		/in/deepread 4 16
done
# Debian's Python, whose modules are compiled before. Nothing is chosen but -g.
work() { # ROUNDS COMMAND...: Python's work, under COMMAND
	rounds=$1
	shift
	"$@" /stock/python3 /in/work.py "$rounds"
}
work 0 env
work 20 perf record -q -e cpu-clock -F 999 --call-graph fp -o python3.fp.data
work 20 perf record -q -e cpu-clock -F 999 -g -o python3.table.data
