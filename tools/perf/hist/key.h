/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sort keys: samples with equal keys form one row. A key takes its value from a point in a
 * sample (struct hist_point), compares two values and prints one (struct hist_cell).
 *
 * A new key is an entry in one of the tables: key_task.c, key_place.c, key_memory.c,
 * key_branch.c.
 */
#ifndef PERF_HIST_KEY_H
#define PERF_HIST_KEY_H

#include "hist/hist_private.h"

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

/**
 * columns_setup() - decide on keys and columns
 * @env: the environment; its cfg and session are set; its keys are added here
 * @opt: the requested columns
 * @cols: columns are added here
 *
 * Return: NULL, or an error that lists the available keys.
 */
struct error *columns_setup(struct hist_env *env, const struct hist_column_opt *opt,
			    struct hist_columns *cols);

/* The tables of keys, each ended by an entry without a name. */
extern const struct sort_key sort_keys_task[], sort_keys_place[], sort_keys_memory[],
			     sort_keys_branch[];

/* key_place.c: functions of frame keys, also used by keys with two frames (see struct sort_key) */
u64 sort_dso_value(struct hist_env *env, const struct sort_key *k, const struct hist_point *p);
int sort_dso_cmp(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b);
int sort_sym_cmp(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b);
int sort_sym_place(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b);
void sort_sym_text(const struct hist_env *env, u8 cpumode, u64 v, struct outbuf *o);
u64 sort_srcline_value(struct hist_env *env, const struct sort_key *k, const struct hist_point *p);
int sort_string_cmp(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b);
void sort_string_text(const struct hist_cell *c, struct outbuf *o);

/* key_trace.c: keys of tracepoint fields */
struct sort_key *sort_key_trace(struct hist_env *env, const char *name);
u32 sort_trace_fields(struct hist_env *env, struct sort_key ***keys);
bool sort_all_tracepoints(const struct hist_env *env);

#endif /* PERF_HIST_KEY_H */
