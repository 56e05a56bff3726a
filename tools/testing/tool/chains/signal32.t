#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Signal handlers of 32-bit programs: their vDSO, which no file has, names the frame between the
# handler and what it interrupted, and describes it.
. "$(dirname "$0")/../../lib/record.sh"

cat > p.c <<'END'
#include <signal.h>
#include <sys/time.h>
volatile unsigned long sink, handled;
__attribute__((noinline)) void work(void) { for (int i = 0; i < 1500000; i++) sink++; }
void handler(int sig) { work(); handled++; }
void siginfo_handler(int sig, siginfo_t *info, void *context) { work(); handled++; }
__attribute__((noinline)) void interrupted(void) { while (handled < 40) sink++; }
int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = handler };
	struct itimerval it = { { 0, 10000 }, { 0, 10000 } };

	if (argc > 1) {
		sa.sa_sigaction = siginfo_handler;
		sa.sa_flags = SA_SIGINFO;
	}
	sigaction(SIGALRM, &sa, 0);
	setitimer(ITIMER_REAL, &it, 0);
	interrupted();
	return 0;
}
END
if ! gcc -m32 -O1 -w -o p p.c 2> err; then
	skip 'a 32-bit program' 'gcc -m32 does not link'
	finish
	exit
fi
for mode in live dwarf; do
	for args in '' x; do
		rec -q -N -F 997 -e cpu-clock:u --call-graph $mode ./p $args
		"$PERF" script -i data -F ip,sym > stacks
		ok "$mode ${args:+SA_SIGINFO}: through the handler's frame to the start" awk -v RS= '
			/ (siginfo_)?handler\n/ {
				n++
				ok += / __kernel_(rt_)?sigreturn\n.* main\n.* _start$/
			}
			END { print n, ok; exit n < 5 || ok < n }' stacks
	done
done
finish
