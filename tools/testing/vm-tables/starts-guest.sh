#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest, in /out: Debian's programs that live some 100 ms, started by a shell while it is
# recorded. By tables the second recording of each kind counts: the first one fills the cache.
echo -1 > /proc/sys/kernel/perf_event_paranoid
export HOME=/tmp PATH=/stock:$PATH LC_ALL=C
. /in/inputs.sh
head -n 6000 /tmp/text > /tmp/lines
head -n 1500 /tmp/text > /tmp/few
sed 's/<20000/<2500/' /tmp/work.sql > /tmp/short.sql
head -n 32 /tmp/work.i > /tmp/short.i
cat > /tmp/starts.sh <<'END'
perl /in/work.pl 1
sqlite3 :memory: '.read /tmp/short.sql'
cc1 -quiet -fpreprocessed -O2 -o /tmp/short.s /tmp/short.i
sort -k2,3 -k1n -o /tmp/sorted /tmp/lines
grep -cE '([0-9]+)[^0-9]*\1|x.*y' /tmp/few
END
r() { # NAME OPTIONS...
	name=$1
	shift
	perf record -o $name.data -e cpu-clock:u -F 997 "$@" -- bash /tmp/starts.sh > $name.out 2> $name.err
	echo $? > $name.status
}
r cold -g
r command -g
r all -a -g
r dwarf --call-graph dwarf,32768
