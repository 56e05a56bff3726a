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
	free(t->slots);
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

static void grow_slots(struct tuple_table *t)
{
	size_t size = t->slots ? 2 * ((size_t)t->mask + 1) : 64;
	u32 nr, i;

	free(t->slots);
	t->slots = xcalloc(size, sizeof(*t->slots));
	t->mask = size - 1;
	for (nr = 0; nr < t->nr; nr++) {
		i = row_hash(tuple_row(t, nr), t->width) & t->mask;
		while (t->slots[i])
			i = (i + 1) & t->mask;
		t->slots[i] = nr + 1;
	}
}

u32 tuple_intern(struct tuple_table *t, const u64 *row)
{
	size_t bytes = t->width * sizeof(u64);
	u32 i;

	if (4 * (u64)t->nr >= 3 * (u64)t->mask && t->mask != UINT32_MAX)
		grow_slots(t);
	for (i = row_hash(row, t->width) & t->mask; t->slots[i]; i = (i + 1) & t->mask)
		if (!memcmp(tuple_row(t, t->slots[i] - 1), row, bytes))
			return t->slots[i] - 1;
	if (t->nr >= t->cap) {
		t->cap = grown_capacity(t->cap, (u64)t->nr + 1, UINT32_MAX);
		t->rows = xrealloc(t->rows, max(t->cap * bytes, (size_t)1));
	}
	if (bytes)
		memcpy(t->rows + (size_t)t->nr * t->width, row, bytes);
	t->slots[i] = t->nr + 1;
	return t->nr++;
}
