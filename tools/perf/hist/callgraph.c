// SPDX-License-Identifier: GPL-2.0
/*
 * callgraph.c - the call graph of a row, from the sorted stacks
 *
 * A row's graph has the whole stacks of its own samples and, for its callees' samples, the stack
 * from its first frame on. Each node is a set of spans of sorted stacks: some of its own stacks,
 * and some of all stacks, less its own (a stack counts once). Sums of spans are differences of
 * running sums, known before a node is opened, so that nodes below the threshold are never
 * examined.
 */
#include <math.h>

#include "base/sort.h"
#include "hist/hist.h"
#include "hist/hist_private.h"

/* A span of stacks, from..to-1, with equal steps up to @depth. */
struct item {
	u32 from, to;
	u32 depth;
	u32 group;
	bool own;		/* it indexes the row's own stacks, not all */
};

struct step_group {
	u32 step, label;
	u32 start, nr;		/* its items */
	u64 count;
	u64 total;
};

struct level {
	struct item *items;
	struct step_group *groups;
	u32 nr_items, cap_items, nr_groups, cap_groups;
};

struct build {
	const struct hists *h;
	struct arena *arena;
	u64 min;
	double min_percent;
	bool fractal;
	/* The row's own stacks, with their running sums */
	const u32 *own;
	u32 nr_own;
	u64 *own_sum;
	u64 *own_count;
	/* By step: the group of the level being filled */
	struct hash groups;
};

static u32 stack_at(const struct build *b, u32 i, bool own)
{
	return own ? b->own[i] : i;
}

static u32 label_at(const struct build *b, u32 i, u32 depth, bool own)
{
	return stack_step(&b->h->stacks[stack_at(b, i, own)], b->h->pool, depth);
}

/* The index of the first own stack that is not before @stack. */
static u32 own_from(const struct build *b, u32 stack)
{
	return LOWER_BOUND(0, b->nr_own, i, b->own[i] < stack);
}

static void span_sums(const struct build *b, const struct item *it, u64 *total, u64 *count)
{
	const struct hists *h = b->h;
	u32 lo = it->from, hi = it->to;

	if (!it->own) {
		*total = hist_span_period(h, lo, hi);
		*count = hist_span_samples(h, lo, hi);
		if (!b->nr_own)
			return;
		lo = own_from(b, lo);
		hi = own_from(b, hi);
		*total -= b->own_sum[hi] - b->own_sum[lo];
		*count -= b->own_count[hi] - b->own_count[lo];
		return;
	}
	*total = b->own_sum[hi] - b->own_sum[lo];
	*count = b->own_count[hi] - b->own_count[lo];
}

static void own_init(struct build *b, const struct hist_row *e)
{
	const struct hists *h = b->h;
	u32 i;

	b->own = h->own + e->own;
	b->nr_own = e->nr_own;
	b->own_sum = xmalloc(((size_t)b->nr_own + 1) * sizeof(*b->own_sum));
	b->own_count = xmalloc(((size_t)b->nr_own + 1) * sizeof(*b->own_count));
	b->own_sum[0] = b->own_count[0] = 0;
	for (i = 0; i < b->nr_own; i++) {
		u32 s = b->own[i];

		b->own_sum[i + 1] = b->own_sum[i] + h->sum[s + 1] - h->sum[s];
		b->own_count[i + 1] = b->own_count[i] + h->count[s + 1] - h->count[s];
	}
}

/* Put a span into the group of its last step. */
static void level_add(struct build *b, struct level *lv, struct item it)
{
	u32 label = label_at(b, it.from, it.depth, it.own);
	u32 step = b->h->env->labels[label].step, i;
	struct step_group *g;
	u64 total, count;

	span_sums(b, &it, &total, &count);
	if (!count)
		return;
	/* With a few groups a linear search is faster than the hash table. */
	if (lv->nr_groups <= 8) {
		for (i = 0; i < lv->nr_groups && lv->groups[i].step != step; i++)
			;
	} else {
		u64 *known = hash_find(&b->groups, step, 0);

		i = known ? *known : lv->nr_groups;
	}
	if (i == lv->nr_groups) {
		GROW(lv->groups, lv->nr_groups, lv->cap_groups);
		lv->groups[lv->nr_groups++] = (struct step_group){ .step = step, .label = label };
		if (lv->nr_groups == 9) {
			hash_deinit(&b->groups);
			for (u32 k = 0; k < 9; k++)
				*hash_insert(&b->groups, lv->groups[k].step, 0, NULL) = k;
		} else if (lv->nr_groups > 9) {
			*hash_insert(&b->groups, step, 0, NULL) = i;
		}
	}
	g = &lv->groups[i];
	g->nr++;
	g->count += count;
	g->total += total;
	it.group = i;
	GROW(lv->items, lv->nr_items, lv->cap_items);
	lv->items[lv->nr_items++] = it;
}

/* Sort the items by group. */
static void level_close(struct level *lv)
{
	struct item *sorted;
	u32 i, at = 0;

	for (i = 0; i < lv->nr_groups; i++) {
		lv->groups[i].start = at;
		at += lv->groups[i].nr;
	}
	if (lv->nr_groups <= 1)
		return;
	sorted = xmalloc(lv->nr_items * sizeof(*sorted));
	for (i = 0; i < lv->nr_items; i++)
		sorted[lv->groups[lv->items[i].group].start++] = lv->items[i];
	for (i = 0; i < lv->nr_groups; i++)
		lv->groups[i].start -= lv->groups[i].nr;
	free(lv->items);
	lv->items = sorted;
}

/* The end of the span of own stacks that have the step of stack @from. */
static u32 span_end(const struct build *b, u32 from, u32 to, u32 depth, bool own)
{
	u32 label, i;

	if (!own)
		return stacks_span_end(b->h->stacks, b->h->pool, from, to, depth);
	label = label_at(b, from, depth, true);
	for (i = from + 1; i < to && label_at(b, i, depth, true) == label; i++)
		;
	return i;
}

/* Add the children of a span: one span for each different step at @depth. */
static void level_split(struct build *b, struct level *lv, u32 from, u32 to, u32 depth, bool own)
{
	const struct hists *h = b->h;
	u32 end;

	/* Stacks that end at this depth are sorted before the longer ones. */
	while (from < to && h->stacks[stack_at(b, from, own)].len <= depth)
		from++;
	for (; from < to; from = end) {
		end = span_end(b, from, to, depth, own);
		level_add(b, lv, (struct item){ .from = from, .to = end, .depth = depth, .own = own });
	}
}

static void level_open(struct build *b, struct level *lv, const struct item *items, u32 nr)
{
	u32 i;

	memset(lv, 0, sizeof(*lv));
	for (i = 0; i < nr; i++)
		level_split(b, lv, items[i].from, items[i].to, items[i].depth + 1, items[i].own);
	level_close(lv);
}

static void level_free(struct level *lv)
{
	free(lv->items);
	free(lv->groups);
}

static bool shown_before(const struct hists *h, const struct chain_node *a,
			 const struct chain_node *b)
{
	const struct hist_label *la = &h->env->labels[a->labels[0]];
	const struct hist_label *lb = &h->env->labels[b->labels[0]];
	bool flat = h->env->cfg.chain.mode == CHAIN_FLAT || h->env->cfg.chain.mode == CHAIN_FOLDED;

	/* Flat lists are sorted later, by the sums of the stacks that end in each run. */
	if (!flat && a->total != b->total)
		return a->total > b->total;
	if (!la->sym && !lb->sym)
		return la->ip > lb->ip;
	if (la->dso != lb->dso) {
		if (!la->dso || !lb->dso)
			return la->dso != NULL;
		return strcmp(la->dso->short_name, lb->dso->short_name) > 0;
	}
	return la->order > lb->order;
}

static struct chain_node *merge_sort(const struct hists *h, struct chain_node *list, u32 nr)
{
	struct chain_node *a, *b, *head = NULL, **tail = &head;
	u32 i;

	if (nr < 2)
		return list;
	for (a = list, i = 1; i < nr / 2; i++)
		a = a->next;
	b = a->next;
	a->next = NULL;
	a = merge_sort(h, list, nr / 2);
	b = merge_sort(h, b, nr - nr / 2);
	while (a && b) {
		if (shown_before(h, b, a)) {
			*tail = b;
			b = b->next;
		} else {
			*tail = a;
			a = a->next;
		}
		tail = &(*tail)->next;
	}
	*tail = a ? a : b;
	return head;
}

static void build_children(struct build *b, struct chain_node *parent, struct level *lv);

/* Branch statistics of the last step of spans: sums over their samples. */
static struct step_branches branches_of(const struct build *b, const struct item *items, u32 nr)
{
	struct step_branches sum = { 0 };
	u32 i, k, own;

	for (i = 0; i < nr; i++) {
		const struct item *it = &items[i];

		own = it->own ? 0 : own_from(b, it->from);
		for (k = it->from; k < it->to; k++) {
			if (!it->own && own < b->nr_own && b->own[own] == k)
				own++;
			else
				history_add_stack(b->h, stack_at(b, k, it->own), it->depth, &sum);
		}
	}
	return sum;
}

/* Append a step to the run. @items: the spans that end in it. */
static void add_step(struct build *b, struct chain_node *c, u32 label, const struct item *items, u32 nr)
{
	u32 cap = c->cap_labels;

	GROW(c->labels, c->nr_labels, c->cap_labels);
	c->labels[c->nr_labels++] = label;
	if (!b->h->env->cfg.branch_history)
		return;
	if (cap != c->cap_labels)
		c->branches = xrealloc(c->branches, c->cap_labels * sizeof(*c->branches));
	c->branches[c->nr_labels - 1] = branches_of(b, items, nr);
}

/* Copy @size bytes to the arena and free @v, which may be NULL. */
static void *to_arena(struct build *b, void *v, size_t size)
{
	void *copy = v ? arena_alloc(b->arena, size) : NULL;

	if (v)
		memcpy(copy, v, size);
	free(v);
	return copy;
}

static struct chain_node *build_node(struct build *b, const struct level *lv,
				     const struct step_group *g)
{
	struct chain_node *c = arena_alloc(b->arena, sizeof(*c));
	struct level next;
	u32 i;

	c->total = g->total;
	c->count = g->count;
	add_step(b, c, g->label, lv->items + g->start, g->nr);
	level_open(b, &next, lv->items + g->start, g->nr);
	/* Extend the run while all stacks of the node continue with the same step. */
	while (next.nr_groups == 1 && next.groups[0].count == c->count) {
		struct level after;

		add_step(b, c, next.groups[0].label, next.items, next.nr_items);
		level_open(b, &after, next.items, next.nr_items);
		level_free(&next);
		next = after;
	}
	c->hits = c->total;
	c->count_hits = c->count;
	for (i = 0; i < next.nr_groups; i++) {
		c->hits -= next.groups[i].total;
		c->count_hits -= next.groups[i].count;
	}
	c->labels = to_arena(b, c->labels, c->nr_labels * sizeof(*c->labels));
	c->branches = to_arena(b, c->branches, c->nr_labels * sizeof(*c->branches));
	build_children(b, c, &next);
	return c;
}

static void build_children(struct build *b, struct chain_node *parent, struct level *lv)
{
	u32 i, nr = 0;
	u64 min;

	for (i = 0; i < lv->nr_groups; i++) {
		parent->children_total += lv->groups[i].total;
		parent->children_count += lv->groups[i].count;
	}
	/* As mainline: rounded up, so that a shown node has at least that percentage. */
	min = b->fractal ? (u64)ceil(parent->children_total * (b->min_percent / 100)) : b->min;
	for (i = 0; i < lv->nr_groups; i++) {
		struct chain_node *c;

		if (lv->groups[i].total < min)
			continue;
		c = build_node(b, lv, &lv->groups[i]);
		c->next = parent->child;
		parent->child = c;
		nr++;
	}
	level_free(lv);
	parent->child = merge_sort(b->h, parent->child, nr);
}

struct chain_node *hist_callgraph(const struct hists *h, const struct hist_row *e,
				  double min_percent, struct arena *arena)
{
	struct build b = {
		.h = h, .arena = arena, .min_percent = min_percent,
		.min = to_u64(hists_total(h) * min_percent / 100),
		.fractal = h->env->cfg.chain.mode == CHAIN_FRACTAL,
	};
	struct chain_node *root;
	struct level lv = { 0 };
	u32 i;

	if (!e->max_depth)
		return NULL;
	own_init(&b, e);
	level_split(&b, &lv, 0, b.nr_own, 0, true);
	for (i = 0; i < e->nr_places; i++) {
		const struct hist_place *p = &h->places[e->place + i];

		level_add(&b, &lv, (struct item){ .from = p->from, .to = p->to, .depth = p->depth });
	}
	level_close(&lv);
	root = arena_alloc(arena, sizeof(*root));
	for (i = 0; i < lv.nr_groups; i++) {
		root->total += lv.groups[i].total;
		root->count += lv.groups[i].count;
	}
	build_children(&b, root, &lv);
	free(b.own_sum);
	free(b.own_count);
	hash_deinit(&b.groups);
	return root;
}
