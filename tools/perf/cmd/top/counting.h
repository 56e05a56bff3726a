/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf top: sums over the samples of the window.
 *
 * Each refresh first decays the sums and then adds the new samples. Memory is bounded by the
 * window's: tasks, frames and stacks are dropped and rebuilt from the window after counting twice
 * the window's bytes of records.
 */
#ifndef PERF_CMD_TOP_COUNTING_H
#define PERF_CMD_TOP_COUNTING_H

#include "base/memory_limit.h"
#include "cmd/top/sums.h"
#include "cmd/top/top_options.h"
#include "cmd/top/waits.h"
#include "cmd/top/window.h"

/* A position between two records of a segment. */
struct window_place {
	struct window_segment *segment;	/* NULL: before the first */
	size_t at;
};

struct top_count {
	const struct top_options *opts;
	struct window *window;
	struct session *session;
	struct top_sums sums[SUMS_KINDS];
	struct waits waits;
	struct window_place walked;	/* samples before it were counted */
	struct window_place round, last_round;	/* ends of the last two rounds */
	u64 newest;			/* latest record time before @round */
	u64 oldest;			/* time of the window's first sample, for SUMS_TIMES */
	u64 refresh;
	u64 counted_bytes;		/* bytes of records since the last rebuild */
	struct memory_bound memory;
	u64 rate_samples, rate_kernel;	/* since the previous refresh */
	bool zero, hide_kernel, hide_user;	/* set by keys; see struct top_options */
};

/**
 * counting_init() - initialise the counts
 * @c: structure to initialise
 * @o: the options
 * @w: the window
 *
 * Return: 0, or -1 after diag_error(); call counting_deinit() in either case.
 */
int counting_init(struct top_count *c, const struct top_options *o, struct window *w);

/**
 * counting_refresh() - count new samples and create the rows
 * @c: the counts; their previous rows become invalid
 * @all: no more records follow
 *
 * Return: true if there are rows.
 */
bool counting_refresh(struct top_count *c, bool all);

/* counting_again - recount after a change of the hidden samples. Return: as counting_refresh() */
bool counting_again(struct top_count *c);

/**
 * counting_start() - also count something else, of all samples of the window
 * @c: the counts; of sums of this kind the members that the caller sets are set
 * @kind: not SUMS_ROWS
 * @o: options of perf report; must stay in place until counting_stop()
 *
 * Return: 0, or -1 after diag_error().
 */
int counting_start(struct top_count *c, enum sums_kind kind, const struct report_options *o);
void counting_stop(struct top_count *c, enum sums_kind kind);

void counting_deinit(struct top_count *c);

#endif /* PERF_CMD_TOP_COUNTING_H */
