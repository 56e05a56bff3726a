// SPDX-License-Identifier: GPL-2.0
/*
 * Rewrites samples: the user half of a callchain, from a deferred record or unwound from a
 * stack copy, is appended to the kernel half. It is given a decoded sample and its callchain;
 * the new record is appended to the caller's buffer. All other fields, except dropped ones, are
 * copied unchanged.
 */
#include <assert.h>

#include "cmd/plain_sample.h"

#define MAX_RECORD ((size_t)(UINT16_MAX & ~7))

struct plain_plan plain_plan(const struct perf_event_attr *attr, bool convert)
{
	const u64 type = attr->sample_type;
	struct plain_plan p = { .drop_stack = convert && (type & PERF_SAMPLE_STACK_USER) };

	p.drop_regs = p.drop_stack && (type & PERF_SAMPLE_REGS_USER);
	p.drop_user = p.drop_regs && attr_leads_walks(attr);
	p.put_lbr = convert && attr_lbr_chains(attr);
	p.add_chain = p.drop_regs && !(type & PERF_SAMPLE_CALLCHAIN);
	return p;
}

void plain_attr(struct perf_event_attr *attr, bool convert)
{
	struct plain_plan p = plain_plan(attr, convert);

	attr_set_flags(attr, attr_flags(attr) & ~(ATTR_DEFER_CALLCHAIN | ATTR_DEFER_OUTPUT));
	if (p.drop_stack) {
		attr->sample_type &= ~(u64)PERF_SAMPLE_STACK_USER;
		attr->sample_stack_user = 0;
	}
	if (p.drop_regs) {
		attr->sample_type &= ~(u64)PERF_SAMPLE_REGS_USER;
		attr->sample_regs_user = 0;
		attr->exclude_callchain_user = 0;
	}
	if (p.add_chain)
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
}

/*
 * The number of words of the sample's own callchain that are kept: those before the replaced user
 * half. The user half is last; by frame pointers it can contain any value, even one like a context
 * marker.
 */
static u64 kept_words(const struct sample *s, bool unwound)
{
	u64 i;

	if (s->deferred)
		return s->callchain_nr - 2;
	if (!unwound)
		return s->callchain_nr;
	i = sample_user_half(s);
	/* A callchain without a leading marker has the sample's mode. */
	return i == s->callchain_nr && s->cpumode == PERF_RECORD_MISC_USER && i &&
	       s->callchain[0] < PERF_CONTEXT_MAX ? 0 : i;
}

u32 plain_sample(struct outbuf *o, const struct sample *s, const struct callchain *cc,
		  const struct plain_plan *plan)
{
	const struct chain_span *half = cc->user_half ? &cc->spans[cc->nr_spans - 1] : NULL;
	const u8 *rec = (const u8 *)s->header, *end = rec + s->header->size;
	bool chain = s->callchain || plan->add_chain;
	u64 kept = s->callchain ? kept_words(s, half || plan->drop_user) : 0;
	u64 nr = half ? half->nr : 0, room, fits;
	/* The old record: [rec, front) [callchain) [middle, cut) [registers and stack) [tail, end) */
	const u8 *front = s->callchain ? (const u8 *)(s->callchain - 1) :
			  rec + s->event->layout.variable + s->read_size;
	const u8 *middle = s->callchain ? (const u8 *)(s->callchain + s->callchain_nr) : front;
	const u8 *cut = end, *tail = end;
	size_t at = outbuf_len(o), rest;
	u16 size;

	if (plan->drop_stack) {
		cut = rec + s->user_stack_at;
		tail = cut + sizeof(u64) + (s->user_stack_full ? s->user_stack_full + sizeof(u64) : 0);
	}
	if (plan->drop_regs)
		cut -= sizeof(u64) * (1 + (s->user_regs.regs ? __builtin_popcountll(s->user_regs.mask) : 0));
	assert(front <= middle && middle <= cut && cut <= tail && tail <= end);

	rest = (front - rec) + (cut - middle) + (end - tail) + (chain ? (1 + kept) * sizeof(u64) : 0);
	room = chain && rest < MAX_RECORD ? (MAX_RECORD - rest) / sizeof(u64) : 0;
	room -= !!room;			/* the context marker */
	fits = min(nr, room);
	outbuf_write(o, rec, front - rec);
	if (chain)
		outbuf_put64(o, kept + (fits ? fits + 1 : 0));
	if (kept)
		outbuf_write(o, s->callchain, kept * sizeof(u64));
	if (fits) {
		outbuf_put64(o, PERF_CONTEXT_USER);
		outbuf_write(o, half->ips, fits * sizeof(u64));
	}
	outbuf_write(o, middle, cut - middle);
	outbuf_write(o, tail, end - tail);
	size = outbuf_len(o) - at;
	memcpy(o->base + at + offsetof(struct perf_event_header, size), &size, sizeof(size));
	return nr - fits;
}
