// SPDX-License-Identifier: GPL-2.0
/*
 * --affinity: moves the recorder to the CPU, or the NUMA node, of the buffer that it reads. Nodes
 * are read once; a location is a number, and the recorder moves when it changes.
 */
#include <sched.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/sysfs.h"
#include "measure/affinity.h"

void affinity_init(struct affinity *a, enum affinity_mode mode)
{
	char path[512], text[4096];
	struct cpu_list list;
	u32 node, cap = 0;

	*a = (struct affinity){ .mode = mode, .now = -1 };
	for (node = 0; mode == AFFINITY_NODE && node < 1024; node++) {
		snprintf(path, sizeof(path), "%s/devices/system/node/node%u/cpulist", sysfs_root(), node);
		list = (struct cpu_list){ 0 };
		/* a node without CPUs has an empty list */
		if (read_text(path, text, sizeof(text)) <= 0 || cpu_list_parse(text, &list))
			continue;
		GROW(a->nodes, a->nr_nodes, cap);
		a->nodes[a->nr_nodes++] = list;
	}
}

s32 affinity_place(const struct affinity *a, s32 cpu)
{
	u32 i;

	if (a->mode == AFFINITY_SYS || cpu < 0)
		return -1;
	for (i = 0; i < a->nr_nodes; i++)
		if (cpu_list_has(&a->nodes[i], cpu))
			return i;
	return a->mode == AFFINITY_CPU ? cpu : -1;
}

bool affinity_bind(const struct cpu_list *cpus)
{
	u32 max = cpus->v[cpus->nr - 1], i;
	size_t size = CPU_ALLOC_SIZE(max + 1);
	cpu_set_t *set = CPU_ALLOC(max + 1);
	bool bound;

	if (!set)
		return false;
	CPU_ZERO_S(size, set);
	for (i = 0; i < cpus->nr; i++)
		CPU_SET_S(cpus->v[i], size, set);
	bound = !sched_setaffinity(0, size, set);
	CPU_FREE(set);
	return bound;
}

void affinity_move(struct affinity *a, s32 cpu)
{
	s32 place = affinity_place(a, cpu);
	struct cpu_list alone = { .v = &cpu, .nr = 1 };
	const struct cpu_list *where = a->mode == AFFINITY_NODE ? &a->nodes[place] : &alone;

	if (place >= 0 && place != a->now && affinity_bind(where))
		a->now = place;
}

void affinity_deinit(struct affinity *a)
{
	u32 i;

	for (i = 0; i < a->nr_nodes; i++)
		free(a->nodes[i].v);
	free(a->nodes);
	memset(a, 0, sizeof(*a));
}
