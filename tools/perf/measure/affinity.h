/* SPDX-License-Identifier: GPL-2.0 */
/* The recorder's CPU affinity while it reads a buffer. */
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
	struct cpu_list *nodes;	/* for AFFINITY_NODE, by location */
	u32 nr_nodes;
	s32 now;		/* current location; -1: none yet */
};

/* affinity_init - read the nodes from sysfs; without any, each CPU is its own location */
void affinity_init(struct affinity *a, enum affinity_mode mode);
/* affinity_place - a CPU's location; buffers of equal ones can be read without moving */
s32 affinity_place(const struct affinity *a, s32 cpu);
/* affinity_move - bind the calling thread to the location of a CPU, if that is online */
void affinity_move(struct affinity *a, s32 cpu);
/* affinity_bind - bind the calling thread to CPUs; false: none of them is online */
bool affinity_bind(const struct cpu_list *cpus);
void affinity_deinit(struct affinity *a);

#endif /* PERF_MEASURE_AFFINITY_H */
