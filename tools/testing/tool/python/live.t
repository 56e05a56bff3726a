#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Python functions in callchains (--call-graph live), which threads beside the program read: each is
# the true caller, with its line, for root and for everybody. See python.t.
. "$(dirname "$0")/../../lib/record.sh"

if [ "$(uname -m)" != x86_64 ]; then
	skip 'Python functions' 'their addresses are for x86-64'
	finish
	exit
fi
python=$(realpath /usr/bin/python3)
comm=${python##*/}
chmod 777 .
perf=$(for_all "$PERF")
shapes=$(for_all "$here/shapes.py")
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$T/of-nobody" "$@"; }
mkdir -m 777 of-nobody

# true_stacks NAME FILE: the samples of a recording of shapes.py
true_stacks() {
	"$PERF" script -f -i "$2" --comm "$comm" -F comm,tid,ip,sym,dso,srcline > stacks 2> script.err
	# On a busy machine more threads run on before they are read.
	ok "$1: each Python function is the true caller" python3 "$here/check.py" truth 40 < stacks
	grep '^# samples' ok.out
	rm -f truth
}

rec -F 499 --call-graph live -- "$python" "$shapes" 3 truth
true_stacks 'root' data

if [ "$(id -u)" = 0 ]; then
	as_nobody "$perf" record -F 499 -g -o of-nobody/data -- "$python" "$shapes" 3 of-nobody/truth 2> err
	mv of-nobody/truth truth
	HOME=$T/of-nobody true_stacks 'nobody' of-nobody/data
	rec -F 499 --call-graph live -- setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$python" -c 'sum(i * i for i in range(3000000))'
	native() { "$PERF" script -i data --comm "$comm" > stacks && ! grep -F '[python]' stacks && [ -s stacks ]; }
	ok "root does not read the memory of nobody's process" native
	cat > reuse.py <<-'END'
	import os, subprocess, time
	def reused():
	    end = time.process_time() + 0.5
	    while time.process_time() < end:
	        sum(range(1000))
	# Its samples say that it runs no Python.
	sh = subprocess.Popen(["sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"])
	sh.wait()
	child = 0
	while child != sh.pid:
	    with open("/proc/sys/kernel/ns_last_pid", "w") as f:
	        f.write(str(sh.pid - 1))
	    child = os.fork()
	    if not child:
	        if os.getpid() == sh.pid:
	            reused()
	        os._exit(0)
	    os.waitpid(child, 0)
	END
	rec -a -F 499 --call-graph live -- "$python" reuse.py
	ok 'a forked process whose PID was another one' script_has data 'reused \(reuse.py:' -F ip,sym
else
	skip 'nobody' 'only root becomes somebody else'
fi

rec -F 999 --call-graph live -- "$python" "$here/late.py" .
"$PERF" script -i data -F ip,sym > stacks 2> err
# (More threads run on when the machine is busy.)
ok 'a thread has its functions from the first one on' python3 "$here/late.py" share 40 < stacks

mkfifo go
exec 7<> go
"$python" "$shapes" 2 truth wait < go & program=$!
until_true grep -q _json /proc/$program/maps
begin -F 499 --call-graph live -p $program
echo >&7
wait $program
wait $recorder
true_stacks 'of a process that runs' data

"$PERF" record -F 499 --call-graph live -o - -- "$python" "$shapes" 2 truth 2> err > stream
true_stacks 'a pipe' stream

cat > app.py <<'END'
def count(n):
    x = 0

    for i in range(n):
        x += i * i
    return x
for i in range(40):
    count(200000)
END
rec -F 499 --call-graph live -- "$python" app.py
"$PERF" annotate -i data --stdio -s 'count (app.py:1)' > text 2> err
ok 'annotate: each line of the function, with its share' \
	eval "grep -q 'Source code of count (app.py:1)' text && [ \"\$(grep -c '^ *[0-9.]* : *[0-9a-f]*:   [1-6] ' text)\" = 6 ]"
ok '... most in its loop' awk '$4 == 4 || $4 == 5 { n += $1 } END { exit n < 90 }' text

# A child has its parent's interpreter; what it executes then has none.
cat > forks.py <<'END'
import os
import time
def child():
    end = time.thread_time() + 0.4
    while time.thread_time() < end:
        sum(range(1000))
for i in range(3):
    if not os.fork():
        child()
        os.execv("/bin/sh", ["sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done"])
for i in range(3):
    os.wait()
END
rec -F 499 --call-graph live -- "$python" forks.py
"$PERF" script -i data --comm "$comm" -F comm,pid,ip,sym > stacks 2> script.err
ok 'forked children have their functions' awk -v RS= '/ child .*<module>/ { seen[$2]++ } END { n = 0; for (p in seen) n++; exit n < 3 }' stacks
"$PERF" script -i data --comm sh -F ip,sym,dso > stacks 2> script.err
ok 'a shell that they execute has none' awk '/\[python\]/ { bad++ } END { exit !NR || bad }' stacks

# Samples that come while perf does not run.
begin -v -F 499 -m 4096 --call-graph live -- "$python" "$shapes" 2 truth
kill -STOP $recorder
sleep 1
kill -CONT $recorder
wait $recorder
"$PERF" script -i data --comm "$comm" -F comm > stacks 2> script.err
# (All but those of the interpreter's start and end.)
ok 'samples without functions are counted' awk -v n="$(wc -l < stacks)" \
	'/callchains (of|have) Python/ { for (i = 1; !($i + 0); i++); counted += $i } END { exit counted < 0.9 * n || !n }' err

rec -F 499 --call-graph live -N -- "$python" "$shapes" 1 truth
ok '-N: native frames alone' [ -z "$("$PERF" script -i data 2> script.err | grep -F '[python]')" ]

# What calls itself an interpreter: of another version; and all of whose lists are circles.
cat > fake.c <<'END'
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((section(".PyRuntime"))) void *runtime[64] = { runtime };
const unsigned long Py_Version = VERSION;
asm(".text; .skip 0x200000, 0x90");
int main(void)
{
	for (int i = 0; i < 64; i++)
		runtime[i] = runtime;
	runtime[20] = (void *)syscall(SYS_gettid);
	for (volatile long i = 0; i < 500000000; i++)
		;
}
END
fake() { gcc -O1 -DVERSION="$1" -o fake fake.c && rec -F 499 --call-graph live -- ./fake; }
fake 0x030900f0
ok 'another version: one line' test "$(grep -c 'fake: the functions of CPython 3.9 are not shown' err)" = 1
recorded() { [ "$status" = 0 ] && [ "$("$PERF" script -i data 2> script.err | grep -c main)" -gt 20 ]; }
for version in 0x030b00f0 0x030c00f0; do
	fake $version
	ok "circles of $version: the recording has samples" recorded
done
finish
