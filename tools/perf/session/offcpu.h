/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long threads were blocked. A sample of OFF_CPU_EVENT is taken when its thread leaves the
 * CPU to wait; the record of the switch by which it comes back stands later in the recording.
 */
#ifndef PERF_SESSION_OFFCPU_H
#define PERF_SESSION_OFFCPU_H

#include "event/event.h"

/* A thread left its CPU to wait, was switched in, or exited. */
struct offcpu_mark {
	u64 time;
	u32 tid;
};

struct offcpu_index {
	struct offcpu_mark *marks;	/* sorted by (tid, time) once sealed */
	size_t nr, cap;
	u64 end;			/* time of the newest record: the end of the recording */
	bool used;			/* the recording has such an event */
};

/* offcpu_event - is the time of this event's samples to be found in the index? */
static inline bool offcpu_event(const struct event *ev)
{
	return ev->attr.type == PERF_TYPE_TRACEPOINT && event_off_cpu(ev);
}

/**
 * offcpu_init() - prepare for a recording's events
 * @ix: the index; all zeroes
 * @events: the recording's
 */
void offcpu_init(struct offcpu_index *ix, const struct event_list *events);

/**
 * offcpu_note() - a record was met in pass 1
 * @ix: the index
 * @events: the recording's
 * @rec: the record
 * @time: of the record
 */
void offcpu_note(struct offcpu_index *ix, const struct event_list *events,
		 const struct perf_event_header *rec, u64 time);

/* offcpu_seal() - all records are in: sort */
void offcpu_seal(struct offcpu_index *ix);

/**
 * offcpu_time() - for how long a thread did not run
 * @ix: the sealed index
 * @tid: the thread
 * @time: at which it left its CPU
 *
 * Return: nanoseconds until it was switched in again, or exited. Where that record is missing, until its
 * next sample of the event; for a thread that did not come back, until the end of the recording.
 * Context: any thread.
 */
u64 offcpu_time(const struct offcpu_index *ix, u32 tid, u64 time);

void offcpu_deinit(struct offcpu_index *ix);

#endif /* PERF_SESSION_OFFCPU_H */
