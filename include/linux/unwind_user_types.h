/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_UNWIND_USER_TYPES_H
#define _LINUX_UNWIND_USER_TYPES_H

#include <linux/types.h>

struct pt_regs;

/**
 * struct unwind_stacktrace - return addresses of a user stack
 * @nr:		how many entries there are
 * @whole:	a table says that the last one is the outermost frame
 * @entries:	user addresses, innermost first
 */
struct unwind_stacktrace {
	unsigned int	nr;
	bool		whole;
	unsigned long	*entries;
};

/* What a walk may do. */
enum unwind_walk {
	UNWIND_WALK_ATOMIC,	/* no page faults */
	UNWIND_WALK_FAULTABLE,	/* it may sleep: pages are faulted in */
};

/*
 * Where the caller's return address is when the task stopped at a function's
 * first or last instructions, as told by the code bytes at the user ip.
 */
enum unwind_user_edge {
	UNWIND_EDGE_NONE,	/* the frame is set up: follow the frame pointer */
	UNWIND_EDGE_RA_AT_SP,	/* nothing pushed yet, or all popped again */
	UNWIND_EDGE_FP_PUSHED,	/* the old frame pointer was just pushed */
	UNWIND_EDGE_RA_IN_LR,	/* in the link register */
};

/**
 * struct unwind_user_state - where a walk begins
 * @ip:		user instruction pointer, linear
 * @xol:	where a copy of the probed instruction at @ip is executed, or 0
 * @sp:		user stack pointer, an offset in the stack segment
 * @fp:		user frame pointer, likewise
 * @lr:		user link register, where there is one
 * @cs_base:	base of the code segment, for the return addresses
 * @ss_base:	base of the stack segment
 * @word:	size of a stack word: 8, or 4 for 32-bit code
 * @syscall:	the ip is behind a system call instruction
 * @edge:	the return address is known to be at the stack pointer
 * @faultable:	pages may be faulted in; the kernel may have carried out an instruction
 *		with a uprobe, so that the registers are not those of the entry any more
 * @regs:	the user registers that all this is from
 * @tramp:	the trampoline of uretprobes, 0 if none is pending
 * @limit:	TASK_SIZE: addresses below it are user space's. (access_ok() may accept more.)
 */
struct unwind_user_state {
	unsigned long	ip;
	unsigned long	xol;
	unsigned long	sp;
	unsigned long	fp;
	unsigned long	lr;
	unsigned long	cs_base;
	unsigned long	ss_base;
	unsigned int	word;
	bool		syscall;
	bool		edge;
	bool		faultable;
	const struct pt_regs *regs;
	unsigned long	tramp;
	unsigned long	limit;
};

#endif /* _LINUX_UNWIND_USER_TYPES_H */
