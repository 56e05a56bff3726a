/* SPDX-License-Identifier: GPL-2.0 */
/* Does a user callchain reach the start of its stack, and if not, why? */
#ifndef PERF_UNWIND_CHAIN_END_H
#define PERF_UNWIND_CHAIN_END_H

#include "base/types.h"

struct dso;
struct chain_ends;

/* Why a walk ended, as reported by the walker. */
enum walk_stop {
	WALK_UNTOLD,		/* a walk by the kernel, which reports no reason */
	WALK_EARLIER,		/* a walk by call frame information before the recording was written; reason unknown */
	WALK_ASTRAY,		/* a walk by the kernel, to an address without code */
	WALK_LIMIT,		/* the limit on the number of frames */
	WALK_OUTERMOST,		/* the last frame's rule has no caller, or the return address is 0 */
	WALK_COPY_END,		/* the next frame is beyond the copy of the stack; a larger copy has it */
	WALK_FAR,		/* no copy has it: beyond a large frame, or on another stack */
	WALK_NO_RULE,		/* code without call frame information and without a valid frame pointer */
	WALK_UNMAPPED,		/* nothing is mapped at the caller's address */
	WALK_BRANCHES,		/* the limit on the processor's branch records */
	WALK_BAD_FRAME,		/* the rule cannot be applied, or its result is not a caller */
	WALK_STOPS
};

/* The outermost entry of a callchain that is in code. */
struct walk_end {
	struct dso *dso;	/* the file mapped at the entry; NULL: no entry is in code */
	u64 off;		/* offset of the entry in the file */
	bool single;		/* it is the innermost entry, not a return address */
	enum walk_stop stop;
};

enum chain_end {
	CHAIN_WHOLE,		/* complete, or not known to be incomplete */
	CHAIN_CUT_KERNEL,	/* the kernel had no frame pointer (or table) for this code */
	CHAIN_CUT_COPY,		/* the copy of the stack ended */
	CHAIN_CUT_FAR,		/* no copy of the stack is large enough */
	CHAIN_CUT_NO_CFI,	/* this code has no call frame information */
	CHAIN_CUT_NO_FILE,	/* the file of this code is missing */
	CHAIN_CUT_UNMAPPED,	/* the caller is at an address with no known mapping */
	CHAIN_CUT_BAD_FRAME,	/* the stack contradicts the code's call frame information */
	CHAIN_CUT_BRANCHES,	/* the limit on the processor's branch records */
	CHAIN_CUT_LIMIT,	/* the limit on the number of frames */
	CHAIN_ENDS
};

struct chain_ends *chain_ends_create(void);
void chain_ends_destroy(struct chain_ends *e);

/*
 * chain_end - is a user callchain complete? @e: the files of earlier calls; @w: its walk's end. It
 * is if the rule of its last frame has no caller, or this frame is a function that begins a stack
 * or switches to another one. For walks by frame pointers only, the C library's callers of main()
 * and of thread functions suffice, as most distributions build them without. Where the code at the
 * end of the kernel's walk is unknown (missing file, no call frame information) it counts as
 * complete, unless it has one entry and the file describes other code.
 */
enum chain_end chain_end(struct chain_ends *e, const struct walk_end *w);

#endif /* PERF_UNWIND_CHAIN_END_H */
