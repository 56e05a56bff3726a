/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf top: its state and the interface between its files.
 */
#ifndef PERF_CMD_TOP_TOP_H
#define PERF_CMD_TOP_TOP_H

#include "cmd/top/counting.h"
#include "cmd/top/recording.h"

/* Between the last two refreshes */
struct top_status {
	double rate;			/* samples per second */
	double kernel;			/* percentage of kernel samples */
	double cpu;			/* percent of a CPU used by perf top and its recording */
	u64 lost;			/* lost records since the start */
	u64 window_bytes;		/* bytes of records in memory */
	bool ended;			/* the recording has ended */
};

struct top {
	struct top_options opts;
	struct recording recording;
	struct window window;
	struct top_count counting;
	struct top_status status;
	bool shown;			/* rows were shown at least once */
	/* last refresh: its time, and the CPU time used until then */
	u64 refreshed_ns, used_ns;
	u64 flushed_ns;			/* time of the last recording_flush() */
};

/* top_begin - the recording has started */
void top_begin(struct top *t);

/* top_refresh - count new samples. Return: true if there are rows */
bool top_refresh(struct top *t);

/* top_skip - postpone the next refresh: the rows do not change */
void top_skip(struct top *t);

/* top_wait_ms - maximum wait before top_due(), in ms */
u32 top_wait_ms(const struct top *t);

/* top_due - flush buffers when due. Return: true if top_refresh() is due */
bool top_due(struct top *t);

/* top_browse.c: show rows in the browser until the user quits. Return: the exit status */
int top_browse(struct top *t);

/* top_is_dummy - true if the event has no samples, only side-band records */
bool top_is_dummy(const struct event *ev);

/* top_status_text - append the status as one line, without newline */
void top_status_text(const struct top *t, struct outbuf *o);

#endif /* PERF_CMD_TOP_TOP_H */
