#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest, in /out: what the golden set recorded, as ../golden/c/src/
# record-in-vm.sh did it, and the targets that move. Each recording leaves
# NAME.data, NAME.err and NAME.status; check.py and record.t look at them.
echo -1 > /proc/sys/kernel/perf_event_paranoid
cat /proc/kallsyms > kallsyms
ulimit -c 0

r() { # NAME OPTIONS...
	name=$1
	shift
	perf record -o "$name.data" "$@" > "$name.out" 2> "$name.err"
	echo $? > "$name.status"
}
D='--call-graph fp,defer'

# The kernel takes a stack at once where deferring would not pay: once as it
# comes, then it defers whatever can be deferred.
inline=/proc/sys/kernel/perf_event_defer_inline
r inline.defer -e cpu-clock -F 400 $D /g/deepsys 12 400 10000000
[ ! -e $inline ] || echo 0 > $inline

r vv -vv -e cpu-clock -F 400 $D /g/deepsys 2 10 1000
r deepsys.defer -e cpu-clock -F 400 $D /g/deepsys 12 400 10000000
r deepsys.fp -e cpu-clock -F 400 --call-graph fp /g/deepsys 12 200 3000000
r system.defer -a -e cpu-clock -F 200 -e sched:sched_switch $D -- /g/threads 6 400
r sleepers.defer -a -e sched:sched_switch $D -- /g/sleepers 40 1
r forker.defer -e cpu-clock -F 400 $D /g/forker 12
r threads.defer -e cpu-clock -F 400 $D --per-thread /g/threads 4 200
r multi.defer -e page-faults,context-switches,raw_syscalls:sys_enter $D -c 20 -d /g/forker 8
r group.fp -e '{cpu-clock,page-faults}:S' -F 200 --call-graph fp /g/forker 6
r zstd.defer -z -e cpu-clock -F 400 $D /g/deepsys 12 200 3000000
perf record -e cpu-clock -F 400 $D -o - /g/deepsys 8 100 3000000 > pipe.defer.data 2> pipe.defer.err
echo $? > pipe.defer.status
r deepsys.dwarf -e cpu-clock -F 200 --call-graph dwarf,1024 /g/deepsys 12 60 1000000
r chain32.dwarf -e cpu-clock:u -F 400 --call-graph dwarf,1024 /g/chain32 100000000
r nocallchain -e cpu-clock -F 400 /g/deepsys 3 50 3000000
r extras.defer -e cpu-clock -F 200 $D --namespaces --switch-events -T -P -W /g/forker 4
r mixed -e cpu-clock/call-graph=fp/ -e page-faults/call-graph=no/ -c 100000 /g/forker 3
r useronly.defer -e cpu-clock:u -F 400 $D /g/deepsys 5 50 20000000
r userchains.defer -e cpu-clock -F 300 --user-callchains $D /g/deepsys 5 100 2000000
r kernchains.fp -e cpu-clock -F 300 --kernel-callchains --call-graph fp /g/deepsys 5 100 2000000
if [ -e /sys/kernel/tracing/uprobe_events ]; then
	at=$(cat /in/uret.probed)
	echo "r:urets/probed /g/uret:$at" > /sys/kernel/tracing/uprobe_events
	echo 1 > /sys/kernel/tracing/events/urets/enable
	r uret.defer -e cpu-clock -F 500 $D /g/uret 60
	r uret.fp -e cpu-clock -F 500 --call-graph fp /g/uret 60
	echo 0 > /sys/kernel/tracing/events/urets/enable
	echo > /sys/kernel/tracing/uprobe_events
fi

# A running task with several threads
/g/threads 6 30000 &
pid=$!
sleep 0.2
r attach.defer -e cpu-clock -F 400 $D -p $pid
wait $pid
# ... attached to again and again: nothing is lost while the events are enabled
/g/threads 12 1000000 &
pid=$!
sleep 0.2
for i in 1 2 3 4 5 6 7 8; do
	r attach$i.defer -e cpu-clock -F 4000 $D -p $pid sleep 0.1
done
kill $pid
wait $pid

# One CPU is sampled, the task moves between both
r migrate.defer -C 0 -e cpu-clock -F 400 $D -- /g/migrate 120
r migrate-tp.defer -C 0 -e raw_syscalls:sys_enter $D -- /g/migrate 60

# fork and exec, everything followed
r forkexec.defer -e cpu-clock -F 400 -e sched:sched_process_exec $D /g/forker 20
r all.defer -a -e cpu-clock -F 400 $D -- /g/forker 9
r percpu.defer -e context-switches -c 1 $D /g/threads 4 400

# Small buffers: losses, and what is said of them
r lost.defer -m 1 -e raw_syscalls:sys_enter -c 1 $D /g/threads 6 3000
r overwrite.defer --overwrite -m 4 -e cpu-clock -F 400 $D /g/deepsys 12 200 3000000

# Written to several files
r switch-all.defer -a --switch-output=100ms -e cpu-clock -F 400 $D /g/threads 6 12000
r switch.defer --switch-output=100ms -e cpu-clock -F 400 $D /g/deepsys 12 1200 3000000

r lostswitch.defer --switch-output=100K -m 1 -e raw_syscalls:sys_enter -c 1 $D /g/threads 6 3000

# cgroups: version 2 with no controller enabled yet has none for perf; it comes
# when the hierarchies change hands; version 1 takes it away again
mount -t cgroup2 none /sys/fs/cgroup && mkdir /sys/fs/cgroup/a
r cg-fresh -a -e cpu-clock -G a sleep 0.1
mkdir /tmp/cg1 && mount -t cgroup -o perf_event none /tmp/cg1 && umount /tmp/cg1
for i in $(seq 100); do grep -q '^perf_event.[1-9]' /proc/cgroups || break; sleep 0.1; done
(sh -c 'echo $$ > /sys/fs/cgroup/a/cgroup.procs; exec /g/burn 2000') & pid=$!
for i in $(seq 100); do ! grep -q . /sys/fs/cgroup/a/cgroup.procs || break; sleep 0.1; done
r cg-v2 -a -e cpu-clock -F 400 -G a sleep 0.5
r cg-v2-slash -a -e cpu-clock -F 400 -G /a sleep 0.1
r cg-v2-none -a -e cpu-clock -G b true
wait $pid
mount -t cgroup -o perf_event none /tmp/cg1 && mkdir /tmp/cg1/b
r cg-held -a -e cpu-clock --cgroup a true
umount /tmp/cg1
r cg-hidden -a -e cpu-clock --cgroup a true
mount -t cgroup -o perf_event none /tmp/cg1
(sh -c 'echo $$ > /tmp/cg1/b/cgroup.procs; exec /g/burn 2000') & pid=$!
for i in $(seq 100); do ! grep -q . /tmp/cg1/b/cgroup.procs || break; sleep 0.1; done
r cg-v1 -a -e cpu-clock -F 400 -G b sleep 0.5
wait $pid

# A CPU that goes away while it is recorded
if [ -w /sys/devices/system/cpu/cpu1/online ]; then
	(sleep 0.5; echo 0 > /sys/devices/system/cpu/cpu1/online; cat /sys/devices/system/cpu/online > went-offline; sleep 0.5; echo 1 > /sys/devices/system/cpu/cpu1/online) &
	r offline.defer -a -e cpu-clock -F 200 $D -- sleep 3
	wait
	# ... and one that is not there when the recording begins
	echo 0 > /sys/devices/system/cpu/cpu1/online
	r offline-before.defer -C 0-1 -e cpu-clock -F 200 $D -- /g/threads 4 300
	echo 1 > /sys/devices/system/cpu/cpu1/online
	echo yes > can-offline
fi

ls > files
