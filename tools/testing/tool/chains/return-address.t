#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each frame is the caller that it says, with the line of its call: programs whose every stack is
# known, in each way to record on this machine, in each output. A call may be the last instruction
# of its function, or the one before the instruction that a signal interrupts; a coroutine's stack
# ends at __start_context(). What a kernel with unwind tables records is in kernel-callers.t.
. "$(dirname "$0")/../../lib/record.sh"

# With an argument they wait for SIGCONT.
cat > stop.h <<'C'
#include <signal.h>
static void stop(int n) { if (n > 1) raise(SIGSTOP); }
C
cat > lines.c <<'C'
volatile unsigned long s;
__attribute__((noinline)) void a(void) { for (long i = 0; i < 60000000; i++) s += i; }
__attribute__((noinline)) void b(void) { s++; }
int main(int n, char **v) { stop(n);
	a();
	b();
	return 0; }
C
cat > last.c <<'C'
#include <setjmp.h>
volatile unsigned long s;
static jmp_buf out;
static void spin(int n) { for (unsigned long i = 0; i < 100000000; i++) s += i * n; }
__attribute__((noinline, noreturn)) void forever(int n) { spin(n); longjmp(out, 1); }
__attribute__((noinline)) void caller(int n) { s++; forever(n); }
__attribute__((noinline)) void innocent(int n) { s += n; }
int main(int n, char **v) { stop(n); if (!setjmp(out)) caller(n); innocent(n); return v[0] == 0; }
C
cat > coroutine.c <<'C'
#include <ucontext.h>
static ucontext_t back, ctx;
static char stack[65536];
volatile unsigned long s;
__attribute__((noinline)) void work(void) { for (long i = 0; i < 60000000; i++) s += i; }
__attribute__((noinline)) void first(void) {
	work();
	s++; }
int main(int n, char **v) { stop(n);
	getcontext(&ctx);
	ctx.uc_stack.ss_sp = stack;
	ctx.uc_stack.ss_size = sizeof(stack);
	ctx.uc_link = &back;
	makecontext(&ctx, first, 0);
	swapcontext(&back, &ctx);
	return 0; }
C
# The store that faults is the instruction behind a call: its line is its own, not the call's.
cat > fault.c <<'C'
#include <signal.h>
#include <unistd.h>
volatile unsigned long s;
__attribute__((noinline)) int *give(void) { return (int *)(s & 8); }
__attribute__((noinline)) void spin(void) { for (long i = 0; i < 60000000; i++) s += i; }
__attribute__((noinline)) void handler(int sig) {
	spin();
	_exit(sig != SIGSEGV); }
__attribute__((noinline)) void store(void) {
	volatile int *p = give();
	*p = 1;
	s++; }
int main(int n, char **v) { stop(n);
	signal(SIGSEGV, handler);
	store();
	return 0; }
C
built() { gcc -g -w -include stop.h "$@"; }
ok 'programs' eval 'built -O0 -o lines lines.c && built -O2 -fno-align-functions -o last last.c &&
	built -O0 -o coroutine coroutine.c && built -O2 -o fault fault.c &&
	built -O0 -fno-omit-frame-pointer -o lines-fp lines.c &&
	built -O2 -fno-align-functions -fno-omit-frame-pointer -o last-fp last.c'

# stacks DATA: how often and which, up to main(): "a lines.c:2;main lines.c:5"
stacks() {
	"$PERF" script -i "$1" -F ip,sym,srcline --no-inline 2>> "$T/err" | perl -00 -ne '
		my @f;
		while (/^\s*[0-9a-f]+ (\S+)\n\s+(\S+)$/mg) { push @f, "$1 $2"; last if $1 eq "main" }
		print join(";", @f), "\n" if @f' | sort | uniq -c
}
# true_stacks DATA LEAF REGEX: at least ten stacks have LEAF as innermost function, all are REGEX
true_stacks() {
	stacks "$1" | grep -E "^ *[0-9]+ $2 " > stacks.txt
	awk '{ n += $1 } END { exit n < 10 }' stacks.txt && ! grep -vE "^ *[0-9]+ ($3)\$" stacks.txt || { cat stacks.txt; return 1; }
}
lines='a lines.c:2;main lines.c:5'
last='forever last.c:[45];caller last.c:6;main last.c:8'
coroutine='work coroutine.c:5;first coroutine.c:7;(__start_context|\[unknown\]) [^;]*'
fault='spin fault.c:5;handler fault.c:7;(__restore_rt|\[unknown\]) [^;]*;store fault.c:11;main fault.c:15'
declare -A leaf=([lines]=a [last]=forever [coroutine]=work [fault]=spin)
# check HOW PROGRAM: what was recorded
check() {
	local chain=${2%-fp}
	ok "$1: $2" true_stacks data "${leaf[$chain]}" "${!chain}"
}

rec --call-graph bpf -e cpu-clock -- true
why=$(sed -n 's/.*--call-graph bpf: \(.*\): recording as live/\1/p' "$T/err")
[ "$(uname -m)" = x86_64 ] || why='on x86-64 only'
for p in lines last coroutine fault; do
	for how in live dwarf,16384 bpf; do
		if [ "$how" = bpf ] && [ -n "$why" ]; then
			skip "bpf: $p" "$why"
			continue
		fi
		rec -F 999 -e cpu-clock:u --call-graph "$how" -- "./$p"
		check "$how" $p
	done
	rec -F 999 -e cpu-clock:u -g -- "./$p"
	check '-g' $p
	rec -F 999 -e cpu-clock:u --call-graph dwarf,16384 -- "./$p"
	"$PERF" inject --convert-callchain -i data -o converted 2> "$T/err" && mv converted data
	check 'inject --convert-callchain' $p
	rec -F 999 -e cpu-clock:u -a -g -- "./$p"
	check '-a -g' $p
	"./$p" stop & pid=$!
	until_true grep -q '^State:.T' /proc/$pid/status
	begin -F 999 -e cpu-clock:u -p $pid -g
	kill -CONT $pid
	wait $pid "$recorder"
	check '-p PID -g' $p
done
for p in lines-fp last-fp; do
	rec -F 999 -e cpu-clock:u --call-graph fp -- "./$p"
	check fp $p
done

# The outputs, of return addresses by frame pointers, and of addresses in the call
graph() { "$PERF" report -i data --stdio "$@" 2>> "$T/err"; }
for how in fp live; do
	rec -F 999 -e cpu-clock:u --call-graph $how -- ./last-fp
	ok "$how: report -g caller" eval '! graph --no-children -g caller | grep innocent && graph -g caller,srcline | grep -q "caller last.c:6"'
	ok "$how: report -g address" eval '! graph --no-children -g caller,address | grep innocent && graph -g caller,address | grep -qE "caller\+0x|caller last.c"'
	ok "$how: report --children -s sym" eval 'graph --children -g none -s sym | grep -q "\] caller" && ! graph --children -g none -s sym | grep innocent'
	ok "$how: -s srcline" eval 'graph --children -g none -s srcline | grep -q last.c:6'
	ok "$how: -s symoff: the address is the recorded one" eval 'graph --children -g none -s symoff | grep -q "caller+0x"'
	ok "$how: folded" eval 'graph --folded | grep -q ";main;caller;forever[; ]"'
	"$PERF" data convert -i data --to-jsonl jsonl > /dev/null 2>> "$T/err"
	ok "$how: jsonl" eval 'grep -q caller jsonl && ! grep innocent jsonl'
	"$PERF" data convert -i data --to-json json -f > /dev/null 2>> "$T/err"
	ok "$how: json" eval 'grep -q caller json && ! grep innocent json'
	"$PERF" data convert -i data --to-pprof pprof > /dev/null 2>> "$T/err"
	ok "$how: pprof" eval 'zcat pprof | strings -n 6 | grep -q caller && ! zcat pprof | strings -n 6 | grep innocent'
	"$PERF" data convert -i data --to-folded folded > /dev/null 2>> "$T/err"
	ok "$how: data convert --to-folded" eval 'grep -q ";main;caller;forever[; ]" folded'
done
# Names in the recording: read where the program is not.
rec -F 999 -e cpu-clock:u --call-graph fp -- ./last-fp
"$PERF" inject --embed -i data -o embedded 2> "$T/err"
mv last-fp gone
mv embedded data
check 'names in the recording' last-fp
finish
