// SPDX-License-Identifier: GPL-2.0
/*
 * tuple.c - interned rows of 64-bit values
 */
#include "base/arena.h"
#include "base/hash.h"
#include "hist/hist_private.h"

void tuple_init(struct tuple_table *t, u32 width)
{
	memset(t, 0, sizeof(*t));
	t->width = width;
}

void tuple_deinit(struct tuple_table *t)
{
	free(t->rows);
	slots_deinit(&t->slots);
	tuple_init(t, t->width);
}

static u64 row_hash(const u64 *row, u32 width)
{
	u64 h = width;
	u32 i;

	for (i = 0; i < width; i++)
		h = hash_mix(h, row[i]);
	return h;
}

static u64 hash_of(const void *ctx, u32 slot)
{
	const struct tuple_table *t = ctx;

	return row_hash(tuple_row(t, slot - 1), t->width);
}

u32 tuple_intern(struct tuple_table *t, const u64 *row)
{
	size_t bytes = t->width * sizeof(u64);
	u64 hash = row_hash(row, t->width);
	u32 *at;

	slots_each(&t->slots, hash, at)
		if (!memcmp(tuple_row(t, *at - 1), row, bytes))
			return *at - 1;
	if (t->nr >= t->cap) {
		t->cap = grown_capacity(t->cap, (u64)t->nr + 1, UINT32_MAX);
		t->rows = xrealloc(t->rows, max(t->cap * bytes, (size_t)1));
	}
	if (bytes)
		memcpy(t->rows + (size_t)t->nr * t->width, row, bytes);
	slots_add(&t->slots, hash, t->nr + 1, hash_of, t);
	return t->nr++;
}
