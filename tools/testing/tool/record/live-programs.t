#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# perf record --call-graph live has the callchains that perf report finds in the same copies of stacks, sample by
# sample, whatever runs: interpreters, compilers, JIT code, exceptions, signals, threads, processes and libraries
# that come and go. unit/live.c compares; this has the programs.
. "$(dirname "$0")/../../lib/record.sh"
if [ "$(uname -m)" != x86_64 ]; then
	skip 'stacks walked while recording' 'on x86-64 only'
	finish
	exit
fi
same_as_later() { # WHAT COMMAND
	local what=$1
	shift
	LIVE_PROGRAM="$*" "$O/test/unit/live" > "$T/err" 2>&1
	status=$?
	ok "$what" eval '[ $status = 0 ] && ! grep -q "cannot be opened" "$T/err"'
}
gcc_c() { printf '%s\n' "${@:2}" > "$1.c" && gcc -O1 -fomit-frame-pointer -w -pthread -o "$1" "$1.c" -ldl; }
gcc_c signals '#include <signal.h>' '#include <sys/time.h>' 'volatile long s;' \
	'__attribute__((noinline)) void work(int n) { char a[3000]; a[n % 3000] = 1; while (n--) s += a[n % 3000]; }' \
	'void handler(int i) { work(300000); }' \
	'int main(void) { struct itimerval t = { { 0, 3000 }, { 0, 3000 } }; signal(SIGALRM, handler); setitimer(ITIMER_REAL, &t, 0); for (int i = 0; i < 200; i++) work(400000); }'
gcc_c threads '#include <pthread.h>' 'volatile long s;' \
	'__attribute__((noinline)) long deep(int n) { char a[200]; a[n % 200] = n; return n ? deep(n - 1) + a[n % 200] : s++; }' \
	'void *run(void *p) { for (int i = 0; i < 20000; i++) deep(40); return p; }' \
	'int main(void) { for (int j = 0; j < 10; j++) { pthread_t t[8]; for (int i = 0; i < 8; i++) pthread_create(t + i, 0, run, 0); for (int i = 0; i < 8; i++) pthread_join(t[i], 0); } }'
gcc_c children '#include <stdlib.h>' '#include <unistd.h>' '#include <sys/wait.h>' 'volatile long s;' \
	'__attribute__((noinline)) void work(int n) { while (n--) s += n; }' \
	'int main(int c, char **v) { for (int i = atoi(v[1]); i; i--) { if (!fork()) { work(100000); _exit(0); } if (i % 8 == 1) while (wait(0) > 0); } while (wait(0) > 0); }'
for i in 1 2; do
	echo "volatile long x$i; static void inner(int n) { while (n--) x$i += n; } void spin(int n) { inner(n); x$i++; }" > lib.c
	gcc -O1 -fno-inline -fno-optimize-sibling-calls -fomit-frame-pointer -shared -fPIC -o lib$i.so lib.c
done
gcc_c libraries '#include <dlfcn.h>' \
	'int main(int c, char **v) { for (int i = 0; i < 20; i++) { void *h = dlopen(v[1 + i % 2], RTLD_NOW); ((void (*)(int))dlsym(h, "spin"))(8000000); dlclose(h); } }'
printf '%s\n' '#include <map>' '#include <string>' '#include <stdexcept>' \
	'__attribute__((noinline)) int thrower(int n) { if (!n) throw std::runtime_error("x"); return thrower(n - 1) + 1; }' \
	'int main() { std::map<std::string, int> m; for (int i = 0; i < 20000; i++) try { m[std::to_string(i % 100)] += thrower(10); } catch (const std::exception &e) { m["caught"]++; } return m.empty(); }' > throws.cc
g++ -O1 -fomit-frame-pointer -o throws throws.cc
printf '%s\n' 'package main' 'import ("fmt"; "sort")' \
	'func work(n int) int { v := make([]int, 5000); for i := range v { v[i] = (i * 7919) % 10007 }; sort.Ints(v); if n > 0 { return work(n-1) + v[0] }; return len(v) }' \
	'func main() { c := make(chan int); for i := 0; i < 8; i++ { go func() { c <- work(40) }() }; s := 0; for i := 0; i < 8; i++ { s += <-c }; fmt.Println(s) }' > goes.go
go build -o goes goes.go 2> "$T/err" || cat "$T/err"
seq 1 40000 | shuf > numbers
git init -q repo && for i in 1 2 3 4; do
	seq $i 7 300000 > repo/f && git -C repo add f && git -C repo -c user.name=t -c user.email=t commit -qm $i
done
printf '%s\n' 'def f(n): return f(n - 1) + 1 if n else len(sorted(range(3000), key=lambda x: -x))' 'for i in range(60): f(50)' > work.py
printf '%s\n' 'function f(n) { return n ? f(n - 1) + 1 : [...Array(2000).keys()].sort((a, b) => b - a)[0] } for (let i = 0; i < 200; i++) f(30)' > work.js
printf '%s\n' 'import java.util.*;' 'public class Work { static int f(int n) { return n > 0 ? f(n - 1) + 1 : new TreeMap<>(Map.of(1, 2, 3, 4)).size(); }' \
	'public static void main(String[] a) { long s = 0; for (int i = 0; i < 300000; i++) s += f(30); System.out.println(s); } }' > Work.java
mkdir text && for i in 1 2 3 4 5 6 7 8; do seq $i 9 900000 > text/$i; done

same_as_later python3 "python3 $T/work.py"
same_as_later bash "bash -c 'for ((i = 0; i < 30000; i++)); do x=\${x:0:10}\$i; done'"
same_as_later 'sort -n' "sort -n $T/numbers $T/numbers $T/numbers $T/numbers"
same_as_later g++ "g++ -O1 -c $T/throws.cc -o $T/throws.o"
same_as_later git "git -C $T/repo log -p --stat"
same_as_later node "node $T/work.js"
same_as_later Go "$T/goes"
same_as_later java "java $T/Work.java"
same_as_later Rust "rg -c '[0-9]*7[^1]3' $T/text"
same_as_later 'C++ exceptions' "$T/throws"
same_as_later signals "$T/signals"
same_as_later threads "$T/threads"
same_as_later 'libraries that come and go' "$T/libraries $T/lib1.so $T/lib2.so"
same_as_later 'a storm of processes' "sh -c 'for i in 1 2 3 4 5 6 7 8; do (for j in 1 2 3 4 5 6 7 8; do perl -e 1 & done; wait); done'"
same_as_later '10,000 processes' "$T/children 10000"
same_as_later 'programs that execute others' "sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do sh -c \"exec perl -e \\\"exec q(python3), q(-c), q(1)\\\"\"; done'"
finish
