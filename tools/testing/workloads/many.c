/* SPDX-License-Identifier: GPL-2.0 */
/* many THREADS SECONDS: that many sleeping threads, "ready" on stdout, then the end. */
#include "../golden/c/src/tiny.h"

static char *stacks;

NI void thread_main(void)
{
	for (;;)
		nap(1000000000000L);
}

static void spawn(l id)
{
	char *top = stacks + id * 4096 + 4096 - 64;
	l flags = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000 | 0x40000, r;

	*(l *)top = 0;
	asm volatile("mov %2,%%rsi; syscall; test %%rax,%%rax; jnz 1f; xor %%ebp,%%ebp; call thread_main; ud2; 1:"
		     : "=a"(r) : "a"(56L), "r"(top), "D"(flags), "d"(0L) : "rsi", "rcx", "r11", "memory");
}

int tiny_main(int c, char **v)
{
	l n = c > 1 ? num(v[1]) : 10;

	stacks = tiny_map(n * 4096);
	for (l i = 0; i < n; i++)
		spawn(i);
	SC3(1, 1, "ready\n", 6);
	nap((c > 2 ? num(v[2]) : 5) * 1000000000L);
	return 0;
}
