/* SPDX-License-Identifier: GPL-2.0 */
/* Events of executable mappings, and of tasks if these are wanted: each record wakes up. */
#ifndef PERF_CMD_TABLES_MAP_EVENTS_H
#define PERF_CMD_TABLES_MAP_EVENTS_H

#include "measure/rings.h"

struct map_events {
	struct ring_options options;
	struct spec_list specs;
	struct rings rings;
	int epoll;		/* readable after a record: for poll() and epoll */
	bool tasks;		/* set by the caller: FORK and EXIT, too */
};

/*
 * map_events_open - open the events, with @pages pages for each CPU; @m: zeroed but .tasks;
 * @threads: -1: all; @inherit: their children, too. No error: to be closed.
 */
struct error *map_events_open(struct map_events *m, const struct cpu_list *cpus, const struct thread_list *threads,
			      bool inherit, u32 pages);
/* map_events_rearm - @m->epoll is not readable until the next record; call it before the buffers are read */
void map_events_rearm(struct map_events *m);
/* map_events_clear - map_events_rearm(), and empty the buffers unread */
void map_events_clear(struct map_events *m);
void map_events_close(struct map_events *m);

#endif /* PERF_CMD_TABLES_MAP_EVENTS_H */
