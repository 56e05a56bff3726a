/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of hist/.
 *
 * Samples with equal keys and equal stacks are one record from the start. Rows, their children's
 * sums and their call graphs are made from the records afterwards, so that a sample costs only
 * a look-up of its record.
 *
 * A row's key has two halves: that of the sample (its "scope": comm, pid, cpu, time...) and that
 * of a frame (dso, symbol, source line...). A caller's row has its sample's scope and its own
 * frame.
 *
 * Files call each other one way:
 *	create --> columns --> key_* --> env
 *	collect, merge --> rows --> columns, history, stacks
 *	collect, merge --> records, env
 *	decay --> rows, records
 *	callgraph, sort --> cursor --> env, stacks
 */
#ifndef PERF_HIST_HIST_PRIVATE_H
#define PERF_HIST_HIST_PRIVATE_H

#include <pthread.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/pool.h"
#include "base/types.h"
#include "event/sample.h"
#include "event/value_text.h"
#include "hist/hist.h"
#include "session/filter.h"
#include "session/session.h"

/*
 * rb_sort - sort by insertion, in the order of @items, into a red-black tree (Cormen et al.,
 * Introduction to Algorithms, chapter 13). As @before is not transitive for rows (see sort.c), the
 * result depends on which are compared; it is a function of @items alone, and stable if @before is
 * transitive.
 */
void rb_sort(void **items, u32 nr, bool (*before)(const void *a, const void *b, void *ctx),
	     void *ctx);

/* GROW_ZEROED - make room for the element @at of an array, and more; new elements are zeroes */
#define GROW_ZEROED(p, at, cap) do {							\
	u32 _old = (cap);								\
											\
	if (unlikely((at) >= _old)) {							\
		GROW_TO(p, (u64)(at) + 64, cap);					\
		memset((p) + _old, 0, ((cap) - _old) * sizeof(*(p)));			\
	}										\
} while (0)

struct tuple_table {
	u32 width;
	u32 nr, cap;
	u64 *rows;
	struct slots slots;	/* row number + 1 */
};

/* tuple_init - an empty table; @width: values a row; may be 0, then there is one row */
void tuple_init(struct tuple_table *t, u32 width);
void tuple_deinit(struct tuple_table *t);

/* tuple_intern - the number of a row; @row: its values; copied. Return: the row's number. */
u32 tuple_intern(struct tuple_table *t, const u64 *row);

static inline const u64 *tuple_row(const struct tuple_table *t, u32 nr)
{
	return t->rows + (size_t)nr * t->width;
}

struct stack {
	u64 at;			/* of its scope in the pool; steps follow */
	u32 len;		/* steps */
	u32 record;		/* index of its record */
};

/*
 * stacks_sort - put stacks into the order of their steps, shorter ones first; progress_update() is
 * called with the number sorted so far
 */
void stacks_sort(struct stack *v, u32 nr, const u32 *pool);

/* A stack's step; @depth < len */
static inline u32 stack_step(const struct stack *s, const u32 *pool, u32 depth)
{
	return pool[s->at + 1 + depth];
}

/* The number of steps that two neighbours share; -1 if their scopes differ. */
static inline s32 stacks_common(const struct stack *a, const struct stack *b, const u32 *pool)
{
	u32 n = min(a->len, b->len), i;

	if (pool[a->at] != pool[b->at])
		return -1;
	for (i = 0; i < n && stack_step(a, pool, i) == stack_step(b, pool, i); i++)
		;
	return i;
}

/* The first of sorted stacks after @from, at most @end, with another step at @depth */
u32 stacks_span_end(const struct stack *v, const u32 *pool, u32 from, u32 end, u32 depth);

/* An address without a symbol, identified by its offset in the file: mappings differ by process. */
struct hist_address {
	u64 ip;			/* virtual address of its first sample */
	u64 addr;		/* offset in the file */
	bool varies;		/* show @addr: several mappings, or a sample's own ip */
};

/* One step of a callchain as call graphs know it. */
struct hist_label {
	u32 step;		/* equal for steps that a call graph merges */
	u32 fkey;		/* frame half of the row's key */
	const struct dso *dso;	/* NULL: unknown, as sym and map */
	const struct symbol *sym;
	const struct map *map;
	const char *srcline;	/* with CHAIN_KEY_SRCLINE or _ADDRESS; may be NULL */
	u32 sym_nr;		/* in hist_env's syms */
	u64 ip;			/* of the first sample */
	u64 order;		/* rows with equal sums are sorted by this, descending */
	u8 cpumode;
	bool inlined;
	bool passes;		/* it passes the filters by file and symbol */
	bool cookie;		/* in place of a missing user half */
	bool branch;		/* an end of a branch, not a caller: --branch-history */
	bool target;		/* with @branch: the target; else the source */
};

/* Branch statistics of one record: sums over its samples, for one end of a branch in its stack. */
struct branch_tally {
	union {
		struct {
			u64 predicted, aborts;		/* of a target */
		};
		struct {
			u64 cycles, pass_cycles;	/* of a source */
		};
	};
	u32 passes;		/* of a source: number of folded passes; @pass_cycles: their cycles */
};

/* A branch: one entry of a sample's branch stack. */
struct hist_branch {
	const struct frame *from, *to;
	u64 flags;		/* of struct perf_branch_entry: BRANCH_* and branch_cycles() */
};

/* A point in a sample: the input of the sort keys. */
struct hist_point {
	const struct sample *sample;
	const struct thread *thread;
	u64 time;				/* callchain.time */
	const char *comm;
	const char *parent;			/* name matched by --parent, or NULL */
	const struct frame *frame;
	const struct inline_frame *inl;		/* NULL: the frame itself */
	bool own;				/* the sample's own frame, or a branch's: not a caller */
	bool history;				/* one end of a branch in a stack */
	bool target;				/* with @history: the target; else the source */
	const struct hist_branch *branch;	/* branch mode: @frame is its target; else NULL */
};

/* True if rows or samples are filtered by file or symbol. */
static inline bool hist_filters_places(const struct hist_config *c)
{
	return c->hide_unresolved || c->symbol_filter ||
	       (c->filter && filter_wants_frame(c->filter));
}

/* What the labels of a frame key say. */
struct hist_fkey {
	const struct dso *dso;	/* the file of the first one that has one */
	bool passes;		/* one passes the filters */
	bool nameless;		/* the first one has no symbol */
};

/* A cached ip whose frame has a single label (most have). */
struct hist_seen {
	u64 ip, from, span;	/* valid at the times from .. from + span - 1 */
	u32 space, label;
	u8 cpumode;		/* maybe with FRAME_CALLER; 0: free, or an ip without one */
	bool sigreturn;		/* of the frame */
	bool own_differs;	/* a sample's own ip has a label other than @label */
};
#define HIST_SEEN 8192

/* Raw data of a tracepoint and its cached text: no other key is as slow to format. */
#define HIST_TRACE_RAW 112
struct hist_trace {
	const struct event *event;	/* NULL: free */
	const char *text;
	u32 size;
	u8 raw[HIST_TRACE_RAW];
};
#define HIST_TRACES 256

/* The scope of a task's last sample. */
struct hist_task {
	const char *comm;
	u32 scope;
};

/* A part's numbers in the main environment. All zeroes: nothing is merged yet. */
struct hist_maps {
	struct hist_marks done;
	u32 *syms, *frames, *steps, *labels, *scopes;
};

struct hist_env {
	struct hist_config cfg;
	struct session *session;
	struct frame_cache *frames_cache;	/* owned */
	struct sort_key **keys;		/* sort keys in the order given; owned by the main one */
	u32 nr_keys, cap_keys;
	u64 *row;			/* scratch: a value for each key */
	struct hash key_columns;	/* name and event of a key -> its column + 1; columns.c */
	u32 nr_scope_keys, nr_frame_keys;
	struct tuple_table scopes, frames;	/* the two halves of keys */
	struct tuple_table steps;	/* the steps of call graphs */
	struct tuple_table label_ids;	/* (step, fkey) */
	struct tuple_table syms;	/* (symbol, or its dso's number and the address in it) */
	struct hist_address *addresses;	/* by number in syms: how to show those without a symbol */
	u32 cap_addresses;
	struct hist_label *labels;	/* by label number */
	u32 nr_labels, cap_labels;
	struct hist_fkey *fkeys;	/* by frame key */
	u32 nr_fkeys, cap_fkeys;
	struct hist_env *main;		/* NULL: this is the main environment, not a part */
	struct hist_maps maps;		/* of a part */
	pthread_mutex_t lock;		/* of the main one's strings, while parts look them up */
	struct hash strings;		/* interned by hist_string() */
	u64 string_bytes;		/* of them */
	u64 raw_bytes;			/* of raw data that were formatted; key_trace.c */
	struct arena arena;
	u32 *chain;			/* scratch: the labels of one sample */
	u32 chain_cap;
	struct branch_tally *tallies;	/* scratch: their branch statistics, with branch_history */
	struct branch_step *branches;	/* scratch: with branch_history, the branches of one sample */
	u32 tallies_cap, branches_cap;
	struct hist_seen *seen;		/* HIST_SEEN of them, by hash */
	struct hist_trace *traces;	/* HIST_TRACES of them, by hash; NULL: none yet */
	bool many_events;		/* their histograms have no array by frame key */
	bool scope_of_task;		/* all scope keys are of the task and its name */
	struct hist_task *tasks;	/* by thread's id */
	u32 cap_tasks;
};

/* The order in which mainline counts samples: a joined sample at its deferred record. */
struct hist_rank {
	u64 counted, taken;
};

static inline bool rank_before(struct hist_rank a, struct hist_rank b)
{
	return a.counted != b.counted ? a.counted < b.counted : a.taken < b.taken;
}

static inline void hist_sums_add(struct hist_sums *s, u64 period, u64 latency, u64 nr)
{
	s->period += period;
	s->latency += latency;
	s->nr += nr;
}

/* Samples with equal keys and equal stacks. */
struct hist_record {
	u64 at;			/* its stack: see struct stack */
	u32 len;
	u32 hash;
	u32 fkey;		/* frame half of the sample's own row */
	u32 scope;
	u64 nr;
	u64 period, latency;
	struct hist_rank first;	/* of them */
	const struct thread *thread;	/* of the first */
	u8 cpumode;		/* of the samples */
};

/* A row. */
struct hist_row {
	u32 scope, fkey;
	u8 cpumode;		/* of the first sample that made the row */
	bool filtered;
	u32 max_depth;		/* steps of its longest stack; 0: none */
	u64 nr;			/* samples of its own */
	u64 period, period_children;
	u64 latency, latency_children;	/* periods divided by the number of running threads */
	u64 us, sys, guest_us, guest_sys;
	u32 seen;		/* hists_add_row(): number of the last sample counted in it */
	struct hist_rank first;
	const struct thread *thread;	/* of the first sample */
	u32 own, nr_own;	/* its records: a part of hists.own */
	u32 place, nr_places;	/* stacks that contain it as a caller: a part of hists.places */
	struct hist_row **pairs;	/* --group: the same row of the other members */
};

/* A span of stacks with equal steps up to @depth, the first step that belongs to the row. */
struct hist_place {
	u32 from, to, depth;
};

/* hist_env_init - make the tables that the keys need; cfg, session and keys are set */
void hist_env_init(struct hist_env *env);
void hist_env_deinit(struct hist_env *env);

/* hist_string - intern a string. Return: a copy; equal strings have equal pointers. */
const char *hist_string(struct hist_env *env, const char *s);

/* The number of a place's symbol in @env->syms; without symbol, of its file and address */
u32 hist_sym(struct hist_env *env, const struct hist_point *p);

/* The address that is shown for an address without a symbol. */
static inline u64 hist_shown_address(const struct hist_env *env, u32 sym_nr)
{
	const struct hist_address *a = &env->addresses[sym_nr];

	return a->varies ? a->addr : a->ip;
}

/* The source line of a frame; NULL: unknown. */
const char *hist_srcline(const struct hist_env *env, const struct frame *f);

/* Added to the file's number if the address is a sample's own ip: see struct hist_address. */
#define HIST_OWN_ADDRESS (1ULL << 32)

/* The number of a symbol or, if @sym is NULL, of an address: @addr in file @dso, @ip in memory */
u32 hist_sym_number(struct hist_env *env, const struct symbol *sym, u64 dso, u64 addr, u64 ip);

/* Distinguishes labels with equal step and frame key. */
static inline u64 hist_label_kind(const struct hist_label *l)
{
	return l->inlined | l->passes << 1 | l->branch << 2 | l->target << 3;
}

/* The label with this step, frame key and hist_label_kind(); @l: its content if it is new */
u32 hist_label_add(struct hist_env *env, const u64 id[3], const struct hist_label *l);

/* hist_label - the number of the label of one step */
u32 hist_label(struct hist_env *env, const struct hist_point *p);

/* The numbers of the two halves of a row's key: of the tuples of their keys' values */
u32 hist_frame_key(struct hist_env *env, const struct hist_point *p);
u32 hist_scope_key(struct hist_env *env, const struct hist_point *p);

/* Forget all samples, or only the records or the rows. The memory is kept. */
void hists_reset(struct hists *h);
void hists_forget_records(struct hists *h);
void hists_forget_rows(struct hists *h);

/* hists_find_slot - add a record of @h->records, which is in no slot, to the table of slots */
void hists_find_slot(struct hists *h, u32 record);

/* Free the results of hists_finish(), keep samples and rows. */
void hists_forget_results(struct hists *h);

void hists_init(struct hists *h, struct hist_env *env, const struct event *event);
void hists_deinit(struct hists *h);

/*
 * hists_add - count a sample; @at: its scope, fkey, cpumode, thread, period, nr, first; @labels:
 * its stack in the order of the call graph; @tallies: one per step; NULL without branch_history
 */
void hists_add(struct hists *h, const struct hist_record *at, const u32 *labels,
	       const struct branch_tally *tallies, u32 nr);

/* A branch in the stack of a sample. */
struct branch_step {
	u64 from, to, flags;	/* of struct perf_branch_entry */
	u64 pass_cycles;	/* of the folded pass of a loop before it */
	bool pass;		/* a pass was folded before it */
	bool begins;		/* first branch with this source: a loop may begin here */
};

/*
 * history_steps - put the branches of a sample into @env->branches, in call graph order, at most
 * hist_config.max_stack, without repeated passes of loops. Return: their number.
 */
u32 history_steps(struct hist_env *env, const struct sample *s);

/*
 * history_finish - set row_branches, after the rows list their stacks: sums over all steps, whether
 * a call graph shows them or not
 */
void history_finish(struct hists *h);

/* hist_shows_branches - does a column show the sums of history_finish()? */
bool hist_shows_branches(const struct hist_env *env);

/* history_add_stack - add a stack's branch statistics of a step */
void history_add_stack(const struct hists *h, u32 stack, u32 depth, struct step_branches *sum);

/*
 * hists_add_row - count a sample directly in its rows, without call graphs; @at: as for
 * hists_add(); @labels: its stack in any order; @nr: steps; 0 without children
 */
void hists_add_row(struct hists *h, const struct hist_record *at, const u32 *labels, u32 nr);

/* Find or add the row of a key, whose halves are given. Adding one may move all others. */
struct hist_row *hists_row(struct hists *h, u32 scope, u32 fkey);
u32 hists_row_number(struct hists *h, u32 scope, u32 fkey);	/* its index in @h->rows */

/* row_set_first - set a row's first sample if this one's rank is below that of the present one */
static inline void row_set_first(struct hist_row *e, struct hist_rank first,
				 const struct thread *thread, u8 cpumode)
{
	if (!rank_before(first, e->first))
		return;
	e->first = first;
	e->thread = thread;
	e->cpumode = cpumode;
}

/*
 * Sort keys: samples with equal keys form one row. A key takes its value from a point in a
 * sample (struct hist_point), compares two values and prints one (struct hist_cell).
 *
 * A new key is an entry in one of the tables: key_task.c, key_place.c, key_memory.c,
 * key_branch.c.
 */

enum key_half {
	KEY_OF_SAMPLE, KEY_OF_FRAME,
	KEY_OF_ROW,		/* distinguishes no rows: shows a sum of their samples */
};

/* The data that a key requires in the recording. */
enum key_need { NEED_NOTHING, NEED_MEM, NEED_BRANCH, NEED_BRANCH_HISTORY, NEED_PARALLELISM };

/* The input for the text of one cell. */
struct hist_cell {
	struct hist_env *env;
	u64 value;			/* of the key */
	u64 samples;			/* of the row itself */
	const struct thread *thread;	/* of the row's first sample */
	u64 time;			/* of that sample */
	u8 cpumode;			/* of the row */
};

struct sort_key {
	const char *name;
	const char *alias;	/* another name; NULL: none */
	const char *header;
	enum key_half half;
	bool right;		/* right-aligned column */
	bool ragged;		/* not padded when it is the last column */
	bool is_sym;		/* the lower half of the value is a number of hist_sym() */
	bool of_task;		/* the value depends only on the task and its name */
	bool by_ip;		/* KEY_OF_FRAME: the value depends on where the file is mapped */
	bool fixed;		/* as wide as its header whatever the content */
	bool cut;		/* longer text is cut */
	u8 min_width;
	enum key_need need;
	u64 (*value)(struct hist_env *env, const struct sort_key *k, const struct hist_point *p);
	/* NULL: values compare as numbers, ascending */
	int (*cmp)(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b);
	/* By address; NULL: as cmp. The order of rows with equal text. */
	int (*place)(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b);
	void (*text)(const struct hist_cell *c, struct outbuf *o);
	/* KEY_OF_ROW: branch statistics of the row's stacks, instead of value and text */
	void (*branches)(const struct step_branches *b, struct outbuf *o);
	/* The column width for the cell; NULL: the width of its text */
	u32 (*extent)(const struct hist_cell *c, const struct outbuf *text);
	/* tracepoint fields */
	const struct event *event;
	const void *field;
	/* set by hist_env_init() */
	u32 slot;		/* in its half's tuple */
};

/* Functions of a key that are one expression or call. */
#define KEY_VALUE(name, expr)							\
static u64 value_##name(struct hist_env *env, const struct sort_key *k,		\
			const struct hist_point *p)				\
{										\
	return expr;								\
}
#define KEY_TEXT(name, call)							\
static void text_##name(const struct hist_cell *c, struct outbuf *o)		\
{										\
	call;									\
}

/* A row of the tables of keys: name, header, functions, and what else differs from 0 */
#define SORT_KEY(key, title, val, show, ...)					\
	{ .name = #key, .header = title, .value = val, .text = show, __VA_ARGS__ }

/* A row's value of a key. */
static inline u64 hist_value(const struct hist_env *env, const struct hist_row *row,
			     const struct sort_key *k)
{
	if (k->half == KEY_OF_ROW)
		return 0;
	if (k->half == KEY_OF_FRAME)
		return tuple_row(&env->frames, row->fkey)[k->slot];
	return tuple_row(&env->scopes, row->scope)[k->slot];
}

static inline int key_cmp(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b)
{
	return k->cmp ? k->cmp(env, k, a, b) : a < b ? -1 : a > b;
}

/*
 * columns_setup - add the requested keys to @env, whose cfg and session are set, and columns to
 * @cols. Return: NULL, or an error that lists the available keys.
 */
struct error *columns_setup(struct hist_env *env, const struct hist_column_opt *opt,
			    struct hist_columns *cols);

/* The tables of keys, each ended by an entry without a name. */
extern const struct sort_key sort_keys_task[], sort_keys_place[], sort_keys_memory[],
			     sort_keys_branch[];

/* key_place.c: functions of frame keys, also used by keys with two frames (see struct sort_key) */
u64 sort_dso_value(struct hist_env *env, const struct sort_key *k, const struct hist_point *p);
int sort_dso_cmp(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b);
/* The symbol with a number of hist_sym(); NULL: an address. */
const struct symbol *sort_symbol(const struct hist_env *env, u64 nr);
/* Signed: kernel addresses are negative and come first. */
int sort_addr_cmp(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b);
int sort_descending(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b);
int sort_sym_cmp(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b);
void sort_sym_text(const struct hist_env *env, u8 cpumode, u64 v, struct outbuf *o);
u64 sort_srcline_value(struct hist_env *env, const struct sort_key *k, const struct hist_point *p);
int sort_string_cmp(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b);
void sort_string_text(const struct hist_cell *c, struct outbuf *o);

/* key_trace.c: keys of tracepoint fields */
struct sort_key *sort_key_trace(struct hist_env *env, const char *name);
u32 sort_trace_fields(struct hist_env *env, struct sort_key ***keys);
bool sort_all_tracepoints(const struct hist_env *env);

#endif /* PERF_HIST_HIST_PRIVATE_H */
