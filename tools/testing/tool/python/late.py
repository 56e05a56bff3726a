# SPDX-License-Identifier: GPL-2.0
"""Threads that run the interpreter's C functions first and Python functions later.

    python3 late.py FOLDER [copied]

Makes a library in FOLDER. Each thread, one after the other, has samples without a Python thread
state, and then, in calls_python(), those of late(); copied: through a frame that is at a register
which no table has.

    perf script -F ip,sym | late.py share LEAST

At least LEAST percent of the samples of calls_python() have late().
"""
import ctypes
import subprocess
import sys
import time

SOURCE = r"""
#include <pthread.h>
#include <string.h>
#include <time.h>
extern int PyOS_mystricmp(const char *a, const char *b);
void at_r12(void *fn);
__asm__(".text; .type at_r12, @function; at_r12: .cfi_startproc; push %r12;"
	".cfi_def_cfa_offset 16; .cfi_offset %r12, -16; mov %rsp, %r12; .cfi_def_cfa %r12, 16;"
	"sub $40, %rsp; and $-64, %rsp; call *%rdi; mov %r12, %rsp; .cfi_def_cfa %rsp, 16;"
	"pop %r12; .cfi_def_cfa_offset 8; ret; .cfi_endproc; .size at_r12, . - at_r12");
static int copied;
static char a[1 << 16], b[1 << 16];
static __attribute__((noinline)) void *calls_python(void *fn)
{
	if (copied)
		at_r12(fn);
	else
		((void (*)(void))fn)();
	return fn;
}
static void *thread(void *fn)
{
	struct timespec ts;

	do {
		PyOS_mystricmp(a, b);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	} while (ts.tv_nsec < 10000000);
	return calls_python(fn);
}
void run(void *fn, int is_copied)
{
	pthread_t t;

	copied = is_copied;
	memset(a, 'a', sizeof(a) - 1);
	memset(b, 'a', sizeof(b) - 1);
	pthread_create(&t, 0, thread, fn);
	pthread_join(t, 0);
}
"""


def late():
    end = time.thread_time() + 0.06
    while time.thread_time() < end:
        sum(range(100))


if sys.argv[1] == "share":
    samples = [s for s in sys.stdin.read().split("\n\n") if " calls_python" in s]
    shown = sum(" late (late.py:" in s for s in samples)
    print("#", shown, "of", len(samples))
    sys.exit(len(samples) < 100 or 100 * shown < float(sys.argv[2]) * len(samples))

library = sys.argv[1] + "/late.so"
flags = ["-O1", "-g", "-fno-optimize-sibling-calls", "-shared", "-fPIC"]
subprocess.run(["gcc", *flags, "-x", "c", "-", "-o", library], input=SOURCE.encode(), check=True)
run = ctypes.CDLL(library).run
for i in range(8):
    run(ctypes.CFUNCTYPE(None)(late), len(sys.argv) > 2)
