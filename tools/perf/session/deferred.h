/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User callchains that came later (PERF_RECORD_CALLCHAIN_DEFERRED), found by
 * (tid, cookie). The entries lie in buckets of two or so by hash, in each in
 * the order of (hash, time), so a look-up touches one or two cache lines.
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
	u32 *buckets;			/* first entry of each; one more than there are */
	unsigned int shift;		/* hash >> shift is the bucket */
	u8 *used;			/* by entry: a sample was closed by it */
};

/* deferred_nr - how many ips the record really holds */
static inline u64 deferred_nr(const struct deferred_record *rec)
{
	u64 room = (rec->header.size - sizeof(*rec)) / sizeof(u64);

	return min((u64)rec->nr, room);
}

/**
 * deferred_add() - a record was met
 * @ix: the index; all zeroes is an empty one
 * @tid: whose chain
 * @time: of the record
 * @rec: the record; not copied
 */
void deferred_add(struct deferred_index *ix, u32 tid, u64 time, const struct deferred_record *rec);

/* deferred_seal() - all records are in: make the index */
void deferred_seal(struct deferred_index *ix);

/**
 * deferred_find() - the record that closes a sample
 * @ix: the sealed index
 * @tid: the sample's
 * @cookie: the sample's
 * @time: the sample's
 *
 * Return: the first entry of this tid and cookie at @time or later, or NULL.
 * Context: any thread.
 */
const struct deferred_entry *deferred_find(const struct deferred_index *ix, u32 tid, u64 cookie,
					   u64 time);

/* deferred_use() - a sample was closed by this entry */
static inline void deferred_use(struct deferred_index *ix, const struct deferred_entry *e)
{
	__atomic_store_n(&ix->used[e - ix->entries], 1, __ATOMIC_RELAXED);
}

/* How many entries closed no sample. */
u64 deferred_unused(const struct deferred_index *ix);

void deferred_deinit(struct deferred_index *ix);

#endif /* PERF_SESSION_DEFERRED_H */
