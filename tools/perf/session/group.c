// SPDX-License-Identifier: GPL-2.0
/*
 * Samples with counts (PERF_SAMPLE_READ): each event of the group gets its count since the sample
 * before.
 */
#include "session/session_private.h"

/* Count of an event instance since its last read. */
static u64 counted(struct delivery *d, const struct sample *s, u64 id, u64 value)
{
	/* Inherited events have one id for all threads, but a count for each. */
	u64 *last = hash_insert(&d->counts, id, s->event->attr.inherit ? s->tid : 0, NULL);
	u64 delta = value - *last;

	*last = value;
	return delta;
}

static int deliver_count(struct delivery *d, struct sample *s, u64 id, u64 value,
			 const struct callchain *cc, const struct thread *t)
{
	const struct event *ev = event_list_by_id(d->sp->s.events, id);

	if (!ev) {
		delivery_bad_record(d, s->header, s->offset, "a count's id belongs to no event");
		return 0;
	}
	s->period = counted(d, s, id, value);
	if (!s->period)
		return 0;
	s->event = ev;
	s->id = id;
	return delivery_visit(d, s, cc, t);
}

int deliver_read(struct delivery *d, struct sample *s, const struct callchain *cc,
		 const struct thread *t)
{
	u64 format = s->event->attr.read_format, words = s->read_size / sizeof(u64);
	u32 head = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		   !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	u32 stride = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	const u64 *r = s->read_format;
	const struct event *leader = s->event;
	u64 i, nr;
	int ret;

	if (!(format & PERF_FORMAT_ID))
		return delivery_visit(d, s, cc, t);
	if (!(format & PERF_FORMAT_GROUP)) {
		if (words < 2 + head)
			return 0;
		return deliver_count(d, s, r[1 + head], r[0], cc, t);
	}
	nr = words > head ? min(r[0], (words - 1 - head) / stride) : 0;
	for (i = 0; i < nr; i++) {
		const u64 *v = r + 1 + head + i * stride;

		s->event = leader;
		ret = deliver_count(d, s, v[1], v[0], cc, t);
		if (ret)
			return ret;
	}
	return 0;
}
