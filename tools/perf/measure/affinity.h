/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recorder's CPU affinity while it reads a buffer.
 */
#ifndef PERF_MEASURE_AFFINITY_H
#define PERF_MEASURE_AFFINITY_H

#include "measure/target.h"

enum affinity_mode {
	AFFINITY_SYS,		/* wherever the scheduler puts it */
	AFFINITY_NODE,		/* on the NUMA node of the buffer's CPU */
	AFFINITY_CPU,		/* on the buffer's CPU */
};

struct affinity {
	enum affinity_mode mode;
	struct cpu_list *nodes;	/* of AFFINITY_NODE, by place */
	u32 nr_nodes;
	s32 now;		/* place that we are bound to; -1: none yet */
};

/**
 * affinity_init() - begin
 * @a: to be filled; all zeroes is AFFINITY_SYS
 * @mode: the requested mode
 *
 * Nodes come from /sys/devices/system/node/node*; without any, each CPU is on one.
 */
void affinity_init(struct affinity *a, enum affinity_mode mode);

/**
 * affinity_place() - the place that a CPU belongs to
 * @a: the affinity
 * @cpu: the CPU
 *
 * Return: the same number for CPUs whose buffers can be read in one go.
 */
s32 affinity_place(const struct affinity *a, s32 cpu);

/**
 * affinity_move() - bind the calling thread to the place of a CPU
 * @a: the affinity
 * @cpu: the CPU; one that has gone offline leaves the thread where it is
 */
void affinity_move(struct affinity *a, s32 cpu);

void affinity_deinit(struct affinity *a);

#endif /* PERF_MEASURE_AFFINITY_H */
