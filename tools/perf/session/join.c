// SPDX-License-Identifier: GPL-2.0
/*
 * Joins a deferred sample with its user half: the next record with its task and cookie, or else the
 * last one before: a cookie is of one entry into the kernel, with one user stack, and mainline
 * writes no record for later samples. The ips stay in the record. The delivery's account counts the
 * result.
 */
#include "base/sort.h"
#include "session/session_private.h"

/* True if a record was lost between a sample and the end of its task. */
static bool lost_since(const struct session_priv *sp, u64 time, u64 until)
{
	size_t first = LOWER_BOUND(0, sp->nr_lost, i, sp->lost_times[i] < time);

	return first < sp->nr_lost && sp->lost_times[first] <= until;
}

/* A record of another task that had the same tid is not the sample's. */
static const struct deferred_entry *look_up(struct session_priv *sp, const struct sample *s,
					    u64 time)
{
	const struct timeline *tl = sp->s.timeline;
	const struct deferred_entry *e, *before;

	e = deferred_find(&sp->deferred, s->tid, s->cookie, time, &before);
	if (!e || !timeline_same_task(tl, s->tid, time, e->time))
		e = before && timeline_same_task(tl, s->tid, before->time, time) ? before : NULL;
	if (e)
		deferred_use(&sp->deferred, e);
	return e;
}

bool join(struct delivery *d, const struct sample *s, const struct thread *t, const struct join *j,
	  struct callchain *cc)
{
	struct session_priv *sp = d->sp;
	const struct deferred_entry *match;
	u64 nr;

	cc->deferred = true;
	cc->cookie = s->cookie;
	if (sp->cfg.no_merge_callchains)
		return true;
	d->account.deferred++;
	if (j->state == JOIN_LOOK_UP)
		match = look_up(sp, s, cc->time);
	else
		match = j->state == JOIN_FOUND ? &j->entry : NULL;
	if (!match) {
		if (lost_since(sp, cc->time, thread_until(sp->s.timeline, t)))
			d->account.lost++;
		else
			d->account.never_returned++;
		return true;
	}
	cc->joined = true;
	nr = deferred_nr(match->rec);
	if (nr)
		d->account.joined++;
	else
		d->account.unreadable++;
	if (chain_append(cc, match->rec->ips, nr, PERF_RECORD_MISC_USER, match->time))
		cc->user_half = USER_HALF_DEFERRED;
	return chain_plain(match->rec->ips, nr);
}
