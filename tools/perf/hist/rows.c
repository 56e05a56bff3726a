// SPDX-License-Identifier: GPL-2.0
/*
 * rows.c - makes rows, one for each key, from records (hists_finish()) or samples (hists_add_row())
 *
 * A row's own sum is that of its records. Its children's sum counts each stack that contains the
 * row's frame once. One walk over the sorted stacks computes it: the steps shared with the previous
 * stack form a path that remains open; a step closes where the next stack differs, and the stacks
 * since it was opened are then a difference of running sums. Only the outermost step of a row on
 * the path counts.
 */
#include "base/progress.h"
#include "hist/hist_private.h"

struct open_step {
	u32 row;
	u32 from;		/* the first stack that contains it */
	u32 longest;		/* steps of the longest stack that contains it */
	u32 place;		/* list_places(): its index in hists.places */
	bool outermost;		/* the outermost step of its row on the path */
	struct hist_rank first;
	const struct thread *thread;	/* of the first sample */
};

struct finish {
	struct hists *h;
	u64 done;		/* stacks visited by earlier passes */
	struct open_step *path;
	u32 depth, cap_path;
	u32 *active;		/* by row: number of its steps on the path */
	u32 cap_active;
};

static u32 row_get(struct hists *h, u32 scope, u32 fkey)
{
	u64 *v = hash_insert(&h->by_key.all, scope, fkey, NULL);
	struct hist_row *e;

	if (*v)
		return *v - 1;
	GROW(h->rows, h->nr_rows, h->cap_rows);
	e = &h->rows[h->nr_rows++];
	memset(e, 0, sizeof(*e));
	e->scope = scope;
	e->fkey = fkey;
	e->first = (struct hist_rank){ -1, -1 };
	*v = h->nr_rows;
	return h->nr_rows - 1;
}

u32 hists_row_number(struct hists *h, u32 scope, u32 fkey)
{
	struct hist_row_index *k = &h->by_key;

	if (h->env->many_events)
		return row_get(h, scope, fkey);
	GROW_ZEROED(k->last, fkey, k->cap);
	if (k->last[fkey].scope != scope + 1) {
		k->last[fkey].scope = scope + 1;
		k->last[fkey].row = row_get(h, scope, fkey);
	}
	return k->last[fkey].row;
}

static u32 row_of(struct finish *f, u32 scope, u32 fkey)
{
	u32 row = hists_row_number(f->h, scope, fkey);

	GROW_ZEROED(f->active, row, f->cap_active);
	return row;
}

/* Update the progress bar; called before each stack of a pass. */
static inline void went_on(const struct finish *f, u32 stack)
{
	if (!(stack & 0xfff))
		progress_update(f->done + stack);
}

static void sort_stacks(struct hists *h)
{
	u32 n = h->nr_records, i;

	h->stacks = xmalloc(max(n, 1u) * sizeof(*h->stacks));
	for (i = 0; i < n; i++)
		h->stacks[i] = (struct stack){ h->records[i].at, h->records[i].len, i };
	stacks_sort(h->stacks, n, h->pool);
	h->sum = xmalloc(((size_t)n + 1) * sizeof(*h->sum));
	h->count = xmalloc(((size_t)n + 1) * sizeof(*h->count));
	h->latency = xmalloc(((size_t)n + 1) * sizeof(*h->latency));
	h->sum[0] = h->count[0] = h->latency[0] = 0;
	for (i = 0; i < n; i++) {
		const struct hist_record *r = &h->records[h->stacks[i].record];

		h->sum[i + 1] = h->sum[i] + r->period;
		h->latency[i + 1] = h->latency[i] + r->latency;
		h->count[i + 1] = h->count[i] + r->nr;
	}
}

/* Add a record's sums to its own row. */
static void row_add_own(struct hist_row *e, const struct hist_record *r)
{
	e->period += r->period;
	e->latency += r->latency;
	e->nr += r->nr;
	if (r->cpumode == PERF_RECORD_MISC_USER)
		e->us += r->period;
	else if (r->cpumode == PERF_RECORD_MISC_KERNEL)
		e->sys += r->period;
	else if (r->cpumode == PERF_RECORD_MISC_GUEST_KERNEL)
		e->guest_sys += r->period;
	else if (r->cpumode == PERF_RECORD_MISC_GUEST_USER)
		e->guest_us += r->period;
	row_set_first(e, r->first, r->thread, r->cpumode);
}

struct hist_row *hists_row(struct hists *h, u32 scope, u32 fkey)
{
	u32 row = hists_row_number(h, scope, fkey);

	return &h->rows[row];
}

void hists_add_row(struct hists *h, const struct hist_record *at, const u32 *labels, u32 nr)
{
	struct hist_row *e = hists_row(h, at->scope, at->fkey);
	const struct hist_row_index *k = &h->by_key;
	u32 i, sample = ++h->nr_records;

	hist_sums_add(&h->total, at->period, at->latency, at->nr);
	row_add_own(e, at);
	e->seen = sample;
	e->period_children += at->period;
	e->latency_children += at->latency;
	for (i = 0; i < nr; i++) {
		const struct hist_label *l = &h->env->labels[labels[i]];

		if (likely(l->fkey < k->cap && k->last[l->fkey].scope == at->scope + 1))
			e = &h->rows[k->last[l->fkey].row];
		else
			e = hists_row(h, at->scope, l->fkey);
		if (e->seen == sample)
			continue;
		e->seen = sample;
		e->period_children += at->period;
		e->latency_children += at->latency;
		row_set_first(e, at->first, at->thread, l->cpumode);
	}
}

static void add_own(struct finish *f, const struct hist_record *r)
{
	struct hists *h = f->h;
	u32 at = row_of(f, r->scope, r->fkey);
	struct hist_row *e = &h->rows[at];

	row_add_own(e, r);
	e->nr_own++;
	e->max_depth = max(e->max_depth, r->len);
	/* The stack has no step of the row: the chain was cut or is empty. */
	if (!f->active[at]) {
		e->period_children += r->period;
		e->latency_children += r->latency;
	}
}

/* Close the innermost open step. @end: the first stack that does not contain it. */
static void close_step(struct finish *f, u32 end)
{
	struct hists *h = f->h;
	struct open_step *s = &f->path[--f->depth], *up = s - 1;
	struct hist_row *e = &h->rows[s->row];

	f->active[s->row]--;
	if (f->depth) {
		up->longest = max(up->longest, s->longest);
		if (rank_before(s->first, up->first)) {
			up->first = s->first;
			up->thread = s->thread;
		}
	}
	if (!s->outermost)
		return;
	e->period_children += h->sum[end] - h->sum[s->from];
	e->latency_children += h->latency[end] - h->latency[s->from];
	e->max_depth = max(e->max_depth, s->longest - f->depth);
	e->nr_places++;
	row_set_first(e, s->first, s->thread,
		      h->env->labels[stack_step(&h->stacks[s->from], h->pool, f->depth)].cpumode);
}

static void open_steps(struct finish *f, u32 stack)
{
	struct hists *h = f->h;
	const struct stack *st = &h->stacks[stack];
	const struct hist_record *r = &h->records[st->record];

	while (f->depth < st->len) {
		u32 label = stack_step(st, h->pool, f->depth);
		struct open_step *s;
		u32 row = row_of(f, r->scope, h->env->labels[label].fkey);

		GROW(f->path, f->depth, f->cap_path);
		s = &f->path[f->depth++];
		*s = (struct open_step){ .row = row, .from = stack,
					 .outermost = !f->active[row]++,
					 .first = { -1, -1 } };
	}
	if (f->depth) {
		struct open_step *s = &f->path[f->depth - 1];

		s->longest = max(s->longest, st->len);
		if (rank_before(r->first, s->first)) {
			s->first = r->first;
			s->thread = r->thread;
		}
	}
}

static void walk(struct finish *f)
{
	struct hists *h = f->h;
	bool callers = h->env->cfg.children;
	u32 i;

	for (i = 0; i < h->nr_records; i++) {
		s32 common = i ? stacks_common(&h->stacks[i - 1], &h->stacks[i], h->pool) : 0;

		went_on(f, i);
		while (callers && (s32)f->depth > common && f->depth)
			close_step(f, i);
		/* A sample's own row is numbered before its callers' rows. */
		if (callers)
			open_steps(f, i);
		add_own(f, &h->records[h->stacks[i].record]);
	}
	while (f->depth)
		close_step(f, i);
}

static void close_place(struct finish *f, u32 end)
{
	struct open_step *s = &f->path[--f->depth];

	f->active[s->row]--;
	if (s->outermost)
		f->h->places[s->place].to = end;
}

/* List the stacks of each row for its call graph. */
static void list_places(struct finish *f)
{
	struct hists *h = f->h;
	u32 own = 0, place = 0, i, d;

	for (i = 0; i < h->nr_rows; i++) {
		h->rows[i].own = own;
		h->rows[i].place = place;
		own += h->rows[i].nr_own;
		place += h->rows[i].nr_places;
		h->rows[i].nr_own = h->rows[i].nr_places = 0;
	}
	h->own = xmalloc(max(own, 1u) * sizeof(*h->own));
	h->places = xmalloc(max(place, 1u) * sizeof(*h->places));
	for (i = 0; i < h->nr_records; i++) {
		const struct hist_record *r = &h->records[h->stacks[i].record];
		s32 common = i ? stacks_common(&h->stacks[i - 1], &h->stacks[i], h->pool) : 0;
		struct hist_row *e = &h->rows[row_of(f, r->scope, r->fkey)];

		went_on(f, i);
		h->own[e->own + e->nr_own++] = i;
		if (!h->env->cfg.children)
			continue;
		while ((s32)f->depth > common && f->depth)
			close_place(f, i);
		d = f->depth;
		open_steps(f, i);
		for (; d < f->depth; d++) {
			if (!f->path[d].outermost)
				continue;
			e = &h->rows[f->path[d].row];
			f->path[d].place = e->place + e->nr_places++;
			h->places[f->path[d].place] = (struct hist_place){ .from = i, .depth = d };
		}
	}
	while (f->depth)
		close_place(f, h->nr_records);
}

/* A caller's row is filtered by its own frame. */
static void filter_rows(struct hists *h)
{
	const struct hist_config *c = &h->env->cfg;
	u32 i;

	if (!hist_filters_places(c))
		return;
	h->filtered = (struct hist_sums){ 0 };
	for (i = 0; i < h->nr_rows; i++) {
		struct hist_row *e = &h->rows[i];

		e->filtered = !h->env->fkeys[e->fkey].passes;
		if (!e->filtered)
			hist_sums_add(&h->filtered, e->period, e->latency, e->nr);
	}
}

void hists_finish(struct hists *h)
{
	struct finish f = { .h = h };

	if (h->env->cfg.use_chains) {
		progress_start_whole("Making rows", 3ULL * h->nr_records);
		sort_stacks(h);
		f.done += h->nr_records;
		walk(&f);
		f.done += h->nr_records;
		list_places(&f);
		if (hist_shows_branches(h->env))
			history_finish(h);
		progress_end();
		free(f.path);
		free(f.active);
	}
	if (h->env->cfg.children)
		filter_rows(h);
}

void hists_link(struct hists **members, u32 nr)
{
	struct hists *leader = members[0];
	u32 m, i, cap;

	/* Make all rows before linking them: they move while the array grows. */
	for (m = 1; m < nr; m++) {
		for (i = 0; i < members[m]->nr_rows; i++) {
			const struct hist_row *e = &members[m]->rows[i];
			u32 old = leader->nr_rows;
			u32 at = hists_row_number(leader, e->scope, e->fkey);

			if (at == old) {
				leader->rows[at].first = e->first;
				leader->rows[at].thread = e->thread;
				leader->rows[at].cpumode = e->cpumode;
				leader->rows[at].filtered = e->filtered;
			}
		}
	}
	cap = leader->nr_rows;
	for (i = 0; i < cap; i++) {
		leader->rows[i].pairs = arena_alloc(&leader->env->arena,
						       nr * sizeof(struct hist_row *));
		leader->rows[i].pairs[0] = &leader->rows[i];
	}
	for (m = 1; m < nr; m++) {
		for (i = 0; i < members[m]->nr_rows; i++) {
			struct hist_row *e = &members[m]->rows[i];

			leader->rows[hists_row_number(leader, e->scope, e->fkey)].pairs[m] = e;
		}
	}
}
