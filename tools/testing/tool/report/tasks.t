#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report --tasks of recordings that claim much: forks nested 100,000 deep with a small stack,
# a circle, and the cost of a fork (in instructions), which depends neither on the depth of its
# parent nor on how many siblings there are. And an exit in a recording without times, and events.
. "$(dirname "$0")/../../lib/scratch.sh"
python3 - <<'EOF' || { echo "Bail out! cannot make recordings"; exit 1; }
from perfdata import *


def task(p):
    return ii(p, p) + q(1)


def comm(p):
    return record(3, ii(p, p) + string('t') + task(p))


def fork(p, parent):
    return record(7, ii(p, parent, p, parent) + q(1) + task(parent))


def write(name, records):
    with open(name, 'wb') as f:
        f.write(perf_file([attr(IP | TID | TIME)], b''.join(records), {3: feature_string('h')}))


def chain(n):
    return [fork(p + 1, p) for p in range(1, n)]


# No times: of two CPUs, one wrote that 1 exited, the other what 1 did before.
with open('no-times', 'wb') as f:
    sample = record(9, q(0x1000) + ii(1, 1))
    f.write(perf_file([attr(IP | TID)], b''.join([
        record(3, ii(1, 1) + string('main') + ii(1, 1)), sample,
        record(4, ii(1, 0, 1, 0) + q(0) + ii(1, 1)),
        record(7, ii(2, 1, 2, 1) + q(0) + ii(1, 1)), sample,
        record(9, q(0x1000) + ii(2, 2))]), {3: feature_string('h')}))
write('deep', chain(100000))
write('circle', chain(5) + [fork(2, 5)])
write('reused', chain(3) + [comm(9), fork(9, 3), fork(9, 2)])
# One task is forked again and again, by the first one, and by the deepest one.
write('shallow', chain(3000) + [fork(5000, 1)] * 20000)
write('busy', chain(3000) + [fork(5000, 3000)] * 20000)
# Tasks are known before their forks come, the last one first.
for n in 5000, 10000:
    write('wide%d' % n, [comm(p) for p in range(2, n)] + [fork(p, 1) for p in range(n - 1, 1, -1)])


def mmap2(start, length, pgoff, name, build_id=b''):
    what = bytes([len(build_id), 0, 0, 0]) + build_id.ljust(20, b'\0') if build_id else ii(8, 1) + q(7, 0)
    return record(10, ii(1, 1) + q(start, length, pgoff) + what + ii(5, 2) + string(name) + task(1),
                  2 | 1 << 14 if build_id else 2)


# A thread, and mappings that take the place of others, or of parts.
write('maps', [comm(1), record(7, ii(1, 1, 2, 1) + q(1) + task(1)),
               mmap2(0x1000, 0x8000, 0x2000, '/bin/whole', bytes(range(20))), mmap2(0x3000, 0x1000, 0, '/bin/in'),
               mmap2(0x8000, 0x4000, 0, '/bin/behind'), mmap2(0x20000, 0x1000, 0, '/bin/gone'),
               mmap2(0x1f000, 0x3000, 0x1000, '/bin/over')])



# A process is forked again and again: it has maps, or it executed something and its parent changed.
def forks(name, maps, more):
    write(name, [mmap2(0x100000 + 0x1000 * n, 0x1000, 0, '/a') for n in range(maps)] +
          [record(1, ii(2, 2) + q(0x100000, 0x1000, 0) + string('/b') + task(2), 2)] +
          [fork(2, 1)] + ([fork(2, 1)] + more) * 1000)


forks('again1000', 1000, [])
forks('again2000', 2000, [])
forks('exec2000', 2000, [mmap2(0x100000, 0x1000, 0, '/a'),
                         record(3, ii(2, 2) + string('t') + task(2), 1 << 13)])
for n in 10000, 20000:
    with open('events%d' % n, 'wb') as f:
        f.write(perf_file([attr(IDENTIFIER | IP | TID | TIME)] * n,
                          record(9, q(5, 0x1000) + task(1)), ids=[[i] for i in range(n)]))
EOF

lines() { awk '{ n++; sub(/^#.*/, "head"); last = $2 } END { print n, last }'; }

(ulimit -s 256; "$perf" report --tasks -i deep 2> err | lines > out)
[ "$(cat out)" = "100002 100000" ] && [ ! -s err ]
ok $? 'forks nested 100,000 deep, with a stack of 256 kB' out
(ulimit -s 256; "$perf" report --tasks --mmaps -i deep 2> err | lines > out)
[ "$(cat out)" = "100002 100000" ] && [ ! -s err ]
ok $? 'and with mappings' out

"$perf" report --tasks -i circle 2>&1 | awk 'NR > 1 { print $2, $3, index($0, "|") }' > out
printf '%s\n' '0 -1 30' '1 -1 30' '2 5 30' '3 2 30' '4 3 30' '5 4 30' > want
cmp -s out want
ok $? 'a circle is cut where it was closed: each task once' out
# As perf 7.2.13 prints it, but for the p: it says s of every mapping.
cat > want <<'T'
#      pid      tid     ppid  comm
         0        0       -1 |swapper
         1        1       -1 | t
                                 1000-3000 r-xp 00002000 000102030405060708090a0b0c0d0e0f10111213 /bin/whole
                                 3000-4000 r-xp 00000000 7 /bin/in
                                 4000-8000 r-xp 00005000 000102030405060708090a0b0c0d0e0f10111213 /bin/whole
                                 8000-c000 r-xp 00000000 7 /bin/behind
                                 1f000-22000 r-xp 00001000 7 /bin/over
         1        2        1 |  t
                                  1000-3000 r-xp 00002000 000102030405060708090a0b0c0d0e0f10111213 /bin/whole
                                  3000-4000 r-xp 00000000 7 /bin/in
                                  4000-8000 r-xp 00005000 000102030405060708090a0b0c0d0e0f10111213 /bin/whole
                                  8000-c000 r-xp 00000000 7 /bin/behind
                                  1f000-22000 r-xp 00001000 7 /bin/over
T
"$perf" report --mmaps -i maps 2>&1 | diff want - > out
ok $? '--mmaps: build-ids, threads, and what a later mapping leaves of one' out
for f in again exec; do
	(ulimit -v 100000; exec "$perf" report --mmaps -i ${f}2000 > out 2> err)
	[ $? = 0 ] && [ "$(grep -c ' /a$' out)" = $([ $f = again ] && echo 4000 || echo 2000) ]
	ok $? "$f: forked 1000 times beside 2000 maps, with 100 MB" err
done
"$perf" report --tasks -i reused 2>&1 | awk 'NR > 1 { print $2, $3, match($0, /t$/) }' > out
printf '%s\n' '0 -1 0' '1 -1 0' '2 1 0' '3 2 0' '9 2 34' > want
cmp -s out want
ok $? 'a task that is forked twice stands below its last parent' out

if ! command -v valgrind > /dev/null; then
	skip cost 'no valgrind'
	plan
	exit
fi
cost() { # FILE: instructions
	valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		"$perf" report "$what" -i "$1" 2>&1 > /dev/null | awk '/Collected/ { print $4 }'
}
what=--tasks
# costs WHAT FILE OTHER PERCENT: OTHER costs at most so much of FILE
costs() {
	local one other
	one=$(cost "$2") other=$(cost "$3")
	echo "$2: ${one:=0} instructions, $3: ${other:=0}" > out
	[ "$one" -gt 0 ] && [ $((other * 100)) -le $((one * $4)) ]
	ok $? "$1 ($((other * 100 / (one ? one : 1))) %, at most $4)" out
}
costs 'a fork by a task that is 3000 deep' shallow busy 110
costs 'twice as many siblings' wide5000 wide10000 240
what=--mmaps
costs 'forks of a process beside twice as many maps' again1000 again2000 240
what=--stdio
costs 'twice as many events' events10000 events20000 240
"$perf" script -F comm,tid -i no-times > out 2> err
[ "$(xargs < out)" = 'main 1 main 1 main 2' ]
ok $? 'without times an exit ends no thread' out
plan
