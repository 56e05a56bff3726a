// SPDX-License-Identifier: GPL-2.0
/*
 * stacks.c - sorts stacks by their steps
 *
 * Multikey quicksort (Bentley and Sedgewick, 1997): a pass compares one step of each stack, and
 * never again the steps shared by all stacks of a partition. Partitions that pivots divide badly
 * are sorted by a heap: time is proportional to n log n and stack depth to log n for any input.
 */
#include "base/progress.h"
#include "base/sort.h"
#include "hist/hist_private.h"

/* The step at a depth, counted from the scope; 0 at the end of the stack. */
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

static void sift_down(struct stack *v, u32 at, u32 nr, const u32 *pool, u32 depth)
{
	u32 child;

	for (; (child = 2 * at + 1) < nr; at = child) {
		if (child + 1 < nr && before(&v[child], &v[child + 1], pool, depth))
			child++;
		if (!before(&v[at], &v[child], pool, depth))
			break;
		swap(&v[at], &v[child]);
	}
}

static void heap(struct stack *v, u32 nr, const u32 *pool, u32 depth)
{
	u32 i;

	for (i = nr / 2; i-- > 0; )
		sift_down(v, i, nr, pool, depth);
	for (i = nr; i-- > 1; ) {
		swap(&v[0], &v[i]);
		sift_down(v, 0, i, pool, depth);
	}
}

static u64 median(u64 a, u64 b, u64 c)
{
	return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

#define AT_A_TIME 4096	/* stacks between two updates of the progress bar */
#define SMALL 12	/* partitions up to this size are sorted by insertion */

static inline u32 log2_of(u32 nr)
{
	return 31 - __builtin_clz(nr | 1);
}

/* A partition: stacks that share their first steps. */
struct stack_part {
	struct stack *v;
	u32 nr;
	u32 depth;		/* of the first step that may differ */
	u32 passes;		/* passes left at this depth; a good pivot halves the partition */
	bool ended;		/* the stacks are equal; only their records differ */
};

static struct stack_part part_of(struct stack *v, u32 nr, u32 depth)
{
	return (struct stack_part){ .v = v, .nr = nr, .depth = depth, .passes = 2 * log2_of(nr) };
}

/* Sort a partition that is small, or that pivots divided badly. */
static void sort_rest(const struct stack_part *p, const u32 *pool, u64 *done)
{
	if (p->nr <= SMALL)
		insertion(p->v, p->nr, pool, p->depth);
	else
		heap(p->v, p->nr, pool, p->depth);
	*done += p->nr;
	if (*done / AT_A_TIME != (*done - p->nr) / AT_A_TIME)
		progress_update(*done);
}

/* Divide a partition into stacks below the pivot, equal to it, and above it. */
static void divide(const struct stack_part *p, const u32 *pool, struct stack_part parts[3])
{
	struct stack *v = p->v;
	u64 pivot = median(key_of(&v[0], pool, p->depth), key_of(&v[p->nr / 2], pool, p->depth),
			   key_of(&v[p->nr - 1], pool, p->depth));
	u32 lt = 0, gt = p->nr, i = 0;

	while (i < gt) {
		u64 k = key_of(&v[i], pool, p->depth);

		if (k < pivot)
			swap(&v[lt++], &v[i++]);
		else if (k > pivot)
			swap(&v[i], &v[--gt]);
		else
			i++;
	}
	parts[0] = (struct stack_part){ .v = v, .nr = lt, .depth = p->depth, .passes = p->passes - 1 };
	parts[1] = part_of(v + lt, gt - lt, p->depth + 1);
	parts[1].ended = !pivot;
	parts[2] = (struct stack_part){ .v = v + gt, .nr = p->nr - gt, .depth = p->depth, .passes = p->passes - 1 };
}

/* Recurse into the two smaller parts, each at most half of the stacks; loop over the largest. */
static void sort(struct stack_part p, const u32 *pool, u64 *done)
{
	struct stack_part parts[3];
	u32 i, largest;

	while (p.nr > SMALL && p.passes && !p.ended) {
		divide(&p, pool, parts);
		largest = parts[1].nr >= parts[0].nr ? 1 : 0;
		largest = parts[2].nr > parts[largest].nr ? 2 : largest;
		for (i = 0; i < 3; i++)
			if (i != largest)
				sort(parts[i], pool, done);
		p = parts[largest];
	}
	sort_rest(&p, pool, done);
}

void stacks_sort(struct stack *v, u32 nr, const u32 *pool)
{
	u64 done = 0;

	sort(part_of(v, nr, 0), pool, &done);
}

u32 stacks_span_end(const struct stack *v, const u32 *pool, u32 from, u32 end, u32 depth)
{
	u32 label = stack_step(&v[from], pool, depth), step = 1, lo = from, hi;

	/* Galloping search, then bisection: most spans are short or contain all stacks. */
	while (lo + step < end && stack_step(&v[lo + step], pool, depth) == label) {
		lo += step;
		step *= 2;
	}
	hi = min(lo + step, end);
	return LOWER_BOUND(lo + 1, hi, i, stack_step(&v[i], pool, depth) == label);
}
