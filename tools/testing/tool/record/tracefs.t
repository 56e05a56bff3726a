#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tracepoints on a machine where tracefs is not mounted, or not where it mostly
# is. Everything happens in mount namespaces: nothing is mounted here.
. "$(dirname "$0")/../../lib/record.sh"
tracing=/sys/kernel/tracing

# away SETUP COMMAND...: as the command does in a mount namespace without tracefs
# and debugfs, after the shell commands in SETUP; its output in $T/out and $T/err
away() {
	local setup=$1
	shift
	rm -f "$T/data"
	# In a chroot "/" is no mount point, which the default of unshare cannot bear.
	PERF=$PERF T=$T unshare --mount --propagation unchanged bash -c '
		mount --make-rprivate / 2> /dev/null
		mount --make-rprivate /sys || exit 119
		gone() {
			local dir
			for dir in $(awk "\$3 == \"tracefs\" || \$3 == \"debugfs\" { print \$2 }" /proc/self/mounts); do
				umount -l "$dir" 2> /dev/null
			done
			! grep -qE "^[^ ]+ [^ ]+ (tracefs|debugfs) " /proc/self/mounts
		}
		gone || gone || exit 120
		eval "$1" || exit 121
		shift
		"$@"' away "$setup" "$@" > "$T/out" 2> "$T/err"
	status=$?
}
mounts() { # shown behind the command: where tracefs is now
	grep -E '^[^ ]+ [^ ]+ (tracefs|debugfs) ' /proc/self/mounts | cut -d' ' -f2-4
}
export -f mounts
record() { # COMMAND...: the head of a shell command that records
	"$@" record -q -e sched:sched_switch -c 1 -o "$T/data" sleep 0.01
}
export -f record
recorded() { [ "$status" = 0 ] && script_has "$T/data" 'sched:sched_switch: prev_comm='; }
out_has() { grep -Eq -- "$1" "$T/out" || { cat "$T/out"; return 1; }; }

away : true
if [ "$status" != 0 ]; then
	skip 'tracefs is mounted' 'mount namespaces need root'
	finish
	exit
fi
away : mounts
ok 'without tracefs'			test ! -s "$T/out"

away : bash -c 'record "$PERF" && mounts'
ok 'record: root mounts it'		recorded
ok 'record: where it belongs'		out_has "^$tracing tracefs rw,nosuid,nodev,noexec"
away : "$PERF" list sched:sched_switch
ok 'list: root mounts it'		out_has '^  sched:sched_switch +\[Tracepoint event\]'
away : bash -c '"$PERF" record --dry-run -e cpu-clock true; mounts'
ok 'not for what is no tracepoint'	test ! -s "$T/out"
away : bash -c 'cd / && "$PERF" record -q -e sched:sched_switch -a -o "$T/data" true && "$PERF" list tracepoint && mounts'
ok 'once'				test "$(grep -c tracefs "$T/out")" = 1

away 'mount -t debugfs debugfs /sys/kernel/debug' bash -c 'record "$PERF" && mounts'
ok "debugfs: record finds it there"	recorded
ok 'debugfs: nothing else is mounted'	test "$(grep -c "^$tracing " "$T/out")" = 0
away 'mount -t tmpfs none /sys/kernel && mkdir "/sys/kernel/a b" && mount -t tracefs tracefs "/sys/kernel/a b"' bash -c 'record "$PERF" && mounts'
ok 'elsewhere: record finds it there'	recorded
ok 'elsewhere: nothing else is mounted'	test "$(grep -c "^$tracing " "$T/out")" = 0

# Without the right to mount, and without the right to read.
away : setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin bash -c 'record "$PERF"'
ok 'no right to mount it: what to type'	says "nothing is mounted at $tracing" "mount -t tracefs tracefs $tracing"
ok 'and a failure'			test "$status" != 0
away : setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "$PERF" list 'sched:*'
ok 'list says so, too'			says "nothing is mounted at $tracing" "mount -t tracefs tracefs $tracing"
mkdir -m 777 "$T/nobody"
chmod 755 "$T"
install -m 755 "$PERF" "$T/nobody/"
away "mount -t tracefs -o mode=700 tracefs $tracing" setpriv --reuid=65534 --regid=65534 --clear-groups \
	"$T/nobody/perf" record -o "$T/nobody/data" -e sched:sched_switch true
ok 'mounted, but closed: what to type'	says "no permission for $tracing/events" "mount -o remount,mode=755 $tracing"

# There is no place for it.
away 'mount -t tmpfs none /sys/kernel' bash -c 'record "$PERF"'
ok 'a kernel without tracepoints'	says "there is no $tracing" 'the kernel has no tracepoints'
ok 'a failure'				test "$status" != 0
away : env TRACEFS_PATH="$T/nobody" bash -c 'record "$PERF"; mounts'
ok 'TRACEFS_PATH: nothing is mounted there' says "nothing is mounted at $T/nobody"
ok 'nor anywhere else'			test ! -s "$T/out"
finish
