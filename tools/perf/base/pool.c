// SPDX-License-Identifier: GPL-2.0
/*
 * The pool of objects of one size. It owns its blocks; objects never move, so that other
 * threads may read them while one adds.
 */
#include "base/arena.h"
#include "base/diag.h"
#include "base/pool.h"

u32 pool_add(struct pool *p)
{
	u64 n = (u64)p->nr + (1 << POOL_FIRST_BITS);
	u32 bit = 63 - __builtin_clzll(n), block = bit - POOL_FIRST_BITS;

	if (block >= POOL_BLOCKS)
		diag_fatal("more than four thousand million objects of one kind");
	if (!p->blocks[block])
		p->blocks[block] = xcalloc(1ULL << bit, p->size);
	return p->nr++;
}

void pool_deinit(struct pool *p)
{
	u32 i;

	for (i = 0; i < POOL_BLOCKS; i++)
		free(p->blocks[i]);
	*p = (struct pool){ .size = p->size, .nr = 1 };
}
