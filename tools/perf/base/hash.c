// SPDX-License-Identifier: GPL-2.0
/*
 * The hash map. It owns its slots. One slot is always free, which ends every probe.
 */
#include <assert.h>

#include "base/arena.h"
#include "base/hash.h"

static void hash_grow(struct hash *h)
{
	size_t size = h->slots ? 2 * (h->mask + 1) : 64, i, j;
	struct hash_slot *old = h->slots;
	size_t old_size = old ? h->mask + 1 : 0;

	h->slots = xcalloc(size, sizeof(*h->slots));
	h->mask = size - 1;
	for (i = 0; i < old_size; i++) {
		if (!old[i].used)
			continue;
		j = hash_mix(old[i].a, old[i].b) & h->mask;
		while (h->slots[j].used)
			j = (j + 1) & h->mask;
		h->slots[j] = old[i];
	}
	free(old);
}

u64 *hash_insert(struct hash *h, u64 a, u64 b, bool *added)
{
	size_t i;

	if (!h->slots || hash_full(h->nr, h->mask + 1))
		hash_grow(h);
	for (i = hash_mix(a, b) & h->mask; h->slots[i].used; i = (i + 1) & h->mask) {
		if (h->slots[i].a == a && h->slots[i].b == b) {
			if (added)
				*added = false;
			return &h->slots[i].value;
		}
	}
	assert(h->nr <= h->mask);
	h->slots[i] = (struct hash_slot){ .a = a, .b = b, .used = 1 };
	h->nr++;
	if (added)
		*added = true;
	return &h->slots[i].value;
}

void hash_remove(struct hash *h, u64 a, u64 b)
{
	const u64 *value = hash_find(h, a, b);
	size_t hole, i, home;

	if (!value)
		return;
	hole = container_of(value, struct hash_slot, value) - h->slots;
	/* What was inserted after the hole moves into it, unless it would stand before the place that its probe begins at. */
	for (i = (hole + 1) & h->mask; h->slots[i].used; i = (i + 1) & h->mask) {
		home = hash_mix(h->slots[i].a, h->slots[i].b) & h->mask;
		if (((i - home) & h->mask) < ((i - hole) & h->mask))
			continue;
		h->slots[hole] = h->slots[i];
		hole = i;
	}
	h->slots[hole].used = 0;
	h->nr--;
}

void hash_deinit(struct hash *h)
{
	free(h->slots);
	memset(h, 0, sizeof(*h));
}

u64 hash_bytes(const void *p, size_t len)
{
	const u8 *c = p;
	u64 x = 0xcbf29ce484222325ULL;

	while (len--)
		x = (x ^ *c++) * 0x100000001b3ULL;
	return hash_mix(x, 0);
}

u64 hash_block(const void *p, size_t len)
{
	const u64 odd = 0x9e3779b97f4a7c15ULL;
	/* Four lanes, as each multiplication waits for the one before it. */
	u64 lane[4] = { len, 0, 0, 0 }, w[4];
	const u8 *c = p, *end = c + len;
	u32 i;

	for (; end - c >= (ptrdiff_t)sizeof(w); c += sizeof(w)) {
		memcpy(w, c, sizeof(w));
		lane[0] = (lane[0] ^ w[0]) * odd;
		lane[1] = (lane[1] ^ w[1]) * odd;
		lane[2] = (lane[2] ^ w[2]) * odd;
		lane[3] = (lane[3] ^ w[3]) * odd;
	}
	memset(w, 0, sizeof(w));
	memcpy(w, c, end - c);
	for (i = 0; i < 4; i++)
		lane[i] = (lane[i] ^ w[i]) * odd;
	return hash_mix(hash_mix(lane[0], lane[1]), hash_mix(lane[2], lane[3]));
}
