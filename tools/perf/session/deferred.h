/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Index of deferred records (PERF_RECORD_CALLCHAIN_DEFERRED) by (tid, cookie). Entries are in
 * buckets of about two, by hash, each sorted by (hash, time), so a look-up touches one or two
 * cache lines.
 */
#ifndef PERF_SESSION_DEFERRED_H
#define PERF_SESSION_DEFERRED_H

#include "event/records.h"

struct deferred_entry {
	u64 hash;			/* of (tid, cookie) */
	u64 time;
	const struct deferred_record *rec;
};

struct deferred_index {
	struct deferred_entry *entries;
	size_t nr, cap;
	u32 *buckets;			/* first entry of each bucket, and the end */
	unsigned int shift;		/* hash >> shift is the bucket */
	u8 *used;			/* by entry: it was joined to a sample */
};

/* deferred_nr - number of ips in the record: .nr, limited by the record's size */
static inline u64 deferred_nr(const struct deferred_record *rec)
{
	u64 room = (rec->header.size - sizeof(*rec)) / sizeof(u64);

	return min((u64)rec->nr, room);
}

/**
 * deferred_add() - add a record
 * @ix: the index; zeroed: empty
 * @tid: its thread
 * @time: its time
 * @rec: the record; not copied
 */
void deferred_add(struct deferred_index *ix, u32 tid, u64 time, const struct deferred_record *rec);

/* deferred_seal() - build the index after the last deferred_add() */
void deferred_seal(struct deferred_index *ix);

/**
 * deferred_find() - find the deferred record of a sample
 * @ix: the sealed index
 * @tid: thread of the sample
 * @cookie: cookie of the sample
 * @time: time of the sample
 *
 * Return: the first entry with this tid and cookie at or after @time, or NULL.
 * Context: any thread.
 */
const struct deferred_entry *deferred_find(const struct deferred_index *ix, u32 tid, u64 cookie,
					   u64 time);

/* deferred_use() - mark an entry as joined to a sample */
static inline void deferred_use(struct deferred_index *ix, const struct deferred_entry *e)
{
	__atomic_store_n(&ix->used[e - ix->entries], 1, __ATOMIC_RELAXED);
}

/* Number of entries without a sample. */
u64 deferred_unused(const struct deferred_index *ix);

void deferred_deinit(struct deferred_index *ix);

#endif /* PERF_SESSION_DEFERRED_H */
