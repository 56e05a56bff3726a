// SPDX-License-Identifier: GPL-2.0
/*
 * Callchains of --call-graph lbr: with PERF_SAMPLE_BRANCH_CALL_STACK the branch stack has the calls
 * that have not returned, newest first, whose sources are the frames; the innermost is the sample's
 * user address. They are copied into the delivery's buffer; a kernel half is in the callchain.
 */
#include <stdlib.h>

#include "session/session_private.h"

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
