#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What perf record says to a user who may not: the sysctl, and what would work.
. "$(dirname "$0")/../../lib/record.sh"

if [ "$(id -u)" != 0 ] || ! [ -w $sysctl ]; then
	skip 'permissions' 'only root can change kernel.perf_event_paranoid'
	finish
	exit
fi
paranoid_lock
cleanup_hooks+=(paranoid_unlock)
chmod 755 "$T"
mkdir -m 777 "$T/nobody"
install -m 755 "$PERF" "$W/burn" "$T/nobody/"
as_nobody() {
	rm -f "$T/nobody/data"*
	setpriv --reuid=65534 --regid=65534 --clear-groups timeout 20 \
		"$T/nobody/perf" record -o "$T/nobody/data" "$@" > "$T/out" 2> "$T/err"
	status=$?
	# perf reads nobody's files only for nobody
	[ ! -e "$T/nobody/data" ] || chown 0:0 "$T/nobody/data"
}
user_only() {
	[ "$status" = 3 ] && header "$T/nobody/data" 'name = cpu-clock:u.*exclude_kernel = 1' && same "$T/nobody/data" 5
}
refused() { # SYSCTL-THAT-HELPS TEXT...
	local helps=$1
	shift
	[ "$status" != 0 ] && says "kernel.perf_event_paranoid is $p" "sysctl kernel.perf_event_paranoid=$helps" "$@" &&
	[ ! -e "$T/nobody/data" ]
}
not_yours() {
	[ "$status" != 0 ] && says "kernel.perf_event_paranoid is $p" 'it is not yours'
}
for p in 4 3 2; do
	echo $p > $sysctl
	as_nobody -e cpu-clock "$T/nobody/burn" 100
	# -B: 6.1 reads its recording for build-ids at the end, and dies of maps that another recorder made the kernel flag
	if setpriv --reuid=65534 --regid=65534 --clear-groups "$THEIRS" record -q -B -o "$T/nobody/probe" -e cpu-clock:u true 2>/dev/null; then
		ok "paranoid $p: a command, user code only" user_only
		ok "paranoid $p: said so"	says "kernel.perf_event_paranoid is $p: only user code is sampled"
		as_nobody -e cpu-clock:k true
		ok "paranoid $p: kernel code"	refused 1 "user code (':u') of your own commands and processes works"
		as_nobody -a -e cpu-clock true
		ok "paranoid $p: -a"		refused 0 "user code (':u') of your own commands and processes works"
	else	# a distribution's kernel that forbids everything from 3 on
		ok "paranoid $p: a command"	refused 1
		as_nobody -a -e cpu-clock true
		ok "paranoid $p: -a"		refused 0
	fi
	as_nobody -e cpu-clock -p 1
	ok "paranoid $p: somebody else's process" not_yours
done
echo 1 > $sysctl; p=1
as_nobody -e cpu-clock "$T/nobody/burn" 60
with_kernel() { [ "$status" = 3 ] && ! header "$T/nobody/data" 'exclude_kernel = 1'; }
ok 'paranoid 1: a command, kernel too'	with_kernel
as_nobody -a -e cpu-clock true
ok 'paranoid 1: -a'	refused 0 'measuring your own commands and processes works'
echo 0 > $sysctl; p=0
as_nobody -a -e cpu-clock "$T/nobody/burn" 60
all() { [ "$status" = 3 ] && same "$T/nobody/data" 5; }
ok 'paranoid 0: -a'	all
echo -1 > $sysctl; p=-1
as_nobody -a -e cpu-clock "$T/nobody/burn" 60
ok 'paranoid -1: -a'	all
echo 2 > $sysctl; p=2
prlimit --memlock=65536:65536 setpriv --reuid=65534 --regid=65534 --clear-groups \
	"$T/nobody/perf" record -o "$T/nobody/data" -e cpu-clock -m 4M true > "$T/out" 2> "$T/err"
ok 'buffers larger than allowed' says 'kernel.perf_event_mlock_kb'
as_nobody -e cpu-clock:u --phys-data true
ok '--phys-data: why not'	refused 1 'sampling physical addresses (--phys-data)'
as_nobody -e cpu-clock:u --namespaces true
ok '--namespaces: why not'	says '--namespaces: only root'
as_nobody -e cpu-clock:u -r 10 true
ok '-r: why not'		says 'root' 'ulimit -r'
as_nobody -e sched:sched_switch true
ok 'tracepoints: why not' test -n "$(grep -E 'perf_event_paranoid|no permission|nothing is mounted' "$T/err")"
cd "$T/nobody" && setpriv --reuid=65534 --regid=65534 --clear-groups "$T/nobody/perf" record -o /nonexistent/x true 2> "$T/err"
ok 'a file that cannot be made' says '/nonexistent/x: No such file or directory'
finish
