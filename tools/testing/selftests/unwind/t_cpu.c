// SPDX-License-Identifier: GPL-2.0
/* Many tasks, many CPUs, many buffers. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "test.h"
#include "worker.h"

/* sys_enter and sys_exit of @nr, on every CPU, for @pid. */
static void add_pair(struct recorder *r, pid_t pid, long nr, bool inherit, int order)
{
	struct perf_event_attr attr;
	int cpu, exit, i;

	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		for (exit = 0; exit < 2; exit++) {
			attr_syscall(&attr, exit);
			attr_defer(&attr);
			attr.inherit = inherit;
			i = recorder_add(r, &attr, pid, cpu, exit ? -1 : order);
			event_filter_syscall(r->fd[i], nr);
		}
	}
}

static void finish(struct recorder *r, struct workers *ws, int per_call, const char *name)
{
	struct tally t;
	int i, calls = 0;

	recorder_disable(r);
	recorder_read(r);
	tally(r, &t, worker_chain, ws);
	for (i = 0; i < ws->nr; i++)
		calls += ws->w[i].times;
	ok(t.samples == per_call * calls, "%s: %d calls, %d samples", name, calls, t.samples);
	ok(!t.wrong && !t.orphans && !t.none, "%s: each has its own task's chain", name);
	check_policy(&t);
}

/* Two tasks never have the same cookie. */
static void check_cookies(struct recorder *r)
{
	int i, j;

	for (i = 0; i < r->nr; i++) {
		struct rec *a = &r->rec[i];

		if (a->type != PERF_RECORD_SAMPLE || !a->cookie)
			continue;
		/* Near in time is where a mistake would be. */
		for (j = i + 1; j < r->nr && j < i + 200; j++) {
			struct rec *b = &r->rec[j];

			if (b->type == PERF_RECORD_SAMPLE && b->cookie == a->cookie &&
			    b->tid != a->tid) {
				ok(false, "cookie %llx of tasks %u and %u",
				   (unsigned long long)a->cookie, a->tid, b->tid);
				return;
			}
		}
	}
	ok(true, "no cookie has two tasks");
}

TEST(cpus, "CPU-wide events, a task on each CPU and two that move")
{
	struct workers *ws = workers_create();
	struct recorder r = { 0 };
	int i;

	for (i = 0; i < 6; i++)
		worker_fork(ws, worker_add(ws, 3 + 7 * i, SYS_getppid, 60,
					   i < 4 ? i % nr_cpus() : -2));
	add_pair(&r, -1, SYS_getppid, false, 8);
	recorder_enable(&r);
	workers_wait(ws);
	finish(&r, ws, 2, "per CPU");
	check_cookies(&r);
	recorder_close(&r);
}

TEST(inherit, "events inherited over fork and clone")
{
	struct workers *ws = workers_create();
	struct recorder r = { 0 };
	pid_t pid;
	int i;

	add_pair(&r, 0, SYS_getppid, true, 8);
	recorder_enable(&r);
	for (i = 0; i < 3; i++)
		worker_fork(ws, worker_add(ws, 2 + 5 * i, SYS_getppid, 40, -1));
	for (i = 0; i < 3; i++)
		worker_thread(ws, worker_add(ws, 20 + 5 * i, SYS_getppid, 40, -1));
	/* A child with a thread and a child of its own. */
	for (i = 0; i < 3; i++)
		worker_add(ws, 40 + 5 * i, SYS_getppid, 40, -1);
	pid = fork();
	if (!pid) {
		worker_thread(ws, &ws->w[7]);
		worker_fork(ws, &ws->w[8]);
		worker_run(ws, &ws->w[6]);
		workers_join();
		_exit(0);
	}
	while (!ws->w[6].tid || !ws->w[7].tid || !ws->w[8].tid)
		usleep(1000);
	workers_wait(ws);
	finish(&r, ws, 2, "inherited");
	check_cookies(&r);
	recorder_close(&r);
}

TEST(perthread, "events of threads, each with a buffer of its own, on any CPU")
{
	struct workers *ws = workers_create();
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	int i;

	for (i = 0; i < 4; i++)
		worker_thread(ws, worker_add(ws, 4 + 9 * i, SYS_getppid, 60, -2));
	for (i = 0; i < 4; i++) {
		attr_syscall(&attr, false);
		attr_defer(&attr);
		recorder_add(&r, &attr, ws->w[i].tid, -1, 7);
		attr_syscall(&attr, true);
		attr_defer(&attr);
		recorder_add(&r, &attr, ws->w[i].tid, -1, -1);
	}
	recorder_filter_syscall(&r, SYS_getppid);
	recorder_enable(&r);
	workers_wait(ws);
	finish(&r, ws, 2, "per thread");
	recorder_disable(&r);
	recorder_close(&r);
}

TEST(migrate, "an entry that begins on one CPU and ends on another")
{
	struct recorder r = { 0 };
	struct path p = { 0 };
	struct perf_event_attr attr;
	int i, moved = 0, same = 0, cpu;
	unsigned long mask;
	struct tally t;
	u64 cookie = 0;
	u32 from = 0;

	/* perf record's way: the task, one event and one buffer per CPU. */
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		for (i = 0; i < 3; i++) {
			attr_syscall(&attr, i == 2);
			attr_defer(&attr);
			recorder_add(&r, &attr, 0, cpu, i ? -1 : 7);
		}
	}
	recorder_filter_syscall(&r, SYS_sched_setaffinity);
	pin(0);
	recorder_enable(&r);
	for (i = 0; i < 100; i++) {
		mask = 1UL << ((i + 1) % 2);
		path_syscall_at(&p, 12, SYS_sched_setaffinity, 0, sizeof(mask), (long)&mask, 0);
	}
	recorder_disable(&r);
	recorder_read(&r);
	check_samples(&r, 0, &p, "moving");
	for (i = 0; i < r.nr; i++) {
		if (r.rec[i].type != PERF_RECORD_SAMPLE)
			continue;
		if (r.rec[i].cookie && r.rec[i].cookie == cookie && r.rec[i].cpu != from)
			moved++;
		cookie = r.rec[i].cookie;
		from = r.rec[i].cpu;
		same++;
	}
	ok(same == 300, "100 calls, three events, %d samples", same);
	tally(&r, &t, NULL, NULL);
	check_policy(&t);
	ok(moved || defer_inline() == 1, "%d entries had deferred samples on both CPUs", moved);
	recorder_close(&r);
}

TEST(sessions, "two sessions at once; one ends, the other goes on")
{
	struct workers *ws = workers_create();
	struct perf_event_attr attr;
	struct recorder a = { 0 }, b = { 0 };
	struct worker *w = worker_add(ws, 17, SYS_getppid, 50, -1);
	struct tally t;
	int pass;

	ws->go = 1;
	attr_syscall(&attr, false);
	attr_defer(&attr);
	recorder_add(&a, &attr, 0, -1, 7);
	recorder_filter_syscall(&a, SYS_getppid);
	add_pair(&b, -1, SYS_getppid, false, 7);
	recorder_enable(&a);
	recorder_enable(&b);
	for (pass = 0; pass < 3; pass++) {
		worker_run(ws, w);
		if (pass != 1)
			continue;
		recorder_disable(&b);
		recorder_read(&b);
		tally(&b, &t, worker_chain, ws);
		ok(t.samples == 200, "the CPUs' session: %d of 200 samples", t.samples);
		ok(!t.wrong && !t.orphans && !t.none, "each has its chain");
		recorder_close(&b);
	}
	recorder_disable(&a);
	recorder_read(&a);
	tally(&a, &t, worker_chain, ws);
	ok(t.samples == 150, "the task's session: %d of 150 samples", t.samples);
	ok(!t.wrong && !t.orphans && !t.none, "each has its chain");
	check_policy(&t);
	recorder_close(&a);
}

/*
 * Two samplers with defer_callchain alone, so that also with defer_inline=1
 * there are deferred samples; the records go to events of their own.
 */
static void output_test(pid_t pid, bool wide, const char *name)
{
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct path p = { 0 };
	int i, cpu, in_samplers = 0;
	struct tally t;

	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		attr_dummy(&attr);
		attr_flag(&attr, DEFER_OUTPUT);
		recorder_add(&r, &attr, wide ? -1 : pid, cpu, 7);
	}
	for (i = 0; i < 2; i++) {
		attr_syscall(&attr, false);
		attr_flag(&attr, DEFER_CALLCHAIN);
		recorder_add(&r, &attr, pid, -1, i ? -1 : 7);
		event_filter_syscall(r.fd[r.nr_events - 1], SYS_getppid);
	}
	recorder_enable(&r);
	for (i = 0; i < 50; i++)
		path_syscall_at(&p, 60, SYS_getppid, 0, 0, 0, 0);
	recorder_disable(&r);
	recorder_read(&r);
	check_samples(&r, 0, &p, name);
	tally(&r, &t, NULL, NULL);
	check_policy(&t);
	for (i = 0; i < r.nr; i++)
		in_samplers += r.rec[i].type == RECORD_CALLCHAIN_DEFERRED &&
			       r.rec[i].ring >= nr_cpus();
	ok(!in_samplers, "%s: %d records in the buffer of events without defer_output",
	   name, in_samplers);
	recorder_close(&r);
}

TEST(output, "defer_output alone makes an event a side-band event")
{
	output_test(0, true, "CPU-wide dummy");
	output_test(0, false, "dummy of the task");
}

TEST(cpufilter, "an event whose CPU is another one gets no record")
{
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct path p = { 0 };
	int i, elsewhere = 0;
	struct tally t;

	pin(0);
	for (i = 0; i < 2; i++) {
		attr_syscall(&attr, i);
		attr_defer(&attr);
		recorder_add(&r, &attr, 0, 0, i ? -1 : 7);
	}
	recorder_filter_syscall(&r, SYS_getppid);
	attr_dummy(&attr);
	attr_flag(&attr, DEFER_OUTPUT);
	recorder_add(&r, &attr, 0, 1, 7);	/* the task, on CPU 1 */
	recorder_add(&r, &attr, -1, 1, 7);	/* CPU 1 */
	recorder_enable(&r);
	for (i = 0; i < 50; i++)
		path_syscall_at(&p, 30, SYS_getppid, 0, 0, 0, 0);
	recorder_disable(&r);
	recorder_read(&r);
	check_samples(&r, 0, &p, "on CPU 0");
	tally(&r, &t, NULL, NULL);
	check_policy(&t);
	for (i = 0; i < r.nr; i++)
		elsewhere += r.rec[i].type == RECORD_CALLCHAIN_DEFERRED && r.rec[i].ring > 0 &&
			     (pid_t)r.rec[i].tid == getpid();
	ok(!elsewhere, "%d records in the buffers of CPU 1", elsewhere);
	recorder_close(&r);
}

#define PF_KTHREAD	0x00200000

static bool is_kthread(u32 tid)
{
	char path[64], line[1024], *p;
	unsigned long flags = 0;
	FILE *f;

	if (!tid)
		return true;
	snprintf(path, sizeof(path), "/proc/%u/stat", tid);
	f = fopen(path, "r");
	if (!f)
		return false;
	p = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	/* pid (comm) state ppid pgrp session tty tpgid flags */
	if (p)
		sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %lu", &flags);
	fclose(f);
	return flags & PF_KTHREAD;
}

TEST(kthread, "kernel threads have neither cookie nor user chain")
{
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	int i, kernel = 0, with = 0;
	u64 end = now_ns() + 10000000000ULL;

	attr_tracepoint(&attr, "sched/sched_switch");
	attr_defer(&attr);
	recorder_add_cpus(&r, &attr, -1, 8);
	recorder_enable(&r);
	do {
		usleep(20000);
		sync();
		sched_yield();
		recorder_read(&r);
	} while (recorder_count(&r, PERF_RECORD_SAMPLE) < 150 && now_ns() < end);
	recorder_disable(&r);
	recorder_read(&r);
	for (i = 0; i < r.nr; i++) {
		struct rec *rec = &r.rec[i];

		if (!is_kthread(rec->tid))
			continue;
		if (rec->type == PERF_RECORD_SAMPLE) {
			kernel++;
			with += rec->cookie || rec->is_inline;
		} else if (rec->type == RECORD_CALLCHAIN_DEFERRED) {
			with++;
		}
	}
	ok(kernel > 0, "%d samples of kernel threads", kernel);
	ok(!with, "%d of them with a user part, or records", with);
	recorder_close(&r);
}
