// SPDX-License-Identifier: GPL-2.0
/*
 * A hash table of object numbers. It owns the slots, not the objects; one slot is always free.
 */
#include <assert.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/slots.h"

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
