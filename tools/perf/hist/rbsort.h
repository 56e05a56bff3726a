/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_HIST_RBSORT_H
#define PERF_HIST_RBSORT_H

#include "base/types.h"

/**
 * rb_sort() - sort by insertion into a red-black tree
 * @items: sorted in place
 * @nr: number of items
 * @before: true if the first argument is to be sorted before the second
 * @ctx: passed to @before
 *
 * Rows are sorted by a comparison that is not transitive (see sort.c), so that the result depends
 * on which rows are compared: insertion into a red-black tree (Cormen et al., Introduction to
 * Algorithms, chapter 13), in the order of @items, decides. The result is a function of @items
 * alone; with a transitive comparison it is a stable sort.
 */
void rb_sort(void **items, u32 nr, bool (*before)(const void *a, const void *b, void *ctx),
	     void *ctx);

#endif /* PERF_HIST_RBSORT_H */
