// SPDX-License-Identifier: GPL-2.0
/*
 * Both passes of a pipe, window by window: FINISHED_ROUND ends a window. Records that remain for
 * the next window are copied, to release the pipe's memory.
 *
 * A sample whose deferred record is not in its window waits, and is delivered out of time order.
 * It waits until its deferred record is read, or until that record can no longer follow: after a
 * deferred record of a later sample of the task, after the task's exit, or at the end of the
 * input. The number of waiting samples is limited; the oldest is delivered first.
 */
#include "base/arena.h"
#include "base/hash.h"
#include "base/progress.h"
#include "session/session_private.h"

#define WAIT_MAX	65536
#define WAIT_BYTES_MAX	(64ULL << 20)
/* Window size of a stream without FINISHED_ROUND. */
#define WINDOW_BYTES_MAX (32ULL << 20)

/* A sample whose deferred record is not read yet. */
struct waiting {
	struct waiting *next;		/* of the same task, newer */
	struct waiting *older, *newer;	/* of all samples carried over from their window */
	u64 time, offset, cookie;
	u32 tid;
	bool left_over;			/* carried over: .rec is a copy */
	struct join join;
	const struct perf_event_header *rec;
};

/* The waiting samples of a task, oldest first. */
struct task_waits {
	struct waiting *first, *last;
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
	struct hash by_tid;		/* tid -> struct task_waits * */
	struct waiting *oldest, *newest;
	u64 nr_waiting, waiting_bytes;

	/*
	 * Current window: the waiting sample of each key, or NULL; and the samples of earlier
	 * windows that are ready for delivery.
	 */
	struct waiting **of_key, **decided;
	size_t of_key_cap, nr_decided, cap_decided;
};

static struct task_waits *task_waits(struct pipe_run *p, u32 tid)
{
	u64 *slot = hash_insert(&p->by_tid, tid, 0, NULL);

	if (!*slot)
		*slot = (u64)(uintptr_t)arena_alloc(&p->arena, sizeof(struct task_waits));
	return (struct task_waits *)(uintptr_t)*slot;
}

/* Deliver a sample carried over, and free it. A pending one is not joined. */
static int let_go(struct pipe_run *p, struct waiting *w)
{
	struct record rec = { .header = w->rec, .offset = w->offset, .seq = -1 };
	int ret;

	if (w->older)
		w->older->newer = w->newer;
	else
		p->oldest = w->newer;
	if (w->newer)
		w->newer->older = w->older;
	else
		p->newest = w->older;
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
	struct task_waits *tw = task_waits(p, p->oldest->tid);

	tw->first = p->oldest->next;
	if (!tw->first)
		tw->last = NULL;
	return let_go(p, p->oldest);
}

static int leave_over(struct pipe_run *p, struct waiting *w)
{
	u8 *copy;
	int ret;

	while (p->oldest && (p->nr_waiting >= WAIT_MAX || p->waiting_bytes >= WAIT_BYTES_MAX)) {
		ret = let_go_oldest(p);
		if (ret)
			return ret;
	}
	copy = xmalloc(w->rec->size);
	memcpy(copy, w->rec, w->rec->size);
	w->rec = (const void *)copy;
	w->left_over = true;
	w->older = p->newest;
	if (p->newest)
		p->newest->newer = w;
	else
		p->oldest = w;
	p->newest = w;
	p->nr_waiting++;
	p->waiting_bytes += w->rec->size;
	return 0;
}

/*
 * A task returned to user space (with @rec) or exited: all of its samples are decided. Return:
 * number of samples joined with @rec
 */
static u32 decide(struct pipe_run *p, u32 tid, const struct deferred_record *rec, u64 time)
{
	struct task_waits *tw = task_waits(p, tid);
	struct waiting *w, *next;
	u32 matched = 0;

	for (w = tw->first; w; w = next) {
		next = w->next;
		w->next = NULL;
		w->join.state = JOIN_NONE;
		if (rec && w->cookie == rec->cookie) {
			w->join = (struct join){ JOIN_FOUND, { .time = time, .rec = rec } };
			matched++;
		}
		if (w->left_over) {
			GROW(p->decided, p->nr_decided, p->cap_decided);
			p->decided[p->nr_decided++] = w;
		}
	}
	tw->first = tw->last = NULL;
	return matched;
}

/* Add a sample with a cookie to the waiting samples of its task. */
static struct waiting *note_sample(struct pipe_run *p, const struct order_key *key)
{
	struct session_priv *sp = p->sp;
	const struct event *ev = event_list_find(sp->s.events, key->rec);
	struct task_waits *tw;
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
	tw = task_waits(p, s.tid);
	if (tw->last)
		tw->last->next = w;
	else
		tw->first = w;
	tw->last = w;
	return w;
}

static void note_key(struct pipe_run *p, const struct order_key *key, struct waiting **w)
{
	const struct event *ev;
	struct sample id;

	*w = NULL;
	switch (key->rec->type) {
	case PERF_RECORD_SAMPLE:
		*w = note_sample(p, key);
		break;
	case REC_CALLCHAIN_DEFERRED:
		ev = event_list_find(p->sp->s.events, key->rec);
		if (!ev || sample_id_decode(ev, key->rec, &id) ||
		    !decide(p, id.tid, (const void *)key->rec, key->time))
			p->sp->s.stats.deferred.orphan_records++;
		break;
	case PERF_RECORD_EXIT:
		decide(p, ((const struct task_record *)key->rec)->tid, NULL, 0);
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
	if (p->of_key_cap < nr) {
		free(p->of_key);
		p->of_key_cap = nr;
		p->of_key = xmalloc(nr * sizeof(*p->of_key));
	}
	for (i = 0; i < nr; i++) {
		if (merge)
			note_key(p, &keys[i], &p->of_key[i]);
		else
			p->of_key[i] = NULL;
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
			if (!ret && type == REC_FINISHED_ROUND)
				ret = close_window(p, next_seq, false);
			continue;
		}
		time = stream_time(&clock, sp->s.events, &rec);
		note_kernel_record(sp, &rec, time);
		order_add(&p->order, time, rec.header, rec.offset);
		p->window_bytes += rec.header->size;
		if (p->window_bytes > WINDOW_BYTES_MAX)
			ret = close_window(p, next_seq, false);
	}
	/* Deliver everything read so far, also after ^C. */
	if (!ret)
		ret = close_window(p, next_seq, true);
	while (!ret && p->oldest)
		ret = let_go_oldest(p);
	return ret ?: interrupted() ? -EINTR : 0;
}

int session_run_pipe(struct session_priv *sp, const struct session_ops *ops, void *ctx)
{
	struct pipe_run p = { .sp = sp };
	struct waiting *w, *newer;
	int ret;

	delivery_init(&p.d, sp, ops, ctx);
	/* Until the end of the pipe, ^C ends the input. */
	interrupt_catch();
	ret = run(&p);
	interrupt_release();
	delivery_finish(&p.d);
	for (w = p.oldest; w; w = newer) {
		newer = w->newer;
		free((void *)w->rec);
		free(w);
	}
	order_deinit(&p.order);
	hash_deinit(&p.by_tid);
	arena_deinit(&p.arena);
	free(p.carried);
	free(p.of_key);
	free(p.decided);
	return ret;
}
