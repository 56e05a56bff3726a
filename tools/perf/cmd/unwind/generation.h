/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf unwind --serve: the tables of what runs, and the buffers that name what starts.
 */
#ifndef PERF_CMD_UNWIND_GENERATION_H
#define PERF_CMD_UNWIND_GENERATION_H

#include "cmd/tables/map_events.h"
#include "cmd/tables/tables.h"

struct generation {
	struct host *host;
	struct map_events maps;
	struct tables *tables;
	void *room;		/* for a record that wraps */
	u64 lost;		/* records, since the last generation_look() */
};

/**
 * generation_begin() - register the tables of all that runs
 * @limit: maximum of all tables in bytes
 * @signals: a signalfd; a signal there ends the wait
 *
 * Returns when the tables are registered. Tables of another generation stay.
 *
 * Return: the generation; NULL after diag_error().
 */
struct generation *generation_begin(u64 limit, int signals);

/* generation_look - queue the files that all processes map now */
void generation_look(struct generation *g);

/*
 * generation_drain - queue the files of the mappings in the buffers. Return: whether there was a
 * record.
 */
bool generation_drain(struct generation *g);

/* generation_end - the kernel drops the tables that no other generation has; @g may be NULL */
void generation_end(struct generation *g);

#endif /* PERF_CMD_UNWIND_GENERATION_H */
