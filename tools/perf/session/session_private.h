/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside the session: what its files share. Pass 1 fills the timeline and the index of deferred
 * callchains (note.c); pass 2 delivers samples (run.c, on several threads team.c); a pipe does
 * both window by window (pipe.c). The order of calls is at the head of session.c.
 */
#ifndef PERF_SESSION_SESSION_PRIVATE_H
#define PERF_SESSION_SESSION_PRIVATE_H

#include "session/deferred.h"
#include "session/offcpu.h"
#include "session/order.h"
#include "session/parallel.h"
#include "session/session.h"
#include "unwind/dwarf_unwind.h"

#define UNWIND_MAX 1024		/* frames of an unwound stack */

/* Where in the stream's time a record stands that has no time of its own. */
struct stream_clock {
	bool has_time;
	u64 last;			/* newest record's time that was met */
};

/* The session as its own files see it. */
struct session_priv {
	struct session s;
	struct session_config cfg;
	u64 bad_build_ids;		/* the first one was reported */
	struct deferred_index deferred;
	struct offcpu_index offcpu;
	struct parallel_index parallel;
	struct dwarf_unwinder *unwinder;	/* NULL: no event dumps stacks */
	u64 *lost_times;			/* of LOST records; sorted once sealed */
	size_t nr_lost, cap_lost;
	u32 nr_build_ids;			/* of the features, given to the dsos */
	u32 last_pid, last_tid;			/* of the sample before, in pass 1 */
	u32 lbr_depth;				/* 0: no event has callchains in its branch stacks */
	bool is_pipe;
	u64 fed;				/* records of session_feed(), and their times */
	struct stream_clock fed_clock;
};

/**
 * stream_time() - at which time of the timeline a kernel's record holds
 * @c: the clock of this walk
 * @events: the recording's
 * @rec: the record
 *
 * Return: its time; where records have none, its number; if only this one has
 * none, the time of the one before.
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

/* So much of a mapped file is in memory at a time. */
#define RESIDENT_BYTES (1U << 20)

/* A record was walked over or delivered. */
static inline void account_bytes(struct reader *r, u64 *bytes, const struct perf_event_header *rec)
{
	*bytes += rec->size;
	if (unlikely(*bytes > RESIDENT_BYTES)) {
		*bytes = 0;
		reader_drop(r);
	}
}

/* note.c */

/* note_init() - prepare for pass 1, before the first record */
void note_init(struct session_priv *sp);

/* note_file() - pass 1 of a file */
void note_file(struct session_priv *sp);

/**
 * note_kernel_record() - pass 1 of one record
 * @sp: the session
 * @rec: the record, one of the kernel's
 * @time: stream_time() of it
 */
void note_kernel_record(struct session_priv *sp, const struct record *rec, u64 time);

/* note_seal() - the end of pass 1, or of a pipe's window; @until: changes of tasks and mappings after this time wait */
void note_seal(struct session_priv *sp, u64 until);

/* chain.c */

/**
 * chain_split() - the spans of a callchain as it stands in a sample
 * @s: the sample
 * @cc: where to; .time is set already
 *
 * A callchain is bad if it holds a value between -4095 and -1 that is no context marker: what
 * stands behind it is of no known address space, and before it as little to be trusted.
 *
 * Return: false: it is bad.
 */
bool chain_split(const struct sample *s, struct callchain *cc);

/* chain_plain - whether ips are addresses alone, without markers */
bool chain_plain(const u64 *ips, u32 nr);

/* chain_append - one more span, if there is room and it isn't empty. Return: whether. */
static inline bool chain_append(struct callchain *cc, const u64 *ips, u32 nr, u8 cpumode, u64 time)
{
	if (!nr || cc->nr_spans == CHAIN_SPANS)
		return false;
	cc->spans[cc->nr_spans++] = (struct chain_span){ ips, nr, cpumode, time };
	return true;
}

/* chain_drop_user - the user half is to be replaced */
static inline void chain_drop_user(struct callchain *cc)
{
	while (cc->nr_spans && cc->spans[cc->nr_spans - 1].cpumode == PERF_RECORD_MISC_USER)
		cc->nr_spans--;
}

/* delivery.c: one who delivers, to one consumer, on one thread */
struct delivery {
	struct session_priv *sp;
	const struct session_ops *ops;
	void *ctx;
	struct deferred_account account;
	u64 *unwound;				/* UNWIND_MAX ips, also of a branch stack */
	struct unknown_thread unknown_thread;	/* the task at hand, if no record introduced it */
	u64 bytes;				/* since memory was last let go */
	const struct filter *filter;		/* NULL: every sample passes */
	bool switched_off;			/* by --switch-off, or not yet on */
	struct hash counts;			/* (id, tid) -> last value of PERF_SAMPLE_READ */
	/* A team's member: records that it could not deliver since the batch began, for the
	 * caller's thread to report.
	 */
	bool in_team;
	const struct order_key *key;		/* the one at hand */
	struct bad_records {
		u64 nr;
		const struct order_key *key;	/* the first one's, where it is, and its reason */
		const struct perf_event_header *rec;
		u64 offset;
		const char *reason;
	} bad;
};

void delivery_init(struct delivery *d, struct session_priv *sp, const struct session_ops *ops,
		   void *ctx);

/**
 * delivery_bad_record() - a record cannot be delivered
 * @d: who
 * @rec: the record
 * @offset: where it is in its file
 * @reason: what is wrong with it
 */
void delivery_bad_record(struct delivery *d, const struct perf_event_header *rec, u64 offset, const char *reason);

/**
 * delivery_visit() - hand a sample to the consumer, with what the filter says of it
 * @d: who
 * @s: the sample
 * @cc: its callchain
 * @t: its thread
 *
 * Return: the consumer's value.
 */
int delivery_visit(struct delivery *d, const struct sample *s, const struct callchain *cc, const struct thread *t);

/* What it counted goes to the session. */
void delivery_finish(struct delivery *d);

/* What is known of the deferred record of a sample. */
enum join_state {
	JOIN_LOOK_UP,			/* it is in the index of the session, if there is one */
	JOIN_PENDING,			/* of a pipe: it may still come */
	JOIN_FOUND,			/* of a pipe: it is @entry */
	JOIN_NONE,			/* of a pipe: there is none */
};

struct join {
	enum join_state state;
	struct deferred_entry entry;
};

/* join.c */

/**
 * join() - append the user half of a deferred sample to its callchain
 * @d: who delivers; the account is kept there
 * @s: the sample
 * @t: its thread
 * @j: where the deferred record is; one that is pending counts as missing
 * @cc: the callchain, split
 *
 * Return: false: the user half is bad, as chain_split() has it.
 */
bool join(struct delivery *d, const struct sample *s, const struct thread *t, const struct join *j,
	  struct callchain *cc);

/* deliver.c */

extern const struct join join_look_up;	/* of every record of a file */

/**
 * deliver() - hand one record to the consumer
 * @d: who
 * @rec: the record
 * @time: of the timeline
 * @j: where the deferred record of a sample is
 *
 * Return: the consumer's value.
 */
int deliver(struct delivery *d, const struct record *rec, u64 time, const struct join *j);

/* Records that are in order, one after the other. Return: as deliver(). */
int deliver_keys(struct delivery *d, const struct order_key *keys, size_t nr);

/* lbr_depth - how many branches the processor of the recording keeps */
u32 lbr_depth(const struct session *s);

/**
 * lbr_chain() - make the user half of a callchain from the sample's branch stack
 * @d: who delivers; the addresses go into its buffer
 * @s: a sample of an event with attr_lbr_chains()
 * @cc: its callchain, split. It stays as it is if the sample has no branches or was taken in a
 *	thread of the kernel
 */
void lbr_chain(struct delivery *d, const struct sample *s, struct callchain *cc);

/* team.c: the same on several threads */
struct team;
struct team *team_create(struct session_priv *sp, const struct session_ops *ops, void **workers,
			 u32 nr, void *ctx);
int team_deliver(struct team *team, const struct order_key *keys, size_t nr);
/* Delivers what is left, unless @ret is an error already, and frees the team. Return: as above. */
int team_finish(struct team *team, int ret);

/* group.c: a sample that carries counts, once for each event that counted anything */
int deliver_read(struct delivery *d, struct sample *s, const struct callchain *cc,
		 const struct thread *t);

/* pipe.c: both passes of a pipe, window by window. */
int session_run_pipe(struct session_priv *sp, const struct session_ops *ops, void *ctx);

#endif /* PERF_SESSION_SESSION_PRIVATE_H */
