#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# programs-guest.sh: the part of bench-programs that runs in the guest, in /out. Debian's programs
# are recorded in each way, PROGRAM.WAY.data, and by Debian's perf 6.1 (/peer). "times" gets, of
# a second recording, the seconds of processor time (user, system) of all, and of the command.
# By tables: "table" if the kernel takes them, "bpf" if it has BTF.
export HOME=/tmp PATH=/stock:$PATH LC_ALL=C
. /in/inputs.sh
tables=
[ ! -e /sys/kernel/btf/vmlinux ] || tables=bpf
[ ! -e /proc/sys/kernel/perf_event_defer_inline ] || tables="table $tables"
i=0
while [ $i -lt 5 ]; do
	i=$((i + 1))
	cat /tmp/text >> /tmp/longer
	sed "s/int f/int f${i}_/" /tmp/work.i >> /tmp/longer.i
done
cat > /tmp/timed <<'END'
# timed FILE COMMAND...: adds what its children took to FILE
f=$1
shift
TIMEFORMAT='%3U %3S'
{ time "$@" > /dev/null 2>> /tmp/said; } 2>> "$f"
END
r() { # PROGRAM COMMAND...
	program=$1
	shift
	# Modules are compiled, and its table is in the cache
	perf record -q --call-graph ${tables%% *} -e cpu-clock:u -o /tmp/first -- \
		"$@" > /dev/null 2> /tmp/said
	for way in fp $tables live dwarf,8192 dwarf,32768 peer; do
		perf=perf graph=$way
		[ $way != peer ] || perf=/peer/perf graph=dwarf,8192
		record="$perf record -q -e cpu-clock:u -F 99 --call-graph $graph"
		$record -o $program.$way.data -- "$@" > /dev/null 2>> /tmp/said || echo $program $way failed >> times
		rm -f /tmp/all /tmp/own
		bash /tmp/timed /tmp/all $record -o /tmp/second -- bash /tmp/timed /tmp/own "$@"
		echo $program $way $(cat /tmp/all /tmp/own) >> times
	done
}
r python3 python3 /in/work.py 80
r perl perl /in/work.pl 28
r sort sort -k2,3 -k1n -o /tmp/sorted /tmp/longer
r cc1 cc1 -quiet -fpreprocessed -O2 -o /tmp/work.s /tmp/longer.i
r gzip gzip -kf9 /tmp/longer
cp /tmp/said said
