// SPDX-License-Identifier: GPL-2.0
/* The last close of an event that defers, and the open right after it. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "event.h"
#include "path.h"
#include "stats.h"
#include "test.h"
#include "worker.h"

#define ROUNDS	25

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static u64 median(u64 *v)
{
	qsort(v, ROUNDS, sizeof(*v), by_value);
	return v[ROUNDS / 2];
}

static void *sleeper(void *data)
{
	char c;

	while (read(*(int *)data, &c, 1) < 0)
		;
	return NULL;
}

/* @nr threads that sleep in a system call until pipes[1] is closed. */
static pthread_t *start_sleepers(int nr, int *pipes)
{
	pthread_t *thread = calloc(nr, sizeof(*thread));
	pthread_attr_t attr;
	int i;

	if (!thread || pipe(pipes))
		die("sleepers");
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16384);
	for (i = 0; i < nr; i++)
		if ((errno = pthread_create(&thread[i], &attr, sleeper, &pipes[0])))
			die("thread %d", i);
	return thread;
}

static void stop_sleepers(pthread_t *thread, int nr, int *pipes)
{
	int i;

	close(pipes[1]);
	for (i = 0; i < nr; i++)
		pthread_join(thread[i], NULL);
	close(pipes[0]);
	free(thread);
}

/* What a call took: time on the clock, CPU time of its thread, how often it slept. */
struct cost {
	u64 wall[ROUNDS], cpu[ROUNDS], sleeps[ROUNDS];
};

struct costs {
	struct cost open, close, again, beside;
};

static void cost_now(u64 *wall, u64 *cpu, u64 *sleeps)
{
	struct timespec ts;
	struct rusage ru;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts) || getrusage(RUSAGE_THREAD, &ru))
		die("CPU time of a thread");
	*cpu = ts.tv_sec * 1000000000ULL + ts.tv_nsec;
	*sleeps = ru.ru_nvcsw;
	*wall = now_ns();
}

static void cost_begin(struct cost *c, int i)
{
	cost_now(&c->wall[i], &c->cpu[i], &c->sleeps[i]);
}

static void cost_end(struct cost *c, int i)
{
	u64 wall, cpu, sleeps;

	cost_now(&wall, &cpu, &sleeps);
	c->wall[i] = wall - c->wall[i];
	c->cpu[i] = cpu - c->cpu[i];
	c->sleeps[i] = sleeps - c->sleeps[i];
}

/* Opens one while another thread closes the last one. */
struct beside {
	struct perf_event_attr *attr;
	struct cost *cost;
	int round;
	volatile int *go;
	int fd;
};

static void *open_beside(void *data)
{
	struct beside *b = data;

	while (!*b->go)
		;
	cost_begin(b->cost, b->round);
	b->fd = event_open(b->attr, 0, -1);
	cost_end(b->cost, b->round);
	return NULL;
}

/* An event comes and goes, and another one comes at once. */
static void cost_round(struct costs *c, int i, struct perf_event_attr *attr)
{
	volatile int go = 0;
	struct beside b = { attr, &c->beside, i, &go, -1 };
	pthread_t thread;
	int fd;

	cost_begin(&c->open, i);
	fd = event_open(attr, 0, -1);
	cost_end(&c->open, i);
	if (fd < 0)
		die("open");
	cost_begin(&c->close, i);
	close(fd);
	cost_end(&c->close, i);
	cost_begin(&c->again, i);
	fd = event_open(attr, 0, -1);
	cost_end(&c->again, i);
	if (fd < 0)
		die("open right after the last close: %d", fd);
	if (pthread_create(&thread, NULL, open_beside, &b))
		die("pthread_create");
	usleep(1000);
	go = 1;
	close(fd);
	pthread_join(thread, NULL);
	if (b.fd < 0)
		die("open beside the last close: %d", b.fd);
	close(b.fd);
}

/*
 * @d: of an event that defers, @p: of a plain one. A grace period is waited for asleep,
 * and a walk over all threads is CPU time; time on the clock is what other tasks, and
 * the VM's host, leave.
 */
static void compare(const char *what, struct cost *d, struct cost *p)
{
	u64 sleeps = median(d->sleeps), plain_sleeps = median(p->sleeps);
	u64 cpu = median(d->cpu), plain_cpu = median(p->cpu);

	ok(sleeps <= plain_sleeps, "%s sleeps %llu times, a plain event's %llu", what,
	   (unsigned long long)sleeps, (unsigned long long)plain_sleeps);
	ok(cpu < 15 * plain_cpu, "%s takes %.1f times the CPU time of a plain event's", what,
	   1.0 * cpu / plain_cpu);
	diag("%llu us of CPU time, %llu us; %llu us on the clock, %llu us",
	     (unsigned long long)cpu / 1000, (unsigned long long)plain_cpu / 1000,
	     (unsigned long long)median(d->wall) / 1000, (unsigned long long)median(p->wall) / 1000);
}

/*
 * Against a plain event with a callchain in the same run: neither waits for a
 * grace period, nor goes over all threads. UNWIND_THREADS=20000 is for measuring.
 */
TEST(close, "the last close of an event that defers, and the open after it, do not wait")
{
	int nr = getenv("UNWIND_THREADS") ? atoi(getenv("UNWIND_THREADS")) : 300;
	struct perf_event_attr plain, defer;
	struct costs p, d;
	pthread_t *thread;
	int i, pipes[2];

	attr_dummy(&plain);
	attr_dummy(&defer);
	attr_defer(&defer);
	thread = start_sleepers(nr, pipes);
	for (i = 0; i < ROUNDS; i++) {
		cost_round(&p, i, &plain);
		cost_round(&d, i, &defer);
		/* What goes in the background must not be waited for by the next round. */
		usleep(100000);
	}
	stop_sleepers(thread, nr, pipes);
	diag("%d threads", nr);
	compare("the last close", &d.close, &p.close);
	compare("the open after it", &d.again, &p.again);
	compare("an open beside it", &d.beside, &p.beside);
	diag("the first open: %llu us, %llu us", (unsigned long long)median(d.open.wall) / 1000,
	     (unsigned long long)median(p.open.wall) / 1000);
}

struct opener {
	struct perf_event_attr attr;
	int times, failed;
};

static void *opener(void *data)
{
	struct opener *o = data;
	int i, fd;

	for (i = 0; i < o->times; i++) {
		fd = event_open(&o->attr, 0, -1);
		if (fd < 0)
			o->failed++;
		else
			close(fd);
	}
	return NULL;
}

/* More often than there are places for clients, faster than they become free. */
TEST(reopen, "events that defer come and go all the time: every open succeeds")
{
	struct path p = { 0 };
	struct opener o[3];
	pthread_t thread[3];
	int i, failed = 0, times = 0;

	for (i = 0; i < 3; i++) {
		attr_dummy(&o[i].attr);
		attr_defer(&o[i].attr);
		o[i].times = 60;
		o[i].failed = 0;
		if (pthread_create(&thread[i], NULL, opener, &o[i]))
			die("pthread_create");
	}
	for (i = 0; i < 3; i++) {
		pthread_join(thread[i], NULL);
		failed += o[i].failed;
		times += o[i].times;
	}
	ok(!failed, "%d of %d opens failed", failed, times);

	/* And what comes after is as good as ever. */
	for (i = 0; i < 5; i++) {
		struct perf_event_attr attr;
		struct recorder r = { 0 };

		attr_syscall(&attr, false);
		attr_defer(&attr);
		recorder_add(&r, &attr, 0, -1, 5);
		recorder_filter_syscall(&r, SYS_getppid);
		recorder_enable(&r);
		path_syscall_at(&p, 9 + i, SYS_getppid, 0, 0, 0, 0);
		recorder_disable(&r);
		recorder_read(&r);
		check_samples(&r, 0, &p, "an event after them");
		ok(recorder_count(&r, RECORD_CALLCHAIN_DEFERRED) <= 1, "no more than one completion");
		recorder_close(&r);
	}
	path_free(&p);
}

TEST(room, "the buffers for walks that cannot allocate are as deep as callchains can be")
{
	struct perf_event_attr attr;
	u64 room;
	int fd;

	if (getenv("UNWIND_PLAIN"))
		return;
	attr_syscall(&attr, false);
	attr_defer(&attr);
	fd = event_open(&attr, 0, -1);
	if (fd < 0)
		die("perf_event_open");
	room = stats_read("room");
	ok(room >= 127, "an event is open: room for %llu entries", (unsigned long long)room);
	close(fd);

	/* What kernel.perf_event_max_stack bounds for callchains. */
	attr.sample_type &= ~PERF_SAMPLE_CALLCHAIN;
	attr.sample_max_stack = 65535;
	fd = event_open(&attr, 0, -1);
	ok(fd >= 0 && stats_read("room") == room, "an event without callchains: room for %llu",
	   (unsigned long long)stats_read("room"));
	close(fd);
}
