// SPDX-License-Identifier: GPL-2.0
/*
 * tool-processes PROCESSES SAMPLES LIBRARY FILE [CPUS]: a recording of short processes, each with so
 * many samples. Each maps a program and the library at places of its own, as address space layout
 * randomisation has it: few different addresses in files, many in memory. With CPUS, a directory
 * as of record --threads: FILE/data, and a file for each CPU, all at the same time.
 */
#include <sys/stat.h>

#include "../lib/perfdata.h"

#define KERNEL 0xffffffff81000000ULL
#define LIBRARY_TEXT 0x26000ULL
#define KERNEL_FRAMES 8
#define USER_FRAMES 12
#define STACKS 3000		/* different ones, by their offsets in files */

static u64 seed = 1;

static u64 rnd(u64 n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % n;
}

static void sample(struct perfdata *pd, u32 pid, u64 time, u64 program, u64 library)
{
	u64 chain[KERNEL_FRAMES + 2 + USER_FRAMES], i, n = 0, before = seed;

	seed = rnd(STACKS);
	chain[n++] = PERF_CONTEXT_KERNEL;
	for (i = 0; i < KERNEL_FRAMES; i++)
		chain[n++] = KERNEL + 0x1000 * i + 16 * rnd(i < 4 ? 40 : 4);
	chain[n++] = PERF_CONTEXT_USER;
	for (i = 0; i < USER_FRAMES - 2; i++)
		chain[n++] = library + 0xa000 * (i + 1) + 8 * rnd(64);
	chain[n++] = program + 0x1000 + 8 * rnd(16);
	chain[n++] = library + 0x1000;
	seed = before + time;
	pd_sample(pd, pid, pid, time, PERF_RECORD_MISC_KERNEL, chain, n);
}

/* One process, from its fork on at @time. Return: when it has ended. */
static u64 process(struct perfdata *pd, u32 pid, u64 samples, const char *path, u64 time)
{
	u64 program = 0x550000000000ULL + (rnd(1 << 28) << 12);
	u64 library = 0x7f0000000000ULL + (rnd(1 << 24) << 12), i;

	pd_task(pd, PERF_RECORD_FORK, pid, pid, 1000, 1000, time += 1000);
	pd_comm(pd, pid, pid, "short", true, time += 1000);
	pd_mmap(pd, pid, program, 0x4000, 0x1000, "/nonexistent/short", time += 1000);
	pd_mmap(pd, pid, library, 0x150000, LIBRARY_TEXT, path, time += 1000);
	for (i = 0; i < samples; i++) {
		sample(pd, pid, time += 1000 + rnd(500), program, library);
		if (i % 1000 == 999)
			pd_round(pd);
	}
	pd_task(pd, PERF_RECORD_EXIT, pid, pid, 1000, 1000, time += 1000);
	return time;
}

static int store(const struct perfdata *pd, const char *path, bool part)
{
	FILE *f = fopen(path, "w");

	if (!f || (part ? fwrite(pd->buf, 1, pd->size, f) != pd->size : pd_write(pd, f, false)) || fclose(f)) {
		perror(path);
		return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	u64 processes, samples, cpus, time[4096], i;
	struct perfdata head, *parts;
	char path[4096];

	if (argc != 5 && argc != 6) {
		fprintf(stderr, "usage: tool-processes PROCESSES SAMPLES LIBRARY FILE [CPUS]\n");
		return 129;
	}
	processes = strtoull(argv[1], NULL, 10);
	samples = strtoull(argv[2], NULL, 10);
	cpus = argc == 6 ? strtoull(argv[5], NULL, 10) : 1;
	if (!cpus || cpus > ARRAY_SIZE(time) || (argc == 6 && mkdir(argv[4], 0777))) {
		perror(argv[4]);
		return 1;
	}
	pd_init(&head, true);
	pd_mmap(&head, -1, KERNEL, 0x2000000, KERNEL, "[kernel.kallsyms]_text", 0);
	pd_comm(&head, 1000, 1000, "shell", false, 0);
	parts = xcalloc(cpus, sizeof(*parts));
	for (i = 0; i < cpus; i++) {
		if (argc == 6)
			pd_init(&parts[i], true);
		time[i] = 1000000000 + i;
	}
	for (i = 0; i < processes; i++) {
		struct perfdata *pd = argc == 6 ? &parts[i % cpus] : &head;

		time[i % cpus] = process(pd, 1001 + i, samples, argv[3], time[i % cpus]);
		if (argc == 5 && i % 40 == 39)
			pd_round(pd);
	}
	snprintf(path, sizeof(path), argc == 6 ? "%s/data" : "%s", argv[4]);
	if (store(&head, path, false))
		return 1;
	for (i = 0; argc == 6 && i < cpus; i++) {
		snprintf(path, sizeof(path), "%s/data.%llu", argv[4], i);
		if (store(&parts[i], path, true))
			return 1;
	}
	return 0;
}
