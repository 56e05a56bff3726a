/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Off-CPU times: a sample of OFF_CPU_EVENT is taken when its thread leaves the CPU to wait; the
 * switch-in record that ends the wait comes later.
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
	u64 end;			/* time of the newest record: end of the recording */
	bool used;			/* the recording has an OFF_CPU_EVENT */
};

/* offcpu_event - true if the index has the off-CPU times of this event's samples */
static inline bool offcpu_event(const struct event *ev)
{
	return ev->attr.type == PERF_TYPE_TRACEPOINT && event_off_cpu(ev);
}

/* offcpu_init - @ix: zeroed */
void offcpu_init(struct offcpu_index *ix, const struct event_list *events);

/* offcpu_mark - does a thread leave its CPU to wait, return, or exit here? @tid: set to it */
bool offcpu_mark(const struct event_list *events, const struct perf_event_header *rec, u32 *tid);

/* offcpu_note - add a record in pass 1; @time: its time, in ns */
void offcpu_note(struct offcpu_index *ix, const struct event_list *events,
		 const struct perf_event_header *rec, u64 time);

/* offcpu_seal() - sort, after the last offcpu_note() */
void offcpu_seal(struct offcpu_index *ix);

/*
 * offcpu_time - ns until the next switch-in or exit of a thread that left its CPU at @time; until
 * its next sample of the event if that was lost; until the end of the recording if it never ran
 * again. Context: any thread.
 */
u64 offcpu_time(const struct offcpu_index *ix, u32 tid, u64 time);

#endif /* PERF_SESSION_OFFCPU_H */
