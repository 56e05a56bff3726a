// SPDX-License-Identifier: GPL-2.0
/*
 * Both passes of a pipe, window by window: FINISHED_ROUND ends a window. Records that remain for
 * the next window are copied, to release the pipe's memory.
 *
 * A sample whose deferred record is not in its window waits, and is delivered out of time order.
 * It waits until its deferred record is read, or until that record can no longer follow: after a
 * deferred record with another cookie of the task, after another task got its tid, or at the end
 * of the input. The number of waiting samples is limited; the oldest is delivered first.
 *
 * Then the deferred record before the sample is its own, if it has the sample's cookie. Every
 * record of a task decides the samples that wait, so only the last one of each task is kept: copied
 * at the end of its window, of ended tasks until the copies are compacted.
 */
#include <sys/queue.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/progress.h"
#include "session/session_private.h"

#define WAIT_MAX	65536
#define WAIT_BYTES_MAX	(64ULL << 20)
/* Maximum bytes of kept deferred records; later ones are not kept. */
#define KEPT_BYTES_MAX	(64ULL << 20)
/* Window size of a stream without FINISHED_ROUND. */
#define WINDOW_BYTES_MAX (32ULL << 20)

/* A sample whose deferred record is not read yet. */
struct waiting {
	STAILQ_ENTRY(waiting) next;	/* of the same task, newer */
	TAILQ_ENTRY(waiting) newer;	/* of all samples carried over from their window */
	u64 time, offset, cookie;
	u32 tid;
	bool left_over;			/* carried over: .rec is a copy */
	struct join join;
	const struct perf_event_header *rec;
};

/* The tasks with a tid, one after the other */
struct tid_state {
	STAILQ_HEAD(, waiting) waiting;	/* samples, oldest first */
	const struct deferred_record *rec;	/* the last one; NULL: none */
	u64 time;			/* of @rec */
	u64 exit;			/* time of the last EXIT record; 0: none */
	u32 tid;
	bool used;			/* @rec was joined to a sample */
	bool fresh;			/* in .fresh: @rec is of the current window */
	SLIST_ENTRY(tid_state) next_fresh;
};

/* For records that are not samples, or not joined */
static const struct join no_join = { .state = JOIN_NONE };

struct pipe_run {
	struct session_priv *sp;
	struct delivery d;
	struct order order;
	u8 *carried;			/* records carried over from the last window */
	u64 window_bytes;

	struct arena arena;
	struct hash by_tid;		/* tid -> struct tid_state * */
	struct arena kept;		/* copies of deferred records */
	u64 kept_bytes;			/* after the last compaction */
	SLIST_HEAD(, tid_state) fresh;
	TAILQ_HEAD(, waiting) left_over;	/* oldest first */
	u64 nr_waiting, waiting_bytes;

	/* Of the window: each key's waiting sample, or NULL; earlier samples to deliver. */
	struct waiting **of_key, **decided;
	size_t of_key_cap, nr_decided, cap_decided;
};

static struct tid_state *state_of(u64 slot)
{
	return (struct tid_state *)(uintptr_t)slot;
}

static struct tid_state *tid_state(struct pipe_run *p, u32 tid)
{
	u64 *slot = hash_insert(&p->by_tid, tid, 0, NULL);

	if (!*slot) {
		*slot = (u64)(uintptr_t)arena_alloc(&p->arena, sizeof(struct tid_state));
		state_of(*slot)->tid = tid;
		STAILQ_INIT(&state_of(*slot)->waiting);
	}
	return state_of(*slot);
}

static bool same_task(const struct pipe_run *p, u32 tid, u64 from, u64 to)
{
	return timeline_same_task(p->sp->s.timeline, tid, from, to);
}

/* The record before a sample is its own if no later one follows. */
static void join_last(struct pipe_run *p, struct tid_state *ts, struct waiting *w)
{
	w->join.state = JOIN_NONE;
	if (!ts->rec || ts->rec->cookie != w->cookie || !same_task(p, w->tid, ts->time, w->time))
		return;
	w->join = (struct join){ JOIN_FOUND, { .time = ts->time, .rec = ts->rec } };
	if (!ts->used)
		p->sp->s.stats.deferred.orphan_records--;
	ts->used = true;
}

static void keep_copy(struct arena *kept, struct tid_state *ts)
{
	const u16 size = ts->rec->header.size;

	ts->rec = memcpy(arena_alloc(kept, size), ts->rec, size);
}

/* Only copy the records that may still be asked for. */
static void compact(struct pipe_run *p)
{
	struct arena kept = { 0 };
	size_t i;

	for (i = 0; i <= p->by_tid.mask; i++) {
		struct tid_state *ts = state_of(p->by_tid.slots[i].value);

		if (!p->by_tid.slots[i].used || !ts->rec)
			continue;
		if (kept.allocated > KEPT_BYTES_MAX ||
		    (ts->exit && STAILQ_EMPTY(&ts->waiting) && same_task(p, ts->tid, ts->time, ts->exit)))
			ts->rec = NULL;
		else
			keep_copy(&kept, ts);
	}
	arena_deinit(&p->kept);
	p->kept = kept;
	p->kept_bytes = kept.allocated;
}

/* Copy the window's last record of each task out of the pipe's memory. */
static void keep_records(struct pipe_run *p)
{
	struct tid_state *ts;

	while ((ts = SLIST_FIRST(&p->fresh))) {
		SLIST_REMOVE_HEAD(&p->fresh, next_fresh);
		ts->fresh = false;
		keep_copy(&p->kept, ts);
	}
	if (p->kept.allocated > 2 * p->kept_bytes + (4 << 20))
		compact(p);
}

/* Deliver a sample carried over, and free it. */
static int let_go(struct pipe_run *p, struct waiting *w)
{
	struct record rec = { .header = w->rec, .offset = w->offset, .seq = -1 };
	int ret;

	TAILQ_REMOVE(&p->left_over, w, newer);
	p->nr_waiting--;
	p->waiting_bytes -= w->rec->size;
	ret = deliver(&p->d, &rec, w->time, &w->join);
	free((void *)w->rec);
	free(w);
	return ret;
}

/* The oldest of all samples is also the oldest of its task. */
static int let_go_oldest(struct pipe_run *p)
{
	struct waiting *w = TAILQ_FIRST(&p->left_over);
	struct tid_state *ts = tid_state(p, w->tid);

	join_last(p, ts, w);
	STAILQ_REMOVE_HEAD(&ts->waiting, next);
	return let_go(p, w);
}

static int leave_over(struct pipe_run *p, struct waiting *w)
{
	int ret;

	while (p->nr_waiting && (p->nr_waiting >= WAIT_MAX || p->waiting_bytes >= WAIT_BYTES_MAX)) {
		ret = let_go_oldest(p);
		if (ret)
			return ret;
	}
	w->rec = memcpy(xmalloc(w->rec->size), w->rec, w->rec->size);
	w->left_over = true;
	TAILQ_INSERT_TAIL(&p->left_over, w, newer);
	p->nr_waiting++;
	p->waiting_bytes += w->rec->size;
	return 0;
}

/* A task returned (with @rec), or another got its tid: decide its samples. Was one joined? */
static bool decide(struct pipe_run *p, struct tid_state *ts, const struct deferred_record *rec,
		   u64 time)
{
	struct waiting *w;
	bool used = false;

	while ((w = STAILQ_FIRST(&ts->waiting))) {
		STAILQ_REMOVE_HEAD(&ts->waiting, next);
		if (rec && w->cookie == rec->cookie && same_task(p, w->tid, w->time, time)) {
			w->join = (struct join){ JOIN_FOUND, { .time = time, .rec = rec } };
			used = true;
		} else {
			join_last(p, ts, w);
		}
		if (w->left_over) {
			GROW(p->decided, p->nr_decided, p->cap_decided);
			p->decided[p->nr_decided++] = w;
		}
	}
	return used;
}

static void note_deferred(struct pipe_run *p, const struct order_key *key)
{
	const struct event *ev = event_list_find(p->sp->s.events, key->rec);
	struct tid_state *ts;
	struct sample id;

	p->sp->s.stats.deferred.orphan_records++;
	if (!ev || sample_id_decode(ev, key->rec, &id))
		return;
	ts = tid_state(p, id.tid);
	ts->used = decide(p, ts, (const void *)key->rec, key->time);
	p->sp->s.stats.deferred.orphan_records -= ts->used;
	ts->rec = (const void *)key->rec;
	ts->time = key->time;
	if (!ts->fresh)
		SLIST_INSERT_HEAD(&p->fresh, ts, next_fresh);
	ts->fresh = true;
}

static void note_task(struct pipe_run *p, const struct order_key *key)
{
	const struct task_record *t = (const void *)key->rec;
	const u64 *slot = hash_find(&p->by_tid, t->tid, 0);
	struct tid_state *ts = slot ? state_of(*slot) : NULL;
	const struct waiting *first = ts ? STAILQ_FIRST(&ts->waiting) : NULL;

	if (!ts)
		return;
	if (t->header.type == PERF_RECORD_EXIT)
		ts->exit = key->time;
	else if (first && !same_task(p, t->tid, first->time, key->time))
		decide(p, ts, NULL, 0);
}

/* Add a sample with a cookie to the waiting samples of its task. */
static struct waiting *note_sample(struct pipe_run *p, const struct order_key *key)
{
	struct session_priv *sp = p->sp;
	const struct event *ev = event_list_find(sp->s.events, key->rec);
	struct tid_state *ts;
	struct waiting *w;
	struct sample s;

	if (!ev || !(attr_flags(&ev->attr) & ATTR_DEFER_CALLCHAIN) ||
	    sample_decode(ev, key->rec, key->offset, &s) || !s.deferred)
		return NULL;
	w = xcalloc(1, sizeof(*w));
	w->time = key->time;
	w->offset = key->offset;
	w->cookie = s.cookie;
	w->tid = s.tid;
	w->rec = key->rec;
	w->join.state = JOIN_PENDING;
	ts = tid_state(p, s.tid);
	STAILQ_INSERT_TAIL(&ts->waiting, w, next);
	return w;
}

static void note_key(struct pipe_run *p, const struct order_key *key, struct waiting **w)
{
	switch (key->rec->type) {
	case PERF_RECORD_SAMPLE:
		*w = note_sample(p, key);
		break;
	case REC_CALLCHAIN_DEFERRED:
		note_deferred(p, key);
		break;
	case PERF_RECORD_EXIT:
	case PERF_RECORD_FORK:
		note_task(p, key);
		break;
	}
}

static int compare_waiting(const void *a, const void *b)
{
	const struct waiting *x = *(struct waiting *const *)a, *y = *(struct waiting *const *)b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int deliver_key(struct pipe_run *p, const struct order_key *key, struct waiting *w)
{
	struct record rec = { .header = key->rec, .offset = key->offset, .seq = -1 };
	int ret;

	if (!w)
		return deliver(&p->d, &rec, key->time, &no_join);
	if (w->join.state == JOIN_PENDING)
		return leave_over(p, w);
	ret = deliver(&p->d, &rec, key->time, &w->join);
	free(w);
	return ret;
}

static int deliver_window(struct pipe_run *p, const struct order_key *keys, size_t nr)
{
	bool merge = !p->sp->cfg.no_merge_callchains;
	int ret = 0, err;
	size_t i;

	note_seal(p->sp, UINT64_MAX);
	timeline_known_until(p->sp->s.timeline, nr ? keys[nr - 1].time : 0);
	GROW_TO(p->of_key, nr, p->of_key_cap);
	for (i = 0; i < nr; i++) {
		p->of_key[i] = NULL;
		if (merge)
			note_key(p, &keys[i], &p->of_key[i]);
	}
	if (p->nr_decided)
		qsort(p->decided, p->nr_decided, sizeof(*p->decided), compare_waiting);
	for (i = 0; i < p->nr_decided; i++) {
		err = let_go(p, p->decided[i]);
		if (err)
			ret = err;
	}
	p->nr_decided = 0;
	for (i = 0; i < nr; i++) {
		if (!ret)
			ret = deliver_key(p, &keys[i], p->of_key[i]);
		else if (p->of_key[i] && p->of_key[i]->join.state != JOIN_PENDING)
			free(p->of_key[i]);
	}
	keep_records(p);
	return ret;
}

/* Copy the records for the next window out of the pipe's memory. */
static void carry(struct pipe_run *p)
{
	struct order *o = &p->order;
	u64 bytes = 0;
	u8 *to;
	size_t i;

	for (i = o->head; i < o->nr; i++)
		bytes += ALIGN_UP((u64)o->keys[i].rec->size, 8);
	to = xmalloc(bytes);
	for (i = o->head, bytes = 0; i < o->nr; i++) {
		memcpy(to + bytes, o->keys[i].rec, o->keys[i].rec->size);
		o->keys[i].rec = (const void *)(to + bytes);
		bytes += ALIGN_UP((u64)o->keys[i].rec->size, 8);
	}
	free(p->carried);
	p->carried = to;
	p->window_bytes = 0;
}

static int close_window(struct pipe_run *p, u64 next_seq, bool end)
{
	const struct order_key *keys;
	size_t nr;
	int ret;

	if (end || !p->sp->s.has_time)
		keys = order_end(&p->order, &nr);
	else
		keys = order_round(&p->order, &nr);
	ret = deliver_window(p, keys, nr);
	carry(p);
	reader_release(p->sp->s.reader, next_seq);
	return ret;
}

static int run(struct pipe_run *p)
{
	struct session_priv *sp = p->sp;
	struct stream_clock clock = { .has_time = sp->s.has_time };
	u64 next_seq = 0, time;
	struct record rec;
	int ret = 0;

	while (!ret && reader_next(sp->s.reader, &rec)) {
		u32 type = rec.header->type;

		next_seq = rec.seq + 1;
		if (p->d.ops->raw && (ret = p->d.ops->raw(p->d.ctx, &rec)))
			break;
		if (type >= REC_HEADER_ATTR) {
			sp->s.stats.nr_by_type[min(type, 255U)]++;
			ret = deliver(&p->d, &rec, 0, &no_join);
		} else {
			time = stream_time(&clock, sp->s.events, &rec);
			note_kernel_record(sp, &rec, time);
			order_add(&p->order, time, rec.header, rec.offset);
		}
		p->window_bytes += rec.header->size;
		if (!ret && (type == REC_FINISHED_ROUND || p->window_bytes > WINDOW_BYTES_MAX))
			ret = close_window(p, next_seq, false);
	}
	/* Deliver everything read so far, also after ^C. */
	if (!ret)
		ret = close_window(p, next_seq, true);
	while (!ret && p->nr_waiting)
		ret = let_go_oldest(p);
	return ret ?: interrupted() ? -EINTR : 0;
}

int session_run_pipe(struct session_priv *sp, const struct session_ops *ops, void *ctx)
{
	struct pipe_run p = { .sp = sp };
	struct waiting *w;
	int ret;

	TAILQ_INIT(&p.left_over);
	delivery_init(&p.d, sp, ops, ctx);
	/* Until the end of the pipe, ^C ends the input. */
	interrupt_catch();
	ret = run(&p);
	interrupt_release();
	delivery_finish(&p.d);
	while ((w = TAILQ_FIRST(&p.left_over))) {
		TAILQ_REMOVE(&p.left_over, w, newer);
		free((void *)w->rec);
		free(w);
	}
	order_deinit(&p.order);
	hash_deinit(&p.by_tid);
	arena_deinit(&p.arena);
	arena_deinit(&p.kept);
	free(p.carried);
	free(p.of_key);
	free(p.decided);
	return ret;
}
