// SPDX-License-Identifier: GPL-2.0
/* The tracepoints, and the counters in debugfs. */
#define _GNU_SOURCE
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "path.h"
#include "stats.h"
#include "test.h"

#define INSTANCE	"/sys/kernel/tracing/instances/unwind_test"

struct seen {
	int requests, pending, completions, right;
};

/* Count the trace's lines of this task. */
static void read_trace(struct seen *seen, const char *reason, int nr)
{
	char line[512], want[64], why[32], *p;
	unsigned long long cookie;
	FILE *f = fopen(INSTANCE "/trace", "r");
	int pending, entries;

	if (!f)
		die(INSTANCE "/trace");
	memset(seen, 0, sizeof(*seen));
	snprintf(want, sizeof(want), "-%d ", getpid());
	while (fgets(line, sizeof(line), f)) {
		if (!strstr(line, want))
			continue;
		p = strstr(line, "unwind_deferred_request: ");
		if (p && sscanf(p, "unwind_deferred_request: cookie=%llx pending=%d", &cookie,
				&pending) == 2) {
			seen->requests += cookie != 0;
			seen->pending += pending;
		}
		p = strstr(line, "unwind_deferred_answer: ");
		if (p && sscanf(p, "unwind_deferred_answer: cookie=%llx nr=%d reason=%31s",
				&cookie, &entries, why) == 3) {
			seen->completions++;
			seen->right += cookie && entries == nr && !strcmp(why, reason);
		}
	}
	fclose(f);
}

static void clear_trace(void)
{
	if (truncate(INSTANCE "/trace", 0))
		die(INSTANCE "/trace");
}

TEST(trace, "tracepoints unwind:* and debugfs unwind/stats")
{
	u64 requests, shared, completed;
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct path p = { 0 };
	struct tally t;
	struct seen seen;
	int i, deferred;

	if (mkdir(INSTANCE, 0700))
		die(INSTANCE);
	if (!write_text(INSTANCE "/events/unwind/enable", "1"))
		die(INSTANCE "/events/unwind/enable");
	/* Deep enough, and often enough in an entry, that sharing always pays. */
	for (i = 0; i < 12; i++) {
		attr_syscall(&attr, i >= 6);
		/* Records to one event only: one for each completion. */
		attr_flag(&attr, DEFER_CALLCHAIN);
		if (!i)
			attr_flag(&attr, DEFER_OUTPUT);
		recorder_add(&r, &attr, 0, -1, i ? -1 : 9);
	}
	recorder_filter_syscall(&r, SYS_getppid);
	clear_trace();
	requests = stats_read("requests");
	shared = stats_read("shared");
	completed = stats_completed("return");
	recorder_enable(&r);
	for (i = 0; i < 10; i++)
		path_syscall_at(&p, 60, SYS_getppid, 0, 0, 0, 0);
	recorder_disable(&r);
	requests = stats_read("requests") - requests;
	shared = stats_read("shared") - shared;
	completed = stats_completed("return") - completed;
	recorder_read(&r);
	read_trace(&seen, "return", p.nr_want);
	check_samples(&r, 0, &p, "traced");
	tally(&r, &t, NULL, NULL);
	deferred = t.deferred;
	ok(deferred > 0 && seen.requests == deferred, "%d deferred samples, %d traced requests",
	   deferred, seen.requests);
	ok(seen.completions == t.records && seen.right == t.records,
	   "%d records, %d traced completions, %d right", t.records, seen.completions, seen.right);
	ok(seen.pending == deferred - t.records, "%d requests found one pending", seen.pending);
	ok(requests >= (u64)deferred && shared >= (u64)seen.pending &&
	   completed >= (u64)t.records, "counted: %llu requests, %llu shared, %llu completed",
	   (unsigned long long)requests, (unsigned long long)shared,
	   (unsigned long long)completed);
	recorder_close(&r);
	write_text(INSTANCE "/events/unwind/enable", "0");
	if (rmdir(INSTANCE))
		die("rmdir " INSTANCE);
}

static volatile long watched;
extern const char poke_ip[];

/*
 * Drops all of the stack but the pages in use right here, so that even with
 * defer_inline=1 the chain must be requested; then writes to what a hardware
 * breakpoint watches. poke_ip is behind the instruction; on arm64, whose breakpoints are hit before
 * the access, at it.
 */
static noinline void poke(struct path *p, void *data)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *here = __builtin_frame_address(0);
	char *from = (char *)(((unsigned long)here + 2 * page - 1) & -page);

	path_enter(p);
	path_note(p, (unsigned long)poke_ip);
	if (madvise(from, p->stack + p->stack_size - from, MADV_DONTNEED))
		die("MADV_DONTNEED");
	asm volatile(".globl poke_ip\n"
#ifdef __aarch64__
		     "poke_ip:" WRITE_BYTE
#else
		     WRITE_BYTE "poke_ip:"
#endif
		     : : "r"(data) : "memory");
	path_leave(p);
}

/*
 * An event that makes requests, and one on our tracepoint, itself with deferred
 * callchains. @always: there is exactly one sample of it for each request.
 */
static void own_test(struct path *p, const char *name, bool always)
{
	int i, requests = 0, samples = 0, empty = 0, wrong = 0;
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct chain chain;
	bool own;

	attr_init(&attr, PERF_TYPE_BREAKPOINT, 0);
	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_addr = (unsigned long)&watched;
	attr.bp_len = HW_BREAKPOINT_LEN_1;
	attr_defer(&attr);
	recorder_add(&r, &attr, 0, -1, 9);
	attr_tracepoint(&attr, name);
	attr_defer(&attr);
	recorder_add(&r, &attr, 0, -1, -1);
	recorder_enable(&r);
	for (i = 0; i < 20; i++)
		path_run(p, 40);
	recorder_disable(&r);
	recorder_read(&r);
	for (i = 0; i < r.nr; i++) {
		if (r.rec[i].type != PERF_RECORD_SAMPLE)
			continue;
		chain = recorder_chain(&r, i);
		own = r.rec[i].id == r.id[1];
		samples += own;
		requests += !own && r.rec[i].cookie;
		empty += own && !r.rec[i].nr_kernel;
		wrong += r.rec[i].is_dup_context || chain.state == CHAIN_NONE ||
			 chain.state == CHAIN_ORPHAN || !path_is(p, &chain);
	}
	ok(requests == 20, "%s: a breakpoint made %d requests", name, requests);
	ok(always ? samples == requests : samples >= requests, "%s: %d samples", name, samples);
	ok(!empty, "%s: %d without a kernel callchain", name, empty);
	ok(!wrong, "%s: %d samples of either without the user callchain", name, wrong);
	recorder_close(&r);
}

/*
 * The request's tracepoint is hit while another event's sample is prepared.
 * perf does not sample a tracepoint inside of a sample of a tracepoint or of a
 * software event; inside of a breakpoint's, a clock's or a counter's it does.
 */
TEST(own, "samples on our own tracepoints have callchains, too")
{
	size_t size = 256 << 10;
	int fd = syscall(SYS_memfd_create, "stack", 0);
	char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct path p = {
		.leaf = PATH_CALL, .fn = poke, .data = (void *)&watched, .pad = 800,
		.stack = stack, .stack_size = size,
	};

	/* Pages of the page cache: dropped from the page table, not lost. */
	if (fd < 0 || ftruncate(fd, size) || stack == MAP_FAILED)
		die("memfd");
	own_test(&p, "unwind/unwind_deferred_request", true);
	own_test(&p, "unwind/unwind_deferred_answer", false);
}
