// SPDX-License-Identifier: GPL-2.0
/*
 * A program of arm64 without libraries, whose stack steps.py copies at each instruction: functions with and without
 * frame pointers, leaves, variable frames, tail calls, callee-saved registers, a signal handler.
 * steps.py has the compiler's options.
 */
typedef unsigned long u64;

#define NOINLINE __attribute__((noipa))
#define NO_FP __attribute__((noipa, optimize("omit-frame-pointer")))

struct sigaction {
	void (*handler)(int);
	u64 flags;
	void (*restorer)(void);
	u64 mask;
};

#define SA_RESTORER	0x04000000
#define SYS_kill	129
#define SYS_sigaction	134
#define SYS_exit_group	94
#define SYS_getpid	172

void restore(void);
long system_call(long nr, u64 a, u64 b, u64 c, u64 d);

/* No call frame information: the entry point has it, the trampoline has none anywhere. */
asm("	.text\n"
    "	.globl _start\n"
    "	.type _start, %function\n"
    "_start:\n"
    "	.cfi_startproc\n"
    "	.cfi_undefined x30\n"
    "	mov	x29, #0\n"
    "	mov	x30, #0\n"
    "	bl	start_c\n"
    "	brk	#1\n"
    "	.cfi_endproc\n"
    "	.size _start, .-_start\n"
    "	nop\n"
    "	.globl restore\n"
    "	.type restore, %function\n"
    "restore:\n"
    "	mov	x8, #139\n"
    "	svc	#0\n"
    "	.size restore, .-restore\n"
    "	nop\n"
    "	.globl system_call\n"
    "	.type system_call, %function\n"
    "system_call:\n"
    "	.cfi_startproc\n"
    "	mov	x8, x0\n"
    "	mov	x0, x1\n"
    "	mov	x1, x2\n"
    "	mov	x2, x3\n"
    "	mov	x3, x4\n"
    "	svc	#0\n"
    "	ret\n"
    "	.cfi_endproc\n"
    "	.size system_call, .-system_call\n");

static volatile long seen;

static NOINLINE long leaf(long a)
{
	return a * 3 + 1;
}

static NO_FP long leaf_with_frame(long a)
{
	volatile long room[8];

	room[a & 7] = a;
	return room[a & 7] + 1;
}

static NO_FP long without_pointer(long a)
{
	volatile long room[20];

	room[a & 15] = leaf(a);
	return leaf_with_frame(room[a & 15]) + a;
}

static NOINLINE long tail(long a)
{
	return without_pointer(a + 1);
}

static NOINLINE long variable_room(long n)
{
	volatile char *room = __builtin_alloca(16 * n + 16);

	room[0] = n;
	return tail(n) + room[0];
}

static NOINLINE long many_registers(long a, long b, long c, long d)
{
	long x = leaf(a), y = leaf(b), z = leaf(c), w = variable_room(d);

	return leaf(x + y) + leaf(z + w) + x * y * z * w;
}

static NO_FP void on_signal(int sig)
{
	seen += leaf(sig);
}

static NO_FP long interrupted(void)
{
	system_call(SYS_kill, system_call(SYS_getpid, 0, 0, 0, 0), 10, 0, 0);
	return leaf(seen);
}

static NOINLINE long with_record(long a)
{
	return leaf(a) + leaf(a + 1);
}

static NOINLINE long with_another(long a)
{
	return with_record(a) + leaf(a);
}

static NO_FP long without_record(long a)
{
	volatile long room[4];

	room[a & 3] = with_another(a);
	return room[a & 3] + 1;
}

static NOINLINE long large_frame(long a)
{
	volatile char room[5000];

	room[a] = 1;
	return leaf_with_frame(a) + room[a];
}

static NOINLINE long recurse(long n)
{
	return n ? recurse(n - 1) + leaf(n) : interrupted();
}

void start_c(void)
{
	struct sigaction act = { on_signal, SA_RESTORER, restore, 0 };
	long (*volatile call)(long) = recurse;

	system_call(SYS_sigaction, 10, (u64)&act, 0, 8);
	seen += many_registers(1, 2, 3, 4);
	seen += call(3);
	seen += large_frame(7);
	seen += without_record(9);
	system_call(SYS_exit_group, 0, 0, 0, 0);
}
