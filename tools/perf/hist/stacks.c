// SPDX-License-Identifier: GPL-2.0
/*
 * stacks.c - stacks in the order of their steps
 *
 * Multikey quicksort (Bentley and Sedgewick, "Fast algorithms for sorting and searching
 * strings", 1997): a pass looks at one step of each stack, and never again at the steps
 * that all in its part share.
 */
#include "base/progress.h"
#include "base/search.h"
#include "hist/stacks.h"

/* The step at a depth, counted from the scope; 0 where the stack has ended. */
static inline u64 key_of(const struct stack *s, const u32 *pool, u32 depth)
{
	return depth <= s->len ? (u64)pool[s->at + depth] + 1 : 0;
}

static inline void swap(struct stack *a, struct stack *b)
{
	struct stack t = *a;

	*a = *b;
	*b = t;
}

static bool before(const struct stack *a, const struct stack *b, const u32 *pool, u32 depth)
{
	for (;; depth++) {
		u64 ka = key_of(a, pool, depth), kb = key_of(b, pool, depth);

		if (ka != kb)
			return ka < kb;
		if (!ka)
			return a->record < b->record;
	}
}

static void insertion(struct stack *v, u32 nr, const u32 *pool, u32 depth)
{
	u32 i, j;

	for (i = 1; i < nr; i++)
		for (j = i; j > 0 && before(&v[j], &v[j - 1], pool, depth); j--)
			swap(&v[j], &v[j - 1]);
}

static u64 median(u64 a, u64 b, u64 c)
{
	return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

#define AT_A_TIME 4096	/* stacks between two updates of the progress bar */

static void sort(struct stack *v, u32 nr, const u32 *pool, u32 depth, u64 *done)
{
	while (nr > 12) {
		u64 pivot = median(key_of(&v[0], pool, depth), key_of(&v[nr / 2], pool, depth),
				   key_of(&v[nr - 1], pool, depth));
		u32 lt = 0, gt = nr, i = 0;

		while (i < gt) {
			u64 k = key_of(&v[i], pool, depth);

			if (k < pivot)
				swap(&v[lt++], &v[i++]);
			else if (k > pivot)
				swap(&v[i], &v[--gt]);
			else
				i++;
		}
		sort(v, lt, pool, depth, done);
		sort(v + gt, nr - gt, pool, depth, done);
		v += lt;
		nr = gt - lt;
		/* Equal and ended: only their records tell them apart. */
		if (!pivot)
			break;
		depth++;
	}
	insertion(v, nr, pool, depth);
	*done += nr;
	if (*done / AT_A_TIME != (*done - nr) / AT_A_TIME)
		progress_update(*done);
}

void stacks_sort(struct stack *v, u32 nr, const u32 *pool)
{
	u64 done = 0;

	sort(v, nr, pool, 0, &done);
}

u32 stacks_span_end(const struct stack *v, const u32 *pool, u32 from, u32 end, u32 depth)
{
	u32 label = stack_step(&v[from], pool, depth), step = 1, lo = from, hi;

	/* Gallop, then halve: spans are short or as long as all. */
	while (lo + step < end && stack_step(&v[lo + step], pool, depth) == label) {
		lo += step;
		step *= 2;
	}
	hi = min(lo + step, end);
	return LOWER_BOUND(lo + 1, hi, i, stack_step(&v[i], pool, depth) == label);
}
