/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: the main loop.
 */
#ifndef PERF_CMD_RECORD_LOOP_H
#define PERF_CMD_RECORD_LOOP_H

#include "cmd/record/control.h"
#include "cmd/record/files.h"
#include "cmd/record/streams.h"
#include "cmd/record/trigger.h"
#include "cmd/tables/map_events.h"

struct loop {
	const struct record_options *opts;
	struct rings *rings;
	struct drain *drain;
	struct files *files;
	struct workload *workload;
	struct control *control;
	struct trigger *trigger;
	struct streams streams;		/* --threads */
	struct map_events maps;		/* epoll -1: not open */
	int epoll, signals, timer, switch_timer;	/* -1: not open */
	u64 start_ns;			/* CLOCK_MONOTONIC */
	u32 next_span;			/* index of the next -D span */
	bool enabled;			/* events are on */
	bool switch_wanted;		/* requested by signal, timer, command or event */
	bool mapped;			/* the current round is for a mapping */
	bool done;			/* the current round is the last */
	bool started;			/* recording has begun: the file has content */
	int signal;			/* signal that ended the recording; 0: none */
	u64 wakeups;
};

/* loop_block_signals - block signals, which the loop reads; call before the workload is forked */
void loop_block_signals(void);

/**
 * loop_init() - initialise the loop
 * @l: structure to initialise
 * @opts: the options
 * @rings: the mapped buffers
 * @drain: reads the buffers
 * @groups: of the threads that read them; nr 0: the loop does
 * @files: the output; its first file is open
 * @workload: the command, forked but not executed
 * @control: --control
 * @trigger: --switch-output-event
 */
void loop_init(struct loop *l, const struct record_options *opts, struct rings *rings, struct drain *drain,
	       const struct thread_groups *groups, struct files *files, struct workload *workload,
	       struct control *control, struct trigger *trigger);

/**
 * loop_run() - record until the end of the recording
 * @l: the loop
 *
 * Return: 0, or -1 after diag_error(). If @l->started is false, the file has no content.
 */
int loop_run(struct loop *l);

void loop_deinit(struct loop *l);

#endif /* PERF_CMD_RECORD_LOOP_H */
