/* SPDX-License-Identifier: GPL-2.0 */
/* Shared within the folder; session.c tells the order of calls. */
#ifndef PERF_SESSION_SESSION_PRIVATE_H
#define PERF_SESSION_SESSION_PRIVATE_H

#include "base/sort.h"
#include "event/abi.h"
#include "event/event.h"
#include "event/records.h"
#include "session/offcpu.h"
#include "session/session.h"
#include "unwind/dwarf_unwind.h"

/*
 * Sorts records by time. Buffers are in order, and perf copies one after the other before
 * FINISHED_ROUND, so no record is older than the newest of the round before: records of two rounds
 * are held, a few ascending runs to be merged. Equal times keep the file's order.
 */

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

/* order_round - end a round. Return: @nr sorted keys, valid until the next order_add(). */
const struct order_key *order_round(struct order *o, size_t *nr);

/* order_end - end the recording: as order_round(), for all remaining records */
const struct order_key *order_end(struct order *o, size_t *nr);

void order_deinit(struct order *o);

/* order_grow - make room for one key; slow path of order_add() */
void order_grow(struct order *o);

/* order_add - add a record; a zeroed order is empty */
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

/* A change of the number of running threads; after the seal the number. */
struct parallel_mark {
	u64 time;
	s64 running;
};

struct parallel_index {
	struct parallel_mark *marks;	/* sorted by time once sealed */
	size_t nr, cap;
	bool used;			/* the recording has context switch records */
};

/* parallel_init - @ix: zeroed */
void parallel_init(struct parallel_index *ix, const struct event_list *events);

/* parallel_note - add a record in pass 1; @time: its time, in ns */
void parallel_note(struct parallel_index *ix, const struct event_list *events,
		   const struct perf_event_header *rec, u64 time);

/* parallel_seal() - sort and sum up, after the last parallel_note() */
void parallel_seal(struct parallel_index *ix);

/* parallel_at - number of threads that run at @time (ns), at least 1. Context: any thread. */
u32 parallel_at(const struct parallel_index *ix, u64 time);

/* Deferred records by (tid, cookie), in buckets of two: a look-up touches one or two lines. */

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

/* deferred_add - add a record, which is not copied; @ix: zeroed: empty */
void deferred_add(struct deferred_index *ix, u32 tid, u64 time, const struct deferred_record *rec);

/* deferred_seal() - build the index after the last deferred_add() */
void deferred_seal(struct deferred_index *ix);

/*
 * deferred_find - the first entry of a sample's tid and cookie at or after @time, or NULL; @before:
 * the last one before. Context: any thread.
 */
const struct deferred_entry *deferred_find(const struct deferred_index *ix, u32 tid, u64 cookie,
					   u64 time, const struct deferred_entry **before);

/* deferred_use() - mark an entry as joined to a sample */
static inline void deferred_use(struct deferred_index *ix, const struct deferred_entry *e)
{
	__atomic_store_n(&ix->used[e - ix->entries], 1, __ATOMIC_RELAXED);
}

/* Number of entries without a sample. */
u64 deferred_unused(const struct deferred_index *ix);

void deferred_deinit(struct deferred_index *ix);

/* Times for records that have no time of their own. */
struct stream_clock {
	bool has_time;
	u64 last;			/* time of the newest record so far */
};

/* The session's private state. */
struct session_priv {
	struct session s;
	struct session_config cfg;
	/* records with an invalid build-id; the first one was reported */
	u64 bad_build_ids;
	struct deferred_index deferred;
	struct offcpu_index offcpu;
	struct parallel_index parallel;
	struct dwarf_unwinder *unwinder;	/* NULL: no event copies stacks */
	u64 *lost_times;			/* times of LOST records; sorted once sealed */
	size_t nr_lost, cap_lost, sorted_lost;
	u64 lost_from;				/* the lowest time that was added since */
	/* build-ids of the features that were given to dsos */
	u32 nr_build_ids;
	u32 last_pid, last_tid;			/* of the previous sample, in pass 1 */
	u32 lbr_depth;				/* 0: no event uses branch stacks as callchains */
	bool is_pipe;
	u64 fed;				/* number of records of session_feed() */
	struct stream_clock fed_clock;
};

/* stream_time - a record's time, or that of the one before; its number if none has a time */
static inline u64 stream_time(struct stream_clock *c, const struct event_list *events,
			      const struct record *rec)
{
	u64 time;

	if (!c->has_time)
		return rec->seq;
	time = record_time(events, rec->header);
	if (time == (u64)-1)
		return c->last;
	return c->last = time;
}

/* Maximum bytes of a mapped file in memory. */
#define RESIDENT_BYTES (1U << 20)

/* Account for a record that was read or delivered. */
static inline void account_bytes(struct reader *r, u64 *bytes, const struct perf_event_header *rec)
{
	*bytes += rec->size;
	if (unlikely(*bytes > RESIDENT_BYTES)) {
		reader_drop(r, *bytes);
		*bytes = 0;
	}
}

/* note.c */

/* note_init() - initialise pass 1 */
void note_init(struct session_priv *sp);

/* note_file() - run pass 1 of a file */
void note_file(struct session_priv *sp);

/* note_kernel_record - run pass 1 for a record of the kernel; @time: its stream_time() */
void note_kernel_record(struct session_priv *sp, const struct record *rec, u64 time);

/* note_seal() - end pass 1 or a window; @until: later changes of tasks and mappings wait */
void note_seal(struct session_priv *sp, u64 until);

/* chain.c */

/*
 * chain_split - split a sample's callchain into spans. Return: false: a value between -4095 and -1
 * is no context marker, so that the spaces of all ips are in doubt.
 */
bool chain_split(const struct sample *s, struct callchain *cc);

/* chain_callers - mark the return addresses in a complete callchain of a sample of @ev */
void chain_callers(struct callchain *cc, const struct event *ev);

/* chain_append - append a span. Return: false if it is empty or there is no room */
static inline bool chain_append(struct callchain *cc, const u64 *ips, u32 nr, u8 cpumode, u64 time)
{
	if (!nr || cc->nr_spans == CHAIN_SPANS)
		return false;
	cc->spans[cc->nr_spans++] = (struct chain_span){
		.ips = ips, .nr = nr, .time = time,
		.cpumode = cpumode, .caller = cpumode, .interrupted = cpumode,
	};
	return true;
}

/* chain_drop_user - remove the user half, before it is replaced */
static inline void chain_drop_user(struct callchain *cc)
{
	while (cc->nr_spans && cc->spans[cc->nr_spans - 1].cpumode == PERF_RECORD_MISC_USER)
		cc->nr_spans--;
}

/* deliver.c: delivers records to one consumer, on one thread */
struct delivery {
	struct session_priv *sp;
	const struct session_ops *ops;
	void *ctx;
	struct deferred_account account;
	/* UNWIND_MAX ips of a copied stack or a branch stack */
	u64 *unwound;
	u64 *sps;				/* of these; NULL: not wanted */
	struct unknown_thread unknown_thread;	/* current task, if it has no record */
	u64 bytes;				/* since the last reader_drop() */
	const struct filter *filter;		/* NULL: every sample passes */
	/* after the --switch-off event, or before the --switch-on event */
	bool switched_off;
	struct hash counts;			/* (id, tid) -> last value of PERF_SAMPLE_READ */
	/* of a team member or a walker: the caller's thread reports these of the batch */
	bool in_team;
	const struct order_key *key;		/* current key */
	struct bad_records {
		u64 nr;
		const struct order_key *key;	/* key, position and reason of the first one */
		const struct perf_event_header *rec;
		u64 offset;
		const char *reason;
	} bad;
};

void delivery_init(struct delivery *d, struct session_priv *sp, const struct session_ops *ops,
		   void *ctx);

/* Add the counts of the delivery to the session's, and free it. */
void delivery_finish(struct delivery *d);

/* State of a sample's deferred record. */
enum join_state {
	JOIN_LOOK_UP,			/* look it up in the session's index */
	JOIN_PENDING,			/* pipe: it may still be read */
	JOIN_FOUND,			/* pipe: it is @entry */
	JOIN_NONE,			/* pipe: none */
};

struct join {
	enum join_state state;
	struct deferred_entry entry;
};

/* chain.c */

/*
 * join - append the user half of a deferred sample to its callchain, and count that; @j: a pending
 * record counts as missing. Return: as chain_split().
 */
bool join(struct delivery *d, const struct sample *s, const struct thread *t, const struct join *j,
	  struct callchain *cc);

/* lbr_depth - number of branches in the processor's branch stack */
u32 lbr_depth(const struct session *s);

/*
 * lbr_chain - replace the user half of a callchain by the branches of a sample with
 * attr_lbr_chains(), unless it has none or is of a kernel thread
 */
void lbr_chain(struct delivery *d, const struct sample *s, struct callchain *cc);

/* deliver.c */

extern const struct join join_look_up;	/* for the records of a file */

/* deliver - pass a record to the consumer, whose value it returns; @j: of a deferred sample */
int deliver(struct delivery *d, const struct record *rec, u64 time, const struct join *j);

/* Deliver sorted records. Return: as deliver(). */
int deliver_keys(struct delivery *d, const struct order_key *keys, size_t nr);

/* team.c: delivers on several threads */
struct team;
struct team *team_create(struct session_priv *sp, const struct session_ops *ops, void **workers,
			 u32 nr, void *ctx);
int team_deliver(struct team *team, const struct order_key *keys, size_t nr);
/* Deliver the rest, unless @ret is an error, and free the team. Return: as deliver(). */
int team_finish(struct team *team, int ret);

/* pipe.c: both passes of a pipe, window by window. */
int session_run_pipe(struct session_priv *sp, const struct session_ops *ops, void *ctx);

#endif /* PERF_SESSION_SESSION_PRIVATE_H */
