// SPDX-License-Identifier: GPL-2.0
/*
 * tool-sessions SAMPLES SLEEPERS FILE [plain]: a recording of two CPUs, in rounds of a
 * thousand records as perf writes them. Sleeping tasks were sampled once each
 * and never came back from the kernel; eight working ones are sampled in system
 * calls whose user halves come two samples later. "plain": the same
 * as fp records it, each sample with its user half, for a perf that does not know
 * deferred callchains.
 */
#include "../lib/perfdata.h"

#define WORKERS 8
#define KERNEL 0xffffffff81000000ULL
#define TEXT 0x400000ULL
#define KERNEL_FRAMES 10
#define USER_FRAMES 16

static u64 seed = 1;

static u64 rnd(u64 n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % n;
}

static bool plain;

static void user_half(u64 *ips)
{
	u64 i;

	for (i = 0; i < USER_FRAMES; i++)
		ips[i] = TEXT + 0x1000 * i + 8 * rnd(20);
}

static void sample(struct perfdata *pd, u32 tid, u64 time, u64 cookie)
{
	u64 chain[KERNEL_FRAMES + 2 + USER_FRAMES], i;

	chain[0] = PERF_CONTEXT_KERNEL;
	for (i = 1; i <= KERNEL_FRAMES; i++)
		chain[i] = KERNEL + 0x1000 * i + 16 * rnd(i < 4 ? 40 : 4);
	if (plain) {
		chain[i++] = PERF_CONTEXT_USER;
		user_half(chain + i);
		i += USER_FRAMES;
	} else {
		chain[i++] = CONTEXT_USER_DEFERRED;
		chain[i++] = cookie;
	}
	pd_sample(pd, tid, tid, time, PERF_RECORD_MISC_KERNEL, chain, i);
}

static void record(struct perfdata *pd, u32 tid, u64 time, u64 cookie)
{
	u64 ips[USER_FRAMES];

	user_half(ips);
	pd_deferred(pd, tid, tid, time, cookie, ips, USER_FRAMES);
}

int main(int argc, char **argv)
{
	u64 samples, sleepers, i, time = 1000000000;
	struct { u32 pending; u64 cookie; } w[WORKERS] = { { 0 } };
	struct perfdata pd;
	char name[32];
	FILE *f;

	plain = argc == 5 && !strcmp(argv[4], "plain");
	if (argc != 4 && !plain) {
		fprintf(stderr, "usage: tool-sessions SAMPLES SLEEPERS FILE [plain]\n");
		return 129;
	}
	samples = strtoull(argv[1], NULL, 10);
	sleepers = strtoull(argv[2], NULL, 10);
	pd_init(&pd, true);
	pd_mmap(&pd, -1, KERNEL, 0x2000000, KERNEL, "[kernel.kallsyms]_text", 0);
	for (i = 0; i < WORKERS + sleepers; i++) {
		u32 tid = 1000 + i;

		snprintf(name, sizeof(name), i < WORKERS ? "worker-%llu" : "sleeper-%llu", i);
		pd_comm(&pd, tid, tid, name, false, 0);
		if (i < WORKERS)
			pd_mmap(&pd, tid, TEXT, 0x100000, 0, "/nonexistent/worker", 0);
	}
	for (i = 0; i < sleepers; i++)
		sample(&pd, 1000 + WORKERS + i, time += 1000, (i + 1) << 32 | 1);
	for (i = 0; i < samples; i++) {
		u32 n = rnd(WORKERS), tid = 1000 + n;

		time += 1000 + rnd(500);
		if (!w[n].pending)
			w[n].cookie = (sleepers + i + 1) << 32 | 2;
		sample(&pd, tid, time, w[n].cookie);
		if (++w[n].pending == 2) {
			time += 500;
			if (!plain)
				record(&pd, tid, time, w[n].cookie);
			w[n].pending = 0;
		}
		if (i % 1000 == 999)
			pd_round(&pd);
	}
	f = fopen(argv[3], "w");
	if (!f || pd_write(&pd, f, false) || fclose(f)) {
		perror(argv[3]);
		return 1;
	}
	return 0;
}
