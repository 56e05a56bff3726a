/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_PERF_DEFERRED_TYPES_H
#define _LINUX_PERF_DEFERRED_TYPES_H

#include <linux/types.h>

/**
 * struct perf_deferred_task - what perf knows about a task's samples
 * @entry:	upper half of the cookie of the last sample's entry: when two CPUs
 *		gave the same, a guess is worse
 * @nr:		samples of this entry, or since its last completion
 * @last:	what @nr came to, the last time it came to more than one
 * @depth:	user frames of the entry's first sample
 * @pending:	a request is pending: one more sample costs a cookie only
 * @whole:	the last walk for its samples came to the outermost frame
 *
 * Read and written by the task and what interrupts it, never by another CPU.
 * An interrupt between two accesses makes a guess worse, nothing else; the
 * accesses are marked, because it may come between any two.
 */
struct perf_deferred_task {
	u32	entry;
	u16	nr;
	u16	last;
	u16	depth;
	bool	pending;
	bool	whole;
};

#endif /* _LINUX_PERF_DEFERRED_TYPES_H */
