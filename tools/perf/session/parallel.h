/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many of a recording's threads ran at a time: what its records of context switches say.
 */
#ifndef PERF_SESSION_PARALLEL_H
#define PERF_SESSION_PARALLEL_H

#include "event/event.h"

/* From this time on so many threads ran; before the index is sealed, so many more. */
struct parallel_mark {
	u64 time;
	s64 running;
};

struct parallel_index {
	struct parallel_mark *marks;	/* by time once sealed */
	size_t nr, cap;
	bool used;			/* the recording has such records */
};

/**
 * parallel_init() - prepare for a recording's events
 * @ix: the index; all zeroes
 * @events: the recording's
 */
void parallel_init(struct parallel_index *ix, const struct event_list *events);

/**
 * parallel_note() - a record was met in pass 1
 * @ix: the index
 * @events: the recording's
 * @rec: the record
 * @time: of the record
 */
void parallel_note(struct parallel_index *ix, const struct event_list *events,
		   const struct perf_event_header *rec, u64 time);

/* parallel_seal() - all records are in: count */
void parallel_seal(struct parallel_index *ix);

/**
 * parallel_at() - how many threads ran
 * @ix: the sealed index
 * @time: when
 *
 * Return: at least 1: a sample's own thread.
 * Context: any thread.
 */
u32 parallel_at(const struct parallel_index *ix, u64 time);

void parallel_deinit(struct parallel_index *ix);

#endif /* PERF_SESSION_PARALLEL_H */
