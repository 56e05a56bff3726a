// SPDX-License-Identifier: GPL-2.0
/*
 * hierarchy.c - rows nested by their keys, the first key outermost
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "ui/stdio.h"

#define INDENT 3

struct nest {
	struct hist_entry sum;		/* of the rows in it; with pairs for a group */
	struct hist_entry *members;	/* of the sum, in a group */
	const struct hist_entry *row;	/* one of them: has the values of the keys */
	struct nest *child, *next;
};

struct nest_view {
	struct stdio_view *v;
	struct arena arena;
	struct hist_column **keys;
	u32 nr_keys;
	struct hash by_value;	/* (parent, value) -> nest */
};

static void add_up(struct hist_entry *sum, const struct hist_entry *e)
{
	sum->period += e->period;
	sum->nr += e->nr;
	sum->sys += e->sys;
	sum->us += e->us;
	sum->guest_sys += e->guest_sys;
	sum->guest_us += e->guest_us;
}

static void add_row(struct nest_view *nv, struct nest *n, const struct hist_entry *e)
{
	u32 m;

	if (nv->v->nr == 1) {
		add_up(&n->sum, e);
		return;
	}
	if (!n->members) {
		n->members = arena_alloc(&nv->arena, nv->v->nr * sizeof(*n->members));
		n->sum.pairs = arena_alloc(&nv->arena, nv->v->nr * sizeof(*n->sum.pairs));
		for (m = 0; m < nv->v->nr; m++)
			n->sum.pairs[m] = &n->members[m];
	}
	for (m = 0; m < nv->v->nr; m++)
		if (e->pairs[m])
			add_up(&n->members[m], e->pairs[m]);
}

static const struct hist_entry *leader_sum(const struct nest *n)
{
	return n->sum.pairs ? n->sum.pairs[0] : &n->sum;
}

static struct nest *find_child(struct nest_view *nv, struct nest *parent, u32 level,
			       const struct hist_entry *e)
{
	const struct hist_env *env = nv->v->members[0]->env;
	u64 value = hist_value(env, e, nv->keys[level]->key);
	u64 *known = hash_insert(&nv->by_value, (uintptr_t)parent, value, NULL);
	struct nest *n;

	if (*known)
		return (struct nest *)(uintptr_t)*known;
	n = arena_alloc(&nv->arena, sizeof(*n));
	*known = (uintptr_t)n;
	n->row = e;
	n->next = parent->child;
	parent->child = n;
	return n;
}

static bool before(const struct nest_view *nv, u32 level, const struct nest *a,
		   const struct nest *b)
{
	const struct hist_env *env = nv->v->members[0]->env;
	const struct sort_key *k = nv->keys[level]->key;
	u64 pa = leader_sum(a)->period, pb = leader_sum(b)->period;
	u64 va = hist_value(env, a->row, k), vb = hist_value(env, b->row, k);

	if (pa != pb)
		return pa > pb;
	return k->cmp ? k->cmp(env, k, va, vb) < 0 : va < vb;
}

static int cmp_nests(const void *a, const void *b, void *ctx)
{
	const struct { const struct nest_view *nv; u32 level; } *c = ctx;
	const struct nest *na = *(struct nest *const *)a, *nb = *(struct nest *const *)b;

	return before(c->nv, c->level, na, nb) ? -1 : before(c->nv, c->level, nb, na);
}

static void sort_children(const struct nest_view *nv, struct nest *parent, u32 level)
{
	struct { const struct nest_view *nv; u32 level; } ctx = { nv, level };
	_cleanup_free_ struct nest **all = NULL;
	u32 nr = 0, cap = 0, i;
	struct nest *n;

	for (n = parent->child; n; n = n->next) {
		GROW(all, nr, cap);
		all[nr++] = n;
		if (level + 1 < nv->nr_keys)
			sort_children(nv, n, level + 1);
	}
	qsort_r(all, nr, sizeof(*all), cmp_nests, &ctx);
	parent->child = NULL;
	for (i = nr; i-- > 0;) {
		all[i]->next = parent->child;
		parent->child = all[i];
	}
}

static void put_spaces(struct outbuf *o, u32 n)
{
	outbuf_printf(o, "%*s", (int)n, "");
}

static u32 numbers_width(const struct nest_view *nv)
{
	u32 width = 0, i;

	for (i = 0; i < nv->v->cols->nr; i++)
		if (!nv->v->cols->cols[i].key && !nv->v->cols->cols[i].hidden)
			width += (width ? 2 : 0) + stdio_number_width(nv->v, &nv->v->cols->cols[i]);
	return width;
}

static void put_nest(struct nest_view *nv, const struct nest *n, u32 level)
{
	struct stdio_view *v = nv->v;
	const struct nest *c;
	struct outbuf line, *o = &line, text;
	struct hist_entry shown = *n->row;
	bool first = true, any = false;
	u32 i, width;

	outbuf_init(o, -1);
	put_spaces(o, level * INDENT);
	for (i = 0; i < v->cols->nr; i++) {
		if (v->cols->cols[i].key || v->cols->cols[i].hidden)
			continue;
		outbuf_puts(o, "  ");
		stdio_number(v, &v->cols->cols[i], &n->sum, o);
		first = false;
	}
	put_spaces(o, (nv->nr_keys - 1) * INDENT + (first ? 0 : 2));
	outbuf_init(&text, -1);
	stdio_key(v, nv->keys[level], &shown, &text);
	width = text.pos - text.base;
	outbuf_write(o, text.base, width);
	outbuf_deinit(&text);
	if (!nv->keys[level]->key->ragged && width < nv->keys[level]->width)
		put_spaces(o, nv->keys[level]->width - width);
	stdio_put_line(v, o, v->out);
	outbuf_deinit(o);

	o = v->out;
	if (level + 1 == nv->nr_keys) {
		if (v->members[0]->env->cfg.use_chains)
			stdio_print_chain(v->members[0], n->row, v->opt, o);
		return;
	}
	for (c = n->child; c; c = c->next) {
		if (!stdio_over_limit(v, leader_sum(c)))
			continue;
		put_nest(nv, c, level + 1);
		any = true;
	}
	if (!any) {
		put_spaces(o, (level + 1) * INDENT + (nv->nr_keys - 1) * INDENT +
			   numbers_width(nv) + 4);
		outbuf_printf(o, "no entry >= %.2f%%\n", v->opt->percent_limit);
	}
}

static void put_headers(struct nest_view *nv)
{
	struct stdio_view *v = nv->v;
	u32 i, width = 0, names = 0, numbers = numbers_width(nv) + (nv->nr_keys - 1) * INDENT;
	struct outbuf line, *o = &line, text;

	if (v->opt->no_comments)
		return;
	outbuf_init(o, -1);
	outbuf_init(&text, -1);
	for (i = 0; i < v->cols->nr; i++) {
		const struct hist_column *col = &v->cols->cols[i];

		if (col->key || col->hidden)
			continue;
		if (text.pos != text.base)
			outbuf_puts(&text, "  ");
		outbuf_pad(&text, stdio_header(v, col), stdio_number_width(v, col));
	}
	outbuf_puts(o, "# ");
	outbuf_pad(o, outbuf_text(&text), numbers);
	outbuf_deinit(&text);
	outbuf_puts(o, "  ");
	for (i = 0; i < nv->nr_keys; i++) {
		const char *name = stdio_header(v, nv->keys[i]);

		name += strspn(name, " ");
		if (i)
			outbuf_puts(o, " / ");
		outbuf_puts(o, name);
		names += strlen(name) + (i ? 3 : 0);
		width = max(width, i * INDENT + nv->keys[i]->width);
	}
	stdio_put_line(v, o, v->out);
	o->pos = o->base;
	outbuf_puts(o, "# ");
	for (i = 0; i < numbers; i++)
		outbuf_putc(o, '.');
	outbuf_puts(o, "  ");
	width = max(width, names);
	for (i = 0; i < width; i++)
		outbuf_putc(o, '.');
	stdio_put_line(v, o, v->out);
	outbuf_deinit(o);
	outbuf_puts(v->out, "#\n");
}

void stdio_print_hierarchy(struct stdio_view *v)
{
	struct nest_view nv = { .v = v };
	struct nest root = { 0 }, *n;
	struct hists *h = v->members[0];
	u32 i, level;

	nv.keys = arena_alloc(&nv.arena, v->cols->nr * sizeof(*nv.keys));
	for (i = 0; i < v->cols->nr; i++)
		if (v->cols->cols[i].key && !v->cols->cols[i].hidden)
			nv.keys[nv.nr_keys++] = &v->cols->cols[i];
	for (i = 0; i < nv.nr_keys; i++)
		nv.keys[i]->width = stdio_key_width(v, nv.keys[i]);
	if (nv.nr_keys) {
		for (i = 0; i < h->nr_rows; i++) {
			for (n = &root, level = 0; level < nv.nr_keys; level++) {
				n = find_child(&nv, n, level, h->rows[i]);
				add_row(&nv, n, h->rows[i]);
			}
		}
		sort_children(&nv, &root, 0);
		put_headers(&nv);
		for (n = root.child; n; n = n->next)
			if (stdio_over_limit(v, leader_sum(n)))
				put_nest(&nv, n, 0);
	}
	hash_deinit(&nv.by_value);
	arena_deinit(&nv.arena);
}
