/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: synthesised records of tasks and mappings older than the file.
 */
#ifndef PERF_CMD_RECORD_SYNTHESIS_H
#define PERF_CMD_RECORD_SYNTHESIS_H

#include <pthread.h>

#include "cmd/record/describe.h"
#include "cmd/record/follow.h"
#include "cmd/record/workload.h"
#include "cmd/tables/tables.h"

struct synthesis {
	const struct record_options *opts;
	const struct description *desc;
	const struct workload *workload;
	struct tables *tables;		/* NULL: none are registered */
	/* NULL: a single file; the threads are those of the start */
	struct follow *follow;
	struct synth synth;
	bool made;
	bool runs;			/* @thread makes @synth */
	bool later;			/* it is not the first file's */
	pthread_t thread;
};

/**
 * synthesis_init() - initialise, without records
 * @s: structure to initialise
 * @opts: the options
 * @desc: the events
 * @workload: the command
 * @tables: registers unwind tables; NULL: no tables are registered
 * @follow: the followed processes; NULL: the threads measured at the start
 */
void synthesis_init(struct synthesis *s, const struct record_options *opts, const struct description *desc,
		    const struct workload *workload, struct tables *tables, struct follow *follow);

/**
 * synthesis_start() - read /proc and /sys on a thread
 * @s: the synthesis, without records; not for the first file
 */
void synthesis_start(struct synthesis *s);

/**
 * synthesis_done() - wait for the thread of synthesis_start()
 * @s: the synthesis
 * @ms: for how long at most
 *
 * Return: true if the records are complete.
 */
bool synthesis_done(struct synthesis *s, int ms);

/**
 * synthesis_records() - get the records; the first call reads /proc and /sys
 * @s: the synthesis
 *
 * Return: the records, valid until synthesis_forget().
 */
const struct outbuf *synthesis_records(struct synthesis *s);

/* synthesis_forget - free the records; the next synthesis_records() reads /proc and /sys again */
void synthesis_forget(struct synthesis *s);

#endif /* PERF_CMD_RECORD_SYNTHESIS_H */
