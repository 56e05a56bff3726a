// SPDX-License-Identifier: GPL-2.0
/*
 * bench-latency: how long interrupts are disabled where a deferred request is completed in
 * place: when its task blocks, and when its event is disabled ("cancel"). A task sleeps below a
 * number of frames, and is sampled as it is switched out: perf walks its stack there, too. The
 * worst of SLEEPS times, by the function graph tracer; and, by the irqsoff tracer, the longest
 * time with interrupts disabled anywhere in the kernel meanwhile. QEMU's -icount shift=0
 * makes nanoseconds of instructions.
 *
 *	walk	perf's, by frame pointers, for the sample of the switch; without its record
 *	block	the hook behind that sample, which completes the request: walk and record
 *	cancel	the same as the event is disabled
 *	off	interrupts, anywhere: with plain samples, and with deferred ones
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../selftests/unwind/event.h"
#include "../selftests/unwind/table.h"
#include "../selftests/unwind/test.h"
#include "table-frames.h"

#define TABLE		"/tests/tables/bench-latency.table"
#define TRACING		"/sys/kernel/tracing/"
#define SLEEPS		200
#define CANCELS		50

static const char * const functions[] = {
	"perf_callchain_user", "__unwind_deferred_block", "unwind_deferred_flush",
};

enum { WALK, BLOCK, CANCEL, NR_FUNCTIONS };

struct worst {
	long ns[NR_FUNCTIONS];
	long off;
};

static char stack[1 << 18] __attribute__((aligned(64)));

static void set(const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), TRACING "%s", file);
	if (!write_text(path, text))
		die("%s: %s", path, text);
}

/* A line of the graph: "  1.234 us    |  name();" or "  1.234 us    |  } / * name * /". */
static void read_graph(struct worst *w)
{
	FILE *f = fopen(TRACING "trace", "r");
	char line[512];
	double us;
	int i;

	if (!f)
		die(TRACING "trace");
	while (fgets(line, sizeof(line), f)) {
		char *bar = strchr(line, '|'), *number = line + strspn(line, " !+#*@$");

		if (!bar || sscanf(number, "%lf us", &us) != 1)
			continue;
		for (i = 0; i < NR_FUNCTIONS; i++)
			if (strstr(bar, functions[i]) && us * 1000 > w->ns[i])
				w->ns[i] = us * 1000 + 0.5;
	}
	fclose(f);
}

/* What the irqsoff tracer says of the longest time: from where to where. */
static void tell_where(void)
{
	FILE *f = fopen(TRACING "trace", "r");
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "=> started at") || strstr(line, "=> ended at"))
			printf("%s", line);
	if (f)
		fclose(f);
}

static void open_event(struct recorder *r, const char *tracepoint, const char *filter, bool defer, int depth)
{
	struct perf_event_attr attr;

	attr_tracepoint(&attr, tracepoint);
	attr.sample_max_stack = depth + 8;
	attr.exclude_callchain_kernel = 1;
	if (defer)
		attr_defer(&attr);
	recorder_add(r, &attr, 0, -1, 9);
	if (ioctl(r->fd[0], PERF_EVENT_IOC_SET_FILTER, filter))
		die("filter %s", filter);
}

/* All samples have the whole stack, or what was measured is something else. */
static void check(struct recorder *r, int least, const char *what)
{
	struct chain chain;
	int i, whole = 0, samples = 0;

	recorder_read(r);
	for (i = 0; i < r->nr; i++) {
		if (r->rec[i].type != PERF_RECORD_SAMPLE)
			continue;
		samples++;
		chain = recorder_chain(r, i);
		whole += chain.nr > 0 && chain.ip[chain.nr - 1] == (unsigned long)base_ip;
	}
	if (samples < least || whole != samples || recorder_lost(r))
		die("%s: %d of %d samples have their whole stack, %d expected, %llu lost", what, whole,
		    samples, least, (unsigned long long)recorder_lost(r));
}

typedef void (*frames_fn)(struct table_frames *f, int depth);

static void sleeps(frames_fn fn, int depth, bool defer)
{
	long ms[2] = { 0, 1000000 };
	struct table_frames f = { .nr = SYS_nanosleep, .arg = { (long)ms, 0 }, .calls = SLEEPS };
	struct recorder r = { 0 };

	open_event(&r, "sched/sched_switch", "prev_state == 1", defer, depth);
	recorder_enable(&r);
	set("tracing_on", "1");
	base_call(fn, &f, depth, stack + sizeof(stack));
	set("tracing_on", "0");
	recorder_disable(&r);
	check(&r, SLEEPS, "sleeps");
	recorder_close(&r);
}

/* The system call that disables the event has a request pending. */
static void cancels(frames_fn fn, int depth)
{
	struct table_frames f = { .nr = SYS_ioctl, .calls = 1 };
	struct recorder r = { 0 };
	char filter[32];
	int i;

	snprintf(filter, sizeof(filter), "id == %d", SYS_ioctl);
	open_event(&r, "raw_syscalls/sys_enter", filter, true, depth);
	f.arg[0] = r.fd[0];
	f.arg[1] = PERF_EVENT_IOC_DISABLE;
	set("tracing_on", "1");
	for (i = 0; i < CANCELS; i++) {
		event_enable(r.fd[0]);
		base_call(fn, &f, depth, stack + sizeof(stack));
	}
	set("tracing_on", "0");
	check(&r, CANCELS, "cancels");
	recorder_close(&r);
}

static struct worst measure(frames_fn fn, int depth, bool defer)
{
	struct worst w = { 0 };
	int i;

	/* Once for nothing: what is done once only, is done. */
	sleeps(fn, depth, defer);
	set("set_ftrace_filter", "");
	for (i = 0; i < NR_FUNCTIONS; i++)
		set("set_ftrace_filter", functions[i]);
	set("current_tracer", "function_graph");
	sleeps(fn, depth, defer);
	if (defer)
		cancels(fn, depth);
	read_graph(&w);
	set("current_tracer", "nop");

	set("current_tracer", "irqsoff");
	set("tracing_max_latency", "0");
	sleeps(fn, depth, defer);
	w.off = read_long(TRACING "tracing_max_latency") * 1000;
	if (getenv("BENCH_VERBOSE"))
		tell_where();
	set("current_tracer", "nop");
	return w;
}

static const struct {
	const char *name;
	frames_fn fn;
	bool table;
} rows[] = {
	{ "frame pointers", frames_fp, false },
	{ "none, by table", frames_bare, true },
};

int main(void)
{
	static const int depths[] = { 20, 120, 500 };
	struct table table = table_read(TABLE);
	unsigned int i, d;
	int event;

	if (!table.data)
		die(TABLE);
	if (!write_text("/proc/sys/kernel/perf_event_max_stack", "600") ||
	    !write_text("/proc/sys/kernel/perf_event_defer_inline", "0"))
		die("sysctl");
	/* Clock sources settle in the first seconds. */
	sleep(3);
	set("tracing_on", "0");
	set("options/function-trace", "0");
	set("options/funcgraph-cpu", "0");
	set("options/funcgraph-tail", "1");
	set("buffer_size_kb", "4096");
	printf("%-16s %6s %7s %7s %7s %9s %9s\n", "walk", "frames", "walk", "block", "cancel", "off:fp",
	       "deferred");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		event = table_owner();
		if (rows[i].table && table_add_file(event, "/proc/self/exe", &table))
			die("register the table");
		for (d = 0; d < ARRAY_SIZE(depths); d++) {
			struct worst fp = { 0 }, defer;

			if (!rows[i].table)
				fp = measure(rows[i].fn, depths[d], false);
			defer = measure(rows[i].fn, depths[d], true);
			if (!defer.ns[BLOCK] || !defer.ns[CANCEL] || !defer.off ||
			    (!rows[i].table && (!fp.ns[WALK] || !fp.off)))
				die("%s, %d frames: a time is missing", rows[i].name, depths[d]);
			printf("%-16s %6d ", rows[i].name, depths[d]);
			if (rows[i].table)
				printf("%7s %7ld %7ld %9s %9ld\n", "", defer.ns[BLOCK], defer.ns[CANCEL], "",
				       defer.off);
			else
				printf("%7ld %7ld %7ld %9ld %9ld\n", fp.ns[WALK], defer.ns[BLOCK],
				       defer.ns[CANCEL], fp.off, defer.off);
			fflush(stdout);
		}
		close(event);
	}
	return 0;
}
