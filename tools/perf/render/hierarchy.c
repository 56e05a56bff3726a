// SPDX-License-Identifier: GPL-2.0
/*
 * hierarchy.c - rows nested by their keys, the first key outermost
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "render/stdio.h"

#define INDENT 3

/* Numbers of a member of the group, summed over rows. */
struct nest_sum {
	u64 numbers[OV_MAX];
};

struct nest {
	struct nest_sum *sums;		/* by member */
	const struct hist_row *row;	/* one of its rows, for the values of the keys */
	struct nest *child, *next;
};

struct nest_view {
	struct stdio_view *v;
	struct arena arena;
	struct hist_column **keys;
	u32 nr_keys;
	struct hash by_value;	/* (parent, value) -> nest */
};

static void add_row(struct nest_view *nv, struct nest *n, const struct hist_row *row)
{
	u32 m, k;

	for (m = 0; m < nv->v->nr; m++)
		for (k = 0; k < OV_MAX; k++)
			n->sums[m].numbers[k] += hist_row_number(row, m, k);
}

static u64 leader_sum(const struct nest *n)
{
	return n->sums[0].numbers[OV_SELF];
}

static struct nest *find_child(struct nest_view *nv, struct nest *parent, u32 level,
			       const struct hist_row *row)
{
	u64 value = hist_row_value(nv->v->members[0], row, nv->keys[level]);
	u64 *known = hash_insert(&nv->by_value, (uintptr_t)parent, value, NULL);
	struct nest *n;

	if (*known)
		return (struct nest *)(uintptr_t)*known;
	n = arena_alloc(&nv->arena, sizeof(*n));
	*known = (uintptr_t)n;
	n->sums = arena_alloc(&nv->arena, nv->v->nr * sizeof(*n->sums));
	n->row = row;
	n->next = parent->child;
	parent->child = n;
	return n;
}

/* How the children of a nest are compared. */
struct nest_order {
	const struct nest_view *nv;
	u32 level;
};

static int cmp_nests(const void *a, const void *b, void *ctx)
{
	const struct nest_order *o = ctx;
	const struct nest *na = *(struct nest *const *)a, *nb = *(struct nest *const *)b;
	const struct stdio_view *v = o->nv->v;
	u32 i;

	for (i = 0; i < v->nr; i++) {
		u32 m = hists_sort_member(v->members[0], i);
		u64 pa = na->sums[m].numbers[OV_SELF], pb = nb->sums[m].numbers[OV_SELF];

		if (pa != pb)
			return pa > pb ? -1 : 1;
	}
	return hist_row_cmp(v->members[0], na->row, nb->row, o->nv->keys[o->level]);
}

static void sort_children(const struct nest_view *nv, struct nest *parent, u32 level)
{
	struct nest_order order = { nv, level };
	_cleanup_free_ struct nest **all = NULL;
	u32 nr = 0, cap = 0, i;
	struct nest *n;

	for (n = parent->child; n; n = n->next) {
		GROW(all, nr, cap);
		all[nr++] = n;
		if (level + 1 < nv->nr_keys)
			sort_children(nv, n, level + 1);
	}
	qsort_r(all, nr, sizeof(*all), cmp_nests, &order);
	parent->child = NULL;
	for (i = nr; i-- > 0;) {
		all[i]->next = parent->child;
		parent->child = all[i];
	}
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
	struct outbuf line = { 0 }, *o = &line, text = { 0 };
	bool first = true, any = false;
	u32 i, m, width;

	outbuf_fill(o, ' ', level * INDENT);
	for (i = 0; i < v->cols->nr; i++) {
		if (v->cols->cols[i].key || v->cols->cols[i].hidden)
			continue;
		outbuf_puts(o, "  ");
		for (m = 0; m < v->nr; m++)
			stdio_number(v, &v->cols->cols[i], m,
				     n->sums[m].numbers[v->cols->cols[i].overhead], o);
		first = false;
	}
	outbuf_fill(o, ' ', (nv->nr_keys - 1) * INDENT + (first ? 0 : 2));
	hist_row_text(v->members[0], n->row, nv->keys[level], &text);
	width = outbuf_len(&text);
	if (nv->keys[level]->cut)
		width = min(width, nv->keys[level]->width);
	outbuf_write(o, text.base, width);
	outbuf_deinit(&text);
	if (!nv->keys[level]->ragged && width < nv->keys[level]->width)
		outbuf_fill(o, ' ', nv->keys[level]->width - width);
	stdio_put_line(v, o, &v->out->text);
	outbuf_deinit(o);

	outfile_drain(v->out);
	o = &v->out->text;
	if (level + 1 == nv->nr_keys) {
		if (hists_config(v->members[0])->use_chains)
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
		outbuf_fill(o, ' ', (level + nv->nr_keys) * INDENT + numbers_width(nv) + 4);
		outbuf_printf(o, "no entry >= %.2f%%\n", v->opt->percent_limit);
	}
}

static void put_headers(struct nest_view *nv)
{
	struct stdio_view *v = nv->v;
	u32 i, width = 0, names = 0, numbers = numbers_width(nv) + (nv->nr_keys - 1) * INDENT;
	struct outbuf line = { 0 }, *o = &line, text = { 0 };

	if (v->opt->no_comments)
		return;
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
	stdio_put_line(v, o, &v->out->text);
	o->pos = o->base;
	outbuf_puts(o, "# ");
	outbuf_fill(o, '.', numbers);
	outbuf_puts(o, "  ");
	outbuf_fill(o, '.', max(width, names));
	stdio_put_line(v, o, &v->out->text);
	outbuf_deinit(o);
	outbuf_puts(&v->out->text, "#\n");
}

void stdio_print_hierarchy(struct stdio_view *v)
{
	struct nest_view nv = { .v = v };
	struct nest root = { 0 }, *n;
	const struct hists *h = v->members[0];
	const struct hist_row *row;
	u32 i, level;

	nv.keys = arena_alloc(&nv.arena, v->cols->nr * sizeof(*nv.keys));
	for (i = 0; i < v->cols->nr; i++)
		if (v->cols->cols[i].key && !v->cols->cols[i].hidden)
			nv.keys[nv.nr_keys++] = &v->cols->cols[i];
	for (i = 0; i < nv.nr_keys; i++)
		nv.keys[i]->width = stdio_key_width(v, nv.keys[i]);
	if (nv.nr_keys) {
		for (i = 0; i < h->nr_sorted; i++) {
			row = hists_row_at(h, i);
			for (n = &root, level = 0; level < nv.nr_keys; level++) {
				n = find_child(&nv, n, level, row);
				add_row(&nv, n, row);
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
