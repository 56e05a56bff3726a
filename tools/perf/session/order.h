/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sorts records by time. The kernel writes each buffer in order; perf copies the buffers one after
 * the other and then writes FINISHED_ROUND. No later record is older than the newest record of the
 * round before. So only the records of two rounds are held, and they are a few ascending runs,
 * which are merged. Equal times keep the order of the file.
 */
#ifndef PERF_SESSION_ORDER_H
#define PERF_SESSION_ORDER_H

#include "base/sort.h"
#include "event/abi.h"

struct order_key {
	u64 time;
	const struct perf_event_header *rec;
	u64 offset;			/* of the record in its file */
};

struct order {
	struct order_key *keys;		/* [head, nr) are not returned yet */
	size_t head, nr, cap;
	size_t sorted;			/* keys before this index are sorted */
	u64 newest, limit;		/* newest time of all rounds; of the previous round */
	struct sort_room room;
};

/* order_add() - add a record; a zeroed order is empty */
static inline void order_add(struct order *o, u64 time, const struct perf_event_header *rec,
			     u64 offset);

/**
 * order_round() - end a round and get the sorted records
 * @o: the order
 * @nr: set to the number of keys
 *
 * Return: sorted keys, valid until the next order_add().
 */
const struct order_key *order_round(struct order *o, size_t *nr);

/**
 * order_end() - end the recording: as order_round(), for all remaining records
 */
const struct order_key *order_end(struct order *o, size_t *nr);

void order_deinit(struct order *o);

/* order_grow - make room for one key; slow path of order_add() */
void order_grow(struct order *o);

static inline void order_add(struct order *o, u64 time, const struct perf_event_header *rec,
			     u64 offset)
{
	if (unlikely(o->nr == o->cap))
		order_grow(o);
	if (o->sorted == o->nr && (o->sorted == o->head || o->keys[o->nr - 1].time <= time))
		o->sorted++;
	o->keys[o->nr++] = (struct order_key){ time, rec, offset };
	if (time > o->newest)
		o->newest = time;
}

#endif /* PERF_SESSION_ORDER_H */
