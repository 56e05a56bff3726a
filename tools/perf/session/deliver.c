// SPDX-License-Identifier: GPL-2.0
/*
 * A delivery: the records that one thread passes to one consumer: a sample with its thread and
 * callchain, if it can be decoded and passes the filter, any other with its event. It owns a buffer
 * for unwound stacks, the last values of counts, and statistics for the session.
 */
#include "base/arena.h"
#include "session/filter.h"
#include "session/session_private.h"

const struct join join_look_up = { .state = JOIN_LOOK_UP };

void delivery_init(struct delivery *d, struct session_priv *sp, const struct session_ops *ops,
		   void *ctx)
{
	*d = (struct delivery){ .sp = sp, .ops = ops, .ctx = ctx };
	if (sp->unwinder || sp->lbr_depth)
		d->unwound = xmalloc(UNWIND_MAX * sizeof(u64));
	if (ops->wants_sps)
		d->sps = xmalloc(UNWIND_MAX * sizeof(u64));
	if (ops->filter && filter_given(ops->filter)) {
		d->filter = ops->filter;
		d->switched_off = ops->filter->between.on;
	}
}

/* Count or report a record that cannot be delivered; @offset: in its file */
static void refuse_record(struct delivery *d, const struct perf_event_header *rec, u64 offset,
			  const char *reason)
{
	if (!d->in_team) {
		reader_bad_records(d->sp->s.reader, 1, rec, offset, reason);
		return;
	}
	if (!d->bad.nr++) {
		d->bad.key = d->key;
		d->bad.rec = rec;
		d->bad.offset = offset;
		d->bad.reason = reason;
	}
}

void delivery_finish(struct delivery *d)
{
	struct deferred_account *a = &d->sp->s.stats.deferred;

	a->deferred += d->account.deferred;
	a->joined += d->account.joined;
	a->never_returned += d->account.never_returned;
	a->lost += d->account.lost;
	a->unreadable += d->account.unreadable;
	a->bad_chains += d->account.bad_chains;
	hash_deinit(&d->counts);
	free(d->unwound);
	free(d->sps);
	d->unwound = d->sps = NULL;
}

/* Set @v->counts and @v->passes. Call it for every sample: --switch-on depends on earlier ones. */
static void judge(struct delivery *d, struct visit *v, u64 time)
{
	struct timeline *tl = d->sp->s.timeline;
	const struct filter *f = d->filter;
	char tmp[THREAD_NAME_SIZE];

	v->counts = (!event_switch_given(&f->between) ||
		     event_switch_passes(&f->between, &d->switched_off, v->sample->event)) &&
		    filter_sample(f, v->sample);
	v->passes = v->counts &&
		    filter_task(f, v->sample,
				f->comms.arg ? thread_comm_at(tl, v->thread, time, -1, tmp) : NULL,
				!f->cgroups.arg ? NULL :
				timeline_cgroup_name(tl, v->sample->cgroup));
}

/* Filter a sample and pass it to the consumer, whose value is returned. */
static int visit(struct delivery *d, const struct sample *s, const struct callchain *cc,
		 const struct thread *t)
{
	struct visit v = { s, cc, t, true, true };

	if (unlikely(d->filter))
		judge(d, &v, cc->time);
	return d->ops->sample(d->ctx, &v);
}

static void unwind(struct delivery *d, const struct sample *s, const struct thread *t,
		   struct callchain *cc)
{
	enum walk_stop stop;
	u32 nr = dwarf_unwind(d->sp->unwinder, d->sp->s.timeline, t, s, cc->time, d->unwound,
			      d->sps, UNWIND_MAX, &stop);

	/* The unwound stack replaces a frame-pointer callchain, which is less reliable. */
	if (nr || attr_leads_walks(&s->event->attr))
		chain_drop_user(cc);
	if (!nr)
		return;
	cc->user_half = chain_append(cc, d->unwound, nr, PERF_RECORD_MISC_USER, cc->time) ?
			USER_HALF_UNWOUND : USER_HALF_OWN;
	cc->stop = stop;
	cc->sps = d->sps;
}

/* @value: the count of an event, of which the part since its last read is delivered */
static int deliver_count(struct delivery *d, struct sample *s, u64 id, u64 value,
			 const struct callchain *cc, const struct thread *t)
{
	const struct event *ev = event_list_by_id(d->sp->s.events, id);
	u64 *last;

	if (!ev) {
		refuse_record(d, s->header, s->offset, "a count's id belongs to no event");
		return 0;
	}
	/* Inherited events have one id for all threads, but a count for each. */
	last = hash_insert(&d->counts, id, s->event->attr.inherit ? s->tid : 0, NULL);
	s->period = value - *last;
	*last = value;
	if (!s->period)
		return 0;
	s->event = ev;
	s->id = id;
	return visit(d, s, cc, t);
}

/* With PERF_SAMPLE_READ each event of the group gets its count since the sample before. */
static int deliver_read(struct delivery *d, struct sample *s, const struct callchain *cc,
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
		return visit(d, s, cc, t);
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

static int deliver_sample(struct delivery *d, const struct record *rec, u64 time,
			  const struct join *j)
{
	struct session_priv *sp = d->sp;
	const struct event *ev = event_list_find(sp->s.events, rec->header);
	struct callchain cc = { .time = time };
	const struct thread *t;
	struct sample s;
	bool bad = false;

	if (!d->ops->sample)
		return 0;
	if (!ev) {
		refuse_record(d, rec->header, rec->offset, "a sample's id belongs to no event");
		return 0;
	}
	if (sample_decode(ev, rec->header, rec->offset, &s)) {
		refuse_record(d, rec->header, rec->offset, "a sample is shorter than its own counts say");
		return 0;
	}
	if (unlikely(sp->offcpu.used) && offcpu_event(ev))
		s.period = offcpu_time(&sp->offcpu, s.tid, time);
	s.parallelism = sp->parallel.used ? parallel_at(&sp->parallel, time) : 1;
	if (d->ops->keep_threads)
		t = timeline_thread(sp->s.timeline, s.pid, s.tid, time);
	else
		t = timeline_thread_brief(sp->s.timeline, s.pid, s.tid, time, &d->unknown_thread);
	if (s.callchain)
		bad = !chain_split(&s, &cc);
	if (s.deferred)
		bad |= !join(d, &s, t, j, &cc);
	if (unlikely(bad)) {
		d->account.bad_chains++;
		cc = (struct callchain){ .time = time };
	}
	if (sp->unwinder && ev->attr.sample_type & PERF_SAMPLE_STACK_USER)
		unwind(d, &s, t, &cc);
	else if (sp->lbr_depth && attr_lbr_chains(&ev->attr) && !s.deferred && !bad)
		lbr_chain(d, &s, &cc);
	chain_callers(&cc, ev);
	if (unlikely(d->ops->whole_sample)) {
		const struct visit v = { &s, &cc, t, true, true };
		int ret = d->ops->whole_sample(d->ctx, &v);

		if (ret)
			return ret;
	}
	if (unlikely(s.read_format))
		return deliver_read(d, &s, &cc, t);
	return visit(d, &s, &cc, t);
}

int deliver(struct delivery *d, const struct record *rec, u64 time, const struct join *j)
{
	struct session_priv *sp = d->sp;
	u32 type = rec->header->type;

	if (type == PERF_RECORD_SAMPLE)
		return deliver_sample(d, rec, time, j);
	if (!d->ops->record)
		return 0;
	if (type == REC_CALLCHAIN_DEFERRED && !sp->cfg.no_merge_callchains &&
	    !d->ops->all_records)
		return 0;
	return d->ops->record(d->ctx, rec, type < REC_HEADER_ATTR ?
			      event_list_find(sp->s.events, rec->header) : NULL, time);
}

int deliver_keys(struct delivery *d, const struct order_key *keys, size_t nr)
{
	size_t i;
	int ret;

	for (i = 0; i < nr; i++) {
		struct record rec = {
			.header = keys[i].rec,
			.offset = keys[i].offset,
			.seq = d->sp->s.has_time ? (u64)-1 : keys[i].time,
		};

		d->key = &keys[i];
		ret = deliver(d, &rec, keys[i].time, &join_look_up);
		if (ret)
			return ret;
		account_bytes(d->sp->s.reader, &d->bytes, rec.header);
	}
	return 0;
}
