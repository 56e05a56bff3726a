/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: from the kernel's buffers to the file, round by round.
 */
#ifndef PERF_CMD_RECORD_DRAIN_H
#define PERF_CMD_RECORD_DRAIN_H

#include "cmd/record/frames.h"
#include "cmd/record/live.h"
#include "cmd/record/output.h"
#include "cmd/record/watch.h"

struct drain {
	struct rings *rings;
	struct watch *watch;
	struct live *live;		/* NULL: records are written as they are */
	struct frames *frames;		/* likewise */
	struct output *out;
	struct affinity affinity;
	u64 least;			/* --mmap-flush: bytes that make a buffer worth reading */
	u32 rounds_held;		/* rounds since all buffers were read */
};

/**
 * drain_init() - begin
 * @d: what to fill
 * @opts: the options
 * @rings: the mapped buffers
 * @watch: looks at their records
 * @live: they pass through it; NULL: they do not
 * @frames: or through this one
 * @out: where they go
 */
void drain_init(struct drain *d, const struct record_options *opts, struct rings *rings, struct watch *watch,
		struct live *live, struct frames *frames, struct output *out);

/**
 * drain_round() - write what is in the buffers
 * @d: the drain
 * @all: of all buffers, however little it is
 *
 * Return: 0, or -errno.
 */
int drain_round(struct drain *d, bool all);

/**
 * drain_snapshot() - write what is in the backward buffers
 * @d: the drain
 *
 * Return: 0, or -errno.
 */
int drain_snapshot(struct drain *d);

/**
 * drain_live() - write what is on its way through the stage
 * @d: the drain
 *
 * Return: 0, or -errno.
 */
int drain_live(struct drain *d);

void drain_deinit(struct drain *d);

#endif /* PERF_CMD_RECORD_DRAIN_H */
