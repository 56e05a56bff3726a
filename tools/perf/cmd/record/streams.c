// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that read the kernel's buffers, compress the records and write each to a file of its own
 * (data.N), when the loop wakes them. The drain's lock protects what belongs to no single buffer.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "cmd/record/recorder.h"
#include "measure/affinity.h"

struct stream_thread {
	struct recorder *rec;
	u32 group;
	pthread_t thread;
	sem_t wake;
	bool awake;		/* it will look at its buffers; set by the loop */
	bool stop;
};

/* Read the buffers of a thread. */
static int read_buffers(const struct stream_thread *t)
{
	struct recorder *rec = t->rec;
	const struct rings *r = &rec->rings;
	int err = 0;
	u32 i;

	for (i = 0; i < r->nr && !err; i++)
		if (rec->streams.of[i] == t->group)
			err = drain_ring(rec, i);
	return err;
}

static void *run(void *arg)
{
	struct stream_thread *t = arg;
	struct recorder *rec = t->rec;
	int err = 0;

	affinity_bind(&rec->groups.v[t->group].affinity);
	while (!err && !__atomic_load_n(&t->stop, __ATOMIC_ACQUIRE)) {
		while (sem_wait(&t->wake))
			;
		__atomic_store_n(&t->awake, false, __ATOMIC_SEQ_CST);
		err = read_buffers(t);
	}
	if (err) {
		__atomic_store_n(&rec->streams.err, err, __ATOMIC_RELAXED);
		eventfd_write(rec->streams.failure, 1);
	}
	return NULL;
}

int streams_start(struct recorder *rec)
{
	const struct rings *r = &rec->rings;
	int err = 0;
	u32 i;

	if (!rec->groups.nr)
		return 0;
	rec->streams.of = xcalloc(r->nr, sizeof(*rec->streams.of));
	for (i = 0; i < r->nr; i++)
		rec->streams.of[i] = thread_groups_of(&rec->groups, r->v[i].cpu);
	rec->streams.failure = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (rec->streams.failure < 0)
		return diag_error("--threads: %s", strerror(errno));
	rec->streams.v = xcalloc(rec->groups.nr, sizeof(*rec->streams.v));
	while (rec->streams.nr < rec->groups.nr && !err) {
		struct stream_thread *t = &rec->streams.v[rec->streams.nr];

		t->rec = rec;
		t->group = rec->streams.nr;
		sem_init(&t->wake, 0, 0);
		/* With the priority of -r. */
		err = pthread_create(&t->thread, NULL, run, t);
		rec->streams.nr += !err;
	}
	return err ? diag_error("--threads: cannot start thread %u: %s", rec->streams.nr, strerror(err)) : 0;
}

static void wake(struct stream_thread *t)
{
	if (!__atomic_exchange_n(&t->awake, true, __ATOMIC_SEQ_CST))
		sem_post(&t->wake);
}

void streams_wake(struct recorder *rec, u32 ring)
{
	if (rec->streams.nr)
		wake(&rec->streams.v[rec->streams.of[ring]]);
}

void streams_wake_all(struct recorder *rec)
{
	u32 i;

	for (i = 0; i < rec->streams.nr; i++)
		wake(&rec->streams.v[i]);
}

int streams_error(const struct recorder *rec)
{
	return __atomic_load_n(&rec->streams.err, __ATOMIC_RELAXED);
}

int streams_stop(struct recorder *rec)
{
	u32 i;

	for (i = 0; i < rec->streams.nr; i++)
		__atomic_store_n(&rec->streams.v[i].stop, true, __ATOMIC_RELEASE);
	streams_wake_all(rec);
	for (i = 0; i < rec->streams.nr; i++) {
		pthread_join(rec->streams.v[i].thread, NULL);
		sem_destroy(&rec->streams.v[i].wake);
	}
	rec->streams.nr = 0;
	return streams_error(rec);
}

void streams_deinit(struct recorder *rec)
{
	free(rec->streams.v);
	free(rec->streams.of);
	if (rec->streams.failure >= 0)
		close(rec->streams.failure);
}
