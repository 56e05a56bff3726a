#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest, in /out: Debian's own programs, which have no frame pointers,
# recorded by unwind tables: at once, and with every stack deferred that can be.
echo -1 > /proc/sys/kernel/perf_event_paranoid
inline=/proc/sys/kernel/perf_event_defer_inline
export HOME=/tmp PATH=/stock:$PATH LC_ALL=C

r() { # NAME OPTIONS...
	name=$1
	shift
	perf record -v -o "$name.data" "$@" > "$name.out" 2> "$name.err"
	echo $? > "$name.status"
}

. /in/inputs.sh

all() { # MODE OPTIONS...: each program once
	mode=$1
	shift
	r python3.$mode "$@" -- python3 /in/work.py 16
	r perl.$mode "$@" -- perl /in/work.pl 6
	r bash.$mode "$@" -- bash /tmp/script.sh 150
	r sort.$mode "$@" -- sort -k2,3 -k1n -o /tmp/sorted /tmp/text
	r tar.$mode "$@" -- tar -cf /tmp/t.tar --sort=name /tmp/text /tmp/repo /lib
	r gzip.$mode "$@" -- gzip -kf /tmp/text
	r grep.$mode "$@" -- grep -cE '([0-9]+)[^0-9]*\1|x.*y' /tmp/repo/part1?
	rm -rf /tmp/repo/.git/index /tmp/repo/.git/objects/??
	r git.$mode "$@" -- git -C /tmp/repo add -A
	r cc1.$mode "$@" -- cc1 -quiet -fpreprocessed -O2 -o /tmp/work.s /tmp/work.i
	r sqlite3.$mode "$@" -- sqlite3 /tmp/db.$mode '.read /tmp/work.sql'
}
echo 1 > $inline
all inline -e cpu-clock -F 499 -g
echo 0 > $inline
all deferred -e cpu-clock -F 499 --call-graph table
# What the same costs and misses by frame pointers
r python3.fp -e cpu-clock -F 499 --call-graph fp -- python3 /in/work.py 5

# Where they leave their CPU: all at once, so that each does
cat > /tmp/together.sh <<'END'
python3 /in/work.py 8 &
perl /in/work.pl 3 &
bash /tmp/script.sh 75 &
sort -k2,3 -k1n -o /tmp/sorted2 /tmp/text &
tar -cf - --sort=name /tmp/text /tmp/repo /lib | /stock/gzip -1 > /tmp/u.tgz &
grep -cE '([0-9]+)[^0-9]*\1|x.*y' /tmp/repo/part1? &
git -C /tmp/repo add -A &
cc1 -quiet -fpreprocessed -O2 -o /tmp/work2.s /tmp/work.i &
sqlite3 /tmp/db.together '.read /tmp/work.sql' &
wait
END
for mode in 1 0; do
	echo $mode > $inline
	rm -rf /tmp/db.together /tmp/repo/.git/index /tmp/repo/.git/objects/??
	r offcpu$mode -a -g -e sched:sched_switch -- bash /tmp/together.sh
done

# The whole system: what ran before, and what begins meanwhile
echo 1 > $inline
python3 /in/work.py 1000000 & before=$!
sleep 1
r all -a -g -e cpu-clock -F 499 -- bash -c 'sort -k2 -o /tmp/s2 /tmp/text; perl /in/work.pl 4'
r attach -p $before -g -e cpu-clock -F 499 -- sleep 2
kill $before
wait $before 2>/dev/null

# Not root: one's own
chmod 755 / /out /tmp
mkdir -m 777 /out/user /tmp/user
cd /out/user
cat > /tmp/user.sh <<'END'
cd /out/user
export HOME=/tmp/user
perf record -v -o /out/user/user.data -g -e cpu-clock:u -F 499 -- python3 /in/work.py 25 > user.out 2> user.err
echo $? > user.status
END
chmod 755 /tmp/user.sh
su -s /bin/sh nobody -c 'sh /tmp/user.sh'
cd /out
mv user/* .
cat /sys/kernel/debug/unwind/stats > stats 2>/dev/null
ls -la /tmp/.debug/.unwind > cache
