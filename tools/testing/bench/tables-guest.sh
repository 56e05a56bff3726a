#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# tables-guest.sh ROUNDS: the part of bench-tables that runs in the guest, in /out. Debian's
# programs sleep meanwhile, with their libraries mapped. ROUNDS times in turn "record -a" is
# started with frame pointers, with tables and an empty cache, and with tables that the cache has; "starts"
# gets for each: how, microseconds until its command began, until it ended.
export HOME=/tmp PATH=/stock:$PATH LC_ALL=C
mkfifo /tmp/fifo
sleep 100000 > /tmp/fifo &
for p in 'python3 -c "import json, re, time; time.sleep(100000)"' 'perl -e "sleep 100000"' \
	'bash -c "read x < /tmp/fifo"' 'sqlite3 /tmp/db' 'git cat-file --batch' 'cc1 -quiet -o /dev/null -' \
	'grep x' 'sort' 'gzip -c'; do
	sh -c "$p" < /tmp/fifo > /dev/null 2>&1 &
done
sleep 3
git init -q /tmp 2> /dev/null
cat > /tmp/start <<'END2'
now() { t=$EPOCHREALTIME; echo ${t/./}; }
began=$(now)
# Its command says what time it is: no program is smaller.
perf record -q -a -e cpu-clock -F 99 -o /tmp/start.data "${@:2}" -- busybox adjtimex > /tmp/at || exit 1
ended=$(now)
at=$(sed -nE 's/.*tv_sec: +([0-9]+).*/\1/p' /tmp/at)$(printf %06d "$(sed -nE 's/.*tv_usec: +([0-9]+).*/\1/p' /tmp/at)")
echo "$1 $((at - began)) $((ended - began))"
END2
start() { bash /tmp/start "$@" >> starts || exit 1; }
i=0
while [ $i -lt "$1" ]; do
	i=$((i + 1))
	start fp --call-graph fp
	rm -rf /tmp/.debug/.unwind
	start cold -g
	start warm -g
done
# What the kernel holds while that runs
cat /proc/sys/kernel/unwind_table_max_kb > limit
perf record -v -a -g -e cpu-clock -F 99 -o /tmp/held.data -- sh -c 'sleep 1; cat /sys/kernel/debug/unwind/stats' > stats 2> held.err
