/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: the records of what was there before a file begins.
 */
#ifndef PERF_CMD_RECORD_SYNTHESIS_H
#define PERF_CMD_RECORD_SYNTHESIS_H

#include "cmd/record/describe.h"
#include "cmd/record/follow.h"
#include "cmd/record/tables.h"
#include "cmd/record/workload.h"

struct synthesis {
	const struct record_options *opts;
	const struct description *desc;
	const struct workload *workload;
	struct tables *tables;		/* NULL: none are registered */
	struct follow *follow;		/* NULL: one file, the threads are those of the start */
	struct synth synth;
	bool made;
};

/**
 * synthesis_init() - begin, with nothing made
 * @s: what to fill
 * @opts: the options
 * @desc: the events
 * @workload: the command
 * @tables: registers the tables of what is mapped; NULL: tables are not registered
 * @follow: which processes are followed; NULL: those that were measured at the start
 */
void synthesis_init(struct synthesis *s, const struct record_options *opts, const struct description *desc,
		    const struct workload *workload, struct tables *tables, struct follow *follow);

/**
 * synthesis_records() - the records, read from /proc and /sys if that was not done yet
 * @s: the synthesis
 *
 * Return: the records, valid until synthesis_forget().
 */
const struct outbuf *synthesis_records(struct synthesis *s);

/* synthesis_forget - free the records; the next synthesis_records() reads anew */
void synthesis_forget(struct synthesis *s);

#endif /* PERF_CMD_RECORD_SYNTHESIS_H */
