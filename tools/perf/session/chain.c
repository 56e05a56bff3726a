// SPDX-License-Identifier: GPL-2.0
/*
 * The callchain of a sample: its own ips, split at context markers, and a user half from elsewhere.
 * Spans point into records, or into the delivery's buffer.
 */
#include <stdlib.h>

#include "session/session_private.h"

/* The cpumode of a context marker; 0: no ips follow this marker. */
static u8 marker_mode(u64 marker)
{
	switch (marker) {
	case PERF_CONTEXT_HV:
		return PERF_RECORD_MISC_HYPERVISOR;
	case PERF_CONTEXT_KERNEL:
		return PERF_RECORD_MISC_KERNEL;
	case PERF_CONTEXT_USER:
		return PERF_RECORD_MISC_USER;
	case PERF_CONTEXT_GUEST_KERNEL:
		return PERF_RECORD_MISC_GUEST_KERNEL;
	case PERF_CONTEXT_GUEST_USER:
		return PERF_RECORD_MISC_GUEST_USER;
	default:
		return 0;
	}
}

bool chain_split(const struct sample *s, struct callchain *cc)
{
	const u64 *ip = s->callchain, *end = ip + s->callchain_nr, *start = ip;
	u8 mode = s->cpumode;

	for (; ip < end; ip++) {
		if (likely(*ip < PERF_CONTEXT_MAX))
			continue;
		chain_append(cc, start, ip - start, mode, cc->time);
		/* Only the cookie follows. */
		if (*ip == CONTEXT_USER_DEFERRED)
			return true;
		start = ip + 1;
		mode = marker_mode(*ip);
		if (!mode)
			return false;
	}
	chain_append(cc, start, end - start, mode, cc->time);
	return true;
}

static void mark(struct chain_span *span, bool reads_signals)
{
	if (span->cpumode != PERF_RECORD_MISC_USER)
		return;
	span->caller |= FRAME_CALLER;
	if (!reads_signals)
		span->interrupted |= FRAME_CALLER;
}

/*
 * Our recorder writes addresses in the calls, but leaves the kernel's callchains of 32-bit tasks in
 * a BPF program's events, and once wrote return addresses for all. A walk by frame pointers passes
 * over the function that a signal interrupted; tables, which serve deferred callchains, do not.
 */
void chain_callers(struct callchain *cc, const struct event *ev)
{
	const bool in_place = ev->stack_copied == STACK_IN_PLACE;
	u32 i, nr = cc->nr_spans;

	if (ev->stack_copied && !in_place)
		return;
	if (cc->user_half == USER_HALF_UNWOUND || cc->user_half == USER_HALF_BRANCHES)
		nr--;
	for (i = 0; i < nr; i++)
		mark(&cc->spans[i], in_place || attr_flags(&ev->attr) & ATTR_DEFER_CALLCHAIN);
}

/* True if all ips are addresses, none a context marker */
static bool chain_plain(const u64 *ips, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (unlikely(ips[i] >= PERF_CONTEXT_MAX))
			return false;
	return true;
}

void session_deferred_chain(const struct perf_event_header *header, u64 time,
			    struct callchain *cc)
{
	const struct deferred_record *rec = (const struct deferred_record *)header;

	*cc = (struct callchain){ .time = time, .cookie = rec->cookie };
	chain_append(cc, rec->ips, deferred_nr(rec), PERF_RECORD_MISC_USER, time);
	mark(&cc->spans[0], true);
}

/*
 * The user half of a deferred sample: the next record with its task and cookie, or else the last
 * one before: a cookie is of one entry into the kernel, with one user stack, and mainline writes no
 * record for later samples. The delivery's account counts the result.
 */

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

/*
 * Callchains of --call-graph lbr: with PERF_SAMPLE_BRANCH_CALL_STACK the branch stack has the calls
 * that have not returned, newest first, whose sources are the frames; the innermost is the sample's
 * user address. A kernel half is in the callchain.
 */

#define LBR_DEPTH 32		/* for processors whose capabilities were not recorded */

u32 lbr_depth(const struct session *s)
{
	struct feature_cursor c;
	u32 i, nr, depth = 0;

	if (!feature_open(s->features, FEAT_CPU_PMU_CAPS, &c))
		return LBR_DEPTH;
	nr = feature_u32(&c);
	for (i = 0; i < nr && !c.bad; i++) {
		const char *name = feature_string(&c), *value = feature_string(&c);

		if (!c.bad && !strcmp(name, "branches"))
			depth = strtoul(value, NULL, 10);
	}
	return depth ?: LBR_DEPTH;
}

/* The user address of the sample, innermost of the branches. Return: false: none. */
static bool user_ip(const struct sample *s, const struct callchain *cc, u64 *ip)
{
	const struct chain_span *last = cc->nr_spans ? &cc->spans[cc->nr_spans - 1] : NULL;

	if (s->cpumode == PERF_RECORD_MISC_USER)
		*ip = s->ip;
	else if (last && last->cpumode == PERF_RECORD_MISC_USER)
		*ip = last->ips[0];
	else if (s->event->attr.exclude_callchain_user)
		*ip = s->branch[1];
	else
		return false;	/* a kernel thread: the branches are older */
	return true;
}

void lbr_chain(struct delivery *d, const struct sample *s, struct callchain *cc)
{
	u32 nr = min(s->branch_nr, (u64)UNWIND_MAX - 1), i;
	u64 ip;

	if (!nr || !user_ip(s, cc, &ip))
		return;
	chain_drop_user(cc);
	d->unwound[0] = ip;
	for (i = 0; i < nr; i++)
		d->unwound[1 + i] = s->branch[3 * i];
	if (chain_append(cc, d->unwound, 1 + nr, PERF_RECORD_MISC_USER, cc->time))
		cc->user_half = USER_HALF_BRANCHES;
	cc->stop = s->branch_nr >= d->sp->lbr_depth ? WALK_BRANCHES : WALK_OUTERMOST;
}
