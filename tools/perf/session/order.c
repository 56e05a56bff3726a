// SPDX-License-Identifier: GPL-2.0
/*
 * Sorts records by time: keys below .head were returned, those from .sorted on are new. It owns its
 * keys, not the records.
 */
#include <assert.h>

#include "base/arena.h"
#include "base/sort.h"
#include "session/session_private.h"

void order_grow(struct order *o)
{
	/* Reuse the space of returned keys first. */
	if (o->head && o->head >= o->nr / 2) {
		memmove(o->keys, o->keys + o->head, (o->nr - o->head) * sizeof(*o->keys));
		o->nr -= o->head;
		o->sorted -= o->head;
		o->head = 0;
		return;
	}
	GROW(o->keys, o->nr, o->cap);
}

static inline bool key_before(const struct order_key *a, const struct order_key *b)
{
	return a->time < b->time;
}

DEFINE_MERGE_SORT(sort_keys, struct order_key, key_before)

static void sort(struct order *o)
{
	assert(o->head <= o->sorted && o->sorted <= o->nr && o->nr <= o->cap);
	if (o->sorted == o->nr)
		return;
	sort_keys(o->keys + o->head, o->nr - o->head, &o->room);
	o->sorted = o->nr;
}

static const struct order_key *take(struct order *o, size_t end, size_t *nr)
{
	const struct order_key *keys = o->keys + o->head;

	*nr = end - o->head;
	o->head = end;
	return keys;
}

const struct order_key *order_round(struct order *o, size_t *nr)
{
	u64 limit = o->limit;

	o->limit = o->newest;
	sort(o);
	return take(o, LOWER_BOUND(o->head, o->nr, i, o->keys[i].time <= limit), nr);
}

const struct order_key *order_end(struct order *o, size_t *nr)
{
	sort(o);
	/* As large as the keys, which are those of a whole directory. */
	sort_room_deinit(&o->room);
	return take(o, o->nr, nr);
}

void order_deinit(struct order *o)
{
	free(o->keys);
	sort_room_deinit(&o->room);
	memset(o, 0, sizeof(*o));
}
