/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sorting. The default is merging: stable, O(n) for sorted runs. A heap sorts in place where a
 * made-up file decides the number of elements; it takes longer and is not stable.
 */
#ifndef PERF_BASE_SORT_H
#define PERF_BASE_SORT_H

#include "base/arena.h"
#include "base/types.h"

/* Memory for merging, initially all zeroes; reused by the next sort. */
struct sort_room {
	void *spare;			/* as many elements as are sorted */
	size_t cap;
	size_t *runs;			/* where sorted runs begin */
	size_t runs_cap;
};

static inline void sort_room_deinit(struct sort_room *room)
{
	free(room->spare);
	free(room->runs);
	*room = (struct sort_room){ 0 };
}

/**
 * DEFINE_MERGE_SORT() - define static void name(type *v, size_t nr, struct sort_room *room)
 * @name: of the function
 * @type: of the elements
 * @before: bool before(const type *x, const type *y): false for equals, which keep their order
 *
 * A natural merge sort: runs of runs until there is one.
 */
#define DEFINE_MERGE_SORT(name, type, before)						\
static void name##_merge(type *to, const type *a, size_t na, const type *b, size_t nb)	\
{											\
	while (na && nb) {								\
		if (before(b, a)) {							\
			*to++ = *b++;							\
			nb--;								\
		} else {								\
			*to++ = *a++;							\
			na--;								\
		}									\
	}										\
	memcpy(to, na ? a : b, (na ? na : nb) * sizeof(*to));				\
}											\
											\
static void name(type *v, size_t nr, struct sort_room *room)				\
{											\
	type *from = v, *to, *other;							\
	size_t nr_runs = 0, i, k;							\
											\
	for (i = 0; i < nr; i++) {							\
		if (i && !before(&v[i], &v[i - 1]))					\
			continue;							\
		GROW(room->runs, nr_runs + 1, room->runs_cap);				\
		room->runs[nr_runs++] = i;						\
	}										\
	if (nr_runs < 2)								\
		return;									\
	if (room->cap < nr) {								\
		free(room->spare);							\
		room->spare = xmalloc(nr * sizeof(*v));					\
		room->cap = nr;								\
	}										\
	to = room->spare;								\
	for (; nr_runs > 1; nr_runs = k) {						\
		room->runs[nr_runs] = nr;						\
		for (i = 0, k = 0; i < nr_runs; i += 2) {				\
			size_t a = room->runs[i];					\
			size_t b = i + 1 < nr_runs ? room->runs[i + 1] : nr;		\
			size_t end = i + 1 < nr_runs ? room->runs[i + 2] : nr;		\
											\
			name##_merge(to + a, from + a, b - a, from + b, end - b);	\
			room->runs[k++] = a;						\
		}									\
		other = from;								\
		from = to;								\
		to = other;								\
	}										\
	if (from != v)									\
		memcpy(v, from, nr * sizeof(*v));					\
}

/**
 * DEFINE_HEAP_SORT() - define static void name(type *v, size_t nr) (Williams 1964)
 * @name: of the function
 * @type: of the elements
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

/* sort_u64 - sort numbers */
void sort_u64(u64 *v, size_t nr);

/* sort_strings - sort strings by their bytes */
void sort_strings(char **v, size_t nr);

/**
 * LOWER_BOUND - the first index of a sorted range where a condition is false
 * @from: first index
 * @to: one past the last
 * @i: name of the index in @before
 * @before: an expression of @i, true for the first part of the range and false for the rest
 *
 * LOWER_BOUND(0, nr, i, v[i].end <= addr) is the first element that ends after addr.
 * Return: an index, @to where the condition holds throughout.
 */
#define LOWER_BOUND(from, to, i, before) ({						\
	size_t _from = (from), _to = (to);						\
											\
	while (_from < _to) {								\
		size_t i = _from + (_to - _from) / 2;					\
											\
		if (before)								\
			_from = i + 1;							\
		else									\
			_to = i;							\
	}										\
	_from;										\
})

#endif /* PERF_BASE_SORT_H */
