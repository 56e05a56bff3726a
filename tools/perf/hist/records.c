// SPDX-License-Identifier: GPL-2.0
/*
 * records.c - merges samples with equal keys and equal stacks into one record
 *
 * It is given a sample's key halves and the labels of its stack, and owns the pool of stacks
 * and the hash table of records. No two records of a histogram are equal in keys and stack.
 */
#include "hist/hist_private.h"

void hists_init(struct hists *h, struct hist_env *env, const struct event *event)
{
	memset(h, 0, sizeof(*h));
	h->env = env;
	h->event = event;
}

void hists_forget_rows(struct hists *h)
{
	h->nr_rows = 0;
	if (h->by_key.all.nr)
		memset(h->by_key.all.slots, 0, (h->by_key.all.mask + 1) * sizeof(*h->by_key.all.slots));
	h->by_key.all.nr = 0;
	if (h->by_key.cap)
		memset(h->by_key.last, 0, h->by_key.cap * sizeof(*h->by_key.last));
}

void hists_forget_records(struct hists *h)
{
	h->nr_pool = 0;
	h->nr_records = 0;
	if (h->record_slots)
		memset(h->record_slots, 0, ((size_t)h->record_mask + 1) * sizeof(*h->record_slots));
}

void hists_reset(struct hists *h)
{
	hists_forget_records(h);
	hists_forget_rows(h);
	h->total = h->filtered = (struct hist_sums){ 0 };
	h->branches = (struct branch_counts){ .forward = 0 };
}

#define FORGET(p) do { free(p); (p) = NULL; } while (0)

void hists_forget_results(struct hists *h)
{
	FORGET(h->sorted);
	FORGET(h->stacks);
	FORGET(h->sum);
	FORGET(h->latency);
	FORGET(h->count);
	FORGET(h->own);
	FORGET(h->places);
	FORGET(h->row_branches);
	h->nr_sorted = h->nr_row_branches = 0;
}

void hists_deinit(struct hists *h)
{
	free(h->pool);
	free(h->tallies);
	free(h->records);
	free(h->record_slots);
	free(h->rows);
	hash_deinit(&h->by_key.all);
	free(h->by_key.last);
	hists_forget_results(h);
}

void hists_find_slot(struct hists *h, u32 record)
{
	u32 i = h->records[record].hash & h->record_mask;

	while (h->record_slots[i])
		i = (i + 1) & h->record_mask;
	h->record_slots[i] = record + 1;
}

static void grow_records(struct hists *h)
{
	size_t size = h->record_slots ? 2 * ((size_t)h->record_mask + 1) : 1024;
	u32 n;

	free(h->record_slots);
	h->record_slots = xcalloc(size, sizeof(*h->record_slots));
	h->record_mask = size - 1;
	for (n = 0; n < h->nr_records; n++)
		hists_find_slot(h, n);
}

/* Append a stack to the pool. Return: its index. */
static size_t add_stack(struct hists *h, u32 scope, const u32 *labels,
			const struct branch_tally *tallies, u32 nr)
{
	size_t at = h->nr_pool;

	if (h->nr_pool + nr + 1 > h->cap_pool) {
		h->cap_pool = max(h->cap_pool + h->cap_pool / 2, h->nr_pool + nr + 4096);
		h->pool = xrealloc(h->pool, h->cap_pool * sizeof(*h->pool));
		if (h->env->cfg.branch_history)
			h->tallies = xrealloc(h->tallies, h->cap_pool * sizeof(*h->tallies));
	}
	h->pool[at] = scope;
	if (nr)
		memcpy(h->pool + at + 1, labels, nr * sizeof(*labels));
	if (nr && tallies)
		memcpy(h->tallies + at + 1, tallies, nr * sizeof(*tallies));
	h->nr_pool += nr + 1;
	return at;
}

/* Add a sample's tallies to its record's. In equal stacks each step is of the same kind. */
static void add_tallies(struct hists *h, const struct hist_record *r, const struct branch_tally *tallies)
{
	struct branch_tally *sums = h->tallies + r->at + 1;
	u32 i;

	for (i = 0; i < r->len; i++) {
		sums[i].cycles += tallies[i].cycles;
		sums[i].pass_cycles += tallies[i].pass_cycles;
		sums[i].passes += tallies[i].passes;
	}
}

void hists_add(struct hists *h, const struct hist_record *at, const u32 *labels,
	       const struct branch_tally *tallies, u32 nr)
{
	u64 hash = hash_mix((u64)at->scope << 32 | at->fkey, at->cpumode);
	struct hist_record *r;
	u32 i, short_hash;

	for (i = 0; i < nr; i++)
		hash = (hash ^ labels[i]) * 0x9fb21c651e98df25ULL;
	short_hash = hash >> 32;

	hist_sums_add(&h->total, at->period, at->latency, at->nr);
	/* Keep the table at most half full, unless it has reached its largest size. */
	if (unlikely(2 * (u64)h->nr_records >= h->record_mask && h->record_mask != UINT32_MAX))
		grow_records(h);
	for (i = short_hash & h->record_mask; h->record_slots[i]; i = (i + 1) & h->record_mask) {
		r = &h->records[h->record_slots[i] - 1];
		if (r->hash != short_hash || r->fkey != at->fkey || r->scope != at->scope ||
		    r->cpumode != at->cpumode || r->len != nr ||
		    (nr && memcmp(h->pool + r->at + 1, labels, nr * sizeof(*labels))))
			continue;
		r->period += at->period;
		r->latency += at->latency;
		r->nr += at->nr;
		if (tallies)
			add_tallies(h, r, tallies);
		if (rank_before(at->first, r->first)) {
			r->first = at->first;
			r->thread = at->thread;
		}
		return;
	}
	GROW(h->records, h->nr_records, h->cap_records);
	r = &h->records[h->nr_records];
	*r = *at;
	r->hash = short_hash;
	r->at = add_stack(h, at->scope, labels, tallies, nr);
	r->len = nr;
	h->record_slots[i] = ++h->nr_records;
}
