#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest of arm64, in /out: Debian's own programs recorded in each way, PROGRAM.WAY.data,
# and all at once on the whole system, all.data. Samples are those of a hardware counter.
export HOME=/tmp LC_ALL=C
. /in/inputs.sh

nmis() { awk '/arm-pmu/ { for (i = 2; i <= NF && $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' /proc/interrupts; }
r() { # NAME OPTIONS...
	name=$1
	shift
	perf record -o "$name.data" "$@" > "$name.out" 2> "$name.err"
	echo $? > "$name.status"
}
w() { # PROGRAM COMMAND...
	program=$1
	shift
	for way in table fp fp,defer dwarf; do
		[ $program != git ] || rm -rf /tmp/repo/.git/index /tmp/repo/.git/objects/??
		r $program.$way -e cycles:u -c 500009 --call-graph $way -- "$@"
	done
}
# Those whose callchains are known
for p in static pie; do
	r $p.table -e cycles:u -c 500009 --call-graph table -- /in/$p/truth 500
	r $p.live -e cycles:u -c 500009 --call-graph live -- /in/$p/truth 500
	r $p.dwarf -e cycles:u -c 500009 --call-graph dwarf,16384 -- /in/$p/truth 500
done
r all.truth -a -g -e cycles -c 500009 -- /in/static/truth 500
r fp.defer -e cycles:u -c 500009 --call-graph fp,defer -- /in/fp/truth 500
r fp.fp -e cycles:u -c 500009 --call-graph fp -- /in/fp/truth 500
# Modules are compiled, by calls deeper than kernel.perf_event_max_stack.
python3 /in/work.py 1
w python3 python3 /in/work.py 5
w perl perl /in/work.pl 3
w bash bash /tmp/script.sh 50
w sort sort -k2,3 -k1n -o /tmp/sorted /tmp/text
w git git -C /tmp/repo add -A

cat > /tmp/together.sh <<'END2'
python3 /in/work.py 5 &
perl /in/work.pl 3 &
bash /tmp/script.sh 50 &
sort -k2,3 -k1n -o /tmp/sorted2 /tmp/text &
git -C /tmp/repo add -A &
wait
END2
rm -rf /tmp/repo/.git/index /tmp/repo/.git/objects/??
before=$(nmis)
r all -a -g -e cycles -c 500009 -- bash /tmp/together.sh
echo $(($(nmis) - before)) > nmis
cp /proc/interrupts interrupts
cat /sys/kernel/debug/unwind/stats > stats
