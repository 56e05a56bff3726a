/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The columns of a report: numbers, and the keys that distinguish rows.
 */
#ifndef PERF_HIST_COLUMNS_H
#define PERF_HIST_COLUMNS_H

#include "base/types.h"

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
	bool unasked;			/* a latency that is shown if it differs from the overhead */
	u32 width;			/* set and used by the renderer */
	/* How the values of a key are shown */
	const char *name, *header;
	bool right;			/* right-aligned */
	bool ragged;			/* not padded when it is the last column */
	bool fixed;			/* as wide as its header whatever the content */
	bool cut;			/* longer text is cut */
	u8 min_width;
	const struct event *event;	/* the tracepoint whose field it is; NULL: none */
};

struct hist_columns {
	struct hist_column *cols;	/* in the order of the output */
	u32 nr, cap;
	/* The sort order of rows, most significant first: indices into cols. */
	u32 *order;
	u32 nr_order;
	bool self;			/* children are shown: the header is "Self" */
};

/* The requested columns. */
struct hist_column_opt {
	const char *sort;		/* argument of -s; NULL: the default; "+key" adds to it */
	const char *fields;		/* argument of -F; NULL: none */
	bool sys_us, nr_samples, period;	/* columns with an option of their own */
	bool latency;			/* latency columns first, rows sorted by them */
	bool parent;			/* -p: the key parent is the last one if -s does not have it */
};

void hist_columns_deinit(struct hist_columns *cols);

/* hist_columns_hide_latency - hide latency columns that were not requested (no parallelism) */
void hist_columns_hide_latency(struct hist_columns *cols);

/*
 * hist_columns_hide - hide a key's column, since a filter leaves one value. Return: true if it
 * exists.
 */
bool hist_columns_hide(struct hist_columns *cols, const char *name);

/* hist_columns_keep_keys - show all keys again if every one is hidden */
void hist_columns_keep_keys(struct hist_columns *cols);

#endif /* PERF_HIST_COLUMNS_H */
