/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: while recording goes on.
 */
#ifndef PERF_CMD_RECORD_LOOP_H
#define PERF_CMD_RECORD_LOOP_H

#include "cmd/record/control.h"
#include "cmd/record/files.h"
#include "cmd/record/trigger.h"

struct loop {
	const struct record_options *opts;
	struct rings *rings;
	struct drain *drain;
	struct files *files;
	struct workload *workload;
	struct control *control;
	struct trigger *trigger;
	int epoll, signals, timer, switch_timer;	/* -1: not open */
	u64 start_ns;			/* CLOCK_MONOTONIC */
	u32 next_span;			/* of -D */
	bool enabled;			/* events are on */
	bool switch_wanted;		/* by signal, timer, command or event */
	bool done;			/* this round is the last one */
	bool started;			/* there is something to look at in the file */
	int signal;			/* the one that ended us; 0: none */
	u64 wakeups;
};

/* loop_block_signals - leave signals to the loop; before the workload is forked */
void loop_block_signals(void);

/**
 * loop_init() - begin
 * @l: what to fill
 * @opts: the options
 * @rings: the mapped buffers
 * @drain: reads them
 * @files: what is written; the first one has begun
 * @workload: the command, held back
 * @control: --control
 * @trigger: --switch-output-event
 */
void loop_init(struct loop *l, const struct record_options *opts, struct rings *rings, struct drain *drain,
	       struct files *files, struct workload *workload, struct control *control, struct trigger *trigger);

/**
 * loop_run() - record until there is an end to it
 * @l: the loop
 *
 * Return: 0, or -1 after diag_error(). Without @l->started the file is worth nothing.
 */
int loop_run(struct loop *l);

void loop_deinit(struct loop *l);

#endif /* PERF_CMD_RECORD_LOOP_H */
