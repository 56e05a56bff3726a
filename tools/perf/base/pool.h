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

/*
 * pool_at - the object with a number; @i: the number, one that pool_add() gave. Context: any thread
 * that learnt the number after pool_add() returned it.
 */
static inline void *pool_at(const struct pool *p, u32 i)
{
	u64 n = (u64)i + (1 << POOL_FIRST_BITS);
	u32 bit = 63 - __builtin_clzll(n);

	return p->blocks[bit - POOL_FIRST_BITS] + (n - (1ULL << bit)) * p->size;
}

/*
 * pool_add - one more object, all zeroes. Return: its number: 1, 2, 3... More than there are
 * numbers for end the program with one line.
 */
u32 pool_add(struct pool *p);

void pool_deinit(struct pool *p);

/*
 * A hash table that contains only numbers of objects (of a pool): the caller compares the
 * objects. Open addressing, linear probing, a power of two as size, at most 3/4 full: 6 to 11
 * bytes for each object.
 */

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

#define NAMES_BLOCK_BITS 18	/* bytes of a block */
#define NAMES_BLOCKS	(1U << 16)

struct names {
	char **blocks;			/* never moves: other threads may look up while one adds */
	u32 nr_blocks;
	u32 pos;			/* where in the last block there is room */
	struct slots slots;
};

/**
 * names_add() - the number of a string
 * @n: the strings; all zeroes is an empty set
 * @s: the string, below 200 KB; copied if it is new
 *
 * Return: its number, never 0.
 */
u32 names_add(struct names *n, const char *s);

/* names_at - the string with a number. Context: any thread, while one adds, too. */
static inline const char *names_at(const struct names *n, u32 nr)
{
	return n->blocks[nr >> (NAMES_BLOCK_BITS - 2)] +
	       4 * (size_t)(nr & ((1U << (NAMES_BLOCK_BITS - 2)) - 1));
}

void names_deinit(struct names *n);

#endif /* PERF_BASE_POOL_H */
