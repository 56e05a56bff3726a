/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record --call-graph live: copies of stacks become callchains, by the walker that perf report has.
 */
#ifndef PERF_CMD_RECORD_WALK_H
#define PERF_CMD_RECORD_WALK_H

#include "base/outbuf.h"
#include "event/event.h"

struct walk;

/* Which records are in a buffer: [from, to), whole ones. */
struct walk_span {
	const char *from, *to;
};

/**
 * walk_create() - begin, with nothing known of tasks and mappings
 * @events: how records are laid out in the kernel's buffers; they outlive the walk
 */
struct walk *walk_create(struct event_list *events);
void walk_destroy(struct walk *w);

/**
 * walk_note() - learn of tasks and mappings
 * @w: the walk
 * @records: where they are; those after @until stay there until the next call
 * @at: offsets of those of the kernel that are no samples
 * @nr: how many
 * @until: nothing older than this time, in ns, comes later: a fork may be in the buffer of one CPU, what the
 *	child executes in that of another, which was read before
 */
void walk_note(struct walk *w, const char *records, const u32 *at, size_t nr, u64 until);

/* walk_is_large - has so much been noted that most of it is of tasks that have gone? */
bool walk_is_large(const struct walk *w);

/* walk_forget - what was noted; what still holds is noted next, and then walk_has_room() */
void walk_forget(struct walk *w);

/* walk_has_room - as much again may be noted before the walk is large */
void walk_has_room(struct walk *w);

/**
 * walk_records() - write records with callchains in place of the copies of stacks
 * @w: the walk; it knows all records that are not later than these
 * @records: whole rounds, in the order in which they are to be in the file
 * @out: where they are appended
 */
void walk_records(struct walk *w, struct walk_span records, struct outbuf *out);

/* walk_dropped - samples that were left out, as they are damaged */
u64 walk_dropped(const struct walk *w);

/**
 * walk_cuts() - say how many callchains were cut, where and why
 * @w: the walk; no more records come
 * @o: where to; nothing is written where it does not matter
 */
void walk_cuts(struct walk *w, struct outbuf *o);

#endif /* PERF_CMD_RECORD_WALK_H */
