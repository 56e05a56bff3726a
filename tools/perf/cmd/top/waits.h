/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf top --off-cpu: off-CPU times of threads.
 */
#ifndef PERF_CMD_TOP_WAITS_H
#define PERF_CMD_TOP_WAITS_H

#include "base/hash.h"
#include "cmd/top/window.h"
#include "event/event.h"

/* A thread left its CPU to wait, was switched in, or exited. */
struct wait_mark {
	u64 time;
	u64 refresh;			/* refresh number of the sample's segment */
	/* sample at which a wait begins; NULL: end of a wait */
	struct perf_event_header *sample;
	u32 tid;
};

struct waits {
	bool used;			/* an event is one of --off-cpu */
	struct wait_mark *marks;	/* since the last waits_end() */
	size_t nr, cap;
	struct wait_mark *open;		/* waits that have not ended, by thread */
	size_t nr_open, cap_open;
};

/* waits_init - initialise; @events: events of the recording */
void waits_init(struct waits *w, const struct event_list *events);

/**
 * waits_note() - inspect a record
 * @w: the waits
 * @events: events of the recording
 * @h: a kernel record; an off-CPU sample must stay in place until its wait has ended, or until
 *   waits_forget()
 * @refresh: refresh number of its segment
 *
 * Return: true for an off-CPU sample, which is not to be counted yet.
 */
bool waits_note(struct waits *w, const struct event_list *events, struct perf_event_header *h, u64 refresh);

/**
 * waits_end() - find waits that have ended, and set their samples' periods
 * @w: the waits
 * @count: called for each of these samples
 * @ctx: passed to it
 */
void waits_end(struct waits *w, const struct event_list *events,
	       void (*count)(void *ctx, const struct perf_event_header *sample), void *ctx);

/* waits_ended - true if an off-CPU sample has its period */
bool waits_ended(const struct event_list *events, const struct perf_event_header *sample);

/* waits_forget - drop samples of segments before this refresh */
void waits_forget(struct waits *w, u64 refresh);
void waits_deinit(struct waits *w);

#endif /* PERF_CMD_TOP_WAITS_H */
