/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code without frame pointers whose stacks are walked: frames.c is compiled by
 * several compilers at several levels, each a variant, and linked into one
 * program (tools/testing/kernel.mk).
 */
#ifndef TABLES_FRAMES_H
#define TABLES_FRAMES_H

#include "../unwind/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Return addresses as the functions themselves note them, outermost first. An interrupted
 * ip counts as one.
 */
struct trail {
	int nr;
	u64 ra[64];
	int more;		/* frames of the C library outside of these */
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

/* Throws and catches exceptions at the end of a trail, with six calls of trail_syscall(). */
struct thrower {
	const char *name;
	void (*run)(struct trail *t);
	struct thrower *next;
};

extern struct thrower *throwers;
void thrower_register(struct thrower *t);

/*
 * getppid() from here. Its samples must have the trail: a recorder that trail_watch()
 * starts and trail_check() evaluates has those of this task, of its threads and children.
 */
void trail_syscall(struct trail *t);
void trail_watch(void);
/* One check, called @name, of each sample since; @calls: of trail_syscall(). */
void trail_check(int calls, const char *name);

#ifdef __cplusplus
}
#endif
#endif
