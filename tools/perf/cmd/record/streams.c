// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that read the kernel's buffers, compress the records and write them, for each buffer to a
 * file of its own (data.N). A thread sleeps until the loop wakes it.
 *
 * struct streams owns the threads. The drain's lock protects everything that belongs to no single
 * buffer.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "cmd/record/streams.h"
#include "measure/affinity.h"

struct stream_thread {
	struct streams *streams;
	u32 group;
	pthread_t thread;
	sem_t wake;
	bool awake;		/* it will look at its buffers; set by the loop */
	bool stop;
};

void streams_init(struct streams *s, struct drain *drain, const struct thread_groups *groups)
{
	*s = (struct streams){ .drain = drain, .groups = groups, .failure = -1 };
}

/* Read the buffers of a thread. */
static int read_buffers(const struct stream_thread *t)
{
	const struct streams *s = t->streams;
	const struct rings *r = s->drain->rings;
	int err = 0;
	u32 i;

	for (i = 0; i < r->nr && !err; i++)
		if (s->of[i] == t->group)
			err = drain_ring(s->drain, i);
	return err;
}

static void *run(void *arg)
{
	struct stream_thread *t = arg;
	struct streams *s = t->streams;
	int err = 0;

	affinity_bind(&s->groups->v[t->group].affinity);
	while (!err && !__atomic_load_n(&t->stop, __ATOMIC_ACQUIRE)) {
		while (sem_wait(&t->wake))
			;
		__atomic_store_n(&t->awake, false, __ATOMIC_SEQ_CST);
		err = read_buffers(t);
	}
	if (err) {
		__atomic_store_n(&s->err, err, __ATOMIC_RELAXED);
		eventfd_write(s->failure, 1);
	}
	return NULL;
}

int streams_start(struct streams *s)
{
	const struct rings *r = s->drain->rings;
	int err = 0;
	u32 i;

	if (!s->groups->nr)
		return 0;
	s->of = xcalloc(r->nr, sizeof(*s->of));
	for (i = 0; i < r->nr; i++)
		s->of[i] = thread_groups_of(s->groups, r->v[i].cpu);
	s->failure = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->failure < 0)
		return diag_error("--threads: %s", strerror(errno));
	s->v = xcalloc(s->groups->nr, sizeof(*s->v));
	while (s->nr < s->groups->nr && !err) {
		struct stream_thread *t = &s->v[s->nr];

		t->streams = s;
		t->group = s->nr;
		sem_init(&t->wake, 0, 0);
		/* With the priority of -r. */
		err = pthread_create(&t->thread, NULL, run, t);
		s->nr += !err;
	}
	return err ? diag_error("--threads: cannot start thread %u: %s", s->nr, strerror(err)) : 0;
}

static void wake(struct stream_thread *t)
{
	if (!__atomic_exchange_n(&t->awake, true, __ATOMIC_SEQ_CST))
		sem_post(&t->wake);
}

void streams_wake(struct streams *s, u32 ring)
{
	if (s->nr)
		wake(&s->v[s->of[ring]]);
}

void streams_wake_all(struct streams *s)
{
	u32 i;

	for (i = 0; i < s->nr; i++)
		wake(&s->v[i]);
}

int streams_error(const struct streams *s)
{
	return __atomic_load_n(&s->err, __ATOMIC_RELAXED);
}

int streams_stop(struct streams *s)
{
	u32 i;

	for (i = 0; i < s->nr; i++)
		__atomic_store_n(&s->v[i].stop, true, __ATOMIC_RELEASE);
	streams_wake_all(s);
	for (i = 0; i < s->nr; i++) {
		pthread_join(s->v[i].thread, NULL);
		sem_destroy(&s->v[i].wake);
	}
	s->nr = 0;
	return streams_error(s);
}

void streams_deinit(struct streams *s)
{
	free(s->v);
	free(s->of);
	if (s->failure >= 0)
		close(s->failure);
}
