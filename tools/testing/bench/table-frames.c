// SPDX-License-Identifier: GPL-2.0
/* What bench/table.c and bench/latency.c walk: compiled once with frame pointers, once without (FRAMES). */
#include "table-frames.h"

static __attribute__((noinline)) void leaf(struct table_frames *f)
{
	long i;

	for (i = 0; i < f->calls; i++) {
#ifdef __aarch64__
		register long x8 asm("x8") = f->nr;
		register long x0 asm("x0") = f->arg[0];
		register long x1 asm("x1") = f->arg[1];

		asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
#else
		long ret;

		asm volatile("syscall" : "=a"(ret) : "a"(f->nr), "D"(f->arg[0]), "S"(f->arg[1])
			     : "rcx", "r11", "memory");
#endif
	}
}

static __attribute__((noinline)) void even(struct table_frames *f, int depth);

/* Registers that calls preserve are in use, as in most functions that call others. */
static __attribute__((noinline)) void odd(struct table_frames *f, int depth)
{
	long a = f->sink, b = a * depth, c = b ^ a;

	if (depth > 1)
		even(f, depth - 1);
	else
		leaf(f);
	f->sink = a + b * c;
}

static __attribute__((noinline)) void even(struct table_frames *f, int depth)
{
	volatile char pad[40];
	long a = f->sink;

	pad[0] = (char)depth;
	if (depth > 1)
		odd(f, depth - 1);
	else
		leaf(f);
	f->sink = a + pad[0];
}

void FRAMES(struct table_frames *f, int depth)
{
	even(f, depth);
	f->sink++;
}
