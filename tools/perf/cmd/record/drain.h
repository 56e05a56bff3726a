/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: copies records from the kernel's ring buffers to the file, in rounds.
 */
#ifndef PERF_CMD_RECORD_DRAIN_H
#define PERF_CMD_RECORD_DRAIN_H

#include <pthread.h>

#include "cmd/record/frames.h"
#include "cmd/record/live.h"
#include "cmd/record/output.h"
#include "cmd/record/watch.h"

struct drain {
	struct rings *rings;
	struct watch *watch;
	struct live *live;		/* NULL: records are written unchanged */
	struct frames *frames;		/* NULL: records are written unchanged */
	struct output *out;
	struct affinity affinity;
	/* --mmap-flush: minimum bytes in a buffer for it to be read */
	u64 least;
	u32 rounds_held;		/* rounds since all buffers were read */
	pthread_mutex_t lock;		/* --threads: of all that is not one buffer's */
};

/**
 * drain_init() - initialise a drain
 * @d: structure to initialise
 * @opts: the options
 * @rings: the mapped buffers
 * @watch: inspects the records
 * @live: walks copied stacks; NULL: no --call-graph live
 * @frames: joins callchains; NULL: no --call-graph bpf
 * @out: destination of the records
 */
void drain_init(struct drain *d, const struct record_options *opts, struct rings *rings, struct watch *watch,
		struct live *live, struct frames *frames, struct output *out);

/**
 * drain_ring() - write the records in one buffer, with --threads
 * @d: the drain
 * @ring: index of the buffer
 *
 * For several threads at once, each with buffers of its own.
 * Return: 0, or -errno.
 */
int drain_ring(struct drain *d, u32 ring);

/**
 * drain_round() - write the records in the buffers
 * @d: the drain
 * @all: ignore --mmap-flush: read every buffer
 *
 * Return: 0, or -errno.
 */
int drain_round(struct drain *d, bool all);

/**
 * drain_snapshot() - write the records in the backward buffers
 * @d: the drain
 *
 * Return: 0, or -errno.
 */
int drain_snapshot(struct drain *d);

/**
 * drain_live() - write all records still in the live stage
 * @d: the drain
 *
 * Return: 0, or -errno.
 */
int drain_live(struct drain *d);

void drain_deinit(struct drain *d);

#endif /* PERF_CMD_RECORD_DRAIN_H */
