// SPDX-License-Identifier: GPL-2.0
/*
 * Joins a deferred sample with its user half: the deferred record with its task and cookie, if
 * written before the task's exit. The ips stay in the record. The result is counted in the
 * delivery's account.
 */
#include "base/search.h"
#include "session/session_private.h"

/* True if a record was lost between a sample and the end of its task. */
static bool lost_since(const struct session_priv *sp, u64 time, u64 until)
{
	size_t first = LOWER_BOUND(0, sp->nr_lost, i, sp->lost_times[i] < time);

	return first < sp->nr_lost && sp->lost_times[first] <= until;
}

static const struct deferred_entry *record_of(struct session_priv *sp, const struct sample *s, u64 time,
					      const struct join *j)
{
	if (j->state == JOIN_LOOK_UP)
		return deferred_find(&sp->deferred, s->tid, s->cookie, time);
	return j->state == JOIN_FOUND ? &j->entry : NULL;
}

bool join(struct delivery *d, const struct sample *s, const struct thread *t, const struct join *j,
	  struct callchain *cc)
{
	struct session_priv *sp = d->sp;
	const struct deferred_entry *match;
	u64 until, nr;

	cc->deferred = true;
	cc->cookie = s->cookie;
	if (sp->cfg.no_merge_callchains)
		return true;
	d->account.deferred++;
	until = thread_until(sp->s.timeline, t);
	match = record_of(sp, s, cc->time, j);
	/* A record after the task's exit is of another task with the same tid. */
	if (!match || match->time > until) {
		if (lost_since(sp, cc->time, until))
			d->account.lost++;
		else
			d->account.never_returned++;
		return true;
	}
	if (j->state == JOIN_LOOK_UP)
		deferred_use(&sp->deferred, match);
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
