// SPDX-License-Identifier: GPL-2.0
/*
 * What the bench's fork+exec storm executes: no libc, so that every frame has
 * its pointer; linked where nothing else is (see bench.c, TINY_*).
 */
#include <sys/syscall.h>

static void call(long nr)
{
#ifdef __aarch64__
	register long x8 asm("x8") = nr;
	register long x0 asm("x0") = 0;

	asm volatile("svc 0" : "+r"(x0) : "r"(x8) : "memory");
#else
	asm volatile("syscall" : "+a"(nr) : "D"(0) : "rcx", "r11", "memory");
#endif
}

__attribute__((noinline, noclone)) static void deeper(int depth)
{
	if (depth)
		deeper(depth - 1);
	else
		for (int i = 0; i < 10; i++)
			call(SYS_getppid);
	asm volatile("");
}

__attribute__((noinline, used)) static void tiny(void)
{
	deeper(6);
	call(SYS_exit_group);
	__builtin_unreachable();
}

/* A frame pointer of 0 ends the walk. */
asm(".globl _start\n"
    "_start:\n"
#ifdef __aarch64__
    "	mov	x29, 0\n"
    "	bl	tiny\n");
#else
    "	xor	%ebp, %ebp\n"
    "	call	tiny\n");
#endif
