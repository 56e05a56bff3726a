// SPDX-License-Identifier: GPL-2.0
/*
 * Both passes for records that are fed one by one: they get their times, and samples are delivered
 * like those of a pipe (deliver.c). A walker owns its delivery.
 */
#include "base/arena.h"
#include "session/feed.h"
#include "session/session_private.h"

struct session_walker {
	struct delivery d;
	struct stream_clock clock;
};

u64 session_feed(struct session *s, const struct perf_event_header *h)
{
	struct session_priv *sp = container_of(s, struct session_priv, s);
	const struct record rec = { .header = h, .seq = sp->fed++ };
	u64 time;

	sp->fed_clock.has_time = s->has_time;
	time = stream_time(&sp->fed_clock, s->events, &rec);
	note_kernel_record(sp, &rec, time);
	return time;
}

struct session_walker *session_walker_create(struct session *s, const struct session_ops *ops, void *ctx)
{
	struct session_walker *w = xcalloc(1, sizeof(*w));

	w->clock.has_time = s->has_time;
	delivery_init(&w->d, container_of(s, struct session_priv, s), ops, ctx);
	/* The records are in no file: errors are counted, not reported. */
	w->d.in_team = true;
	return w;
}

int session_walk(struct session_walker *w, const struct perf_event_header *h)
{
	static const struct join none = { .state = JOIN_NONE };
	const struct record rec = { .header = h };
	u64 bad = w->d.bad.nr;
	int ret = deliver(&w->d, &rec, stream_time(&w->clock, w->d.sp->s.events, &rec), &none);

	return ret ?: w->d.bad.nr > bad ? -EINVAL : 0;
}

int session_walk_kernel(struct session_walker *w, const struct perf_event_header *rec)
{
	struct dwarf_unwinder *unwinder = w->d.sp->unwinder;
	int ret;

	w->d.sp->unwinder = NULL;
	ret = session_walk(w, rec);
	w->d.sp->unwinder = unwinder;
	return ret;
}

void session_walker_destroy(struct session_walker *w)
{
	if (!w)
		return;
	delivery_finish(&w->d);
	free(w);
}
