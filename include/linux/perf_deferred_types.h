/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_PERF_DEFERRED_TYPES_H
#define _LINUX_PERF_DEFERRED_TYPES_H

#include <linux/types.h>

/**
 * struct perf_deferred_task - what perf knows about a task's samples
 * @credit:	bytes that deferral has saved so far, and the few percent of
 *		what plain callchains would have cost that it may lose
 * @nr:		samples since this stay in the kernel began, or since its
 *		last answer
 * @last:	what @nr came to, the last time it came to more than one
 * @depth:	user frames of the stay's first sample
 * @shared:	a request is pending: one more sample costs a cookie only
 *
 * Read and written by the task and what interrupts it, never by another CPU.
 * An interrupt between two accesses makes a guess worse, nothing else; the
 * accesses are marked, because it may come between any two.
 */
struct perf_deferred_task {
	s32	credit;
	u16	nr;
	u16	last;
	u16	depth;
	bool	shared;
};

#endif /* _LINUX_PERF_DEFERRED_TYPES_H */
