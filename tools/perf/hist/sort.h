/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sort keys: what tells rows apart, and the columns that show it.
 */
#ifndef PERF_HIST_SORT_H
#define PERF_HIST_SORT_H

#include "hist/hist.h"

enum key_half { KEY_OF_SAMPLE, KEY_OF_FRAME };

/* What a key needs the recording to have. */
enum key_need { NEED_NOTHING, NEED_MEM, NEED_BRANCH };

/* What a column shows of a row. */
struct hist_cell {
	struct hist_env *env;
	u64 value;			/* of the key */
	const struct thread *thread;	/* of the row's first sample */
	u8 level;			/* cpumode of the row */
};

struct sort_key {
	const char *name;
	const char *alias;	/* another name; NULL: none */
	const char *header;
	enum key_half half;
	bool right;		/* right-aligned column */
	bool ragged;		/* not padded when it is the last column */
	bool is_sym;		/* the lower half of the value is a number of hist_sym() */
	bool of_task;		/* the task and its name decide on the value */
	bool fixed;		/* as wide as its header whatever the content */
	u8 min_width;
	enum key_need need;
	u64 (*value)(struct hist_env *env, const struct sort_key *k, const struct hist_point *p);
	/* NULL: values compare as numbers, ascending */
	int (*cmp)(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b);
	/* By address; NULL: as cmp. Decides between rows that show the same. */
	int (*place)(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b);
	void (*text)(const struct hist_cell *c, struct outbuf *o);
	/* tracepoint fields */
	const struct event *event;
	const void *field;
	/* set by sort_setup() */
	u32 slot;		/* in its half's tuple */
};

/* Columns of numbers. */
enum overhead_kind {
	OV_CHILDREN, OV_SELF, OV_SYS, OV_US, OV_GUEST_SYS, OV_GUEST_US, OV_SAMPLES, OV_PERIOD,
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
	u32 width;
};

struct hist_columns {
	struct hist_column *cols;	/* in the order of the output */
	u32 nr, cap;
	/* What rows are ordered by, most significant first: indices into cols. */
	u32 *order;
	u32 nr_order;
};

/**
 * sort_setup() - decide on keys and columns
 * @env: the environment; its keys are set
 * @sort: argument of -s; NULL: the default; "+key" adds to the default
 * @fields: argument of -F; NULL: none
 * @sys_us, @nr_samples, @period: columns asked for by their own options
 * @cols: columns are added here
 *
 * Return: 0, or -1 after diag_error(), which lists the keys there are.
 */
int sort_setup(struct hist_env *env, const char *sort, const char *fields, bool sys_us,
	       bool nr_samples, bool period, struct hist_columns *cols);
void hist_columns_deinit(struct hist_columns *cols);

/* sort_key_has - is this key among those chosen? */
bool sort_key_has(const struct hist_env *env, const char *name);

/* sort_hide - leave a key's column out (a filter has made it one value); was it there? */
bool sort_hide(struct hist_columns *cols, const char *name);

/**
 * hists_sort() - put the rows into the order of the output
 * @h: the histogram (the leader's for a group)
 * @cols: columns
 * @nr_members: histograms in the group, 1 without
 * @sort_member: the member whose numbers come first
 */
void hists_sort(struct hists *h, const struct hist_columns *cols, u32 nr_members, u32 sort_member);

/* A row's number. */
u64 overhead_value(const struct hist_entry *e, enum overhead_kind k);

/* The tables of keys, each ended by an entry without a name. */
extern const struct sort_key sort_keys_task[], sort_keys_place[], sort_keys_memory[],
			     sort_keys_branch[];

/* key_place.c: what keys of places are made of, for those that have two (see struct sort_key) */
u64 sort_dso_value(struct hist_env *env, const struct sort_key *k, const struct hist_point *p);
int sort_dso_cmp(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b);
int sort_sym_cmp(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b);
int sort_sym_place(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b);
void sort_sym_text(const struct hist_env *env, u8 level, u64 v, struct outbuf *o);
u64 sort_srcline_value(struct hist_env *env, const struct sort_key *k, const struct hist_point *p);
int sort_string_cmp(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b);
void sort_string_text(const struct hist_cell *c, struct outbuf *o);

/* key_trace.c: keys that tracepoints bring along */
struct sort_key *sort_key_trace(struct hist_env *env, const char *name);
u32 sort_trace_fields(struct hist_env *env, struct sort_key ***keys);
bool sort_all_tracepoints(const struct hist_env *env);

#endif /* PERF_HIST_SORT_H */
