/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record --call-graph live: turns copied stacks into callchains with perf report's walker.
 */
#ifndef PERF_CMD_RECORD_WALK_H
#define PERF_CMD_RECORD_WALK_H

#include "base/outbuf.h"
#include "event/event.h"

struct walk;

/* Bit of a sample's .misc, unused by the kernel: it has a copy of its stack that is to be walked */
#define WALK_COPIED PERF_RECORD_MISC_EXT_RESERVED

/* Complete records in a buffer: [from, to). */
struct walk_span {
	const char *from, *to;
};

/**
 * walk_create() - create a walk without tasks and mappings
 * @events: layout of the records in the kernel's buffers; must outlive the walk
 * @memory: bytes of the process above which the walk is large
 */
struct walk *walk_create(struct event_list *events, u64 memory);
void walk_destroy(struct walk *w);

/**
 * walk_note() - add tasks and mappings
 * @w: the walk
 * @records: buffer with the records; records after @until must stay there until the next call
 * @at: offsets in @records of the kernel's records that are not samples
 * @nr: number of offsets
 * @until: time in ns; later calls add no older records. A fork and its child's records may be in
 *   buffers of different CPUs, and the child's may be read first.
 */
void walk_note(struct walk *w, const char *records, const u32 *at, size_t nr, u64 until);

/* walk_is_large - true if there are too many records or files, most of exited tasks */
bool walk_is_large(const struct walk *w);

/*
 * walk_forget - drop all records, and all files if memory is large; add the current tasks next,
 * then call walk_has_room()
 */
void walk_forget(struct walk *w);

/* walk_has_room - set the limit to twice the current number of records */
void walk_has_room(struct walk *w);

/**
 * walk_records() - write records, and callchains in place of the copies of WALK_COPIED samples
 * @w: the walk; all records up to the time of @records have been added
 * @records: whole rounds, in file order
 * @out: the records are appended here
 */
void walk_records(struct walk *w, struct walk_span records, struct outbuf *out);

/* walk_dropped - number of damaged samples that were dropped */
u64 walk_dropped(const struct walk *w);

/**
 * walk_cuts() - append how many callchains were truncated, where and why
 * @w: the walk; no more records follow
 * @o: destination; nothing is appended below the threshold of cuts_percent(). NULL: only -v prints
 */
void walk_cuts(struct walk *w, struct outbuf *o);

#endif /* PERF_CMD_RECORD_WALK_H */
