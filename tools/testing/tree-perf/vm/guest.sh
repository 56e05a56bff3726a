#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest, in /out: what the kernel tree's perf records with --call-graph fp,defer and
# table.
# Each recording leaves NAME.data, NAME.err and NAME.status; vm.t looks at them.
echo -1 > /proc/sys/kernel/perf_event_paranoid
cat /proc/kallsyms > kallsyms
ulimit -c 0

r() { # NAME OPTIONS...
	name=$1
	shift
	perf record -o "$name.data" --call-graph fp,defer "$@" > "$name.out" 2> "$name.err"
	echo $? > "$name.status"
}

# The kernel takes a stack at once where deferring would not pay: let it defer all that it can.
inline=/proc/sys/kernel/perf_event_defer_inline
[ ! -e $inline ] || echo 0 > $inline

r file -vv -e cpu-clock -F 400 /g/deepsys 12 400 10000000
perf test -v "$(perf test list 2>&1 | sed -n 's/^ *\([0-9]*\): Unwind tables$/\1/p')" > unit.out 2>&1
echo $? > unit.status
perf test -v "$(perf test list 2>&1 | sed -n 's/^ *\([0-9]*\): Deferred callchains$/\1/p')" > deferred.out 2>&1
echo $? > deferred.status
# The kernel without the feature has nothing more to show.
[ -e $inline ] || {
	perf record -o table.data --call-graph table -e cpu-clock -F 400 /g/deepsys 12 100 3000000 \
		> table.out 2> table.err
	echo $? > table.status
	exit 0
}

r zstd -z -e cpu-clock -F 400 /g/deepsys 12 200 3000000
r system -a -e cpu-clock -F 200 /g/threads 6 400
r forker -e cpu-clock -F 400 /g/forker 12
# Of the first thread alone, which mostly waits: its system calls are certain to be there.
r threads --per-thread -e raw_syscalls:sys_enter -e cpu-clock -F 400 /g/threads 4 2000
r group -e '{cpu-clock,page-faults}' -F 400 /g/forker 6
r several -a -e '{cpu-clock,page-faults},task-clock,dummy' -F 400 /g/forker 2
# Samples of threads that block, which perf inject -s moves to a later time
r sched -e sched:sched_switch -e sched:sched_stat_runtime /g/threads 6 400
sh /shell/record_deferred_callchain.sh > shell.out 2>&1
echo $? > shell.status
perf record --call-graph fp,defer -e cpu-clock -F 400 -o - /g/deepsys 8 100 3000000 \
	> pipe.data 2> pipe.err
echo $? > pipe.status

# Debian's programs, which have no frame pointers: every stack by table, and without tables
awk 'BEGIN { srand(1); for (i = 0; i < 60000; i++) print int(rand() * 1e9), "a line of text", i }' > /tmp/text
cat > /tmp/work.sh <<'END'
f() { local i=0; while [ $i -lt 50 ]; do i=$((i + 1)); s="${s#?}x$i"; done; }
n=0; while [ $n -lt 60 ]; do n=$((n + 1)); s=; f; a[n]=${s//x/y}; done
END
t() { # NAME COMMAND...
	name=$1
	shift
	perf record -v -o "$name.data" --call-graph "${mode:-table}" -e cpu-clock -F 499 -- "$@" \
		> "$name.out" 2> "$name.err"
	echo $? > "$name.status"
}
t sort /stock/sort -k2,3 -k1n -o /tmp/sorted /tmp/text
t bash /stock/bash /tmp/work.sh
t perl /stock/perl -e '%h = map { $_ => 1 } 1 .. 2000; for (1 .. 60) { @k = sort { $a <=> $b } keys %h }'
mode=fp,defer t sort-fp /stock/sort -k2,3 -k1n -o /tmp/sorted /tmp/text
cat /sys/kernel/debug/unwind/stats > stats
r switch --switch-output=100K -e raw_syscalls:sys_enter -e cpu-clock -F 4000 /g/deepsys 12 1200 3000000
r switch-all -a --switch-output=100K -e raw_syscalls:sys_enter -e cpu-clock -F 4000 /g/threads 6 12000
