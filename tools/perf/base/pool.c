// SPDX-License-Identifier: GPL-2.0
/*
 * The pool of objects of one size. It owns its blocks; objects never move, so that other
 * threads may read them while one adds.
 */
#include <assert.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/hash.h"
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

static void put(struct slots *s, u64 hash, u32 value)
{
	u32 i = hash & s->mask;

	while (s->v[i])
		i = (i + 1) & s->mask;
	s->v[i] = value;
}

void slots_add(struct slots *s, u64 hash, u32 value,
	       u64 (*hash_of)(const void *ctx, u32 value), const void *ctx)
{
	if (!s->v || (hash_full(s->nr, (u64)s->mask + 1) && s->mask != UINT32_MAX)) {
		u64 old_size = s->v ? (u64)s->mask + 1 : 0, i;
		u32 *old = s->v;

		s->mask = old ? 2 * s->mask + 1 : 63;
		s->v = xcalloc((size_t)s->mask + 1, sizeof(*s->v));
		for (i = 0; i < old_size; i++)
			if (old[i])
				put(s, hash_of(ctx, old[i]), old[i]);
		free(old);
	}
	assert(value && s->nr < s->mask);
	put(s, hash, value);
	s->nr++;
}

void slots_deinit(struct slots *s)
{
	free(s->v);
	memset(s, 0, sizeof(*s));
}

#define BLOCK (1U << NAMES_BLOCK_BITS)

static u64 hash_of(const void *ctx, u32 nr)
{
	const char *s = names_at(ctx, nr);

	return hash_bytes(s, strlen(s));
}

/* Where a string with so many bytes goes. Return: its number. */
static u32 place(struct names *n, size_t size)
{
	u32 nr;

	if (!n->blocks)
		n->blocks = xcalloc(NAMES_BLOCKS, sizeof(*n->blocks));
	if (!n->nr_blocks || n->pos + size > BLOCK) {
		if (n->nr_blocks == NAMES_BLOCKS || size > BLOCK - 4)
			diag_fatal("names take more than 16 GB");
		n->blocks[n->nr_blocks] = xmalloc(BLOCK);
		/* Number 0 means no string. */
		n->pos = n->nr_blocks++ ? 0 : 4;
	}
	nr = (n->nr_blocks - 1) << (NAMES_BLOCK_BITS - 2) | n->pos / 4;
	n->pos += ALIGN_UP(size, 4);
	return nr;
}

u32 names_add(struct names *n, const char *s)
{
	size_t len = strlen(s);
	u64 hash = hash_bytes(s, len);
	u32 nr, *at;

	slots_each(&n->slots, hash, at)
		if (!strcmp(names_at(n, *at), s))
			return *at;
	nr = place(n, len + 1);
	memcpy((char *)names_at(n, nr), s, len + 1);
	slots_add(&n->slots, hash, nr, hash_of, n);
	return nr;
}

void names_deinit(struct names *n)
{
	u32 i;

	for (i = 0; i < n->nr_blocks; i++)
		free(n->blocks[i]);
	free(n->blocks);
	slots_deinit(&n->slots);
	memset(n, 0, sizeof(*n));
}
