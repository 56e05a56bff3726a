// SPDX-License-Identifier: GPL-2.0
/*
 * What the bench's fork+exec storm executes: no libc, so that every frame has
 * its pointer; linked where nothing else is (see bench.c, TINY_*).
 */
static long getppid_(void)
{
	long ret;

	asm volatile("syscall" : "=a"(ret) : "a"(110) : "rcx", "r11", "memory");
	return ret;
}

__attribute__((noinline, noclone)) static void deeper(int depth)
{
	if (depth)
		deeper(depth - 1);
	else
		for (int i = 0; i < 10; i++)
			getppid_();
	asm volatile("");
}

__attribute__((noinline, used)) static void tiny(void)
{
	deeper(6);
	asm volatile("syscall" : : "a"(231), "D"(0));
	__builtin_unreachable();
}

/* A frame pointer of 0 ends the walk. */
asm(".globl _start\n"
    "_start:\n"
    "	xor	%ebp, %ebp\n"
    "	call	tiny\n");
