/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All stacks of an event, sorted by their steps. The sorted array is a trie: stacks with a
 * common beginning are adjacent, a span of them is a node, the difference of two running sums
 * is its number of samples, and its children begin where the next step changes. So no nodes are
 * allocated, linked or missed in the cache.
 *
 * Every stack begins with its scope (the half of a row's key that belongs to the sample); steps
 * are counted after it.
 */
#ifndef PERF_HIST_STACKS_H
#define PERF_HIST_STACKS_H

#include "base/types.h"

struct stack {
	u64 at;			/* of its scope in the pool; steps follow */
	u32 len;		/* steps */
	u32 record;		/* index of its record */
};

/**
 * stacks_sort() - put stacks into the order of their steps, shorter ones first
 * @v: the stacks
 * @nr: number of stacks; progress_update() is called with the number sorted so far
 * @pool: scopes and steps
 */
void stacks_sort(struct stack *v, u32 nr, const u32 *pool);

/* A stack's step; @depth < len */
static inline u32 stack_step(const struct stack *s, const u32 *pool, u32 depth)
{
	return pool[s->at + 1 + depth];
}

/* The number of steps that two neighbours share; -1 if their scopes differ. */
static inline s32 stacks_common(const struct stack *a, const struct stack *b, const u32 *pool)
{
	u32 n = min(a->len, b->len), i;

	if (pool[a->at] != pool[b->at])
		return -1;
	for (i = 0; i < n && stack_step(a, pool, i) == stack_step(b, pool, i); i++)
		;
	return i;
}

/**
 * stacks_span_end() - the end of a span of stacks with equal steps
 * @v: sorted stacks
 * @pool: their steps
 * @from: a stack
 * @end: no further than here
 * @depth: of the step
 *
 * Return: the first stack after @from, at most @end, with another step at @depth.
 */
u32 stacks_span_end(const struct stack *v, const u32 *pool, u32 from, u32 end, u32 depth);

#endif /* PERF_HIST_STACKS_H */
