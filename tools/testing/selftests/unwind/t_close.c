// SPDX-License-Identifier: GPL-2.0
/* The last close of an event that defers, and the open right after it. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

struct times {
	u64 open[ROUNDS], close[ROUNDS], again[ROUNDS], beside[ROUNDS];
};

/* Opens one while another thread closes the last one. */
struct beside {
	struct perf_event_attr *attr;
	volatile int *go;
	u64 took;
	int fd;
};

static void *open_beside(void *data)
{
	struct beside *b = data;
	u64 start;

	while (!*b->go)
		;
	start = now_ns();
	b->fd = event_open(b->attr, 0, -1);
	b->took = now_ns() - start;
	return NULL;
}

/* An event comes and goes, and another one comes at once. */
static void time_round(struct times *t, int i, struct perf_event_attr *attr)
{
	volatile int go = 0;
	struct beside b = { attr, &go, 0, -1 };
	pthread_t thread;
	u64 t0 = now_ns(), t1, t2, t3;
	int fd = event_open(attr, 0, -1);

	if (fd < 0)
		die("open");
	t1 = now_ns();
	close(fd);
	t2 = now_ns();
	fd = event_open(attr, 0, -1);
	t3 = now_ns();
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
	t->beside[i] = b.took;
	t->open[i] = t1 - t0;
	t->close[i] = t2 - t1;
	t->again[i] = t3 - t2;
}

/*
 * Against a plain event with a callchain in the same run: neither waits for a
 * grace period, nor goes over all threads. UNWIND_THREADS=20000 is for measuring.
 */
TEST(close, "the last close of an event that defers, and the open after it, do not wait")
{
	int nr = getenv("UNWIND_THREADS") ? atoi(getenv("UNWIND_THREADS")) : 300;
	struct perf_event_attr plain, defer;
	struct times p, d;
	pthread_t *thread;
	int i, pipes[2];
	u64 a, b;

	attr_dummy(&plain);
	attr_dummy(&defer);
	attr_defer(&defer);
	thread = start_sleepers(nr, pipes);
	for (i = 0; i < ROUNDS; i++) {
		time_round(&p, i, &plain);
		time_round(&d, i, &defer);
		/* What retires in the background must not be waited for by the next round. */
		usleep(100000);
	}
	stop_sleepers(thread, nr, pipes);
	a = median(p.close);
	b = median(d.close);
	ok(b < 15 * a, "%d threads: the last close takes %.1f times a plain event's", nr, 1.0 * b / a);
	diag("%llu us, %llu us", (unsigned long long)b / 1000, (unsigned long long)a / 1000);
	a = median(p.again);
	b = median(d.again);
	ok(b < 15 * a, "the open after it %.1f times a plain event's", 1.0 * b / a);
	diag("%llu us, %llu us", (unsigned long long)b / 1000, (unsigned long long)a / 1000);
	a = median(p.beside);
	b = median(d.beside);
	ok(b < 15 * a, "an open beside it %.1f times a plain event's", 1.0 * b / a);
	diag("%llu us, %llu us", (unsigned long long)b / 1000, (unsigned long long)a / 1000);
	diag("the first open: %llu us, %llu us", (unsigned long long)median(d.open) / 1000,
	     (unsigned long long)median(p.open) / 1000);
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

TEST(room, "the buffers for walks that cannot allocate come and go with the events")
{
	struct perf_event_attr attr;
	u64 end, room;
	int fd, i;

	if (getenv("UNWIND_PLAIN"))
		return;
	for (i = 0; i < 3; i++) {
		attr_syscall(&attr, false);
		attr_defer(&attr);
		fd = event_open(&attr, 0, -1);
		if (fd < 0)
			die("perf_event_open");
		ok(stats_read("room") >= 127, "an event is open: room for %llu entries",
		   (unsigned long long)stats_read("room"));
		close(fd);
		/* A work item gives them back; give up on it late. */
		end = now_ns() + 20000000000ULL;
		while ((room = stats_read("room")) && now_ns() < end)
			usleep(1000);
		ok(!room, "it is closed: room for %llu", (unsigned long long)room);
	}
}
