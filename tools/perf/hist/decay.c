// SPDX-License-Identifier: GPL-2.0
/*
 * decay.c - scales all sums of a histogram down, so that counting can continue after rows were made
 *
 * Stacks and rows without samples are removed. The results of hists_finish() are freed.
 */
#include "hist/hist_private.h"

static u64 part_of(u64 v, u32 num, u32 den)
{
	return v / den * num + v % den * num / den;
}

/* At least 1 while the period is not 0: call graphs omit stacks without samples. */
static u64 samples_of(u64 nr, u64 period, u32 num, u32 den)
{
	return nr && period ? max(part_of(nr, num, den), 1ULL) : 0;
}

/* Scale a total. Its share in rows was @before and is @after; the rest is scaled here. */
static u64 total_after(u64 total, u64 before, u64 after, u32 num, u32 den)
{
	if (total >= before)
		return after + part_of(total - before, num, den);
	return (double)total * after / before;
}

static void scale(struct hist_sums *s, const struct hist_sums *before,
		  const struct hist_sums *after, u32 num, u32 den)
{
	s->period = total_after(s->period, before->period, after->period, num, den);
	s->latency = total_after(s->latency, before->latency, after->latency, num, den);
	s->nr = total_after(s->nr, before->nr, after->nr, num, den);
}

/* Records are in the order of their stacks in the pool, so both are compacted in one walk. */
static void decay_records(struct hists *h, u32 num, u32 den)
{
	struct hist_sums before = { 0 }, after = { 0 };
	u32 nr = h->nr_records, i;

	hists_forget_records(h);
	for (i = 0; i < nr; i++) {
		struct hist_record r = h->records[i];

		hist_sums_add(&before, r.period, r.latency, r.nr);
		r.period = part_of(r.period, num, den);
		r.latency = part_of(r.latency, num, den);
		r.nr = samples_of(r.nr, r.period, num, den);
		if (!r.period)
			continue;
		hist_sums_add(&after, r.period, r.latency, r.nr);
		memmove(h->pool + h->nr_pool, h->pool + r.at, (r.len + 1) * sizeof(*h->pool));
		if (h->tallies)
			memmove(h->tallies + h->nr_pool, h->tallies + r.at, (r.len + 1) * sizeof(*h->tallies));
		r.at = h->nr_pool;
		h->nr_pool += r.len + 1;
		h->records[h->nr_records] = r;
		hists_find_slot(h, h->nr_records++);
	}
	scale(&h->total, &before, &after, num, den);
	scale(&h->filtered, &before, &after, num, den);
	hists_forget_rows(h);
}

static void decay_row(struct hist_row *e, u32 num, u32 den)
{
	u64 *const sums[] = {
		&e->period, &e->period_children, &e->latency, &e->latency_children, &e->us, &e->sys,
		&e->guest_us, &e->guest_sys,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sums); i++)
		*sums[i] = part_of(*sums[i], num, den);
	e->nr = samples_of(e->nr, e->period, num, den);
}

static void decay_rows(struct hists *h, u32 num, u32 den)
{
	struct hist_sums before = { 0 }, after = { 0 };
	u32 nr = h->nr_rows, i, at;

	hists_forget_rows(h);
	for (i = 0; i < nr; i++) {
		struct hist_row e = h->rows[i];

		hist_sums_add(&before, e.period, e.latency, e.nr);
		decay_row(&e, num, den);
		if (!e.period_children)
			continue;
		hist_sums_add(&after, e.period, e.latency, e.nr);
		/* Its number is at most its former one. */
		at = hists_row_number(h, e.scope, e.fkey);
		h->rows[at] = e;
	}
	scale(&h->total, &before, &after, num, den);
	scale(&h->filtered, &before, &after, num, den);
}

void hists_decay(struct hists *h, u32 num, u32 den)
{
	hists_forget_results(h);
	if (h->env->cfg.use_chains)
		decay_records(h, num, den);
	else
		decay_rows(h, num, den);
}
