/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms of the samples of a session.
 *
 * A command creates an environment from its options (hist_env_create()) and a histogram for
 * each event (hists_create()), passes every sample to hists_collect() and calls hists_finish().
 * Then it reads the histograms by the functions under "Cursors": rows in the order of
 * hists_sort(), columns of a row, steps of a call graph, spans of sorted
 * stacks. The other structs are in hist/hist_private.h.
 */
#ifndef PERF_HIST_HIST_H
#define PERF_HIST_HIST_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/outbuf.h"
#include "base/types.h"
#include "event/value_text.h"
#include "hist/config.h"

struct event;
struct hist_env;
struct sort_key;

/* Columns of numbers. */
enum overhead_kind {
	OV_CHILDREN, OV_LATENCY_CHILDREN, OV_SELF, OV_LATENCY, OV_SYS, OV_US, OV_GUEST_SYS,
	OV_GUEST_US, OV_SAMPLES, OV_PERIOD,
	OV_MAX,
};

struct overhead_def {
	const char *name, *header;
	u8 width;
	bool percent;
};
extern const struct overhead_def overhead_defs[OV_MAX];

/* One column of the output. */
struct hist_column {
	const struct sort_key *key;	/* NULL: a number, see overhead */
	enum overhead_kind overhead;
	bool hidden;			/* sorted by, but not shown */
	bool ordered;			/* in the sort order */
	bool unasked;			/* a latency: shown if it differs from the overhead */
	u32 width;			/* set and used by the renderer */
	/* How the values of a key are shown */
	const char *name, *header;
	bool right;			/* right-aligned */
	bool ragged;			/* not padded when it is the last column */
	bool fixed;			/* as wide as its header whatever the content */
	bool cut;			/* longer text is cut */
	bool is_name;			/* text, not a number: may be made narrower (-w) */
	u8 min_width;
	const struct event *event;	/* the tracepoint whose field it is; NULL: none */
};

struct hist_columns {
	struct hist_column *cols;	/* in the order of the output */
	u32 nr, cap;
	/* The sort order of rows, most significant first: indices into cols. */
	u32 *order;
	u32 nr_order, cap_order;
	bool self;			/* children are shown: the header is "Self" */
};

/* The requested columns. */
struct hist_column_opt {
	const char *sort;		/* argument of -s; NULL: the default; "+key" adds to it */
	const char *fields;		/* argument of -F; NULL: none */
	bool sys_us, nr_samples, period;	/* columns with an option of their own */
	bool latency;			/* latency columns first, rows sorted by them */
	bool parent;			/* -p: without it in -s, the last key is parent */
};

void hist_columns_deinit(struct hist_columns *cols);

/* hist_key_names - append the names of all keys, with blanks between them */
void hist_key_names(struct outbuf *o);

/* hist_columns_hide_latency - hide latency columns that were not requested (no parallelism) */
void hist_columns_hide_latency(struct hist_columns *cols);

/* hist_columns_hide - hide a key's column, as a filter leaves one value; false: there is none */
bool hist_columns_hide(struct hist_columns *cols, const char *name);

/* hist_columns_keep_keys - show all keys again if every one is hidden */
void hist_columns_keep_keys(struct hist_columns *cols);

struct dso;
struct error;
struct hist_row;
struct session;
struct visit;

/* Sums over samples, stacks or rows. */
struct hist_sums {
	u64 period, latency, nr;
};

/* (scope, frame key) -> row */
struct hist_row_index {
	struct hash all;
	struct {
		u32 scope, row;
	} *last;		/* by frame key: last scope looked up + 1, its row */
	u32 cap;
};

/* A histogram. Other folders read sums and numbers of it after hists_finish(). */
struct hists {
	struct hist_env *env;
	const struct event *event;
	u32 *pool;			/* stacks: the scope, then the labels */
	struct branch_tally *tallies;	/* with branch_history: parallel to @pool */
	size_t nr_pool, cap_pool;
	struct hist_record *records;
	u32 nr_records, cap_records;	/* also the number of @stacks */
	u32 *record_slots;
	u32 record_mask;
	struct hist_sums total, filtered;	/* of all samples, of those that pass the filters */
	struct branch_counts branches;	/* of a histogram of branches, unfiltered */

	/* From hists_finish() on; without call graphs, from the first sample on */
	struct hist_row *rows;		/* in the order in which they were made */
	u32 nr_rows, cap_rows;
	struct hist_row_index by_key;
	struct hist_row **sorted;	/* hists_sort(): the rows that pass the filters */
	u32 nr_sorted;
	u32 sort_member;		/* hists_sort(): the group member that is compared first */
	struct stack *stacks;		/* sorted, one a record */
	u64 *sum;			/* period of all stacks before this one */
	u64 *latency;			/* latency of all stacks before this one */
	u64 *count;			/* samples of all stacks before this one */
	u32 *own;			/* indices of stacks, ascending, by row */
	struct hist_place *places;
	struct step_branches *row_branches;	/* by row, if a column shows them */
	u32 nr_row_branches;
};

/**
 * hist_env_create() - create the shared data of the histograms of all events
 * @cfg: copied
 * @s: must live longer
 * @cols: set to the requested columns; hist_columns_deinit() them, also after an error
 *
 * Return: NULL, or an error that lists the available keys.
 */
struct error *hist_env_create(const struct hist_config *cfg, struct session *s,
			      const struct hist_column_opt *opt, struct hist_columns *cols,
			      struct hist_env **env);
void hist_env_destroy(struct hist_env *env);

/* hist_env_is_called - has every known function that passes the filters exactly this name? */
bool hist_env_is_called(const struct hist_env *env, const char *name);

/* hist_env_one_thread - true if a key needs libtraceevent, which is not thread-safe */
bool hist_env_one_thread(const struct hist_env *env);

struct hists *hists_create(struct hist_env *env, const struct event *event);
void hists_destroy(struct hists *h);

/*
 * hists_collect - count a sample, also in the event's total if it does not pass the filter. In
 * branch mode, as in mainline, each entry of its branch stack counts as a sample of period 1; only
 * the time of its callchain is used.
 */
void hists_collect(struct hists *h, const struct visit *v);

/* hists_finish - make the rows */
void hists_finish(struct hists *h);

/*
 * hists_decay - multiply all sums by @num / @den, at most 1; finished or not. Stacks and rows
 * without samples are removed. hists_finish() makes the rows again, maybe after more samples.
 */
void hists_decay(struct hists *h, u32 num, u32 den);

/*
 * hists_link - --group: link every row to its counterparts in the other members; @members: the
 * group's histograms, the leader first. The leader gets a row for every row of any member.
 */
void hists_link(struct hists **members, u32 nr);

/*
 * hists_sort - sort the rows of a histogram, the leader's of a group of @nr_members; @sort_member:
 * the one that is compared first
 */
void hists_sort(struct hists *h, const struct hist_columns *cols, u32 nr_members, u32 sort_member);

/*
 * hists_sort_member - the group member whose numbers are compared as the @i-th: the one that
 * hists_sort() was given, then, as in mainline, all but the leader
 */
u32 hists_sort_member(const struct hists *h, u32 i);

/*
 * Workers. Each has its own environment, a part of the main one, and counts chunks of samples
 * into its histograms. Chunks are merged in the order of their samples; marks give the size of
 * the worker's environment at the end of a chunk.
 */
struct hist_marks {
	u32 syms, frames, steps, labels, scopes;	/* numbers below these */
};

/*
 * hist_env_create_part - an environment for a worker; @main: the main environment. Workers look up
 * strings in it at the same time; nothing else may use it while they run.
 */
struct hist_env *hist_env_create_part(struct hist_env *main);
struct hist_marks hist_env_marks(const struct hist_env *env);

/* hist_env_merge - add the new objects of a worker, up to these numbers */
void hist_env_merge(struct hist_env *main, struct hist_env *part, const struct hist_marks *upto);

/* hist_env_merge_end - free the merge state of a part, after its last merge */
void hist_env_merge_end(struct hist_env *main, struct hist_env *part);

/*
 * hists_merge - add the counts of a worker, whose objects have been merged; @part: of samples that
 * follow those in @h; not finished; empty afterwards. Context: one thread; the workers may count
 * into other histograms.
 */
void hists_merge(struct hists *h, struct hists *part);

/* Cursors: reading a finished histogram. */

const struct hist_config *hists_config(const struct hists *h);

/* hists_set_full_names - set hist_config.full_names, for all events */
void hists_set_full_names(struct hists *h, bool full);

/* The session's data in a title. */
struct hist_origin {
	const char *hostname;		/* NULL: unknown */
	double seconds;			/* from the first to the last record; 0: unknown */
	u64 deferred, joined;		/* samples with a cookie; joined samples among them */
};
struct hist_origin hists_origin(const struct hists *h);

/* The meaning of an event's periods. */
enum hist_time { HIST_NO_TIME, HIST_ON_CPU, HIST_OFF_CPU };

/* hists_time - are the periods nanoseconds on or off the CPU? */
enum hist_time hists_time(const struct hists *h);

const char *hists_event_name(const struct hists *h);

/* hists_total - the period that is 100 % */
u64 hists_total(const struct hists *h);

/* hists_column_total - the sum that is 100 % in a column */
u64 hists_column_total(const struct hists *h, enum overhead_kind k);

/* hists_any_row - is there a row after filtering? after hists_finish() */
bool hists_any_row(const struct hists *h);

/* hists_row_at - a row, in the order of hists_sort(): there are @h->nr_sorted */
const struct hist_row *hists_row_at(const struct hists *h, u32 i);

/* hists_prefetch - prefetch a row during a walk over all rows; @i may exceed the number of rows */
void hists_prefetch(const struct hists *h, u32 i);

/* hist_row_number - a number of a row in a member of the group (0 without a group) */
u64 hist_row_number(const struct hist_row *row, u32 member, enum overhead_kind k);

/* hist_row_text - append the text of a row in a key's column to @o */
void hist_row_text(const struct hists *h, const struct hist_row *row,
		   const struct hist_column *col, struct outbuf *o);

/* hist_row_extent - the width of a row in a column; @o: scratch, overwritten */
u32 hist_row_extent(const struct hists *h, const struct hist_row *row,
		    const struct hist_column *col, struct outbuf *o);

/* Is a row's frame in a kernel; in vmlinux? Only keys of frames distinguish such rows. */
bool hist_row_kernel(const struct hists *h, const struct hist_row *row);
bool hist_row_vmlinux(const struct hists *h, const struct hist_row *row);

/* hist_row_nameless - does the row's first frame have no symbol? */
bool hist_row_nameless(const struct hists *h, const struct hist_row *row);

/* hist_row_value - a value of a key's column, to be compared for equality only */
u64 hist_row_value(const struct hists *h, const struct hist_row *row,
		   const struct hist_column *col);

/* hist_row_cmp - the order of two rows by a key's column */
int hist_row_cmp(const struct hists *h, const struct hist_row *a, const struct hist_row *b,
		 const struct hist_column *col);

/* A step of a stack, as a call graph shows it. */
struct hist_step {
	const char *name;		/* of the symbol; NULL: unknown */
	const char *file;		/* short name of the file; NULL: unknown */
	const char *srcline;		/* with CHAIN_KEY_SRCLINE or _ADDRESS; may be NULL */
	u64 address;			/* shown without symbol */
	u64 offset;			/* with CHAIN_KEY_ADDRESS: after the symbol's start */
	bool kernel;			/* of the kernel, or of a guest's */
	bool jit;			/* JIT code, or a Python function */
	bool inlined;
	bool cookie;			/* in place of a missing user half */
	bool calltrace;			/* a caller in a stack that begins with branches */
};

/*
 * Branch statistics of a step that is a source or target of branches (branch_history). It is
 * counted once for each sample that has it at that depth.
 */
struct step_branches {
	u64 targets, predicted, aborts;	/* of targets */
	u64 sources, cycles;		/* of sources */
	u64 passes, pass_cycles;	/* folded passes of loops before a source */
};

/* hist_step - the step of a label (a number below hists_nr_labels()) */
struct hist_step hist_step(const struct hists *h, u32 label);
u32 hists_nr_labels(const struct hists *h);

/*
 * Stacks, sorted by scope (the keys of the sample) and then by their steps, so that stacks with a
 * common beginning are adjacent: a span of them is a node of a tree.
 */
u32 hist_stack_scope(const struct hists *h, u32 stack);
u32 hist_stack_len(const struct hists *h, u32 stack);
u32 hist_stack_label(const struct hists *h, u32 stack, u32 depth);

/*
 * hist_span_end - the first stack after @from, at most @end, with another step at @depth; those
 * before it have equal steps up to @depth
 */
u32 hist_span_end(const struct hists *h, u32 from, u32 end, u32 depth);

static inline u64 hist_span_period(const struct hists *h, u32 from, u32 to)
{
	return h->sum[to] - h->sum[from];
}

static inline u64 hist_span_samples(const struct hists *h, u32 from, u32 to)
{
	return h->count[to] - h->count[from];
}

/* hist_scope_text - the keys of a stack's scope, appended to @o with blanks between them */
void hist_scope_text(const struct hists *h, u32 stack, struct outbuf *o);

/* hists_string - intern a string: equal strings have equal pointers. Context: one thread. */
const char *hists_string(struct hists *h, const char *s);

/* Statistics of a file, for tips. */
struct hist_file {
	struct dso *dso;
	u64 samples;
	u64 unnamed;		/* samples in functions without a symbol, if rows show symbols */
};

/*
 * hists_files - the files of finished histograms of one environment; @files: set to an array to
 * free(); @samples: set to the number of all samples in rows. Return: the number of files.
 */
u32 hists_files(struct hists **hists, u32 nr, struct hist_file **files, u64 *samples);

/* A node of a call graph: a run of steps without a fork. */
struct chain_node {
	u32 *labels;		/* one per step: hist_step() */
	u32 nr_labels, cap_labels;
	struct step_branches *branches;	/* one per step; NULL without branch_history */
	u64 hits;		/* period of the stacks that end in this run */
	u64 total;		/* period of all stacks that contain this run */
	u64 count_hits, count;	/* the same sums in samples */
	struct chain_node *child;	/* largest first; only children over the threshold */
	struct chain_node *next;
	u64 children_total;	/* of all children, shown or not */
	u64 children_count;	/* the same sums in samples */
};

/**
 * hist_callgraph() - the call graph of a row
 * @min_percent: nodes with a smaller sum are omitted: a percentage of the parent's sum with
 *		 CHAIN_FRACTAL, else of the total
 * @arena: the nodes are allocated here
 *
 * Context: may run for several rows concurrently, each with its own arena.
 * Return: the root (without steps), or NULL if the row has no stacks.
 */
struct chain_node *hist_callgraph(const struct hists *h, const struct hist_row *row,
				  double min_percent, struct arena *arena);

#define SHORT_NAME_MAX 60	/* bytes; longer names are shortened */

/**
 * short_name_put() - append a function's name as a column shows it
 * @name: the demangled name
 * @full: as it is, even if it is long
 *
 * Of a long name, arguments of templates and functions are "...", and so is the folder of a Go
 * package: "std::vector<...>::push_back", ".../tsdb.(*Head).Append". A type that a name of Rust
 * begins with remains: "<core::iter::Map<...> as Iterator>::next".
 */
void short_name_put(struct outbuf *o, const char *name, bool full);

#endif /* PERF_HIST_HIST_H */
