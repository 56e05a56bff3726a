// SPDX-License-Identifier: GPL-2.0
/*
 * Pass 2 on several threads: the caller reads sorted records into a batch while the threads take
 * the chunks of the previous one; it joins them, and then merges the results in order.
 */
#include <pthread.h>

#include "base/arena.h"
#include "base/progress.h"
#include "session/session_private.h"

#define CHUNK_KEYS 128

struct team_member {
	struct team *team;
	struct delivery d;
};

struct team {
	struct team_member *members;		/* [0] runs on the caller's thread */
	pthread_t *threads;
	u32 nr;
	void *ctx;
	pthread_mutex_t begun;		/* locked until the number of threads is known */
	pthread_barrier_t start, end;
	struct order_key *next;		/* batch being read */
	size_t nr_next;
	struct order_key *keys;		/* batch being processed */
	size_t nr_keys;			/* 0: no batch */
	size_t max_keys;
	u32 chunk_keys;
	u32 first_chunk;		/* number of the batch's first chunk */
	u32 next_chunk;
	int ret;
	bool stopped;			/* by gather() */
	bool over;
};

static void take_chunks(struct team *team, struct delivery *d)
{
	for (;;) {
		u32 chunk = __atomic_fetch_add(&team->next_chunk, 1, __ATOMIC_RELAXED);
		size_t from = (size_t)chunk * team->chunk_keys;
		int ret;

		if (from >= team->nr_keys)
			return;
		d->ops->chunk(d->ctx, team->first_chunk + chunk);
		ret = deliver_keys(d, team->keys + from,
				   min(team->nr_keys - from, (size_t)team->chunk_keys));
		if (ret)
			__atomic_store_n(&team->ret, ret, __ATOMIC_RELAXED);
	}
}

static void *run_member(void *p)
{
	struct team_member *m = p;
	struct team *team = m->team;

	pthread_mutex_lock(&team->begun);
	pthread_mutex_unlock(&team->begun);
	for (;;) {
		pthread_barrier_wait(&team->start);
		if (team->over)
			return NULL;
		take_chunks(team, &m->d);
		pthread_barrier_wait(&team->end);
	}
}

struct team *team_create(struct session_priv *sp, const struct session_ops *ops, void **workers,
			 u32 nr, void *ctx)
{
	struct team *team = xcalloc(1, sizeof(*team));
	u32 i;

	team->ctx = ctx;
	team->members = xcalloc(nr, sizeof(*team->members));
	team->threads = xcalloc(nr, sizeof(*team->threads));
	team->chunk_keys = ops->chunk_records ? ops->chunk_records : CHUNK_KEYS;
	team->max_keys = SESSION_CHUNKS * team->chunk_keys;
	team->keys = xmalloc(team->max_keys * sizeof(*team->keys));
	team->next = xmalloc(team->max_keys * sizeof(*team->next));
	pthread_mutex_init(&team->begun, NULL);
	pthread_mutex_lock(&team->begun);
	for (i = 0; i < nr; i++) {
		struct team_member *m = &team->members[i];

		m->team = team;
		delivery_init(&m->d, sp, ops, workers[i]);
		m->d.in_team = true;
		/* A limit of tasks (pids.max, RLIMIT_NPROC): go on with those that run. */
		if (i && pthread_create(&team->threads[i], NULL, run_member, m)) {
			delivery_finish(&m->d);
			break;
		}
	}
	team->nr = i;
	pthread_barrier_init(&team->start, NULL, team->nr);
	pthread_barrier_init(&team->end, NULL, team->nr);
	pthread_mutex_unlock(&team->begun);
	return team;
}

/* Who finds bad records varies, but not which is the first: keys and chunks are in order. */
static void report_bad(struct team *team)
{
	struct bad_records *first = NULL;
	u64 nr = 0;
	u32 i;

	for (i = 0; i < team->nr; i++) {
		struct bad_records *bad = &team->members[i].d.bad;

		if (!bad->nr)
			continue;
		nr += bad->nr;
		if (!first || bad->key < first->key)
			first = bad;
	}
	if (!nr)
		return;
	reader_bad_records(team->members[0].d.sp->s.reader, nr, first->rec, first->offset,
			   first->reason);
	for (i = 0; i < team->nr; i++)
		team->members[i].d.bad.nr = 0;
}

/* Start the threads on the batch that was read. */
static void begin_batch(struct team *team)
{
	struct order_key *keys = team->keys;

	team->keys = team->next;
	team->nr_keys = team->nr_next;
	team->next = keys;
	team->nr_next = 0;
	team->next_chunk = 0;
	if (team->nr_keys)
		pthread_barrier_wait(&team->start);
}

/* Start the next batch and gather the results of the previous one; other than 0 ends the run. */
static int turn(struct team *team)
{
	const struct session_ops *ops = team->members[0].d.ops;
	u32 first = team->first_chunk;
	u32 nr = (team->nr_keys + team->chunk_keys - 1) / team->chunk_keys;
	int ret = 0;

	if (nr) {
		take_chunks(team, &team->members[0].d);
		pthread_barrier_wait(&team->end);
		report_bad(team);
	}
	if (team->ret)
		team->nr_next = 0;
	if (ops->settle && nr && !team->stopped)
		ops->settle(team->ctx, first, nr);
	team->first_chunk = first ? 0 : SESSION_CHUNKS;
	begin_batch(team);
	if (nr && !team->stopped)
		ret = ops->gather(team->ctx, first, nr);
	team->stopped |= ret != 0;
	if (team->stopped)
		team->nr_next = 0;
	return team->ret ?: ret;
}

int team_deliver(struct team *team, const struct order_key *keys, size_t nr)
{
	size_t n;
	int ret;

	for (; nr; keys += n, nr -= n) {
		n = min(nr, team->max_keys - team->nr_next);
		memcpy(team->next + team->nr_next, keys, n * sizeof(*keys));
		team->nr_next += n;
		if (team->nr_next < team->max_keys)
			continue;
		ret = turn(team);
		if (ret)
			return ret;
		if (interrupted())
			return -EINTR;
	}
	return 0;
}

int team_finish(struct team *team, int ret)
{
	int err;
	u32 i;

	do {
		if (ret)
			team->nr_next = 0;
		err = turn(team);
		ret = ret ?: err;
	} while (team->nr_keys);
	team->over = true;
	pthread_barrier_wait(&team->start);
	for (i = 0; i < team->nr; i++) {
		if (i)
			pthread_join(team->threads[i], NULL);
		delivery_finish(&team->members[i].d);
	}
	pthread_barrier_destroy(&team->start);
	pthread_barrier_destroy(&team->end);
	pthread_mutex_destroy(&team->begun);
	free(team->members);
	free(team->threads);
	free(team->keys);
	free(team->next);
	free(team);
	return ret;
}
