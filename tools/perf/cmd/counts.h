/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The number of records of each type in a recording, for report --stats and the end of -D.
 */
#ifndef PERF_CMD_COUNTS_H
#define PERF_CMD_COUNTS_H

#include "base/outbuf.h"
#include "event/event.h"

struct counts {
	u64 by_type[256];		/* records by type; 255: all others */
	u64 *by_event;			/* samples by the event's idx */
	const struct event_list *events;
};

/**
 * counts_init() - set all counts to 0
 * @c: initialised
 * @events: the recording's events; complete
 */
void counts_init(struct counts *c, const struct event_list *events);

/* counts_record - count a record; @type: its type */
void counts_record(struct counts *c, u32 type);

/* counts_sample - count a sample; @ev: its event */
void counts_sample(struct counts *c, const struct event *ev);

/* counts_print - append all counts as text to @o */
void counts_print(const struct counts *c, struct outbuf *o);

void counts_deinit(struct counts *c);

#endif /* PERF_CMD_COUNTS_H */
