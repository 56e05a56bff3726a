/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf top: what the samples of the window add up to.
 *
 * Each refresh counts what has come since the one before, after the sums so far have decayed. Memory is bounded
 * by that of the window: what is known of tasks, frames and stacks is thrown away when as many bytes of records as
 * the window has were counted twice, and made again of the window.
 */
#ifndef PERF_CMD_TOP_COUNTING_H
#define PERF_CMD_TOP_COUNTING_H

#include "cmd/report/report.h"
#include "cmd/top/top_options.h"
#include "cmd/top/waits.h"
#include "cmd/top/window.h"
#include "session/feed.h"

/* Between two records of a segment. */
struct window_place {
	struct window_segment *segment;	/* NULL: before the first */
	size_t at;
};

/* What the samples add up to in one way: rows, or stacks for a flame graph. */
struct top_sums {
	struct top_count *of;
	const struct report_options *opt;	/* NULL: they are not counted */
	struct report_run run;
	struct session_ops ops;		/* of the walker */
	struct session_walker *walker;
};

struct top_count {
	const struct top_options *opts;
	struct window *window;
	struct session *session;
	struct top_sums rows, stacks;
	struct waits waits;
	struct window_place walked;	/* samples before it were counted */
	struct window_place round, last_round;	/* the ends of the last two rounds */
	u64 newest;			/* time of the newest record before it */
	u64 refresh;
	u64 counted_bytes;		/* of records since all was made anew */
	u64 least_bytes;		/* memory of the process when files were last forgotten, and read again; 0: now */
	u64 rate_samples, rate_kernel;	/* since the refresh before */
	bool zero, hide_kernel, hide_user;	/* see struct top_options; keys */
};

/**
 * counting_init() - begin
 * @c: what to fill
 * @o: the options
 * @w: the window
 *
 * Return: 0, or -1 after diag_error(); counting_deinit() it in any case.
 */
int counting_init(struct top_count *c, const struct top_options *o, struct window *w);

/**
 * counting_refresh() - count what has come, and make the rows
 * @c: the counting; rows of before are gone
 * @all: no more records come
 *
 * Return: are there rows?
 */
bool counting_refresh(struct top_count *c, bool all);

/* counting_again - count the window again: what is hidden has changed. Rows are as after counting_refresh(). */
bool counting_again(struct top_count *c);

/**
 * counting_stacks() - from now on count stacks, too
 * @c: the counting
 * @o: options of perf report with --folded; NULL: not any more
 *
 * Return: 0, or -1 after diag_error().
 */
int counting_stacks(struct top_count *c, const struct report_options *o);

void counting_deinit(struct top_count *c);

#endif /* PERF_CMD_TOP_COUNTING_H */
