/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records in the order of time. The kernel writes each buffer in order, perf
 * copies the buffers one after the other and then writes FINISHED_ROUND: after
 * it no record will come that is older than the newest of the round before. So
 * only what two rounds hold is kept, and what is to be sorted is a handful of
 * ascending runs, which are merged. Equal times keep the order of the file.
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
	struct order_key *keys;		/* [head, nr) wait */
	size_t head, nr, cap;
	size_t sorted;			/* keys before this one are in order */
	u64 newest, limit;		/* of all so far; of the round before */
	struct sort_room room;
};

/* order_add() - a record to be put in order; all zeroes is an empty order */
static inline void order_add(struct order *o, u64 time, const struct perf_event_header *rec,
			     u64 offset);

/**
 * order_round() - a round is finished: which records are ready
 * @o: the order
 * @nr: set to how many
 *
 * Return: the ready keys in order, valid until something is added.
 */
const struct order_key *order_round(struct order *o, size_t *nr);

/**
 * order_end() - the recording is at its end: all that wait are ready
 */
const struct order_key *order_end(struct order *o, size_t *nr);

void order_deinit(struct order *o);

/* order_grow - make room for one more key; the slow path of order_add() */
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
