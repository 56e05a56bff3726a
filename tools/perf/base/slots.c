// SPDX-License-Identifier: GPL-2.0
#include "base/arena.h"
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
	if (!s->v || (4 * ((u64)s->nr + 1) > 3 * ((u64)s->mask + 1) && s->mask != UINT32_MAX)) {
		u64 old_size = s->v ? (u64)s->mask + 1 : 0, i;
		u32 *old = s->v;

		s->mask = old ? 2 * s->mask + 1 : 63;
		s->v = xcalloc((size_t)s->mask + 1, sizeof(*s->v));
		for (i = 0; i < old_size; i++)
			if (old[i])
				put(s, hash_of(ctx, old[i]), old[i]);
		free(old);
	}
	put(s, hash, value);
	s->nr++;
}

void slots_deinit(struct slots *s)
{
	free(s->v);
	memset(s, 0, sizeof(*s));
}
