/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf top: its parts.
 */
#ifndef PERF_CMD_TOP_TOP_H
#define PERF_CMD_TOP_TOP_H

#include "cmd/top/counting.h"
#include "cmd/top/recording.h"

/* Between the last two refreshes */
struct top_status {
	double rate;			/* samples a second */
	double kernel;			/* percent of them */
	double cpu;			/* percent of a CPU that perf top takes, with its recording */
	u64 lost;			/* records, since the beginning */
	u64 window_bytes;		/* of records in memory */
	bool ended;			/* the recording has */
};

struct top {
	struct top_options opts;
	struct recording recording;
	struct window window;
	struct top_count counting;
	struct top_status status;
	bool shown;			/* rows were, at least once */
	u64 refreshed_ns, used_ns;	/* of the last refresh: when; processor time until then */
	u64 flushed_ns;			/* when the kernel's buffers were last asked for */
};

/* top_begin - the recording runs from now on */
void top_begin(struct top *t);

/* top_refresh - count what has come; return: are there rows? */
bool top_refresh(struct top *t);

/* top_skip - the next refresh is due later: nothing changes */
void top_skip(struct top *t);

/* top_wait_ms - how long to wait before top_due(), in ms */
u32 top_wait_ms(const struct top *t);

/* top_due - do what is due; return: top_refresh() is due, too */
bool top_due(struct top *t);

/* top_browse.c: rows in the browser, until the user has enough; return: the command's status */
int top_browse(struct top *t);

/* top_is_dummy - has the event no samples, only side-band records? */
bool top_is_dummy(const struct event *ev);

/* top_status_text - the status in one line, without its end */
void top_status_text(const struct top *t, struct outbuf *o);

#endif /* PERF_CMD_TOP_TOP_H */
