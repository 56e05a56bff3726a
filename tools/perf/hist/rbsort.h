/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_HIST_RBSORT_H
#define PERF_HIST_RBSORT_H

#include "base/types.h"

/**
 * rb_sort() - sort by insertion into a red-black tree
 * @items: sorted in place
 * @nr: how many
 * @before: whether the first argument stands before the second
 * @ctx: handed to it
 *
 * The order of rows is not transitive: equal sums are ordered by the depth of their
 * stacks only where both rows began in one thread. What such an "order" gives depends
 * on who is compared with whom, and what users know is what insertion into a red-black
 * tree gives (Cormen et al., Introduction to Algorithms, chapter 13); with a proper
 * order it is a stable sort.
 */
void rb_sort(void **items, u32 nr, bool (*before)(const void *a, const void *b, const void *ctx),
	     const void *ctx);

#endif /* PERF_HIST_RBSORT_H */
