#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The ptrace sampler: where perf_event_open() is refused (by a filter, as in containers), and with
# --sampler ptrace. What it records is true; the programs do not notice it.
. "$(dirname "$0")/../../lib/record.sh"
if [ "$(uname -m)" != x86_64 ]; then
	ok 'another architecture: said' eval 'rec --sampler ptrace true; says "this architecture"'
	finish
	exit
fi
gcc -O1 -Wall -o refuse-perf "$here/refuse-perf.c" &&
	gcc -O1 -Wall -o docker-profile "$here/docker-profile.c" &&
	gcc -O1 -g -pthread -o waits "$here/waits.c" &&
	gcc -O1 -g -pthread -o shares "$here/shares.c" || exit 1
# refused ERRNO ARGS...: rec where perf_event_open() fails so
refused() {
	rm -rf "$T/data"
	"$T/refuse-perf" "$1" "$PERF" record -o "$T/data" "${@:2}" > "$T/out" 2> "$T/err"
	status=$?
}
# chains COMM: how many samples there are of it, and how many have their whole stack
chains() {
	"$PERF" script -i "$T/data" --comms "$1" -F ip,sym 2> /dev/null |
		awk 'BEGIN { RS = ""; FS = "\n" } { n++; whole += $NF ~ / (_start|clone3|__clone)$/ } END { print n + 0, whole + 0 }'
}
# whole_of COMM AT-LEAST: 99 of 100 stacks are whole. (The start of a thread, and the loader, can
# be two of few.)
whole_of() {
	local n
	read -ra n <<< "$(chains "$1")"
	echo "${n[*]}"
	[ "${n[0]}" -ge "$2" ] && [ $((100 * (n[1] + 2))) -ge $((99 * n[0])) ]
}
is_by_ptrace() { header "$T/data" 'name = ptrace-clock.*type = 1'; }

# EACCES, EPERM, ENOSYS
for e in 13 1 38; do
	refused $e -g "$W/burn" 100
	ok "error $e: the command runs"	test "$status" = 3
	ok "error $e: said"	says 'perf_event_open() is refused here (' 'user stacks are sampled by ptrace, 99 times a second' 'ptrace stopped threads'
	ok "error $e: whole stacks"	whole_of burn 5
	ok "error $e: Debian's perf reads it"	eval 'is_by_ptrace && whole "$T/data" && same "$T/data" 5'
done
for o in '-e cpu-clock -g' '-e task-clock:u -g' '-e cycles --call-graph dwarf' '-F 200 --call-graph fp'; do
	refused 13 $o "$W/burn" 40
	ok "$o: by ptrace" eval '[ $status = 3 ] && is_by_ptrace && says "refused here"'
done
not_by_ptrace() { [ "$status" != 0 ] && [ ! -e "$T/data" ] && ! says ptrace > /dev/null; }
for o in '-e cpu-clock' '' '-g -e cycles:k' '-g -e sched:sched_switch' '-g -a' '-g -C 0' '-g --all-kernel' '-g -b' \
	'-g -e cpu-clock,page-faults' '-g --sampler kernel'; do
	refused 13 $o true
	ok "perf record $o: refused, as ever" not_by_ptrace
done
rec -g -e cpu-clock "$W/burn" 20
ok 'where nothing is refused the kernel samples' eval '! is_by_ptrace'
rec --sampler ptrace -a true
ok '--sampler ptrace -a: why not' eval '[ $status != 0 ] && says "--sampler ptrace does not sample -a, -C and -u"'
rec --sampler ptrace -e page-faults true
ok '--sampler ptrace -e page-faults: why not' eval '[ $status != 0 ] && says "--sampler ptrace does not sample events"'
rec --sampler x true
ok '--sampler x' eval '[ $status = 129 ] && says "--sampler needs kernel or ptrace"'

# What a program sees of it: nothing.
rec --sampler ptrace -F 1000 ./waits 1500
ok 'no call is interrupted, nobody stops'	eval 'cat "$T/out"; [ $status = 7 ] && [ ! -s "$T/out" ]'
rec --sampler ptrace sh -c 'exit 5'
ok 'the exit status'	test $status = 5
rec --sampler ptrace sh -c 'trap "echo caught" USR1; kill -USR1 $$; exec sh -c "kill -SEGV \$\$"'
ok 'signals: one caught, one that kills'	eval '[ $status = 139 ] && [ "$(cat "$T/out")" = caught ]'
cat > stops.py << 'E'
import os, signal, sys, time
child = os.fork()
if not child:
    os.kill(os.getpid(), signal.SIGSTOP)
    os._exit(4)
_, status = os.waitpid(child, os.WUNTRACED)
assert os.WIFSTOPPED(status) and os.WSTOPSIG(status) == signal.SIGSTOP, status
# A stopped process does nothing, however long.
assert os.waitpid(child, os.WNOHANG | os.WUNTRACED) == (0, 0)
time.sleep(0.3)
assert os.waitpid(child, os.WNOHANG | os.WUNTRACED) == (0, 0)
os.kill(child, signal.SIGCONT)
_, status = os.waitpid(child, os.WCONTINUED)
if os.WIFCONTINUED(status):
    _, status = os.waitpid(child, 0)
sys.exit(os.WEXITSTATUS(status))
E
rec --sampler ptrace /usr/bin/python3 stops.py
ok 'a stopped program stays stopped until SIGCONT'	eval 'cat "$T/out"; [ $status = 4 ]'

# What is recorded.
rec --sampler ptrace -F 500 ./shares 600
cpu=$(cat "$T/out")
parts() { # the period of all samples, and of heavy() and light(), in ns
	"$PERF" script -i "$T/data" --comms shares -F period,ip,sym 2> /dev/null | awk 'BEGIN { RS = "" }
		{ all += $1; heavy += /heavy/ ? $1 : 0; light += /light/ ? $1 : 0 } END { printf "%d %d %d\n", all, heavy, light }'
}
read -ra p <<< "$(parts)"
echo "# $cpu ns of CPU time; in samples: ${p[*]}"
# (at the end is a part that no sample has: of a tick, or of several if others have the CPU)
ok 'samples have the CPU time' test $((100 * p[0])) -ge $((85 * cpu)) -a $((100 * p[0])) -le $((105 * cpu))
ok 'three quarters are in heavy()' test $((100 * p[1])) -ge $((62 * (p[1] + p[2]))) -a $((100 * p[1])) -le $((88 * (p[1] + p[2])))
ok 'which has whole stacks' whole_of shares 20
rec --sampler ptrace -m 64M ./shares 4000 1000
ok '1,000 threads' eval '[ $status = 0 ] && whole_of shares 100 && [ "$(records "$T/data" EXIT)" -ge 1000 ]'
ok "1,000 threads: Debian's perf reads it" eval 'whole "$T/data" && same "$T/data" 100'
rec --sampler ptrace sh -c "for i in 1 2 3; do $W/burn 30; done; exec $W/burn 60"
ok 'fork and exec' eval '[ $status = 3 ] && whole_of burn 5 && [ "$("$PERF" script -i "$T/data" -F pid --comms burn | sort -u | wc -l)" -ge 2 ]'
rec --sampler ptrace -i sh -c "$W/burn 60; true"
ok '-i: children are not recorded' eval '[ $status = 0 ] && [ "$(chains burn)" = "0 0" ]'
cat > forks.c << 'C'
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	for (int j = 0; j < 4; j++)
		if (!fork()) {
			for (int i = 0; i < 500; i++) {
				if (!vfork())
					_exit(0);
				wait(NULL);
			}
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	open("forked", O_CREAT | O_WRONLY, 0644);
	pause();
}
C
gcc -O1 -o forks forks.c || exit 1
begin --sampler ptrace ./forks
until_true test -e forked
one_is_left() { [ "$(find /proc/$recorder/fd -lname '*schedstat' | wc -l)" = 1 ]; }
ok '2,000 children that exit at once: none is kept' until_true one_is_left
kill -INT $recorder
wait $recorder
late_libraries 200000000
rec --sampler ptrace -F 200 ./late ./lib1.so ./lib2.so ./lib3.so
ok 'libraries that are opened and closed meanwhile' in_libraries
rec --sampler ptrace -z ./shares 200
ok '-z' eval '[ $status = 0 ] && same "$T/data" 5'
"$PERF" record --sampler ptrace -o - sh -c "$W/burn 60" 2> "$T/err" > "$T/data"
ok 'to a pipe' same "$T/data" 5
rec --sampler ptrace -D -1 "$W/burn" 60
ok '-D -1: disabled' eval '[ $status = 3 ] && [ "$(chains burn)" = "0 0" ]'
cat > app.py << 'E'
import sys, time
def leaf(n):
    return sum(i * i for i in range(n))
def middle(n):
    return leaf(n)
while time.process_time() < 0.8:
    middle(20000)
E
# (the distribution's; others may be linked statically)
refused 1 -g -F 200 /usr/bin/python3 app.py
ok 'functions of a Python program' script_has "$T/data" 'leaf \(app.py:' -F ip,sym

# Its end, however long an interval is, and whether the command is stopped.
ended() { ! kill -0 $recorder; } 2> /dev/null
begin --sampler ptrace -c 1000000000000 sleep 1000
kill -INT $recorder
ok '-c 1000000000000: SIGINT ends it' until_true ended
for sampler in kernel ptrace; do
	begin --sampler $sampler sh -c 'echo $$ > stopped; kill -STOP $$; sleep 1000'
	until_true eval 'grep -q "^State:.[tT]" /proc/$(cat stopped)/status'
	kill -INT $recorder
	ok "--sampler $sampler: a stopped command: SIGINT ends it" until_true ended
	kill -KILL "$(cat stopped)"
	rm stopped
done 2> /dev/null

# Running processes; threads are made before, while and after perf begins to trace them.
./shares 3000 100 10 > out & running=$!
rec --sampler ptrace -p $running
ok '-p' eval '[ $status = 0 ] && whole_of shares 30'
wait $running
ok '-p: it ends as usual' test $? = 0 -a -s out
sleep 1000 & running=$!
begin --sampler ptrace -p $running
kill -INT $recorder
wait $recorder
ok '-p: let go of' eval 'grep -q "^TracerPid:[[:space:]]*0$" /proc/$running/status'
rec --sampler ptrace -p $running -- true
ok '-p and a command: why not' eval '[ $status != 0 ] && says "-p with a command"'
cat > makes.c << 'C'
#include <pthread.h>
#include <unistd.h>
static void *ends(void *arg) { return arg; }
static void *makes(void *arg)
{
	pthread_t t;
	for (;;)
		if (!pthread_create(&t, NULL, ends, NULL))
			pthread_join(t, arg);
}
int main(int argc, char **argv)	/* with an argument: the first thread has ended */
{
	pthread_t t;
	for (int i = 0; i < 8; i++)
		pthread_create(&t, NULL, makes, NULL);
	alarm(60);
	if (argc > 1)
		pthread_exit(NULL);
	pause();
}
C
gcc -O1 -pthread -o makes makes.c || exit 1
for arg in '' ended; do
	./makes $arg & making=$!
	sampled=0
	for _ in 1 2 3 4 5 6; do
		rm -f data
		"$PERF" record -o data --sampler ptrace -p $making 2> err & recorder=$!
		until test -s data || ! kill -0 $recorder; do sleep 0.05; done
		kill -INT $recorder
		wait $recorder
		[ $? = 0 ] || [ ! -s data ] || sampled=$((sampled + 1))
	done
	ok "-p of a process that makes threads ${arg:+, whose first has ended}" test $sampled = 6
	kill $making
done 2> /dev/null
# Traced already
cat > tracer.py << 'E'
import ctypes, sys, time
ctypes.CDLL(None, use_errno=True).ptrace(0x4206, int(sys.argv[1]), None, None)
open('traces', 'w').close()
time.sleep(1000)
E
/usr/bin/python3 tracer.py $running & tracer=$!
until_true test -e traces
rec --sampler ptrace -p $running
ok 'a program that is traced already is left alone' eval '[ $status != 0 ] && says "$running is traced already, by $tracer" && [ ! -e "$T/data" ]'
kill $tracer $running
wait $tracer $running 2> /dev/null
# Programs that trace others
cat > traces.c << 'C'
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	int status;
	pid_t pid = fork();
	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0))
			perror("traced");
		_exit(6);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}
C
gcc -O1 -o traces traces.c || exit 1
for c in ./traces 'sh -c ./traces;exit$?'; do
	rec --sampler ptrace ${c/;exit\$\?/; exit \$?}
	ok "$c: a program that uses ptrace is left alone" eval 'cat "$T/out"; [ $status = 6 ] && says "uses ptrace itself: it is left alone"'
done
# perf killed
begin --sampler ptrace sh -c 'echo >running; ./shares 2000 8 > out2; echo $? > ended'
until_true test -s running
kill -KILL $recorder
ok 'perf is killed while the program runs' test $? = 0 -a ! -e ended
wait $recorder 2> /dev/null
until_true test -s ended
ok 'perf killed: the program goes on' eval '[ "$(cat ended)" = 0 ] && [ -s out2 ]'

# Without any right
if [ "$(id -u)" = 0 ]; then
	perf=$(for_all "$PERF") burn=$(for_all "$W/burn") refuse="$(for_all refuse-perf) 13"
	mkdir -m 777 nobody
	as_nobody() {
		setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$T/nobody" $refuse \
			"$perf" record -o "$T/nobody/data" "$@" > "$T/out" 2> "$T/err"
		status=$?
		[ ! -e "$T/nobody/data" ] || install -m 644 "$T/nobody/data" "$T/data"
	}
	as_nobody -g "$burn" 100
	ok 'nobody: whole stacks' eval '[ $status = 3 ] && whole_of burn 5'
	setpriv --reuid=65534 --regid=65534 --clear-groups "$burn" 300 & running=$!
	rec --sampler ptrace -p $running
	ok "root: another user's process: whole stacks" whole_of burn 10
	as_nobody -g -p $$
	ok "nobody: another user's process" eval '[ $status != 0 ] && says "--sampler ptrace: $$: Operation not permitted"'
	# As in a container: nobody, and its root, who has some of the capabilities.
	refuse=$(for_all docker-profile)
	as_nobody -g "$burn" 100
	ok "Docker's profile: whole stacks" eval '
		[ $status = 3 ] && whole_of burn 5 && says "refused here (Operation not"'
	as_nobody -g -F 200 /usr/bin/python3 "$(for_all app.py)"
	ok "Docker's profile: functions of a Python program" eval "HOME=$T/nobody script_has $T/data 'leaf \(app.py:' -F ip,sym"
	as_nobody --wall "$(for_all waits)" 500
	ok "Docker's profile: --wall" eval '[ $status = 7 ] && whole_of waits 100'
	rm -rf data
	caps=-all,+chown,+dac_override,+fowner,+setgid,+setuid,+kill,+sys_chroot
	setpriv --bounding-set=$caps $refuse \
		"$perf" record -o data -g "$burn" 100 > out 2> err
	status=$?
	ok "Docker's profile: its root" eval '[ $status = 3 ] && whole_of burn 5'
	refuse="$(for_all refuse-perf) 13"
	chmod u+s "$burn"
	rm -f nobody/data
	as_nobody -g "$burn" 10
	ok 'nobody: a set-id program is left alone' eval '[ $status != 0 ] && says "has more rights than you" && [ ! -e nobody/data ]'
	refuse=	# (with a filter there are no such rights)
	as_nobody --sampler ptrace sh -c "$burn 10; exit 9"
	ok 'nobody: a child is one: said' eval '[ $status = 9 ] && says "runs a set-id program without its rights"'
fi

# Memory of another user's process that never comes: whoever reads it cannot be killed.
cat > hangs.c << 'C'
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>
/* FILE stack|headers|sleeper READY: these lie in the file; spins, or sleeps */
int main(int argc, char **argv)
{
	const struct itimerval ends = { .it_value.tv_sec = 5 };
	char *headers = (char *)(getauxval(AT_PHDR) & ~4095UL);
	int fd = open(argv[1], O_RDONLY), sleeps = !strcmp(argv[2], "sleeper");
	int stack = sleeps || !strcmp(argv[2], "stack");
	char *p = mmap(stack ? NULL : headers, 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | (stack ? 0 : MAP_FIXED), fd, 0);
	if (p == MAP_FAILED || close(fd) || open(argv[3], O_CREAT | O_WRONLY, 0644) < 0)
		return 1;
	setitimer(ITIMER_VIRTUAL, &ends, NULL);
	if (sleeps)
		__asm__ volatile("mov %0, %%rsp; 1: mov $34, %%eax; syscall; jmp 1b" :: "r"(p + 2048));
	if (stack)
		__asm__ volatile("mov %0, %%rsp; 1: jmp 1b" :: "r"(p + 2048));
	for (;;)
		;
}
C
if [ "$(id -u)" != 0 ] || [ ! -c /dev/fuse ]; then
	skip 'memory that never comes' 'needs root and FUSE'
else
	gcc -O1 -o fuse-stuck "$here/fuse-stuck.c" || exit 1
	gcc -O1 -static -o hangs hangs.c && chmod a+rx "$T" && mkdir mnt || exit 1
	unstick() { # with the server the waiting ends
		kill $server $hangs
		wait $server $hangs
		umount mnt
	} 2> /dev/null
	cleanup_hooks+=(unstick)
	for what in stack headers sleeper; do
		rm -f stop nobody/ready
		./fuse-stuck hangs mnt stop & server=$!
		until_true test -e mnt/app
		setpriv --reuid=65534 --regid=65534 --clear-groups \
			"$PWD/hangs" mnt/app $what nobody/ready & hangs=$!
		until_true test -e nobody/ready
		touch stop
		rm -f data
		how="--sampler ptrace -p $hangs" said='samples have no stack, as the memory'
		# (of this one another recorder may have read the page before)
		[ $what != sleeper ] || how='--wall -a sleep 5' said=record
		"$PERF" record -o data $how 2> err & recorder=$!
		until_true ended
		ok "memory of another user's process that never comes: its $what: it is let go of" test $? = 0
		unstick
		wait $recorder
		ok "$what: said, and sampled without" eval '[ $? = 0 ] && says "$said" && [ "$(records data SAMPLE)" -gt 20 ]'
	done
fi
finish
