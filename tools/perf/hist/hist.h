/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms. Samples that agree in everything that the sort keys and the call
 * graph tell apart are one record from the start: their stack and the place of the
 * sample itself. Entries (the rows of a report), their
 * children's sums and their call graphs are worked out of the records
 * afterwards, so a sample costs no more than finding its record.
 *
 * Every row's key has two halves: what belongs to the sample (its "scope": comm,
 * pid, cpu, time...) and what belongs to a frame (dso, symbol, source line...).
 * A caller's row has its sample's scope and its own frame.
 */
#ifndef PERF_HIST_HIST_H
#define PERF_HIST_HIST_H

#include <pthread.h>

#include "base/arena.h"
#include "base/outbuf.h"
#include "event/sample.h"
#include "hist/chain_opt.h"
#include "hist/stacks.h"
#include "hist/tuple.h"
#include "session/filter.h"
#include "session/session.h"

struct sort_key;
struct hist_entry;

/* An address without a symbol, by its place in the file: programs are mapped anywhere. */
struct hist_address {
	u64 ip;			/* virtual, of the first one ... */
	u64 addr;		/* ... and in the file */
	bool varies;		/* mapped at different places: the file's address is shown */
};

/* One step of a callchain as call graphs know it. */
struct hist_label {
	u32 step;		/* equal for steps that a call graph does not tell apart */
	u32 fkey;		/* frame half of the row's key */
	const struct dso *dso;	/* NULL: unknown, as sym and map */
	const struct symbol *sym;
	const struct map *map;
	const char *srcline;	/* with CHAIN_KEY_SRCLINE or _ADDRESS; may be NULL */
	u32 sym_nr;		/* in hist_env's syms */
	u64 ip;			/* of the first one */
	u64 order;		/* equal sums are shown by descending order */
	u8 level;		/* cpumode */
	u32 user_chains, single_chains;	/* taken here in user mode: all, and of one frame */
	bool inlined;
	bool at_address;	/* filter_address() */
	bool passes;		/* the filters of files and symbols */
	bool cookie;		/* stands for the user half that never came */
};

/* A branch that a sample tells of: one entry of its branch stack. */
struct hist_branch {
	const struct frame *from, *to;
	u64 flags;		/* of struct perf_branch_entry: BRANCH_* and branch_cycles() */
};

/* A place in a sample, for the sort keys to take their value from. */
struct hist_point {
	const struct sample *sample;
	const struct thread *thread;
	const char *comm;
	const char *parent;			/* name matched by --parent, or NULL */
	const struct frame *frame;
	const struct inline_frame *inl;		/* NULL: the frame itself */
	const struct hist_branch *branch;	/* branch mode: @frame is its target; else NULL */
};

struct hist_config {
	struct chain_opt chain;
	bool branches;			/* rows are of branches, not of samples; no chains */
	bool children;
	bool use_chains;		/* build call graphs */
	bool relative;			/* percentages of what the filters leave */
	bool full_srcline;
	bool raw_trace;
	bool time_ns;
	u64 time_quantum;
	u32 max_stack;
	void *parent_regex;		/* regex_t *; NULL: none */
	void *ignore_callees;		/* regex_t *; NULL: none */
	const struct filter *filter;	/* NULL: none */
	const char *symbol_filter;	/* part of a symbol's name; NULL: none */
	bool inlines;
	bool one_cookie;		/* all missing user halves look the same */
	bool hide_unresolved;
	bool exclude_other;		/* drop samples without a --parent */
	bool kernel_only, user_only;	/* sides of the stack to look at */
};

/* Do rows, or samples, pass by their file and symbol? */
static inline bool hist_filters_places(const struct hist_config *c)
{
	return c->hide_unresolved || c->symbol_filter ||
	       (c->filter && filter_wants_place(c->filter));
}

/* An ip seen before, whose frame is one label: most are. */
struct hist_seen {
	u64 ip, from, span;	/* when: from .. from + span - 1 */
	u32 space, label;
	u8 level;		/* cpumode; 0: the slot is free, or of an ip without one */
};
#define HIST_SEEN 2048

/* What the scope of a task's samples was the last time. */
struct hist_task {
	const char *comm;
	u32 scope;
};

struct hist_env {
	struct hist_config cfg;
	struct session *session;
	struct frame_cache *frames_cache;
	struct sort_key **keys;		/* sort keys in the order given */
	u32 nr_keys;
	u32 nr_scope_keys, nr_frame_keys;
	struct tuple_table scopes, frames;	/* the two halves of keys */
	struct tuple_table steps;	/* what call graphs tell apart */
	struct tuple_table label_ids;	/* (step, fkey) */
	struct tuple_table syms;	/* (symbol, or its dso's number and the address in it) */
	struct hist_address *addresses;	/* by number in syms: how to show those without a symbol */
	u32 cap_addresses;
	struct hist_label *labels;	/* by label number */
	u32 nr_labels, cap_labels;
	u8 *fkey_passes;		/* by frame key: one of its labels passes the filters */
	const struct dso **fkey_dso;	/* by frame key: the file of its first label */
	u32 cap_fkey;
	struct hist_env *main;		/* whose part this is; NULL: nobody's */
	pthread_mutex_t lock;		/* of strings, for the parts */
	struct hash strings;		/* interned by hist_string() */
	struct arena arena;
	u32 *chain;			/* scratch: the labels of one sample */
	u32 chain_cap;
	struct hist_seen *seen;		/* HIST_SEEN of them, by hash */
	bool scope_of_task;		/* all scope keys are of the task and its name */
	struct hist_task *tasks;	/* by thread's id */
	u32 cap_tasks;
};

/* When a sample was told: a stitched one when its user half came, in the order of mainline. */
struct hist_rank {
	u64 told, taken;
};

static inline bool rank_before(struct hist_rank a, struct hist_rank b)
{
	return a.told != b.told ? a.told < b.told : a.taken < b.taken;
}

/* Samples that nothing tells apart. */
struct hist_record {
	u64 at;			/* its stack: see struct stack */
	u32 len;
	u32 hash;
	u32 fkey;		/* frame half of the sample's own row */
	u32 scope;
	u64 nr;
	u64 period;
	struct hist_rank first;	/* of them */
	const struct thread *thread;	/* of the first */
	u8 level;		/* cpumode of the samples */
};

/* A row. */
struct hist_entry {
	u32 scope, fkey;
	u8 level;		/* of the first sample that made the row */
	bool by_sample;		/* made by a sample of its own, not by a callee's */
	bool filtered;
	u32 max_depth;		/* of its stacks; 0: none */
	u64 nr;			/* samples of its own */
	u64 period, period_children;
	u64 us, sys, guest_us, guest_sys;
	u32 seen;		/* hists_add_row(): in the sample with this number */
	struct hist_rank first;
	const struct thread *thread;	/* of the first sample */
	u32 own, nr_own;	/* its records: a part of hists.own */
	u32 place, nr_places;	/* where it is a caller: a part of hists.places */
	struct hist_entry **pairs;	/* --group: the same row of the other members */
	struct hist_entry *leader;	/* --group: filled in only for other members */
};

/* Stacks that are alike up to the step at which they go through a row for the first time. */
struct hist_place {
	u32 from, to, depth;
};

/* (scope, frame key) -> row */
struct hist_rows {
	struct hash all;
	u32 *scope, *row;	/* by frame key: the last scope + 1 looked for with it, its row */
	u32 cap;
};

struct hists {
	struct hist_env *env;
	const struct event *event;
	u32 *pool;			/* stacks: the scope, then the labels */
	size_t nr_pool, cap_pool;
	struct hist_record *records;
	u32 nr_records, cap_records;
	u32 *record_slots;
	u32 record_mask;
	u64 total_period, nr_samples;
	/* What the filters leave. */
	u64 filtered_period, filtered_samples;

	/* From hists_finish() on; without call graphs, from the first sample on */
	struct hist_entry *entries;
	u32 nr_entries, cap_entries;
	struct hist_rows by_key;
	struct hist_entry **rows;	/* sorted; only those to be shown */
	u32 nr_rows;
	struct stack *stacks;		/* sorted, one a record */
	u64 *sum;			/* period of all stacks before this one */
	u64 *count;			/* samples likewise */
	u32 *own;			/* indices of stacks, ascending, by row */
	struct hist_place *places;
};

/**
 * hist_env_init() - what the histograms of all events share
 * @env: the environment; cfg, session, frames_cache and keys are the caller's
 */
void hist_env_init(struct hist_env *env);
void hist_env_deinit(struct hist_env *env);

/**
 * hist_env_init_part() - an environment for a worker
 * @env: the part
 * @main: whose; initialized. It may be asked for strings by several workers at once, and
 *	  for nothing else while they run.
 */
void hist_env_init_part(struct hist_env *env, struct hist_env *main);

/**
 * hist_string() - intern a string
 * @env: the environment
 * @s: the string
 *
 * Return: a copy; equal strings have equal pointers.
 */
const char *hist_string(struct hist_env *env, const char *s);

/**
 * hist_sym() - the number of a place's symbol
 * @env: the environment
 * @p: the place
 *
 * Return: its number in @env->syms; places without symbol are told apart by file and
 * address.
 */
u32 hist_sym(struct hist_env *env, const struct hist_point *p);

/* What an address without symbol is shown as. */
static inline u64 hist_shown_address(const struct hist_env *env, u32 sym_nr)
{
	const struct hist_address *a = &env->addresses[sym_nr];

	return a->varies ? a->addr : a->ip;
}

/* The source line of a frame; NULL: unknown. */
const char *hist_srcline(const struct hist_env *env, const struct frame *f);

/* The same of a symbol, or without one of an address in a file (and in memory). */
u32 hist_sym_number(struct hist_env *env, const struct symbol *sym, u64 dso, u64 addr, u64 ip);

/* What tells labels of one step and one frame key apart. */
static inline u64 hist_label_kind(const struct hist_label *l)
{
	return l->inlined | l->at_address << 1;
}

/**
 * hist_label_add() - a label by its identity
 * @env: the environment
 * @id: step, frame key, hist_label_kind()
 * @l: what it is if it is a new one
 *
 * Return: its number.
 */
u32 hist_label_add(struct hist_env *env, const u64 id[3], const struct hist_label *l);

/**
 * hist_label() - the label of one step
 * @env: the environment
 * @p: the place
 *
 * Return: the label's number.
 */
u32 hist_label(struct hist_env *env, const struct hist_point *p);

/**
 * hist_frame_key(), hist_scope_key() - the two halves of a row's key
 * @env: the environment
 * @p: the place
 *
 * Return: the number of the tuple of the values of the keys of that half.
 */
u32 hist_frame_key(struct hist_env *env, const struct hist_point *p);
u32 hist_scope_key(struct hist_env *env, const struct hist_point *p);

/* hists_reset - forget all samples, keep the memory */
void hists_reset(struct hists *h);

void hists_init(struct hists *h, struct hist_env *env, const struct event *event);
void hists_deinit(struct hists *h);

/**
 * hists_add() - count a sample
 * @h: the event's histogram
 * @at: what it adds to: scope, fkey, level, thread, period, nr, first
 * @labels: its stack in the order of the call graph
 * @nr: steps
 */
void hists_add(struct hists *h, const struct hist_record *at, const u32 *labels, u32 nr);

/**
 * hists_add_row() - count a sample in its rows at once: no call graphs are wanted
 * @h: the event's histogram
 * @at: as for hists_add()
 * @labels: its stack in any order
 * @nr: steps; 0 without children
 */
void hists_add_row(struct hists *h, const struct hist_record *at, const u32 *labels, u32 nr);

/**
 * hists_row() - the row of a key; a new one if need be
 * @h: the histogram
 * @scope: the key's ...
 * @fkey: ... two halves
 *
 * Return: its index in @h->entries.
 */
u32 hists_row(struct hists *h, u32 scope, u32 fkey);

/**
 * hists_collect() - count a sample of a session
 * @h: the event's histogram
 * @s: the sample
 * @cc: its callchain
 * @thread: its task
 *
 * A sample that a filter drops still counts to the event's total. In branch mode every entry
 * of its branch stack counts as one sample of period 1, as in mainline, and @cc only for its time.
 */
void hists_collect(struct hists *h, const struct sample *s, const struct callchain *cc,
		   const struct thread *thread);

/* The row of a key, which may be a new one and move all. */
struct hist_entry *hists_entry(struct hists *h, u32 scope, u32 fkey);

/* How much of an environment there is: numbers below these. */
struct hist_marks {
	u32 syms, frames, steps, labels, scopes;
};

/* A part's numbers in the whole. All zeroes: nothing is merged yet. */
struct hist_maps {
	struct hist_marks done;
	u32 *syms, *frames, *steps, *labels, *scopes;
};

struct hist_marks hist_env_marks(const struct hist_env *env);

/**
 * hist_env_merge() - take over what a worker met for the first time
 * @main: the whole
 * @part: the worker's environment
 * @m: its maps, which grow
 * @upto: as far as this
 */
void hist_env_merge(struct hist_env *main, const struct hist_env *part, struct hist_maps *m,
		    const struct hist_marks *upto);

/* All of the part has been merged; its maps are freed. */
void hist_env_merge_end(struct hist_env *main, const struct hist_env *part, struct hist_maps *m);

/**
 * hists_merge() - add what a part counted
 * @h: the whole
 * @part: of samples that follow those in @h; not yet finished
 * @m: of its environment
 */
void hists_merge(struct hists *h, const struct hists *part, const struct hist_maps *m);

/**
 * hists_finish() - make the rows
 * @h: the histogram
 */
void hists_finish(struct hists *h);

/**
 * hists_span_end() - where the next step changes
 * @h: the finished histogram
 * @from: a stack
 * @end: no further than here
 * @depth: of the step
 *
 * Return: the first stack behind @from, at most @end, whose step at @depth is another.
 * Stacks up to there agree in all steps before, and have this one.
 */
u32 hists_span_end(const struct hists *h, u32 from, u32 end, u32 depth);

/**
 * hists_link() - --group: give every row its pairs in the other members
 * @members: the group's histograms, the leader first
 * @nr: how many
 *
 * The leader gets a row for every row of any member.
 */
void hists_link(struct hists **members, u32 nr);

/* A row's value of a sort key. */
u64 hist_value(const struct hist_env *env, const struct hist_entry *e, const struct sort_key *k);

/* What 100 % is. */
u64 hists_total(const struct hists *h);

/* A node of a call graph: a run of steps without a fork. */
struct chain_node {
	u32 *labels;
	u32 nr_labels, cap_labels;
	u64 hits;		/* period of the stacks that end in this run */
	u64 total;		/* and of all that pass */
	u64 count_hits, count;	/* samples likewise */
	struct chain_node *child;	/* the largest first; only those over the threshold */
	struct chain_node *next;
	u64 children_total;	/* of all children, shown or not */
	u64 children_count;	/* samples likewise */
	u32 nr_children;	/* shown or not */
};

/**
 * hist_tree_build() - the call graph of a row
 * @h: its histogram
 * @e: the row
 * @min: nodes with a smaller sum are left out (a fraction of the parent's sum with
 *	 CHAIN_FRACTAL, of all else)
 * @arena: where the nodes live
 *
 * Context: several rows at once, each with an arena of its own.
 * Return: the root (without steps), or NULL when the row has no stacks.
 */
struct chain_node *hist_tree_build(const struct hists *h, const struct hist_entry *e, double min_percent,
				   struct arena *arena);

#endif /* PERF_HIST_HIST_H */
