/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks with a call path each: a table in shared memory says which thread
 * has which depth, so that a chain of one task in a sample of another shows.
 */
#ifndef SELFTEST_WORKER_H
#define SELFTEST_WORKER_H

#include "path.h"

#define MAX_WORKERS	64
#define WORKER_DEPTH	64

struct worker {
	volatile pid_t tid;
	int depth;
	long nr;		/* the system call to make, or -1: spin */
	int times;
	int cpu;		/* -1: any; -2: a new one each time */
	volatile int done;
};

struct workers {
	volatile int go;
	int nr;
	struct worker w[MAX_WORKERS];
};

/* A shared table. */
struct workers *workers_create(void);
struct worker *worker_add(struct workers *ws, int depth, long nr, int times, int cpu);
/* Do what @w says, in this task. */
void worker_run(struct workers *ws, struct worker *w);
/* Run worker @w in a new process or thread, which first waits for ws->go. */
pid_t worker_fork(struct workers *ws, struct worker *w);
void worker_thread(struct workers *ws, struct worker *w);
/* For those that this process started. */
void workers_join(void);
/* Let all go, wait for them, check that each came to its end. */
void workers_wait(struct workers *ws);

/*
 * For tally(): the sample's task is known and its chain the one of its depth.
 * @data: the struct workers.
 */
bool worker_chain(const struct rec *rec, const struct chain *chain, void *data);
void pin(int cpu);

#endif
