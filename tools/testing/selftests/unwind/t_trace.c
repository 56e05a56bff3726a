// SPDX-License-Identifier: GPL-2.0
/* The tracepoints, and the counters in debugfs. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "path.h"
#include "stats.h"
#include "test.h"

#define INSTANCE	"/sys/kernel/tracing/instances/unwind_test"

struct seen {
	int requests, pending, answers, right;
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
			seen->answers++;
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
	u64 requests, shared, answered;
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
	/* Deep enough, and often enough in a stay, that sharing always pays. */
	for (i = 0; i < 12; i++) {
		attr_syscall(&attr, i >= 6);
		/* Records to one event only: one for each answer. */
		attr_flag(&attr, DEFER_CALLCHAIN);
		if (!i)
			attr_flag(&attr, DEFER_OUTPUT);
		recorder_add(&r, &attr, 0, -1, i ? -1 : 9);
	}
	recorder_filter_syscall(&r, SYS_getppid);
	clear_trace();
	requests = stats_read("requests");
	shared = stats_read("shared");
	answered = stats_answered("return");
	recorder_enable(&r);
	for (i = 0; i < 10; i++)
		path_syscall_at(&p, 60, SYS_getppid, 0, 0, 0, 0);
	recorder_disable(&r);
	requests = stats_read("requests") - requests;
	shared = stats_read("shared") - shared;
	answered = stats_answered("return") - answered;
	recorder_read(&r);
	read_trace(&seen, "return", p.nr_want);
	check_samples(&r, 0, &p, "traced");
	tally(&r, &t, NULL, NULL);
	deferred = t.deferred;
	ok(deferred > 0 && seen.requests == deferred, "%d deferred samples, %d traced requests",
	   deferred, seen.requests);
	ok(seen.answers == t.records && seen.right == t.records,
	   "%d records, %d traced answers, %d right", t.records, seen.answers, seen.right);
	ok(seen.pending == deferred - t.records, "%d requests found one pending", seen.pending);
	ok(requests >= (u64)deferred && shared >= (u64)seen.pending &&
	   answered >= (u64)t.records, "counted: %llu requests, %llu shared, %llu answered",
	   (unsigned long long)requests, (unsigned long long)shared,
	   (unsigned long long)answered);
	recorder_close(&r);
	write_text(INSTANCE "/events/unwind/enable", "0");
	if (rmdir(INSTANCE))
		die("rmdir " INSTANCE);
}
