// SPDX-License-Identifier: GPL-2.0
/*
 * An event is disabled while a request is pending: its record comes before the event is off.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "path.h"
#include "test.h"
#include "worker.h"

#define DEPTH	20

TEST(offgroup, "a member of a group is sampled while the group's leader is disabled")
{
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct path p = { 0 };
	struct chain chain;
	int i, of_disable = 0;
	struct tally t;

	/* Its records go to the leader, whose timer's end is what the other event samples. */
	attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	attr.sample_period = 1000000000;
	attr_defer(&attr);
	recorder_add(&r, &attr, 0, -1, 6);
	attr_tracepoint(&attr, "timer/hrtimer_cancel");
	attr.disabled = 0;
	if (!getenv("UNWIND_PLAIN"))
		attr_flag(&attr, DEFER_CALLCHAIN);
	r.fd[1] = syscall(SYS_perf_event_open, &attr, 0, -1, r.fd[0], PERF_FLAG_FD_CLOEXEC);
	if (r.fd[1] < 0 || ioctl(r.fd[1], PERF_EVENT_IOC_ID, &r.id[1]) ||
	    ioctl(r.fd[1], PERF_EVENT_IOC_SET_OUTPUT, r.fd[0]))
		die("the member");
	r.nr_events = 2;
	event_enable(r.fd[0]);
	path_syscall_at(&p, DEPTH, SYS_ioctl, r.fd[0], PERF_EVENT_IOC_DISABLE, 0, 0);
	recorder_read(&r);
	tally(&r, &t, NULL, NULL);
	for (i = 0; i < r.nr; i++) {
		chain = recorder_chain(&r, i);
		of_disable += r.rec[i].type == PERF_RECORD_SAMPLE && path_matches(&p, &chain);
	}
	ok(of_disable && !t.none && !t.orphans, "%d samples, %d of the ioctl, %d without a chain",
	   t.samples, of_disable, t.none + t.orphans);
	recorder_close(&r);
	path_free(&p);
}
