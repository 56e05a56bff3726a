// SPDX-License-Identifier: GPL-2.0
/* The variants of frames.c, and the system call at the end of their trails. */
#include "frames.h"
#include "../unwind/test.h"

struct variant *variants;

void variant_register(struct variant *v)
{
	v->next = variants;
	variants = v;
}

extern const char trail_ip[];

noinline void trail_syscall(struct trail *t)
{
	long ret;

	trail_enter(t);
	t->ip = (u64)trail_ip;
	asm volatile("syscall\n"
		     ".globl trail_ip\n"
		     "trail_ip:"
		     : "=a"(ret)
		     : "a"(t->nr_syscall)
		     : "rcx", "r11", "memory");
	keep_frame();
	trail_leave(t);
}
