// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks of the realtime policies: one makes system calls and nothing else, one preempts
 * it all the time and blocks. Nobody waits for what other tasks would do for them, so
 * each request must be answered by its own task: at the return, or where it blocks.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "path.h"
#include "test.h"
#include "worker.h"

#define CALLS		1000
#define CALL_DEPTH	33
#define NAPS		40
#define NAP_DEPTH	21

struct rt_task {
	volatile int ready, done;
	pid_t pid;
	struct path path;
	struct recorder r;
};

struct shared {
	volatile int go;
	struct rt_task calls, naps;
};

/* A child in its place, all of its memory there, which begins when sh->go is set. */
static void start(struct shared *sh, struct rt_task *t, int depth, void (*run)(struct rt_task *t))
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid) {
		t->pid = pid;
		while (!t->ready)
			usleep(1000);
		return;
	}
	pin(nr_cpus() - 1);
	path_run(&(struct path){ .leaf = PATH_SPIN, .rounds = 1 }, depth);
	t->ready = 1;
	while (!sh->go)
		sched_yield();
	run(t);
	_exit(0);
}

static void make_calls(struct rt_task *t)
{
	int i;

	for (i = 0; i < CALLS; i++)
		path_syscall_at(&t->path, CALL_DEPTH, SYS_getppid, 0, 0, 0, 0);
	t->done = 1;
}

/* The last nap does not end: its request is answered while the task sleeps. */
static void take_naps(struct rt_task *t)
{
	long ms[2] = { 0, 1000000 }, long_time[2] = { 1000, 0 };
	int i;

	for (i = 0; i < NAPS; i++)
		path_syscall_at(&t->path, NAP_DEPTH, SYS_nanosleep, (long)ms, 0, 0, 0);
	t->done = 1;
	path_syscall_at(&t->path, NAP_DEPTH, SYS_nanosleep, (long)long_time, 0, 0, 0);
}

static void set_policy(struct rt_task *t, int policy, int priority)
{
	struct sched_param param = { .sched_priority = priority };

	if (sched_setscheduler(t->pid, policy, &param) || sched_getscheduler(t->pid) != policy)
		die("sched_setscheduler %d", policy);
}

static void watch(struct rt_task *t, long nr)
{
	struct perf_event_attr attr;

	attr_syscall(&attr, false);
	attr_defer(&attr);
	recorder_add(&t->r, &attr, t->pid, -1, 8);
	event_filter_syscall(t->r.fd[0], nr);
}

/* The sample of a switch is taken where nothing may be read any more but by the hook behind it. */
static void watch_switches(struct rt_task *t)
{
	struct perf_event_attr attr;

	attr_tracepoint(&attr, "sched/sched_switch");
	attr_defer(&attr);
	recorder_add(&t->r, &attr, t->pid, -1, -1);
	/* Of those to sleep. */
	if (ioctl(t->r.fd[t->r.nr_events - 1], PERF_EVENT_IOC_SET_FILTER, "prev_state == 1"))
		die("filter");
}

static bool is_path(const struct rec *rec, const struct chain *chain, void *data)
{
	(void)rec;
	return path_is(data, chain);
}

/* From @least samples to @most: a nap of a millisecond may be over before the task sleeps. */
static void check(struct rt_task *t, int depth, int least, int most, const char *name, const char *policy)
{
	struct path p = { 0 };
	struct tally n;

	recorder_read(&t->r);
	path_want_syscall(&p, depth);
	tally(&t->r, &n, is_path, &p);
	ok(n.samples >= least && n.samples <= most && !recorder_lost(&t->r) && !t->r.bad,
	   "%s, %s: %d samples of %d to %d", policy, name, n.samples, least, most);
	ok(!n.orphans && !n.none && !n.wrong, "%s, %s: each has its chain (%d inline, %d deferred)",
	   policy, name, n.is_inline, n.deferred);
	check_policy(&n);
	path_free(&p);
}

static void check_scheduled(int policy, const char *name)
{
	struct shared *sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	u64 end = now_ns() + 30000000000ULL;
	int status, seen = -1;

	if (sh == MAP_FAILED)
		die("mmap");
	/* Where the tasks are not. */
	pin(0);
	fflush(stdout);
	start(sh, &sh->calls, CALL_DEPTH, make_calls);
	start(sh, &sh->naps, NAP_DEPTH, take_naps);
	watch(&sh->calls, SYS_getppid);
	watch(&sh->naps, SYS_nanosleep);
	watch_switches(&sh->naps);
	recorder_enable(&sh->calls.r);
	recorder_enable(&sh->naps.r);
	set_policy(&sh->calls, policy, 10);
	set_policy(&sh->naps, policy, 20);
	sh->go = 1;
	ok(waitpid(sh->calls.pid, &status, 0) == sh->calls.pid && !status,
	   "%s: the one that makes calls came to its end", name);
	while (!sh->naps.done && now_ns() < end)
		usleep(10000);
	/* Until it has gone to its last sleep, too. */
	while (recorder_count(&sh->naps.r, PERF_RECORD_SAMPLE) > seen) {
		seen = recorder_count(&sh->naps.r, PERF_RECORD_SAMPLE);
		usleep(300000);
		recorder_read(&sh->naps.r);
	}
	recorder_disable(&sh->calls.r);
	recorder_disable(&sh->naps.r);
	ok(sh->naps.done, "%s: the other one sleeps", name);
	check(&sh->calls, CALL_DEPTH, CALLS, CALLS, "system calls", name);
	check(&sh->naps, NAP_DEPTH, NAPS + 2, 2 * (NAPS + 1), "naps and switches", name);
	kill(sh->naps.pid, SIGKILL);
	waitpid(sh->naps.pid, &status, 0);
	recorder_close(&sh->calls.r);
	recorder_close(&sh->naps.r);
	munmap(sh, sizeof(*sh));
}

TEST(realtime, "SCHED_FIFO and SCHED_RR: a task that makes calls all the time, and one that blocks")
{
	check_scheduled(SCHED_FIFO, "SCHED_FIFO");
	check_scheduled(SCHED_RR, "SCHED_RR");
}
