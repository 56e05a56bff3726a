/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf top: what is counted of the samples of the window. Rows are always counted, the others while
 * a view of the browser shows them.
 */
#ifndef PERF_CMD_TOP_SUMS_H
#define PERF_CMD_TOP_SUMS_H

#include "annotate/annotate.h"
#include "cmd/report/report.h"
#include "session/feed.h"

enum sums_kind {
	SUMS_ROWS,
	SUMS_STACKS,			/* of a flame graph */
	SUMS_CODE,			/* the addresses of a function */
	SUMS_TIMES,			/* samples over time */
	SUMS_KINDS
};

struct top_count;

struct top_sums {
	struct top_count *of;
	enum sums_kind kind;
	const struct report_options *opt;	/* NULL: not counted */
	struct report_run run;
	struct session_ops ops;		/* callbacks of the walker */
	struct session_walker *walker;
	/* SUMS_CODE. .event, .symbol and .dso of the options are set by the caller */
	struct annotate code;
	struct annotate_opt code_opt;
	/* SUMS_TIMES. .cpus is set by the caller */
	struct times_count times;
};

/**
 * sums_begin() - fit the options to the session, and create a walker
 * @s: the sums; .opt NULL: nothing is done
 *
 * Return: 0, or -1 after diag_error(); call sums_end() in either case.
 */
int sums_begin(struct top_sums *s);
void sums_end(struct top_sums *s);

/* sums_add - count a sample */
void sums_add(const struct top_sums *s, const struct perf_event_header *h);

/* sums_decays - true if earlier samples lose weight at each refresh */
bool sums_decays(const struct top_sums *s);

/* sums_decay - multiply all sums by @num / @den */
void sums_decay(struct top_sums *s, u32 num, u32 den);

/* sums_finish - create rows, or sort. Return: true if there are rows */
bool sums_finish(struct top_sums *s);

#endif /* PERF_CMD_TOP_SUMS_H */
