/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stage of perf record --call-graph live, given the records of a recording with copies of stacks as if they
 * came from the kernel's buffers.
 */
#ifndef TEST_STAGE_H
#define TEST_STAGE_H

#include <stdlib.h>

#include "cmd/record/live.h"

/* What the recorder knows of a recording's events. */
struct stage {
	struct record_options opts;
	struct event_spec spec;
	struct event_spec *specs[1];
	struct rings rings;
	struct description desc;
	struct writer_event event;
	struct live *live;
	struct outbuf out;		/* what came out */
};

/**
 * stage_make() - a stage for a recording of one event
 * @s: where to; stage_free() it
 * @ev: the event, with copies of stacks
 */
static inline void stage_make(struct stage *s, const struct event *ev)
{
	static s32 tid = 1;

	*s = (struct stage){ 0 };
	s->spec.attr = ev->attr;
	s->spec.is_live = s->opts.ring.is_live = true;
	/* No events are open: nobody looks for interpreters. */
	s->opts.no_buildid_cache = true;
	s->specs[0] = &s->spec;
	s->opts.specs = (struct spec_list){ .v = s->specs, .nr = 1 };
	s->opts.ring.has_workload = true;
	s->rings.threads.v = &tid;
	s->rings.threads.nr = 1;
	s->event = (struct writer_event){ .ids = ev->ids, .nr_ids = ev->nr_ids };
	s->desc = (struct description){ .opts = &s->opts, .rings = &s->rings, .events = &s->event, .nr_events = 1 };
	outbuf_init(&s->out);
	if (live_create(&s->opts, &s->desc, &s->live))
		abort();
}

/* stage_give - a round, in two spans that its number @nr tells apart; what is finished is taken */
static inline void stage_give(struct stage *s, struct outbuf *round, u32 nr)
{
	size_t len = outbuf_len(round), at = len * (nr % 7) / 7 & ~7ul;
	struct iovec iov[2] = { { round->base, at }, { round->base + at, len - at } };
	const struct outbuf *o;

	if (at)
		live_take(s->live, iov, 2);
	else
		live_take(s->live, iov + 1, 1);
	round->pos = round->base;
	while ((o = live_finished(s->live, false)))
		outbuf_write(&s->out, o->base, outbuf_len(o));
}

/* stage_end - all that was given comes out */
static inline void stage_end(struct stage *s)
{
	const struct outbuf *o;

	live_flush(s->live);
	while ((o = live_finished(s->live, true)))
		outbuf_write(&s->out, o->base, outbuf_len(o));
}

static inline void stage_free(struct stage *s)
{
	live_free(s->live);
	outbuf_deinit(&s->out);
}

#endif /* TEST_STAGE_H */
