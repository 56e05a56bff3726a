/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decides whether a user callchain reaches the start of its stack or is incomplete, and why,
 * for all code that walks user stacks or reads callchains.
 */
#ifndef PERF_UNWIND_CHAIN_END_H
#define PERF_UNWIND_CHAIN_END_H

#include "base/types.h"

struct dso;
struct chain_ends;

/* Why a walk ended, as far as the walker says. */
enum walk_stop {
	WALK_UNTOLD,		/* the kernel walked, and does not say */
	WALK_EARLIER,		/* walked by call frame information before it was recorded or stored; not known why it ended */
	WALK_ASTRAY,		/* the kernel walked, on to an address without code */
	WALK_LIMIT,		/* as many frames as a callchain may have */
	WALK_OUTERMOST,		/* by the rule of the last frame there is no caller, or its address is 0 */
	WALK_COPY_END,		/* the next frame is beyond the copy of the stack; a larger copy has it */
	WALK_FAR,		/* no copy has it: beyond a large frame, or on another stack */
	WALK_NO_RULE,		/* nothing describes this code, and its frame pointer leads nowhere */
	WALK_UNMAPPED,		/* nothing is mapped at the caller's address */
	WALK_BRANCHES,		/* as many calls as the processor keeps branch records; older ones are forgotten */
	WALK_BAD_FRAME,		/* the rule cannot be applied, or leads to what is no caller */
	WALK_STOPS
};

/* A callchain as it was walked: its outermost entry in code. */
struct walk_end {
	struct dso *dso;	/* the file that is mapped there; NULL: no entry is in code */
	u64 off;		/* offset of the entry in the file */
	bool single;		/* it is the innermost one, and no return address */
	enum walk_stop stop;
};

enum chain_end {
	CHAIN_WHOLE,		/* it reaches the beginning; or nothing says that it does not */
	CHAIN_CUT_KERNEL,	/* this code has no frame pointer (or table) by which the kernel could walk on */
	CHAIN_CUT_COPY,		/* the copy of the stack ended */
	CHAIN_CUT_FAR,		/* no copy of the stack is large enough */
	CHAIN_CUT_NO_CFI,	/* this code has no call frame information */
	CHAIN_CUT_NO_FILE,	/* the file that describes this code is not here */
	CHAIN_CUT_UNMAPPED,	/* the caller is at an address with no known mapping */
	CHAIN_CUT_BAD_FRAME,	/* the stack does not fit what describes this code */
	CHAIN_CUT_BRANCHES,	/* the processor keeps no more calls */
	CHAIN_CUT_LIMIT,	/* the callchain has as many frames as it may */
	CHAIN_ENDS
};

struct chain_ends *chain_ends_create(void);
void chain_ends_destroy(struct chain_ends *e);

/**
 * chain_end() - is a user callchain complete?
 * @e: the files of earlier calls
 * @w: where and why its walk ended
 *
 * A callchain is complete if the rule of its last frame names no caller; or if this frame is a function
 * that begins a stack or switches to another one. Where the walk had frame pointers alone, the C library's
 * callers of main() and of functions of threads are enough: they keep none on most distributions. If nothing is known of the code where the kernel's walk ended (a file that is not
 * here or not x86-64, a function that is not described) the callchain counts as complete, unless it has
 * one entry and the file describes other code.
 *
 * The rules of a few places of a file are looked up one by one; for more its unwind table is made.
 *
 * Return: CHAIN_WHOLE, or why it was cut.
 */
enum chain_end chain_end(struct chain_ends *e, const struct walk_end *w);

/**
 * chain_switches_stack() - does a function of Go's runtime call on another stack than its own?
 * @d: the file
 * @addr: an address in the function, from dso_map_ip()
 *
 * Its call frame information holds before it has switched. Symbols are read.
 */
bool chain_switches_stack(struct dso *d, u64 addr);

#endif /* PERF_UNWIND_CHAIN_END_H */
