/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record --threads: threads that read the kernel's buffers. The loop waits for the buffers; it
 * wakes the thread of a buffer with records.
 */
#ifndef PERF_CMD_RECORD_STREAMS_H
#define PERF_CMD_RECORD_STREAMS_H

#include "cmd/record/drain.h"
#include "cmd/record/thread_groups.h"

struct stream_thread;

struct streams {
	struct drain *drain;
	const struct thread_groups *groups;
	struct stream_thread *v;	/* a thread for each group */
	u32 *of;			/* index of the thread of each buffer */
	u32 nr;				/* running threads; 0: the caller reads the buffers */
	int failure;			/* eventfd, readable after a failed write; -1: not started */
	int err;			/* -errno of it */
};

/* streams_init - initialise; @drain: reads one buffer; @groups: of the CPUs, nr 0: no threads */
void streams_init(struct streams *s, struct drain *drain, const struct thread_groups *groups);

/**
 * streams_start() - start the threads
 * @s: the streams
 *
 * Return: 0, or -1 after diag_error().
 */
int streams_start(struct streams *s);

/* streams_wake - have the thread of buffer @ring read it; without a thread nothing happens */
void streams_wake(struct streams *s, u32 ring);

/* streams_wake_all - have all buffers read */
void streams_wake_all(struct streams *s);

/* streams_error - 0, or the -errno of a failed write: its thread has ended */
int streams_error(const struct streams *s);

/**
 * streams_stop() - end the threads
 * @s: the streams
 *
 * From here on the caller reads the buffers (drain_round()). Return: as streams_error().
 */
int streams_stop(struct streams *s);

void streams_deinit(struct streams *s);

#endif /* PERF_CMD_RECORD_STREAMS_H */
