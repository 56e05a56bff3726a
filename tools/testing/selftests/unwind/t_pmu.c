// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of a hardware counter, whose overflow interrupts the CPU as an NMI, anywhere in user
 * mode and in the kernel. Only the VM of arm64 has one. How many samples a second there are
 * depends on the host: each test runs until it has enough.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "path.h"
#include "stats.h"
#include "test.h"
#include "worker.h"

/* The counter's interrupts so far; -1 unless they are NMIs. */
static long pmu_nmis(void)
{
	char line[512], *p;
	long sum = -1;
	FILE *f = fopen("/proc/interrupts", "re");

	if (!f)
		die("/proc/interrupts");
	while (fgets(line, sizeof(line), f)) {
		int cpu;

		if (!strstr(line, "arm-pmu"))
			continue;
		sum = 0;
		p = strchr(line, ':');
		for (cpu = 0; p && cpu < nr_cpus(); cpu++)
			sum += strtol(p + 1, &p, 10);
	}
	fclose(f);
	return sum;
}

static bool have_pmu(void)
{
	if (pmu_nmis() >= 0)
		return true;
	skip("no interrupts of a hardware counter", "cycles");
	return false;
}

static void cycles_add(struct recorder *r, u64 period)
{
	struct perf_event_attr attr;

	attr_init(&attr, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	attr.sample_period = period;
	attr_defer(&attr);
	recorder_add(r, &attr, 0, -1, 8);
}

static bool in_kernel(const struct rec *rec)
{
	return rec->ip >> 63;
}

TEST(pmukernel, "cycles in NMIs, in a system call: the chain is the path's")
{
	struct path p = { 0 };
	struct recorder r = { 0 };
	int i, kernel = 0, right = 0, wrong = 0, lost = 0;
	u64 requests;
	long nmis, before;
	char *page = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	if (!have_pmu())
		return;
	if (page == MAP_FAILED)
		die("mmap");
	before = pmu_nmis();
	requests = stats_read("nmi");
	cycles_add(&r, 200000);
	recorder_enable(&r);
	/* In the kernel nearly always: it fills and drops pages. */
	while (r.nr < 400) {
		path_syscall_at(&p, 12, SYS_madvise, (long)page, 1 << 20, MADV_POPULATE_WRITE, 0);
		path_syscall_at(&p, 12, SYS_madvise, (long)page, 1 << 20, MADV_DONTNEED, 0);
		recorder_read(&r);
	}
	recorder_disable(&r);
	recorder_read(&r);
	nmis = pmu_nmis() - before;
	for (i = 0; i < r.nr; i++) {
		struct chain chain;

		if (r.rec[i].type != PERF_RECORD_SAMPLE || !in_kernel(&r.rec[i]))
			continue;
		chain = recorder_chain(&r, i);
		kernel++;
		if (!chain.nr)
			lost++;
		else if (path_matches(&p, &chain))
			right++;
		/* The path itself is left and entered between the calls, and mistaken there. */
		else if (path_syscalls_at(chain.ip[0]) && !wrong++)
			path_is(&p, &chain);
	}
	ok(nmis >= kernel && kernel > 50, "%ld NMIs, %d samples in the kernel", nmis, kernel);
	requests = stats_read("nmi") - requests;
	/* By the other policy it depends on the samples of an entry, and so on the host's speed. */
	if (!defer_inline())
		ok(requests, "%llu requests in NMIs", (unsigned long long)requests);
	ok(!wrong && !lost && right > 50, "%d with the path, %d wrong, %d without", right, wrong,
	   lost);
	recorder_close(&r);
	munmap(page, 1 << 20);
	path_free(&p);
}

/*
 * Three functions that do little but call the next one, each in a section of its own: the ip
 * determines the callers, in the prologue and the epilogue, too.
 */
#define EDGE(n)	static noinline __attribute__((section("edges" #n)))	\
		void edge##n(struct path *p, bool note)
extern const char __start_edges1[], __stop_edges1[], __start_edges2[], __stop_edges2[],
		  __start_edges3[], __stop_edges3[];
static const char * const edges[][2] = {
	{ __start_edges3, __stop_edges3 },
	{ __start_edges2, __stop_edges2 },
	{ __start_edges1, __stop_edges1 },
};

EDGE(3)
{
	if (note) {
		path_enter(p);
		path_note(p, 0);
		path_leave(p);
	}
}

EDGE(2)
{
	if (note)
		path_enter(p);
	edge3(p, note);
	if (note)
		path_leave(p);
}

EDGE(1)
{
	if (note)
		path_enter(p);
	edge2(p, note);
	if (note)
		path_leave(p);
}

static bool in_edge(u64 ip, int j)
{
	return ip >= (unsigned long)edges[j][0] && ip < (unsigned long)edges[j][1];
}

/* Compilers may make two calls of one: of the three functions the ranges are compared. */
static bool has_callers(const struct path *p, const struct chain *chain, int j)
{
	int i;

	if (chain->nr != p->nr_want - j)
		return false;
	for (i = j; i < 3; i++) {
		if (!in_edge(chain->ip[i - j], i))
			return false;
	}
	return !memcmp(chain->ip + 3 - j, p->want + 3, 8 * (p->nr_want - 3));
}

static noinline void call_edges(struct path *p, void *data)
{
	long i;

	path_enter(p);
	for (i = 0; i < (long)data; i++)
		edge1(p, !i);
	path_leave(p);
}

TEST(pmuedge, "cycles anywhere in functions, prologues and epilogues too: each has its caller")
{
	struct path p = { .leaf = PATH_CALL, .fn = call_edges, .data = (void *)500000L };
	struct recorder r = { 0 };
	int i, j, samples = 0, at_edge = 0, wrong = 0;

	if (!have_pmu())
		return;
	cycles_add(&r, 200003);
	recorder_enable(&r);
	while (r.nr < 300) {
		path_run(&p, 6);
		recorder_read(&r);
	}
	recorder_disable(&r);
	recorder_read(&r);
	for (i = 0; i < r.nr; i++) {
		const struct rec *rec = &r.rec[i];
		struct chain chain;

		for (j = 0; j < 3 && !in_edge(rec->ip, j); j++)
			;
		if (rec->type != PERF_RECORD_SAMPLE || j == 3)
			continue;
		samples++;
		at_edge += rec->ip < (unsigned long)edges[j][0] + 8 ||
			   rec->ip >= (unsigned long)edges[j][1] - 12;
		chain = recorder_chain(&r, i);
		/* The ip, and the callers of its function. */
		if (!has_callers(&p, &chain, j) && wrong++ < 3) {
			diag("%#llx, %llu bytes behind the beginning of edge%d",
			     (unsigned long long)rec->ip,
			     (unsigned long long)rec->ip - (unsigned long)edges[j][0], 3 - j);
			path_is(&p, &chain);
		}
	}
	ok(samples > 50 && at_edge > 10, "%d samples, %d in the first or last instructions",
	   samples, at_edge);
	ok(!wrong, "%d without the caller", wrong);
	recorder_close(&r);
	path_free(&p);
}

#ifdef __aarch64__

/* A function that neither calls nor stores anything: its caller is in the link register only. */
void leaf_spin(unsigned long rounds);
extern const char leaf_spin_end[];
asm(".pushsection .text\n"
    ".globl leaf_spin, leaf_spin_end\n"
    ".type leaf_spin, @function\n"
    "leaf_spin:\n"
    "	mov	x1, 7\n"
    "1:	mul	x1, x1, x1\n"
    "	subs	x0, x0, 1\n"
    "	b.ne	1b\n"
    "	ret\n"
    "leaf_spin_end:\n"
    ".size leaf_spin, . - leaf_spin\n"
    ".popsection\n");

static noinline void call_leaf(struct path *p, void *data)
{
	(void)data;
	path_enter(p);
	path_note(p, 0);
	leaf_spin(1000000);
	asm volatile("");
	path_leave(p);
}

TEST(pmuleaf, "cycles in a leaf without a frame: its caller is that of the link register")
{
	struct path p = { .leaf = PATH_CALL, .fn = call_leaf };
	struct recorder r = { 0 };
	int i, samples = 0, wrong = 0;

	if (!have_pmu())
		return;
	cycles_add(&r, 100000);
	recorder_enable(&r);
	while (r.nr < 300) {
		path_run(&p, 9);
		recorder_read(&r);
	}
	recorder_disable(&r);
	recorder_read(&r);
	for (i = 0; i < r.nr; i++) {
		unsigned long from = (unsigned long)call_leaf;
		struct chain chain;

		if (r.rec[i].type != PERF_RECORD_SAMPLE || r.rec[i].ip < (unsigned long)leaf_spin ||
		    r.rec[i].ip >= (unsigned long)leaf_spin_end)
			continue;
		chain = recorder_chain(&r, i);
		samples++;
		/* leaf_spin(), call_leaf(), the path. */
		if ((chain.nr != p.nr_want + 1 ||
		     chain.ip[1] <= from || chain.ip[1] >= from + 128 ||
		     memcmp(chain.ip + 2, p.want + 1, 8 * (p.nr_want - 1))) && !wrong++)
			path_is(&p, &chain);
	}
	ok(samples > 20 && !wrong, "%d samples in the leaf, %d without its callers", samples,
	   wrong);
	recorder_close(&r);
	path_free(&p);
}

#endif
