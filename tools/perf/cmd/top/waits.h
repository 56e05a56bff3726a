/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf top --off-cpu: for how long threads waited.
 */
#ifndef PERF_CMD_TOP_WAITS_H
#define PERF_CMD_TOP_WAITS_H

#include "base/hash.h"
#include "cmd/top/window.h"
#include "event/event.h"

/* A thread left its CPU to wait, was switched in, or exited. */
struct wait_mark {
	u64 time;
	u64 refresh;			/* of the sample's segment */
	struct perf_event_header *sample;	/* of a wait that begins; NULL: it ends */
	u32 tid;
};

struct waits {
	bool used;			/* an event is one of --off-cpu */
	struct wait_mark *marks;	/* since waits_end() */
	size_t nr, cap;
	struct wait_mark *open;		/* waits that have not ended, by thread */
	size_t nr_open, cap_open;
};

/* waits_init - begin; @events: of the recording */
void waits_init(struct waits *w, const struct event_list *events);

/**
 * waits_note() - look at a record
 * @w: the waits
 * @events: of the recording
 * @h: a kernel record; a sample of waiting stays where it is until it has ended, or waits_forget()
 * @refresh: of its segment
 *
 * Return: it is such a sample, which is not to be counted now.
 */
bool waits_note(struct waits *w, const struct event_list *events, struct perf_event_header *h, u64 refresh);

/**
 * waits_end() - find the waits that have ended: their samples get the time as their period
 * @w: the waits
 * @count: what is done with each
 * @ctx: handed to it
 */
void waits_end(struct waits *w, const struct event_list *events,
	       void (*count)(void *ctx, const struct perf_event_header *sample), void *ctx);

/* waits_ended - has a sample of waiting its time already? */
bool waits_ended(const struct event_list *events, const struct perf_event_header *sample);

/* waits_forget - samples of segments before this refresh are removed */
void waits_forget(struct waits *w, u64 refresh);
void waits_deinit(struct waits *w);

#endif /* PERF_CMD_TOP_WAITS_H */
