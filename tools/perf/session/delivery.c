// SPDX-License-Identifier: GPL-2.0
/*
 * A delivery: the records that one thread passes to one consumer, filtered here and decoded in
 * deliver.c. It owns a buffer for unwound stacks, the last values of counts, and statistics for the
 * session.
 */
#include "base/arena.h"
#include "session/filter.h"
#include "session/session_private.h"

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

void delivery_bad_record(struct delivery *d, const struct perf_event_header *rec, u64 offset, const char *reason)
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
	const struct filter *f = d->filter;
	char tmp[THREAD_NAME_SIZE];

	v->counts = (!event_switch_given(&f->between) ||
		     event_switch_passes(&f->between, &d->switched_off, v->sample->event)) &&
		    filter_sample(f, v->sample);
	v->passes = v->counts &&
		    filter_task(f, v->sample,
				f->comms.arg ? thread_comm_at(d->sp->s.timeline, v->thread, time, -1, tmp) : NULL,
				f->cgroups.arg ? timeline_cgroup_name(d->sp->s.timeline, v->sample->cgroup) : NULL);
}

int delivery_visit(struct delivery *d, const struct sample *s, const struct callchain *cc, const struct thread *t)
{
	struct visit v = { s, cc, t, true, true };

	if (unlikely(d->filter))
		judge(d, &v, cc->time);
	return d->ops->sample(d->ctx, &v);
}
