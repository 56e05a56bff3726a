/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code without frame pointers whose stacks are walked: frames.c is compiled by
 * several compilers at several levels, each a variant, and linked into one
 * program (tools/testing/selftests.mk).
 */
#ifndef TABLES_FRAMES_H
#define TABLES_FRAMES_H

#include "../unwind/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Return addresses as the functions themselves note them, outermost first. */
struct trail {
	int nr;
	u64 ra[64];
	u64 ip;			/* of the innermost frame, set by trail_syscall() */
	long nr_syscall;	/* what trail_syscall() calls */
	void (*at_end)(struct trail *t);
};

#define trail_enter(t)	((t)->ra[(t)->nr++] = (u64)(unsigned long)__builtin_return_address(0))
#define trail_leave(t)	((void)(t)->nr--)
/* No call above this becomes a jump. */
#define keep_frame()	__asm__ volatile("" : : : "memory")
#define noinline_	__attribute__((noinline))

/* A function that is stepped through, or makes its system call at the end of a trail. */
struct scene {
	const char *name;
	void (*run)(void *arg);
	bool once;	/* long, and the same in all variants but for a few functions */
};

struct variant {
	const char *name;	/* "gcc -O2" */
	const struct scene *scene;
	int nr_scenes;
	/* Calls t->at_end(t) some frames further down. */
	void (*descend)(struct trail *t, int depth);
	struct variant *next;
};

extern struct variant *variants;
void variant_register(struct variant *v);

/* t->nr_syscall from here; t->ip is where it returns to. */
void trail_syscall(struct trail *t);

#ifdef __cplusplus
}
#endif
#endif
