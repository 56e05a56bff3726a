// SPDX-License-Identifier: GPL-2.0
/*
 * What a machine does for long: threads that come and go with requests must leave no
 * memory behind, and CPUs go offline and come back while samples are deferred.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stats.h"
#include "test.h"
#include "worker.h"

#define CPU1		"/sys/devices/system/cpu/cpu1/online"
#define CYCLES		8
#define NR_TASKS	4
/* Of threadleak: so often must memory grow to be a leak. */
#define LEAK_ROUNDS	3

/* "SUnreclaim:" and the like, in bytes; dies if /proc/meminfo has none. */
static long meminfo_bytes(const char *name)
{
	FILE *f = fopen("/proc/meminfo", "r");
	size_t len = strlen(name);
	char line[128];
	long kb = -1;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, len))
			kb = atol(line + len);
	if (f)
		fclose(f);
	if (kb < 0)
		die("/proc/meminfo: %s", name);
	return kb << 10;
}

static void *short_thread(void *data)
{
	int i;

	for (i = 0; i < 3; i++)
		syscall(SYS_getppid);
	return data;
}

static void short_threads(long nr)
{
	pthread_attr_t attr;
	pthread_t pt[8];
	long i, n;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (; nr > 0; nr -= n) {
		n = nr < (long)ARRAY_SIZE(pt) ? nr : (long)ARRAY_SIZE(pt);
		for (i = 0; i < n; i++)
			if (pthread_create(&pt[i], &attr, short_thread, NULL))
				die("pthread_create");
		for (i = 0; i < n; i++)
			pthread_join(pt[i], NULL);
	}
}

/* Kernel memory that no thread of ours has: slabs, kernel stacks and vmalloc(). */
static long kernel_memory(void)
{
	return meminfo_bytes("SUnreclaim:") + meminfo_bytes("KernelStack:") + meminfo_bytes("VmallocUsed:");
}

/*
 * Wait for it to come down to @limit: threads and their memory are freed behind grace
 * periods. What it has then.
 */
static long settled_memory(long limit)
{
	long now = kernel_memory();
	int ms;

	for (ms = 0; ms < 20000 && now > limit; ms += 100) {
		usleep(100000);
		now = kernel_memory();
	}
	return now;
}

/* @nr short threads in ten parts, with their records read; what they cost in kernel memory. */
static long threads_growth(struct recorder *r, long nr, long limit)
{
	long before = kernel_memory(), after;
	int i;

	for (i = 0; i < 10; i++) {
		short_threads(nr / 10);
		recorder_read(r);
		recorder_clear(r);
	}
	after = settled_memory(before + limit);
	diag("%ld threads: %ld KB of kernel memory before, %ld KB after", nr, before >> 10, after >> 10);
	return after - before;
}

TEST(threadleak, "short threads with requests leave no memory behind")
{
	const char *many = getenv("LEAK_THREADS");
	long nr = many ? atol(many) : 8000, limit, growth;
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	u64 requests, completed;
	int round = 0;

	/* An event of each kind: per thread, inherited, which is allocated for each; and per CPU. */
	attr_syscall(&attr, false);
	attr_defer(&attr);
	recorder_add_cpus(&r, &attr, -1, 5);
	attr.inherit = 1;
	recorder_add(&r, &attr, 0, 0, 5);
	recorder_filter_syscall(&r, SYS_getppid);
	recorder_enable(&r);
	/* No requests, only events. */
	if (defer_inline() && !many)
		nr /= 2;
	/* What is cached is there then. */
	short_threads(2000);
	sleep(1);
	requests = stats_read("requests");
	completed = stats_completed("return");
	/*
	 * What others may take meanwhile, and half of what is lost if each thread leaves the
	 * smallest object. (Of few threads only larger ones are found: 64 bytes of 8000.)
	 * What the kernel caches for itself grows once; a leak grows in each round.
	 */
	limit = (384 << 10) + nr * 8 / 2;
	do
		growth = threads_growth(&r, nr, limit);
	while (growth > limit && ++round < LEAK_ROUNDS);
	requests = stats_read("requests") - requests;
	completed = stats_completed("return") - completed;
	diag("%llu requests, %llu completed at the return to user space",
	     (unsigned long long)requests, (unsigned long long)completed);
	if (!defer_inline())
		ok(requests >= (u64)nr, "%ld threads: %llu requests", nr,
		   (unsigned long long)requests);
	ok(growth <= limit, "%ld threads: kernel memory grows by %ld KB, at most %ld, in one of %d rounds",
	   nr, growth >> 10, limit >> 10, LEAK_ROUNDS);
	recorder_close(&r);
}

static void toggle(const char *online)
{
	if (!write_text(CPU1, online))
		die(CPU1 " %s", online);
}

/* Calls with a sample each until @stop, from any CPU. */
static pid_t task_start(struct workers *ws, struct worker *w, volatile int *stop)
{
	struct path p = { 0 };
	pid_t pid = fork();

	if (!pid) {
		w->tid = getpid();
		while (!ws->go)
			usleep(1000);
		while (!*stop) {
			path_syscall_at(&p, w->depth, SYS_getppid, 0, 0, 0, 0);
			usleep(500);
		}
		_exit(0);
	}
	while (!w->tid)
		usleep(1000);
	return pid;
}

/* The CPU that is back has samples again. */
static void check_back(void)
{
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct path p = { 0 };
	pid_t pid;

	attr_syscall(&attr, false);
	attr_defer(&attr);
	recorder_add(&r, &attr, -1, 1, 5);
	recorder_filter_syscall(&r, SYS_getppid);
	recorder_enable(&r);
	pid = fork();
	if (!pid) {
		pin(1);
		path_syscall_at(&p, 9, SYS_getppid, 0, 0, 0, 0);
		_exit(0);
	}
	path_want_syscall(&p, 9);
	waitpid(pid, NULL, 0);
	recorder_disable(&r);
	recorder_read(&r);
	check_samples(&r, pid, &p, "the CPU that is back");
	recorder_close(&r);
	path_free(&p);
}

TEST(hotplug, "a CPU goes offline and comes back while samples are deferred")
{
	struct workers *ws = workers_create();
	struct recorder tasks = { 0 }, cpus = { 0 };
	struct perf_event_attr attr;
	volatile int *stop;
	struct tally t;
	int i, ms, status, bad = 0;

	if (access(CPU1, W_OK)) {
		skip("no second CPU that can go offline", "hotplug");
		return;
	}
	stop = &ws->w[MAX_WORKERS - 1].done;
	attr_syscall(&attr, false);
	attr_defer(&attr);
	for (i = 0; i < NR_TASKS; i++) {
		struct worker *w = worker_add(ws, 5 + 7 * i, SYS_getppid, 0, -1);

		recorder_add(&tasks, &attr, task_start(ws, w, stop), -1, 8);
	}
	recorder_filter_syscall(&tasks, SYS_getppid);
	recorder_enable(&tasks);
	ws->go = 1;
	for (i = 0; i < CYCLES; i++) {
		recorder_add_cpus(&cpus, &attr, -1, 7);
		recorder_filter_syscall(&cpus, SYS_getppid);
		recorder_enable(&cpus);
		for (ms = 0; ms < 10000 && !cpus.nr; ms++) {
			usleep(1000);
			recorder_read(&cpus);
		}
		toggle("0");
		recorder_read(&tasks);
		usleep(20000);
		toggle("1");
		recorder_read(&tasks);
		recorder_read(&cpus);
		/* Records of requests that were completed on a CPU without an event are not there. */
		tally(&cpus, &t, NULL, NULL);
		bad += !t.samples || cpus.bad;
		recorder_close(&cpus);
	}
	*stop = 1;
	for (i = 0; i < NR_TASKS; i++) {
		if (wait(&status) < 0 || status)
			ok(false, "a task came to its end");
	}
	recorder_read(&tasks);
	tally(&tasks, &t, worker_chain, ws);
	ok(!bad, "%d times offline, each with samples of the CPUs", CYCLES);
	ok(t.samples >= NR_TASKS && !t.wrong && !t.orphans && !t.none && !recorder_lost(&tasks),
	   "%d samples of tasks, all with their call path", t.samples);
	check_policy(&t);
	recorder_close(&tasks);
	check_back();
}
