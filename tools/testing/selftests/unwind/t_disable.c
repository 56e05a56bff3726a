// SPDX-License-Identifier: GPL-2.0
/*
 * An event is disabled while a request is pending: its record comes before the event is
 * off, whatever the task does at that moment.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "path.h"
#include "test.h"
#include "worker.h"

#define DEPTH	20

static bool is_path(const struct rec *rec, const struct chain *chain, void *data)
{
	(void)rec;
	return path_is(data, chain);
}

struct shared {
	volatile int ready, go, hogging, stop;
	int pipe[2];
	struct path path;
};

/* Takes the CPU from the writer, and keeps it. */
static void hog(struct shared *sh)
{
	struct sched_param param = { .sched_priority = 10 };
	char c;

	pin(nr_cpus() - 1);
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		_exit(1);
	sh->ready++;
	if (read(sh->pipe[0], &c, 1) != 1)
		_exit(2);
	sh->hogging = 1;
	while (!sh->stop)
		;
	_exit(0);
}

static void writer(struct shared *sh)
{
	pin(nr_cpus() - 1);
	path_run(&(struct path){ .leaf = PATH_SPIN, .rounds = 1 }, DEPTH);
	sh->ready++;
	while (!sh->go)
		sched_yield();
	path_syscall_at(&sh->path, DEPTH, SYS_write, sh->pipe[1], (long)"", 1, 0);
	_exit(0);
}

static pid_t start(struct shared *sh, void (*run)(struct shared *sh))
{
	int ready = sh->ready;
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid)
		run(sh);
	while (sh->ready == ready)
		usleep(1000);
	return pid;
}

TEST(preempted, "an event is disabled while its task is preempted in a system call")
{
	struct shared *sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	u64 end = now_ns() + 30000000000ULL;
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct path p = { 0 };
	pid_t hogs, writes;
	struct tally t;

	if (sh == MAP_FAILED || pipe(sh->pipe))
		die("pipe");
	pin(0);
	fflush(stdout);
	hogs = start(sh, hog);
	writes = start(sh, writer);
	attr_syscall(&attr, false);
	attr_defer(&attr);
	recorder_add(&r, &attr, writes, -1, 5);
	recorder_filter_syscall(&r, SYS_write);
	recorder_enable(&r);
	sh->go = 1;
	while (!sh->hogging && now_ns() < end)
		;
	recorder_disable(&r);
	recorder_read(&r);
	sh->stop = 1;
	waitpid(writes, NULL, 0);
	waitpid(hogs, NULL, 0);
	path_want_syscall(&p, DEPTH);
	tally(&r, &t, is_path, &p);
	ok(sh->hogging && t.samples == 1 && !t.wrong && !t.none && !t.orphans,
	   "%d sample, %d without its chain", t.samples, t.wrong + t.none + t.orphans);
	check_policy(&t);
	recorder_close(&r);
	path_free(&p);
}

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
