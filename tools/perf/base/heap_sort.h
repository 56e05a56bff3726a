/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Heap sort (Williams 1964): O(n log n) whatever the order was, and no memory, where
 * a made-up file must not be able to ask for more. Slower than merging.
 */
#ifndef PERF_BASE_HEAP_SORT_H
#define PERF_BASE_HEAP_SORT_H

#include "base/types.h"

/**
 * DEFINE_HEAP_SORT() - define static void name(type *v, size_t nr)
 * @name: of the function
 * @type: of what is sorted
 * @before: bool before(const type *x, const type *y): an order without equals, or they mix
 */
#define DEFINE_HEAP_SORT(name, type, before)						\
static void name##_sift_down(type *v, size_t at, size_t nr)				\
{											\
	type down = v[at];								\
	size_t child;									\
											\
	for (; (child = 2 * at + 1) < nr; at = child) {					\
		if (child + 1 < nr && before(&v[child], &v[child + 1]))			\
			child++;							\
		if (!before(&down, &v[child]))						\
			break;								\
		v[at] = v[child];							\
	}										\
	v[at] = down;									\
}											\
											\
static void name(type *v, size_t nr)							\
{											\
	size_t i;									\
											\
	for (i = nr / 2; i-- > 0; )							\
		name##_sift_down(v, i, nr);						\
	for (i = nr; i-- > 1; ) {							\
		type first = v[0];							\
											\
		v[0] = v[i];								\
		v[i] = first;								\
		name##_sift_down(v, 0, i);						\
	}										\
}

#endif /* PERF_BASE_HEAP_SORT_H */
