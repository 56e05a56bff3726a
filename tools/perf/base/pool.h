/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects of one size, identified by small numbers. There is no memory besides the objects, and
 * none ever moves. Each block has as many objects as all earlier blocks, so that an object's
 * number gives its block. Unused objects of the last block are never touched.
 */
#ifndef PERF_BASE_POOL_H
#define PERF_BASE_POOL_H

#include "base/types.h"

#define POOL_FIRST_BITS	6
#define POOL_BLOCKS	(32 - POOL_FIRST_BITS)

struct pool {
	u32 size;			/* of an object */
	u32 nr;				/* numbers given; 0 is never given: it means none */
	char *blocks[POOL_BLOCKS];
};

/* POOL - an empty pool of objects of a type */
#define POOL(type) ((struct pool){ .size = sizeof(type), .nr = 1 })

/**
 * pool_at() - the object with a number
 * @p: the pool
 * @i: the number, one that pool_add() gave
 *
 * Context: any thread that learnt the number after pool_add() returned it.
 */
static inline void *pool_at(const struct pool *p, u32 i)
{
	u64 n = (u64)i + (1 << POOL_FIRST_BITS);
	u32 bit = 63 - __builtin_clzll(n);

	return p->blocks[bit - POOL_FIRST_BITS] + (n - (1ULL << bit)) * p->size;
}

/**
 * pool_add() - one more object, all zeroes
 * @p: the pool
 *
 * Return: its number: 1, 2, 3... More than there are numbers for end the program with one line.
 */
u32 pool_add(struct pool *p);

void pool_deinit(struct pool *p);

#endif /* PERF_BASE_POOL_H */
