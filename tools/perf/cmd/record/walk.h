/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --call-graph live: turns copied stacks into callchains by perf report's walker, in a process
 * without rights (host/host.h), with batches of records in shared memory.
 */
#ifndef PERF_CMD_RECORD_WALK_H
#define PERF_CMD_RECORD_WALK_H

#include "base/outbuf.h"
#include "event/event.h"

struct host;
struct walk;
struct python_reader;

/* Bit of a sample's .misc, unused by the kernel: it has a copy of its stack that is to be walked */
#define WALK_COPIED PERF_RECORD_MISC_EXT_RESERVED
/* Others, of --wall: its callchain is kept for later ones of the thread; it has the kept one */
#define WALK_KEPT	(1 << 3)
#define WALK_AGAIN	(1 << 4)

/* Batches of records: a record may be added to one that has less than WALK_MOST bytes. */
#define WALK_BATCHES	12
#define WALK_MOST	(32u << 20)

/*
 * walk_create - a walk without tasks and mappings, and its process; @host: has the walkers; NULL,
 * for tests: none; @events: must outlive it; @memory: limit. Return: NULL after diag_error().
 */
struct walk *walk_create(struct host *host, struct event_list *events, u64 memory);
void walk_destroy(struct walk *w);

/*
 * walk_python - put Python functions into callchains; walk_destroy() frees @reader; @is_pipe: names
 * are written at once, for who reads the output meanwhile
 */
void walk_python(struct walk *w, struct python_reader *reader, bool is_pipe);
/* walk_file_ends - a file has all its samples: write the names of Python functions */
void walk_file_ends(struct walk *w);

/* walk_memory - batch @nr, which the process sees: records, u32 offsets; not for outbuf_deinit() */
void walk_memory(const struct walk *w, u32 nr, struct outbuf *records, struct outbuf *side);
/* walk_trim - a batch is not used any more: give most of its memory back if it was large */
void walk_trim(const struct outbuf *records);
/* walk_set_priority - give its process the priority of this thread */
void walk_set_priority(const struct walk *w);

/*
 * walk_note - add tasks and mappings: the @nr records at offsets @at of a batch; those after @until
 * (ns) stay until the next call, and later calls add none from before. Return: false: the process
 * died: walk_forget() was done, all is to be noted again.
 */
bool walk_note(struct walk *w, const char *records, const u32 *at, size_t nr, u64 until);
/* walk_is_large - true if there are too many records or files, most of exited tasks */
bool walk_is_large(const struct walk *w);
/* walk_forget - drop all records, and files if memory is large; note tasks, walk_has_room() */
void walk_forget(struct walk *w);
/* walk_has_room - set the limit to twice the current number of records */
void walk_has_room(struct walk *w);

/*
 * walk_records - write records, with callchains for the copies of WALK_COPIED samples, before which
 * all was noted; @from, in a batch: set to the first one not written. Return: as walk_note().
 */
bool walk_records(struct walk *w, const char **from, const char *to, struct outbuf *out);
/* walk_plain - the same, in this process: user halves of callchains are left out and counted */
void walk_plain(struct walk *w, const char *from, const char *to, struct outbuf *out);
/* walk_text - append what was lost; @cuts: also which callchains are cut, as cuts_percent() says */
void walk_text(struct walk *w, bool cuts, struct outbuf *o);

#endif /* PERF_CMD_RECORD_WALK_H */
