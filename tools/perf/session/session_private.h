/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared within the session's folder. Pass 1 fills the timeline and the index of
 * deferred records (note.c). Pass 2 delivers samples (run.c; on several threads team.c). A pipe
 * runs both window by window (pipe.c). session.c describes the order of calls.
 */
#ifndef PERF_SESSION_SESSION_PRIVATE_H
#define PERF_SESSION_SESSION_PRIVATE_H

#include "session/deferred.h"
#include "session/offcpu.h"
#include "session/order.h"
#include "session/parallel.h"
#include "session/session.h"
#include "unwind/dwarf_unwind.h"

#define UNWIND_MAX 1024		/* maximum frames of an unwound stack */

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
	size_t nr_lost, cap_lost;
	/* build-ids of the features that were given to dsos */
	u32 nr_build_ids;
	u32 last_pid, last_tid;			/* of the previous sample, in pass 1 */
	u32 lbr_depth;				/* 0: no event uses branch stacks as callchains */
	bool is_pipe;
	u64 fed;				/* number of records of session_feed() */
	struct stream_clock fed_clock;
};

/**
 * stream_time() - get the timeline time of a kernel record
 * @c: the clock of this walk
 * @events: events of the recording
 * @rec: the record
 *
 * Return: its time; its number if records have no times; the previous record's time if only this
 * one has none.
 */
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

/**
 * note_kernel_record() - run pass 1 for one record
 * @sp: the session
 * @rec: a record of the kernel
 * @time: its stream_time()
 */
void note_kernel_record(struct session_priv *sp, const struct record *rec, u64 time);

/* note_seal() - end pass 1 or a window; @until: later changes of tasks and mappings wait */
void note_seal(struct session_priv *sp, u64 until);

/* chain.c */

/**
 * chain_split() - split a sample's callchain into spans
 * @s: the sample
 * @cc: destination; .time is already set
 *
 * A callchain is bad if it has a value between -4095 and -1 that is not a context marker. The
 * address space of the ips after it is unknown, and the ips before it are not reliable.
 *
 * Return: false if it is bad.
 */
bool chain_split(const struct sample *s, struct callchain *cc);

/* chain_plain - true if all ips are addresses, none a context marker */
bool chain_plain(const u64 *ips, u32 nr);

/* chain_append - append a span. Return: false if it is empty or there is no room */
static inline bool chain_append(struct callchain *cc, const u64 *ips, u32 nr, u8 cpumode, u64 time)
{
	if (!nr || cc->nr_spans == CHAIN_SPANS)
		return false;
	cc->spans[cc->nr_spans++] = (struct chain_span){ ips, nr, cpumode, time };
	return true;
}

/* chain_drop_user - remove the user half, before it is replaced */
static inline void chain_drop_user(struct callchain *cc)
{
	while (cc->nr_spans && cc->spans[cc->nr_spans - 1].cpumode == PERF_RECORD_MISC_USER)
		cc->nr_spans--;
}

/* delivery.c: delivers records to one consumer, on one thread */
struct delivery {
	struct session_priv *sp;
	const struct session_ops *ops;
	void *ctx;
	struct deferred_account account;
	/* UNWIND_MAX ips of a copied stack or a branch stack */
	u64 *unwound;
	struct unknown_thread unknown_thread;	/* current task, if it has no record */
	u64 bytes;				/* since the last reader_drop() */
	const struct filter *filter;		/* NULL: every sample passes */
	/* after the --switch-off event, or before the --switch-on event */
	bool switched_off;
	struct hash counts;			/* (id, tid) -> last value of PERF_SAMPLE_READ */
	/*
	 * In a team member or a walker: records not delivered since the start of the batch. The
	 * calling thread reports them.
	 */
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

/**
 * delivery_bad_record() - count or report a record that cannot be delivered
 * @d: the delivery
 * @rec: the record
 * @offset: its offset in its file
 * @reason: the error
 */
void delivery_bad_record(struct delivery *d, const struct perf_event_header *rec, u64 offset, const char *reason);

/**
 * delivery_visit() - filter a sample and pass it to the consumer
 * @d: the delivery
 * @s: the sample
 * @cc: its callchain
 * @t: its thread
 *
 * Return: the consumer's value.
 */
int delivery_visit(struct delivery *d, const struct sample *s, const struct callchain *cc, const struct thread *t);

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

/* join.c */

/**
 * join() - append the user half of a deferred sample to its callchain
 * @d: the delivery; its account counts the result
 * @s: the sample
 * @t: its thread
 * @j: state of the deferred record; a pending one counts as missing
 * @cc: the split callchain
 *
 * Return: false if the user half is bad: see chain_split().
 */
bool join(struct delivery *d, const struct sample *s, const struct thread *t, const struct join *j,
	  struct callchain *cc);

/* deliver.c */

extern const struct join join_look_up;	/* for the records of a file */

/**
 * deliver() - pass one record to the consumer
 * @d: the delivery
 * @rec: the record
 * @time: its time in the timeline
 * @j: state of a sample's deferred record
 *
 * Return: the consumer's value.
 */
int deliver(struct delivery *d, const struct record *rec, u64 time, const struct join *j);

/* Deliver sorted records. Return: as deliver(). */
int deliver_keys(struct delivery *d, const struct order_key *keys, size_t nr);

/* lbr_depth - number of branches in the processor's branch stack */
u32 lbr_depth(const struct session *s);

/**
 * lbr_chain() - make the user half of a callchain from the sample's branch stack
 * @d: the delivery; the addresses go into its buffer
 * @s: a sample of an event with attr_lbr_chains()
 * @cc: its split callchain; unchanged if the sample has no branches or is of a kernel thread
 */
void lbr_chain(struct delivery *d, const struct sample *s, struct callchain *cc);

/* team.c: delivers on several threads */
struct team;
struct team *team_create(struct session_priv *sp, const struct session_ops *ops, void **workers,
			 u32 nr, void *ctx);
int team_deliver(struct team *team, const struct order_key *keys, size_t nr);
/*
 * Deliver the remaining records, unless @ret is an error, and free the team. Return: as deliver().
 */
int team_finish(struct team *team, int ret);

/* group.c: delivers a sample with counts once for each event that counted */
int deliver_read(struct delivery *d, struct sample *s, const struct callchain *cc,
		 const struct thread *t);

/* pipe.c: both passes of a pipe, window by window. */
int session_run_pipe(struct session_priv *sp, const struct session_ops *ops, void *ctx);

#endif /* PERF_SESSION_SESSION_PRIVATE_H */
