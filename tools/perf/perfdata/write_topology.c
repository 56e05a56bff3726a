// SPDX-License-Identifier: GPL-2.0
/* The machine's topology from sysfs: cores, core types, nodes, caches, memory blocks. */
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/sysfs.h"
#include "event/pmu.h"
#include "perfdata/write_features.h"

#define CPU_DIR	"/sys/devices/system/cpu"
#define NODE_DIR "/sys/devices/system/node"

static int cpu_text(u32 cpu, const char *file, char *buf, size_t size)
{
	char path[256];

	snprintf(path, sizeof(path), CPU_DIR "/cpu%u/%s", cpu, file);
	return read_text(path, buf, size);
}

static u32 cpu_number(u32 cpu, const char *file)
{
	char text[64];

	return cpu_text(cpu, file, text, sizeof(text)) > 0 ? strtol(text, NULL, 10) : 0;
}

/* The distinct contents of a sysfs file over all CPUs: u32 count, strings. */
static u32 put_distinct(struct outbuf *o, u32 cpus, const char *file, const char *older)
{
	char **seen = xcalloc(cpus, sizeof(*seen)), text[1024];
	u32 nr = 0, cpu, i;

	for (cpu = 0; cpu < cpus; cpu++) {
		if (cpu_text(cpu, file, text, sizeof(text)) <= 0 &&
		    (!older || cpu_text(cpu, older, text, sizeof(text)) <= 0))
			continue;
		for (i = 0; i < nr; i++)
			if (!strcmp(seen[i], text))
				break;
		if (i == nr)
			seen[nr++] = xstrdup(text);
	}
	outbuf_put32(o, nr);
	for (i = 0; i < nr; i++) {
		feature_put_string(o, seen[i]);
		free(seen[i]);
	}
	free(seen);
	return nr;
}

/* cores, threads, { core, socket } by CPU, dies, die by CPU */
bool feature_topology(struct outbuf *o)
{
	u32 cpus = sysconf(_SC_NPROCESSORS_CONF), cpu;

	if (!put_distinct(o, cpus, "topology/package_cpus_list", "topology/core_siblings_list"))
		return false;
	put_distinct(o, cpus, "topology/core_cpus_list", "topology/thread_siblings_list");
	for (cpu = 0; cpu < cpus; cpu++) {
		outbuf_put32(o, cpu_number(cpu, "topology/core_id"));
		outbuf_put32(o, cpu_number(cpu, "topology/physical_package_id"));
	}
	if (access(CPU_DIR "/cpu0/topology/die_cpus_list", R_OK))
		return true;
	put_distinct(o, cpus, "topology/die_cpus_list", NULL);
	for (cpu = 0; cpu < cpus; cpu++)
		outbuf_put32(o, cpu_number(cpu, "topology/die_id"));
	return true;
}

/* Get the numbers of the entries PREFIXn of a folder, ascending. Return: how many. */
static u32 numbered(const char *dir, const char *prefix, u32 **numbers)
{
	_cleanup_closedir_ DIR *d = opendir(dir);
	size_t len = strlen(prefix);
	struct dirent *e;
	u32 nr = 0, cap = 0, v, i;

	*numbers = NULL;
	while (d && (e = readdir(d))) {
		if (strncmp(e->d_name, prefix, len) || e->d_name[len] < '0' || e->d_name[len] > '9')
			continue;
		GROW(*numbers, nr, cap);
		v = strtoul(e->d_name + len, NULL, 10);
		for (i = nr++; i > 0 && (*numbers)[i - 1] > v; i--)
			(*numbers)[i] = (*numbers)[i - 1];
		(*numbers)[i] = v;
	}
	return nr;
}

bool feature_numa(struct outbuf *o)
{
	_cleanup_free_ u32 *nodes = NULL;
	u32 nr = numbered(NODE_DIR, "node", &nodes), i;
	char path[128], line[256], cpus[1024];

	if (!nr)
		return false;
	outbuf_put32(o, nr);
	for (i = 0; i < nr; i++) {
		_cleanup_fclose_ FILE *f = NULL;
		u64 total = 0, avail = 0, kb;

		snprintf(path, sizeof(path), NODE_DIR "/node%u/meminfo", nodes[i]);
		f = fopen(path, "re");
		while (f && fgets(line, sizeof(line), f)) {
			if (sscanf(line, "Node %*u MemTotal: %llu", &kb) == 1)
				total = kb;
			else if (sscanf(line, "Node %*u MemFree: %llu", &kb) == 1)
				avail = kb;
		}
		snprintf(path, sizeof(path), NODE_DIR "/node%u/cpulist", nodes[i]);
		if (read_text(path, cpus, sizeof(cpus)) < 0)
			cpus[0] = 0;
		outbuf_put32(o, nodes[i]);
		outbuf_put64(o, total);
		outbuf_put64(o, avail);
		feature_put_string(o, cpus);
	}
	return true;
}

static int cache_text(u32 cpu, u32 index, const char *name, char *buf, size_t size)
{
	char file[64];

	snprintf(file, sizeof(file), "cache/index%u/%s", index, name);
	return cpu_text(cpu, file, buf, size);
}

/* u32 version 1, u32 count, { u32 level, line, sets, ways; strings type, size, map } */
bool feature_caches(struct outbuf *o)
{
	u32 cpus = sysconf(_SC_NPROCESSORS_CONF), cpu, index, nr = 0, cap = 0, i;
	static const char *const numbers[] = {
		"level", "coherency_line_size", "number_of_sets", "ways_of_associativity",
	};
	char file[64], type[64], size[64], map[256], level[16], key[512];
	size_t count_at;
	char **seen = NULL;

	outbuf_put32(o, 1);
	count_at = outbuf_len(o);
	outbuf_put32(o, nr);
	for (cpu = 0; cpu < cpus; cpu++) {
		for (index = 0; index < 10; index++) {
			if (cache_text(cpu, index, "level", level, sizeof(level)) <= 0 ||
			    cache_text(cpu, index, "type", type, sizeof(type)) <= 0 ||
			    cache_text(cpu, index, "size", size, sizeof(size)) <= 0 ||
			    cache_text(cpu, index, "shared_cpu_list", map, sizeof(map)) <= 0)
				break;
			snprintf(key, sizeof(key), "%s %s %s %s", level, type, size, map);
			for (i = 0; i < nr; i++)
				if (!strcmp(seen[i], key))
					break;
			if (i < nr)
				continue;
			GROW(seen, nr, cap);
			seen[nr++] = xstrdup(key);
			for (i = 0; i < ARRAY_SIZE(numbers); i++) {
				snprintf(file, sizeof(file), "cache/index%u/%s", index, numbers[i]);
				outbuf_put32(o, cpu_number(cpu, file));
			}
			feature_put_string(o, type);
			feature_put_string(o, size);
			feature_put_string(o, map);
		}
	}
	memcpy(o->base + count_at, &nr, sizeof(nr));
	for (i = 0; i < nr; i++)
		free(seen[i]);
	free(seen);
	return nr > 0;
}

/* u64 version 1, block size, nodes, { u64 node, bits, bitmap } */
bool feature_memory(struct outbuf *o)
{
	_cleanup_free_ u32 *nodes = NULL;
	u32 nr = numbered(NODE_DIR, "node", &nodes), i, j;
	char text[64], dir[64];

	if (read_text("/sys/devices/system/memory/block_size_bytes", text, sizeof(text)) <= 0 || !nr)
		return false;
	outbuf_put64(o, 1);
	outbuf_put64(o, strtoull(text, NULL, 16));
	outbuf_put64(o, nr);
	for (i = 0; i < nr; i++) {
		_cleanup_free_ u32 *blocks = NULL;
		_cleanup_free_ u64 *map = NULL;
		u32 n, words;
		u64 bits;

		snprintf(dir, sizeof(dir), NODE_DIR "/node%u", nodes[i]);
		n = numbered(dir, "memory", &blocks);
		bits = n ? blocks[n - 1] + 1 : 0;
		words = (bits + 63) / 64;
		map = xcalloc(words, sizeof(u64));
		for (j = 0; j < n; j++)
			map[blocks[j] / 64] |= 1ULL << (blocks[j] % 64);
		outbuf_put64(o, nodes[i]);
		/* the size again: a bitmap begins with its own */
		outbuf_put64(o, bits);
		outbuf_put64(o, bits);
		outbuf_write(o, map, words * sizeof(u64));
	}
	return true;
}

/* u32 count, { strings name, cpus } for the PMU of each CPU type */
bool feature_hybrid(struct outbuf *o)
{
	struct core_pmu *pmus;
	u32 nr, i;

	pmus = core_pmus(&nr);
	outbuf_put32(o, nr);
	for (i = 0; i < nr; i++) {
		feature_put_string(o, pmus[i].name);
		feature_put_string(o, pmus[i].cpus);
	}
	core_pmus_free(pmus, nr);
	return nr;
}

void feature_put_string(struct outbuf *o, const char *s)
{
	u32 len = strlen(s) + 1, padded = ALIGN_UP(len, 64u);

	outbuf_put32(o, padded);
	outbuf_write(o, s, len);
	outbuf_fill(o, 0, padded - len);
}
