// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "worker.h"

static pthread_t threads[MAX_WORKERS];
static int nr_threads;

void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity %d", cpu);
}

struct workers *workers_create(void)
{
	struct workers *ws = mmap(NULL, sizeof(*ws), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (ws == MAP_FAILED)
		die("mmap");
	return ws;
}

struct worker *worker_add(struct workers *ws, int depth, long nr, int times, int cpu)
{
	struct worker *w = &ws->w[ws->nr++];

	w->depth = depth;
	w->nr = nr;
	w->times = times;
	w->cpu = cpu;
	return w;
}

void worker_run(struct workers *ws, struct worker *w)
{
	struct path p = { 0 };
	int i;

	w->tid = syscall(SYS_gettid);
	if (w->cpu >= 0)
		pin(w->cpu);
	while (!ws->go)
		usleep(1000);
	for (i = 0; i < w->times; i++) {
		if (w->cpu == -2)
			pin(i % nr_cpus());
		if (w->nr >= 0) {
			path_syscall_at(&p, w->depth, w->nr, 0, 0, 0, 0);
		} else {
			p.leaf = PATH_SPIN;
			p.rounds = 1000000;
			path_run(&p, w->depth);
		}
	}
	w->done = 1;
	path_free(&p);
}

pid_t worker_fork(struct workers *ws, struct worker *w)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		worker_run(ws, w);
		_exit(0);
	}
	while (!w->tid)
		usleep(1000);
	return pid;
}

struct arg {
	struct workers *ws;
	struct worker *w;
};

static void *thread(void *data)
{
	struct arg *arg = data;

	worker_run(arg->ws, arg->w);
	free(arg);
	return NULL;
}

void worker_thread(struct workers *ws, struct worker *w)
{
	struct arg *arg = malloc(sizeof(*arg));

	if (!arg)
		die("malloc");
	arg->ws = ws;
	arg->w = w;
	if (pthread_create(&threads[nr_threads++], NULL, thread, arg))
		die("pthread_create");
	while (!w->tid)
		usleep(1000);
}

void workers_join(void)
{
	while (nr_threads)
		pthread_join(threads[--nr_threads], NULL);
	while (wait(NULL) > 0)
		;
}

void workers_wait(struct workers *ws)
{
	int i;

	ws->go = 1;
	workers_join();
	for (i = 0; i < ws->nr; i++)
		if (!ws->w[i].done)
			ok(false, "worker %d came to its end", i);
}

static struct path *want_depth(int depth)
{
	static struct path *want[WORKER_DEPTH + 1];

	if (!want[depth]) {
		want[depth] = calloc(1, sizeof(struct path));
		if (!want[depth])
			die("calloc");
		path_want_syscall(want[depth], depth);
		path_free(want[depth]);
	}
	return want[depth];
}

bool worker_chain(const struct rec *rec, const struct chain *chain, void *data)
{
	struct workers *ws = data;
	int i;

	for (i = 0; i < ws->nr; i++)
		if ((u32)ws->w[i].tid == rec->tid)
			return path_is(want_depth(ws->w[i].depth), chain);
	diag("a sample of a task %u that is not ours", rec->tid);
	return false;
}
