#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record --call-graph bpf: a BPF program walks user stacks by unwind tables while the event takes its sample. What is
# written is a plain recording with whole callchains. That each callchain is the one that a copy of the stack has is tested by unit/walk.c.
. "$(dirname "$0")/../../lib/record.sh"
B=$W/burn

rec --call-graph bpf -e cpu-clock -- true
why=$(sed -n 's/.*--call-graph bpf: \(.*\): recording as live/\1/p' "$T/err")
if [ "$(uname -m)" != x86_64 ] || [ -n "$why" ]; then
	skip 'stacks walked by BPF' "${why:-on x86-64 only}"
	finish
	exit
fi
# bpf ARGS...: record; -v says how many callchains there are, and how many of them are cut
bpf() { rec -v -F 1999 --call-graph bpf "$@"; }
# counted MIN PERCENT: MIN user callchains; PERCENT of them and one may be cut; nothing lost
counted() {
	local n
	mapfile -t n < <(sed -nE 's/^([0-9]+) user callchains were walked (by BPF|live), ([0-9]+) are cut$/\1 \3/p' "$T/err" |
		awk '{ n += $1; cut += $2 } END { print n; print cut }')
	[ "${n[0]:-0}" -ge "$1" ] && [ $((100 * n[1])) -le $(($2 * n[0] + 100)) ] && ! grep -E 'Lost|no room' "$T/err"
}
small() { # BYTES: of each sample, at most
	local n
	n=$(sed -n 's/.*(\([0-9]*\) samples) \]$/\1/p' "$T/err")
	[ $(($(stat -c %s "$T/data") / n)) -le "$1" ] || { stat -c %s "$T/data"; echo "$n samples"; return 1; }
}
plain() { # what is recorded with frame pointers has nothing else
	! "$PERF" report -D -i "$1" 2> /dev/null | grep -aE 'ustack|user regs|RAW' &&
		! header "$1" 'STACK_USER|REGS_USER|exclude_callchain_user|stack_user|regs_user|watermark|bpf-output'
}

# What Debian's programs do, whose files have their tables before the first sample
seq 1 40000 | shuf > numbers
printf '%s\n' '#include <map>' '#include <string>' '#include <vector>' '#include <iostream>' \
	'int main() { std::map<std::string, int> m; std::vector<std::string> v; std::cout << m["x"] << v.size(); }' > big.cc
find /usr/lib/x86_64-linux-gnu -name 'lib*.so.*' -size -2M -type f 2> /dev/null | head -n 12 | xargs cat > blob
git init -q repo && for i in 1 2 3 4 5 6; do
	seq $i 7 90000 > repo/f && git -C repo add f && git -C repo -c user.name=t -c user.email=t commit -qm $i
done
for p in "/usr/bin/python3 -c 'def f(n): return f(n - 1) if n else len(sorted(map(str, range(3000)), key=lambda x: x[::-1]))
for i in range(200): f(10)'" \
	"perl -e 'sub f { my \$n = shift; return \$n ? 1 + f(\$n - 1) : length join q(,), sort 1 .. 500 } for (1 .. 2000) { f(30) }'" \
	"bash -c 'for ((i = 0; i < 30000; i++)); do x=\${x:0:10}\$i; done'" \
	'sort -n numbers numbers numbers numbers numbers numbers numbers numbers numbers' 'g++ -O1 -c big.cc -o /dev/null' \
	'git -C repo log -p --stat' 'gzip -c blob'; do
	# -N: no table is cached
	eval "bpf -N -e cpu-clock:u -- $p"
	ok "whole callchains in a small file: ${p%% *}" eval 'counted 20 1 && small 450'
done
ok 'both readers'		same "$T/data" 30
ok 'a plain recording'		plain "$T/data"
ok 'the header says how'	eval '"$PERF" report --header-only -i "$T/data" | grep -q "callchains : of cpu-clock:u, walked by call frame"'

# The table of a file with ten million rows is made for longer than the program runs.
cat > spin.c << 'C'
#include <stdlib.h>
static __attribute__((noinline)) long spin(long n)
{
	volatile long sum = 0;

	while (n--)
		sum += n;
	return sum;
}
int main(int argc, char **argv) { return spin(atol(argv[1])) == 1; }
C
cat > rows.S << 'S'
	.section .eh_frame, "a"
1:	.long 3f - 2f
2:	.long 0
	.asciz "\001zR"
	.byte 1, 0x78, 16, 1, 0x1b, 12, 7, 8, 0x90, 1
	.balign 8
3:	.set n, 0
	.rept 250
	.long 5f - 4f
4:	.long . - 1b, many + n * 40000 - ., 40000
	.byte 0
	.incbin "rows"
	.balign 8
5:	.set n, n + 1
	.endr
	.text
many:	.fill 10000000, 1, 0x90
	.section .note.GNU-stack
S
printf 'A\016\020A\016\010%.0s' $(seq 20000) > rows
gcc -O1 -fomit-frame-pointer -o spin spin.c rows.S || exit 1
bpf -N -e cpu-clock:u -- sh -c './spin 100000000; true'
before_tables() {
	"$PERF" script -i "$T/data" --comm spin -F ip,sym 2> /dev/null |
		awk 'BEGIN { RS = "" } / spin/ { n++; whole += / main.* _start/ } END { print n, whole; exit !(n >= 20 && whole == n) }' &&
		[ "$(sed -n 's/^\([0-9]*\) user callchains were walked live, .*/\1/p' "$T/err")" -ge 20 ]
}
ok 'a program without a table'	eval 'before_tables && counted 20 1 && plain "$T/data"'

# A frame found by rbx, like that of the loader's _dl_runtime_resolve: tables do not follow it.
cat > by-rbx.c << 'C'
__asm__("aligned: .cfi_startproc; push %rbx; .cfi_def_cfa_offset 16; .cfi_offset 3, -16; mov %rsp, %rbx; .cfi_def_cfa_register 3;"
	"and $-64, %rsp; sub $512, %rsp; call spin; mov %rbx, %rsp; .cfi_def_cfa_register 7; pop %rbx; .cfi_def_cfa_offset 8;"
	".cfi_restore 3; ret; .cfi_endproc");
void aligned(void);
void spin(void) { for (volatile long n = 0; n < 100000000; n++) ; }
int main(void) { aligned(); return 0; }
C
gcc -O1 -fomit-frame-pointer -o by-rbx by-rbx.c || exit 1
bpf -e cpu-clock:u -- ./by-rbx
ok 'a frame that tables do not follow' counted 20 1
# The files of what begins meanwhile have no tables at first.
bpf -e cpu-clock:u -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do (for j in 1 2 3 4 5 6 7 8 9 10; do /bin/true & done; wait); done'
ok 'a storm of processes'	counted 10 10
# Ten thousand, whose files are looked for once
cat > spawn.c << 'C'
#include <spawn.h>
#include <sys/wait.h>
int main(void)
{
	char *argv[] = { "true", 0 }, *envp[] = { 0 };
	pid_t pid;

	for (int i = 0; i < 10000; i++)
		if (posix_spawn(&pid, "/bin/true", 0, 0, argv, envp) || waitpid(pid, 0, 0) != pid)
			return 1;
	return 0;
}
C
gcc -O1 -o spawn spawn.c || exit 1
bpf -a -e cpu-clock:u -- ./spawn
searched() {
	local n
	n=$(sed -n 's/^\([0-9]*\) mappings were searched for unwind tables$/\1/p' "$T/err")
	[ "$n" -ge 3 ] && [ "$n" -le 3000 ] || { echo "$n mappings"; return 1; }
}
of_true() {
	"$PERF" script -i "$T/data" --comm true -F ip,sym 2> /dev/null |
		awk 'BEGIN { RS = "" } { n++; whole += /_start/ }
			END { print n, whole; exit !(n >= 100 && whole >= 0.95 * n) }'
}
nothing_lost() { ! grep -E 'Lost|no room' "$T/err"; }
ok '10,000 processes'		eval '[ "$status" = 0 ] && of_true && searched && nothing_lost'
bpf -e cpu-clock:u -- /usr/bin/python3 -c 'import threading
for i in range(4): threading.Thread(target=sorted, args=(range(400000),), kwargs=dict(key=lambda x: -x)).start()'
ok 'threads'			counted 10 1
late_libraries 10000000
# Each a second time, as the first time it may be over before it has a table
bpf -e cpu-clock:u -- ./late ./lib1.so ./lib2.so ./lib3.so ./lib1.so ./lib2.so ./lib3.so
ok 'libraries that come and go'	in_libraries

# A mapping on an overlay is of a file below it.
overlay() { # COMMAND...: with one on overlay/m
	mkdir -p overlay && unshare -m sh -c 'd=$1; shift
		mount -t tmpfs none $d && mkdir $d/l $d/u $d/w $d/m && cp /bin/bash $d/l/b &&
		mount -t overlay none -o lowerdir=$d/l,upperdir=$d/u,workdir=$d/w $d/m && exec "$@"' sh "$PWD/overlay" "$@" > out 2> "$T/err"
}
if overlay true; then
	overlay "$PERF" record -v -F 1999 --call-graph bpf -e cpu-clock:u -o "$T/data" \
		"$PWD/overlay/m/b" -c 'for ((i = 0; i < 30000; i++)); do x=${x:0:10}$i; done'
	ok 'a program on an overlay' counted 20 1
else
	skip 'a program on an overlay' "$(tail -n 1 "$T/err")"
fi

# More frames than the kernel's callchains have, and more than the program's; stacks that are none
cat > deep.c << 'C'
#include <stdlib.h>
static volatile long sum;
static __attribute__((noinline)) long deep(long n)
{
	long r = n ? deep(n - 1) : 0;

	for (long i = 0; !n && i < 100000000; i++)
		sum += i;
	return r + sum;
}
int main(int argc, char **argv) { return deep(atol(argv[1])) == 1; }
C
cat > hostile.c << 'C'
/* Spins with registers that point anywhere, and with a loop of frames. */
#include <sys/mman.h>
static void spin(unsigned long sp, unsigned long fp)
{
	__asm__ volatile("mov %%rbp, %%r13; mov %%rsp, %%r12; mov %1, %%rbp; mov %0, %%rsp; mov $1000000, %%ecx;"
			 "1: dec %%ecx; jnz 1b; mov %%r12, %%rsp; mov %%r13, %%rbp" :: "a" (sp), "d" (fp) : "rcx", "r12", "r13", "memory");
}
int main(void)
{
	unsigned long *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 1024; i++)
		p[i] = (unsigned long)&p[i & ~1];
	for (unsigned long sp = 8; sp; sp <<= 3) {
		spin(sp, sp);
		spin((unsigned long)p, (unsigned long)(p + 2));
		spin(~sp, sp | 7);
	}
	return 0;
}
C
gcc -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -o deep deep.c && gcc -O1 -fno-omit-frame-pointer -o hostile hostile.c || exit 1
frames() { "$PERF" script --max-stack 2000 -i "$T/data" -F time,ip 2> /dev/null | awk 'BEGIN { RS = "" } NF - 1 > most { most = NF - 1 } END { print most }'; }
bpf -e cpu-clock:u -- ./deep 600
ok '600 frames'			eval 'counted 10 2 && [ "$(frames)" -ge 600 ]'
bpf -e cpu-clock:u -- ./deep 5000
ok 'as many frames as it has'	eval '[ "$(frames)" = 1024 ] && says "at the largest number of frames"'
# 60,000 walks of 1,024 frames a second take more than there is.
bpf -e cpu-clock:u -e cpu-clock:u -e cpu-clock:u -F 20000 -- ./deep 5000
ok 'no more than its share of a CPU'	says 'samples were left out' 'more than 40 % of a CPU'
bpf -e cpu-clock:u -- ./hostile
ok 'hostile stacks'		eval 'same "$T/data" 1 && plain "$T/data"'

# Stacks of 32-bit code are copied: this program has no frame pointers.
if [ -x "$W/chain32" ]; then
	bpf -e cpu-clock:u -- "$W/chain32" 300000000
	of_32() {
		plain "$T/data" && same "$T/data" 30 && "$PERF" script -i "$T/data" -F ip,sym 2> /dev/null |
			awk 'BEGIN { RS = "" }
				{ n++; whole += /leaf\n.* middle\n.* top\n.* main\n.* _start$/ }
				END { print n, whole; exit !(n >= 30 && whole >= 0.9 * n) }'
	}
	ok 'a 32-bit program'	of_32
	ok 'a 32-bit program: whole callchains'	counted 30 10
else
	skip 'a 32-bit program' 'it cannot be built here'
fi

# What is written, and how
bpf -e cpu-clock -z -- "$B" 300
ok '-z'				eval 'counted 10 5 && same "$T/data" 10 && plain "$T/data"'
bpf -e cpu-clock -m 64 --switch-output=20K -- "$B" 800
switched() { local n=("$T"/data.*) f; [ ${#n[@]} -gt 1 ] || return 1; for f in "${n[@]}"; do plain "$f" && same "$f" || return 1; done; }
ok '--switch-output'		switched
bpf -e cpu-clock -e page-faults -a -- "$B" 300
ok 'several events, all CPUs'	eval 'same "$T/data" 10 && plain "$T/data"'
bpf -e cpu-clock -m 1 -F 20000 -- "$B" 500
ok 'lost records'		eval 'grep -E "Lost|no room" "$T/err" && same "$T/data" 5 && plain "$T/data"'
bpf -e cpu-clock:k -- "$B" 100
ok 'events of the kernel alone'	eval '! grep live "$T/err"'
for o in --per-thread --overwrite; do
	rec --call-graph bpf -e cpu-clock $o -- "$B" 50
	ok "$o: live, and said so" eval 'grep -E "call-graph bpf: .*'$o'.*: recording as live" "$T/err"'
done
if may_trace; then
	rec --call-graph bpf -e sched:sched_switch -C 0 -- "$B" 50
	ok 'tracepoints of some CPUs: live, and said so' says '--call-graph bpf: tracepoints run programs on all CPUs: recording as live'
	sleeps='import time; [time.sleep(0.001) for i in range(100)]'
	reaching() { # EVENT: of the command's callchains all but a few reach the start
		"$PERF" script -i "$T/data" --comm python3 -F event,ip,sym 2> /dev/null |
			awk -v event="$1" 'BEGIN { RS = "" } $0 ~ event { n++; whole += /_start/ } END { exit !(n >= 50 && whole >= 0.9 * n) }'
	}
	# The recorder's own switches, which its being woken brings about, are none of the command's.
	rec -v --call-graph bpf -e sched:sched_switch -- /usr/bin/python3 -c "$sleeps"
	few() { [ "$("$PERF" script -i "$T/data" -F tid | wc -l)" -le 2000 ] && ! grep "recording as live" "$T/err"; }
	ok 'tracepoints of a command'	eval 'reaching sched_switch && same "$T/data" 50 && plain "$T/data" && few'
	rec -v --call-graph bpf -a -e sched:sched_switch -e cpu-clock/freq=1999/ -- /usr/bin/python3 -c "$sleeps"
	ok 'tracepoints'	eval 'reaching sched_switch && same "$T/data" 50 && plain "$T/data"'
	# Each write to a terminal has a kworker run.
	bpf -a --off-cpu -e cpu-clock -- /usr/bin/python3 -c 'import os, time
terminal = os.openpty()
for i in range(100): os.write(terminal[1], b"x"); time.sleep(0.001)'
	# The program runs for switches, too, that the filter of off-CPU time drops. Kernel threads get none of their callchains.
	own() {
		"$PERF" script -i "$T/data" -F comm,ip,dso 2> /dev/null |
			awk 'BEGIN { RS = "" } /^(kworker|rcu|ksoftirqd|migration|kcompactd)/ { n++; other += /[.]so/ } END { print n, other + 0; exit !n || other }'
	}
	ok '--off-cpu'		eval 'reaching offcpu && plain "$T/data"'
	ok '--off-cpu: of kernel threads'	own
fi
rec --call-graph bpf,1 true
ok 'an argument'		says "'bpf,1' is not one of table, bpf, live"
finish
