// SPDX-License-Identifier: GPL-2.0
/* Splits a sample's callchain at its context markers. The spans point into the record. */
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

bool chain_plain(const u64 *ips, u32 nr)
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
