/* SPDX-License-Identifier: GPL-2.0 */
/* Registers and stacks as no compiler makes them. */
#ifndef SELFTEST_HOSTILE_H
#define SELFTEST_HOSTILE_H

#include "path.h"

/*
 * A system call with this frame pointer and stack pointer; hostile_ip is behind
 * the instruction. Frames are looked for above the stack pointer.
 */
void hostile(unsigned long fp, long nr, void *sp);
extern const char hostile_ip[];

struct frame {
	unsigned long next, ret;
};

/* The last address that can be a program's. */
#ifdef __LP64__
#define USER_END	0x00ffffffffffefffULL		/* with five levels of page tables */
#else
#define USER_END	0xffffdfffULL
#endif

#endif
