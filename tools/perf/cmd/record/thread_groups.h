/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record --threads: which thread reads the buffers of which CPUs.
 */
#ifndef PERF_CMD_RECORD_THREAD_GROUPS_H
#define PERF_CMD_RECORD_THREAD_GROUPS_H

#include "measure/target.h"

struct thread_group {
	struct cpu_list cpus;		/* whose buffers the thread reads */
	struct cpu_list affinity;	/* where it runs */
};

struct thread_groups {
	struct thread_group *v;
	u32 nr, cap;
};

/**
 * thread_groups_settle() - make groups of the argument of --threads
 * @spec: "cpu", "core", "package", "numa", or "CPUS/AFFINITY:CPUS/AFFINITY..."; NULL: no groups
 * @online: the CPUs with buffers; others are ignored
 * @groups: the groups are added here
 *
 * Groups have no CPU in common, and run on no CPU in common.
 * Return: 0, or -1 after diag_error(). Call thread_groups_deinit() in either case.
 */
int thread_groups_settle(const char *spec, const struct cpu_list *online,
			 struct thread_groups *groups);

/* thread_groups_of - index of the group that reads a CPU's buffer: the first, if it is in none */
u32 thread_groups_of(const struct thread_groups *groups, s32 cpu);

void thread_groups_deinit(struct thread_groups *groups);

#endif /* PERF_CMD_RECORD_THREAD_GROUPS_H */
