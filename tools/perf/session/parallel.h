/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Number of threads running at a time, from a recording's context switch records.
 */
#ifndef PERF_SESSION_PARALLEL_H
#define PERF_SESSION_PARALLEL_H

#include "event/event.h"

/*
 * A change of the number of running threads: before the seal the difference, after it the number.
 */
struct parallel_mark {
	u64 time;
	s64 running;
};

struct parallel_index {
	struct parallel_mark *marks;	/* sorted by time once sealed */
	size_t nr, cap;
	bool used;			/* the recording has context switch records */
};

/**
 * parallel_init() - initialise for a recording's events
 * @ix: the index; zeroed
 * @events: events of the recording
 */
void parallel_init(struct parallel_index *ix, const struct event_list *events);

/**
 * parallel_note() - add a record in pass 1
 * @ix: the index
 * @events: events of the recording
 * @rec: the record
 * @time: its time, in ns
 */
void parallel_note(struct parallel_index *ix, const struct event_list *events,
		   const struct perf_event_header *rec, u64 time);

/* parallel_seal() - sort and sum up, after the last parallel_note() */
void parallel_seal(struct parallel_index *ix);

/**
 * parallel_at() - get the number of running threads
 * @ix: the sealed index
 * @time: in ns
 *
 * Return: at least 1, as the sample's own thread runs.
 * Context: any thread.
 */
u32 parallel_at(const struct parallel_index *ix, u64 time);

void parallel_deinit(struct parallel_index *ix);

#endif /* PERF_SESSION_PARALLEL_H */
