/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash table that contains only numbers of objects (of a pool): the caller compares the
 * objects. Open addressing, linear probing, a power of two as size, at most 3/4 full: 6 to 11
 * bytes for each object.
 */
#ifndef PERF_BASE_SLOTS_H
#define PERF_BASE_SLOTS_H

#include "base/types.h"

struct slots {
	u32 *v;				/* 0: free */
	u32 mask;
	u32 nr;
};

/* slots_each - walk @at through the slots where a hash may be; ends at the first free one */
#define slots_each(s, hash, at)							\
	for ((at) = (s)->v ? &(s)->v[(hash) & (s)->mask] : NULL; (at) && *(at);	\
	     (at) = &(s)->v[((at) - (s)->v + 1) & (s)->mask])

/**
 * slots_add() - put in a number that is not in the table
 * @s: the table; all zeroes is an empty one
 * @hash: of its object
 * @value: the number, not 0
 * @hash_of: computes the hash of an object, called when the table grows
 * @ctx: passed to @hash_of
 */
void slots_add(struct slots *s, u64 hash, u32 value,
	       u64 (*hash_of)(const void *ctx, u32 value), const void *ctx);

void slots_deinit(struct slots *s);

#endif /* PERF_BASE_SLOTS_H */
