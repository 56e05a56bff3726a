/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session: a recording read in two passes. The first walks the records and
 * builds the timeline and the table of deferred callchains by (tid, cookie);
 * the second delivers every record in the order of time, samples with both
 * halves of their callchain.
 */
#ifndef PERF_SESSION_SESSION_H
#define PERF_SESSION_SESSION_H

#include "event/sample.h"
#include "perfdata/reader.h"
#include "symbol/dso.h"
#include "timeline/frame.h"	/* IWYU pragma: export */
#include "timeline/timeline.h"
#include "unwind/chain_end.h"

/* A run of ips in one address space, innermost first, without context markers. */
struct chain_span {
	const u64 *ips;
	u32 nr;
	u8 cpumode;
	u64 time;			/* at which the ips are to be resolved */
};

/* Where the last span of a callchain comes from. */
enum user_half {
	USER_HALF_OWN,			/* the sample's callchain, as all spans before it */
	USER_HALF_DEFERRED,		/* a deferred record */
	USER_HALF_BRANCHES,		/* the branch stack (--call-graph lbr) */
	USER_HALF_UNWOUND,		/* unwound from a copy of the stack */
};

#define CHAIN_SPANS 8
/* A callchain: spans, innermost first. Points into the recording (or, for unwound
 * stacks, into a buffer that lives until the next sample).
 */
struct callchain {
	/* At which the sample's comm and maps are looked up: its time; its number
	 * in the recording when samples have no times.
	 */
	u64 time;
	struct chain_span spans[CHAIN_SPANS];
	u32 nr_spans;
	enum user_half user_half;
	bool deferred;			/* the sample has a cookie */
	bool joined;			/* the deferred record with this cookie was found */
	u64 cookie;
	enum walk_stop stop;		/* why the user half ends: of USER_HALF_BRANCHES and _UNWOUND */
};

/* Was this span unwound from a copy of the stack? --max-stack counts its frames by themselves. */
static inline bool span_is_unwound(const struct callchain *cc, u32 i)
{
	return cc->user_half == USER_HALF_UNWOUND && i + 1 == cc->nr_spans;
}

/* Why deferred samples were or were not joined. */
struct deferred_account {
	u64 deferred;			/* samples with a cookie */
	u64 joined;
	u64 never_returned;		/* no record, and no LOST between */
	u64 lost;			/* no record, but LOST in that span */
	u64 unreadable;			/* record with nr 0 */
	u64 bad_chains;			/* deferred or not: see chain_split() */
	u64 records;			/* records of type 22 */
	u64 orphan_records;		/* records whose cookie no sample has */
};

struct session_stats {
	u64 nr_records;
	u64 nr_samples;
	u64 nr_by_type[256];		/* by record type, 255: others */
	u64 lost_events;		/* sum of LOST.lost */
	u64 lost_records;		/* number of LOST records */
	u64 lost_samples;		/* sum of LOST_SAMPLES.lost and of read_format LOST */
	struct deferred_account deferred;
};

struct session {
	struct reader *reader;
	struct event_list *events;
	const struct features *features;
	struct dso_table *dsos;
	struct timeline *timeline;
	/* Whole after session_open() but for .deferred, which session_run() counts; for a pipe
	 * all of it is whole at the end.
	 */
	struct session_stats stats;
	u64 first_time, last_time;	/* of samples; -1 and 0 when none had a time */
	bool has_time;			/* false: sequence numbers stand for times */
	bool recorded_here;		/* on this machine, and the kernel that it runs */
	bool foreign_stacks;		/* copies of user stacks are of an architecture that is not walked */
	bool has_parallelism;		/* samples have theirs: session_config.parallelism */
};

/* session_same_host - was it recorded on a host of this name? */
bool session_same_host(const struct session *s);

struct session_config {
	const char *input;		/* "-": stdin; NULL: that if it is a pipe, else perf.data */
	bool force;
	struct symbol_config symbols;
	bool no_merge_callchains;	/* records 22 are delivered by themselves */
	bool no_progress;
	bool unordered;			/* as they stand, not in the order of time */
	bool all_tasks;			/* tasks without samples will be looked up, too */
	bool no_unwind;			/* stack dumps are not unwound */
	bool parallelism;		/* find how many threads ran at each sample */
	bool no_chain_warning;		/* no line about callchains that are left out */
	bool as_recorded;		/* off-CPU samples keep the period that they were recorded with */
	bool store_pipe;		/* a pipe is read as a file: reader_open_stored() */
	const char *traces;		/* option that says how to decode hardware traces: a recording that
					 * has some is refused, as no part of this perf decodes them; NULL: not given
					 */
};

/* A sample as a consumer gets it. */
struct visit {
	const struct sample *sample;
	const struct callchain *chain;
	const struct thread *thread;
	bool counts;			/* its time, its CPU and --switch-on pass session_ops.filter; if
					 * not, it is no part of totals either
					 */
	bool passes;			/* it counts, and its process, thread, name and parallelism pass. A
					 * filter of files and functions is the consumer's: filter_visit()
					 */
};

struct filter;

/* What a consumer gets, in time order. Each may be NULL. Non-zero ends the run. */
struct session_ops {
	int (*sample)(void *ctx, const struct visit *v);
	/* Every other kernel record (comm, mmap, fork, exit, lost, switch, 22 when not merged...)
	 * and perf's own records, these in the place where they stand. @ev: NULL when the
	 * record's id is unknown or it has none. @time: for the timeline, as callchain.time.
	 */
	int (*record)(void *ctx, const struct record *rec, const struct event *ev, u64 time);
	/* A sample as it was recorded, before sample() gets it: one that carries counts
	 * (PERF_SAMPLE_READ) comes there once for each event of its group that counted. All of them pass.
	 */
	int (*whole_sample)(void *ctx, const struct visit *v);
	const struct filter *filter;	/* set up; NULL: every sample passes. It keeps no sample from sample() */
	bool all_records;		/* records 22 go to record() though they are merged */
	/* @thread lives as long as the session, not only until the callback returns */
	bool keep_threads;
	/* Every record as it is read, samples too, before it is put in order. */
	int (*raw)(void *ctx, const struct record *rec);
	/* session_run_team() alone. @chunk: what this worker gets next belongs to the chunk
	 * with this number. @gather: @nr chunks from @first on are done; no worker runs meanwhile, and
	 * @first is 0, but with .gather_beside, when workers are at work on other chunks: numbers below
	 * 2 * SESSION_CHUNKS. Non-zero ends the run.
	 */
	void (*chunk)(void *worker, u32 chunk);
	int (*gather)(void *ctx, u32 first, u32 nr);
	bool gather_beside;
	u32 chunk_records;		/* in a chunk; 0: 128 */
};

/**
 * session_open() - open a recording and, if it is a file, do the first pass
 * @cfg: how
 * @s: where the session goes
 *
 * Return: NULL, or why not.
 */
struct error *session_open(const struct session_config *cfg, struct session **s);

/**
 * session_run() - the second pass
 * @s: the session
 * @ops: consumer
 * @ctx: handed to it
 *
 * For a pipe both passes run window by window.
 * Return: 0, the consumer's non-zero value, or -EINTR after ^C (what was delivered stands).
 * Damage in the file does not stop it: reader_damaged() is true then.
 */
int session_run(struct session *s, const struct session_ops *ops, void *ctx);

#define SESSION_CHUNKS 16	/* at most so many between two calls of gather() */

/**
 * session_run_team() - the second pass on several threads
 * @s: the session of a file, whose samples carry no counts (PERF_SAMPLE_READ)
 * @ops: consumer; sample(), chunk() and gather() are called, record() and raw() are not
 * @workers: what sample() and chunk() get, one for each thread; the first is the caller's
 * @nr: how many
 * @ctx: what gather() gets
 *
 * The samples of a chunk come in order, to one worker; chunks are consecutive.
 * Return: as session_run().
 */
int session_run_team(struct session *s, const struct session_ops *ops, void **workers, u32 nr,
		     void *ctx);

/* Whether session_run_team() can be used. */
bool session_team_possible(const struct session *s);

void session_close(struct session *s);

/**
 * session_deferred_chain() - the callchain of a record 22, to show it by itself
 * @rec: PERF_RECORD_CALLCHAIN_DEFERRED, checked by the session
 * @time: of the record, as the callback got it
 * @cc: where to
 */
void session_deferred_chain(const struct perf_event_header *rec, u64 time, struct callchain *cc);

#endif /* PERF_SESSION_SESSION_H */
