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
};

/* top_refresh - count what has come; return: are there rows? */
bool top_refresh(struct top *t);

/* top_wait_ms - how long to wait: until the kernel's buffers are to be read, or 0: for top_refresh() */
u32 top_wait_ms(const struct top *t);

/* top_status_text - the status in one line, without its end */
void top_status_text(const struct top *t, struct outbuf *o);

#endif /* PERF_CMD_TOP_TOP_H */
