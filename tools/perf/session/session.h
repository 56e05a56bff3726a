/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session: a recording read in two passes, for the timeline and the index of deferred records,
 * and then for every record in time order, samples with both halves of their callchain.
 */
#ifndef PERF_SESSION_SESSION_H
#define PERF_SESSION_SESSION_H

#include "event/sample.h"
#include "perfdata/reader.h"
#include "symbol/dso.h"
#include "timeline/frame.h"	/* IWYU pragma: export */
#include "timeline/timeline.h"
#include "unwind/chain_end.h"

/* ips of one address space, innermost first, without context markers. */
struct chain_span {
	const u64 *ips;
	u32 nr;
	u8 cpumode;			/* for frame_resolve(): of the innermost ip */
	u8 caller;			/* of the others: maybe with FRAME_CALLER */
	u8 interrupted;			/* of one behind a signal trampoline */
	u64 time;			/* time at which the ips are resolved */
};

/* Source of the last span of a callchain. */
enum user_half {
	USER_HALF_OWN,			/* the sample's callchain, like all earlier spans */
	USER_HALF_DEFERRED,		/* a deferred record */
	USER_HALF_BRANCHES,		/* the branch stack (--call-graph lbr) */
	USER_HALF_UNWOUND,		/* unwound from a copy of the stack */
};

#define CHAIN_SPANS 8
#define UNWIND_MAX 1024		/* maximum frames of an unwound stack */

/* Spans, innermost first, in the recording or, unwound, in a buffer until the next sample. */
struct callchain {
	/* when the sample's comm and maps are looked up: its time, or record number */
	u64 time;
	struct chain_span spans[CHAIN_SPANS];
	u32 nr_spans;
	enum user_half user_half;
	bool deferred;			/* the sample has a cookie */
	bool joined;			/* the deferred record was found */
	u64 cookie;
	/* why the user half ends, for USER_HALF_BRANCHES and _UNWOUND */
	enum walk_stop stop;
	/* USER_HALF_UNWOUND, if session_ops.wants_sps: the stack pointers of its frames */
	const u64 *sps;
};

/* span_frame - the frame of ip @i; @inner: that of the ip before in the span, or NULL */
static inline struct frame *
span_frame(struct frame_cache *fc, const struct space *sp, const struct chain_span *span, u32 i,
	   const struct frame *inner)
{
	u8 mode = !inner ? span->cpumode : inner->sigreturn ? span->interrupted : span->caller;

	return frame_resolve(fc, sp, span->ips[i], mode, span->time);
}

/* True if the span was unwound from a copied stack: --max-stack counts its frames separately. */
static inline bool span_is_unwound(const struct callchain *cc, u32 i)
{
	return cc->user_half == USER_HALF_UNWOUND && i + 1 == cc->nr_spans;
}

/* Counts of deferred samples by result. */
struct deferred_account {
	u64 deferred;			/* samples with a cookie */
	u64 joined;
	/* no deferred record, and no LOST record until the task's end */
	u64 never_returned;
	/* no deferred record, but a LOST record until the task's end */
	u64 lost;
	u64 unreadable;			/* deferred record with nr 0 */
	u64 bad_chains;			/* all callchains, not only deferred: see chain_split() */
	u64 records;			/* deferred records (type 22) */
	u64 orphan_records;		/* deferred records without a sample */
};

struct session_stats {
	u64 nr_records;
	u64 nr_samples;
	u64 nr_by_type[256];		/* by record type; 255: all others */
	u64 lost_events;		/* sum of LOST.lost */
	u64 lost_records;		/* number of LOST records */
	u64 lost_samples;		/* sum of LOST_SAMPLES.lost and of read_format LOST */
	struct deferred_account deferred;
};

/* session_lost - number of lost samples; of lost records if the recorder did not count samples */
static inline u64 session_lost(const struct session_stats *st)
{
	return st->lost_samples ?: st->lost_events;
}

struct session {
	struct reader *reader;
	struct event_list *events;
	const struct features *features;
	struct dso_table *dsos;
	struct timeline *timeline;
	/* Complete after session_open(), but .deferred: after session_run(), as all of a pipe. */
	struct session_stats stats;
	u64 first_time, last_time;	/* of samples; -1 and 0 if no sample has a time */
	bool has_time;			/* false: sequence numbers are used as times */
	bool recorded_here;		/* on this machine and its running kernel */
	bool foreign_stacks;		/* copied user stacks are of an unsupported architecture */
	bool has_parallelism;		/* samples have .parallelism: session_config.parallelism */
};

/* session_only_counts - the error that perf stat record wrote the file, without samples; or NULL */
struct error *session_only_counts(const struct session *s);

/* session_same_host - true if recorded on a host of this name */
bool session_same_host(const struct session *s);

struct session_config {
	/* "-": stdin; NULL: stdin if it is a pipe, else perf.data */
	const char *input;
	bool force;
	struct symbol_config symbols;
	bool no_merge_callchains;	/* deliver deferred records separately */
	bool no_progress;
	bool unordered;			/* file order, not time order */
	bool all_tasks;			/* tasks without samples are looked up too */
	bool no_unwind;			/* do not unwind copied stacks */
	bool parallelism;		/* count the running threads at each sample */
	bool no_chain_warning;		/* no message about dropped callchains */
	bool as_recorded;		/* off-CPU samples keep their recorded period */
	bool live;			/* the tasks run while their stacks are walked */
	bool store_pipe;		/* read a pipe as a file: reader_open_stored() */
	/* option to decode hardware traces; a recording with traces is refused; NULL: not given */
	const char *traces;
};

/* A sample as passed to a consumer. */
struct visit {
	const struct sample *sample;
	const struct callchain *chain;
	const struct thread *thread;
	/* time, CPU and --switch-on pass session_ops.filter; if false, totals exclude it */
	bool counts;
	/* process, thread, comm and parallelism pass, too; the consumer calls filter_visit() */
	bool passes;
};

struct filter;

/* Callbacks of a consumer, in time order. Each may be NULL. A non-zero return ends the run. */
struct session_ops {
	int (*sample)(void *ctx, const struct visit *v);
	/*
	 * Other kernel records (comm, mmap, fork, lost, deferred if not merged...), and perf's own
	 * in file order. @ev: NULL: no id, or an unknown one. @time: in the timeline
	 */
	int (*record)(void *ctx, const struct record *rec, const struct event *ev, u64 time);
	/*
	 * A sample as recorded, before sample(), which gets one with counts (PERF_SAMPLE_READ) for
	 * each counting event of its group. Filtered ones, too.
	 */
	int (*whole_sample)(void *ctx, const struct visit *v);
	/* set up; NULL: every sample passes. sample() is called for all samples. */
	const struct filter *filter;
	bool all_records;		/* record() also gets deferred records that are merged */
	/* @thread stays valid until session_close(), not only during the callback */
	bool keep_threads;
	bool wants_sps;			/* callchain.sps is set */
	/* Every record as it is read, samples included, before sorting. */
	int (*raw)(void *ctx, const struct record *rec);
	/*
	 * For session_run_team(). @chunk: number, below 2 * SESSION_CHUNKS, of the chunk that a
	 * worker's next samples are in. @gather: @nr chunks from @first are done; workers may run
	 * on others. Non-zero ends the run.
	 */
	void (*chunk)(void *worker, u32 chunk);
	int (*gather)(void *ctx, u32 first, u32 nr);
	/* @settle: as @gather(), before it and before the workers begin other chunks; may be NULL */
	void (*settle)(void *ctx, u32 first, u32 nr);
	u32 chunk_records;		/* records per chunk; 0: 128 */
};

/* session_open - open a recording and, if it is a file, run pass 1. Return: NULL, or an error. */
struct error *session_open(const struct session_config *cfg, struct session **s);

/*
 * session_run - run pass 2; for a pipe both, window by window. Return: 0, the consumer's non-zero
 * value, or -EINTR after ^C. Damage is no error: ->damaged.
 */
int session_run(struct session *s, const struct session_ops *ops, void *ctx);

#define SESSION_CHUNKS 16	/* Maximum number of chunks between two calls of gather(). */

/*
 * session_run_team - run pass 2 of a file whose samples have no counts (PERF_SAMPLE_READ) on @nr
 * threads, without record() and raw(); @workers: contexts of sample() and chunk(), the first this
 * thread's; each gets chunks in ascending order; @ctx: of gather(). Return: as session_run().
 */
int session_run_team(struct session *s, const struct session_ops *ops, void **workers, u32 nr,
		     void *ctx);

#define SESSION_WORKERS 16	/* at most */

/*
 * session_workers - the number of threads for session_run_team(); @jobs: as many, however few the
 * samples; 0: one for each CPU. Return: 1: use session_run()
 */
u32 session_workers(const struct session *s, u32 jobs);

void session_close(struct session *s);

/* session_deferred_chain - the callchain of a checked deferred record; @time: the callback's */
void session_deferred_chain(const struct perf_event_header *rec, u64 time, struct callchain *cc);

#endif /* PERF_SESSION_SESSION_H */
