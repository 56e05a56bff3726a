// SPDX-License-Identifier: GPL-2.0
/*
 * chain.c - call graphs as text
 */
#include "base/arena.h"
#include "base/cleanup.h"
#include "hist/hist.h"
#include "render/colour.h"
#include "render/stdio.h"

#define MARGIN 12

struct chain_view {
	const struct hists *h;
	const struct chain_opt *opt;
	struct outbuf *o;
	struct outbuf bars;	/* text left of the current level */
	u64 total;		/* the sum that is 100 % */
	const char *sep;	/* between names on a line */
	bool skip_first;	/* omit the row's own symbol, which the row shows */
};

void stdio_put_step(const struct hists *h, u32 label, struct outbuf *o)
{
	const struct chain_opt *opt = &hists_config(h)->chain;
	const struct hist_step step = hist_step(h, label);
	size_t from = outbuf_len(o);

	if (step.name)
		short_name_put(o, step.name,
			       hists_config(h)->full_names || opt->mode == CHAIN_FOLDED);
	else
		outbuf_printf(o, "%#llx", step.address);
	if (step.name && opt->key != CHAIN_KEY_FUNCTION) {
		if (step.srcline)
			outbuf_printf(o, " %s", step.srcline);
		else if (opt->key == CHAIN_KEY_ADDRESS)
			outbuf_printf(o, " +%llu", step.offset);
	}
	if (step.inlined)
		outbuf_puts(o, " (inlined)");
	if (outbuf_len(o) - from > STDIO_TEXT_MAX)
		o->pos = o->base + from + STDIO_TEXT_MAX;
	if (step.calltrace)
		outbuf_puts(o, " (calltrace)");
}

/* " (" before the first of the texts in brackets, a blank before another */
static void put_between(struct outbuf *o, bool *any)
{
	outbuf_puts(o, *any ? " " : " (");
	*any = true;
}

/*
 * As perf 7.2.13. A target: "(predicted:50.0% abort:25.0%)", unless all branches were predicted;
 * aborts from 0.1 % on. A source: "(cycles:3 iter:1 avg_cycles:7)", averages rounded down. The
 * number of loop passes is divided by the number of samples minus one, so a step with one sample
 * shows no passes. Flat lists have none of this.
 */
void stdio_put_branches(const struct step_branches *b, struct outbuf *o)
{
	u64 cycles = b->sources ? b->cycles / b->sources : 0;
	u64 passes = b->sources > 1 ? b->passes / (b->sources - 1) : 0;
	bool any = false;

	if (b->predicted < b->targets) {
		put_between(o, &any);
		outbuf_printf(o, "predicted:%.1f%%", 100.0 * b->predicted / b->targets);
	}
	if (b->aborts && 1000 * b->aborts >= b->targets) {
		put_between(o, &any);
		outbuf_printf(o, "abort:%.1f%%", 100.0 * b->aborts / b->targets);
	}
	if (cycles) {
		put_between(o, &any);
		outbuf_printf(o, "cycles:%llu", cycles);
	}
	if (passes) {
		put_between(o, &any);
		outbuf_printf(o, "iter:%llu avg_cycles:%llu", passes, b->pass_cycles / b->passes);
	}
	if (any)
		outbuf_putc(o, ')');
}

static void put_label(struct chain_view *v, const struct chain_node *c, u32 step)
{
	stdio_put_step(v->h, c->labels[step], v->o);
	if (c->branches)
		stdio_put_branches(&c->branches[step], v->o);
}

static void put_value(struct chain_view *v, u64 period, u64 count, u64 total)
{
	double percent = percent_of(period, total);

	switch (v->opt->value) {
	case CHAIN_PERCENT:
		outbuf_printf(v->o, "%s%.2f%%%s", colour_begin(percent), percent,
			      colour_end(percent));
		break;
	case CHAIN_PERIOD:
		outbuf_dec(v->o, period, 0, ' ');
		break;
	case CHAIN_COUNT:
		outbuf_dec(v->o, count, 0, ' ');
		break;
	}
}

static void put_bars(struct chain_view *v)
{
	outbuf_append(v->o, &v->bars);
}

static void put_children(struct chain_view *v, const struct chain_node *parent, u64 total);

static void put_run(struct chain_view *v, const struct chain_node *c, u32 from, u32 limit)
{
	u32 i, nr = limit ? min(c->nr_labels, limit) : c->nr_labels;

	for (i = from; i < nr; i++) {
		put_bars(v);
		put_label(v, c, i);
		outbuf_putc(v->o, '\n');
	}
}

/* One branch: a line of bars, then "--12.34%--name" and the names below it. */
static void put_branch(struct chain_view *v, const struct chain_node *c, bool last, u64 total)
{
	size_t depth = outbuf_len(&v->bars);

	put_bars(v);
	outbuf_puts(v->o, "|          \n");
	put_bars(v);
	outbuf_puts(v->o, last ? " --" : "|--");
	put_value(v, c->total, c->count, total);
	outbuf_puts(v->o, "--");
	put_label(v, c, 0);
	outbuf_putc(v->o, '\n');

	outbuf_puts(&v->bars, last ? "           " : "|          ");
	put_run(v, c, 1, 0);
	put_children(v, c, v->opt->mode == CHAIN_FRACTAL ? c->children_total : total);
	v->bars.pos = v->bars.base + depth;
}

/* @total: the sum that is 100 % here */
static void put_children(struct chain_view *v, const struct chain_node *parent, u64 total)
{
	const struct chain_node *c;
	u64 remaining = total;
	bool fractal = v->opt->mode == CHAIN_FRACTAL;
	u64 count = parent->children_count;
	u32 nr = 0, shown = 0;

	for (c = parent->child; c; c = c->next) {
		if (!v->opt->print_limit || nr < v->opt->print_limit) {
			nr++;
			remaining -= c->total;
			count -= c->count;
		}
	}
	for (c = parent->child; c && shown < nr; c = c->next) {
		shown++;
		/* The rest of a fractal graph's 100 % gets a line of its own. */
		put_branch(v, c, !c->next && !(fractal && remaining), total);
	}
	if (fractal && remaining && nr && (count || v->opt->value != CHAIN_COUNT)) {
		put_bars(v);
		outbuf_puts(v->o, " --");
		put_value(v, remaining, count, total);
		outbuf_puts(v->o, "--[...]\n");
	}
}

static void put_graph(struct chain_view *v, const struct chain_node *root)
{
	const struct chain_node *only = root->child;
	u64 total = v->opt->mode == CHAIN_FRACTAL ? v->total : hists_total(v->h);

	outbuf_fill(&v->bars, ' ', MARGIN);
	/* A single child that has all samples of the row is shown without a number. */
	if (!only->next && only->total == v->total) {
		u32 first = v->skip_first;

		if (first < only->nr_labels) {
			put_bars(v);
			outbuf_puts(v->o, "|\n");
			put_bars(v);
			outbuf_puts(v->o, "---");
			put_label(v, only, first);
			outbuf_putc(v->o, '\n');
			outbuf_fill(&v->bars, ' ', 3);
			put_run(v, only, first + 1, v->opt->print_limit);
		} else if (!only->child) {
			return;
		}
		root = only;
	}
	put_children(v, root, total);
	outbuf_putc(v->o, '\n');
}

/* A run in which stacks end, with the runs before it. */
struct flat {
	const struct chain_node *node;
	u32 up;			/* index of the previous run + 1; 0: none */
	u32 seq;
	bool shown;
};

struct flat_list {
	struct flat *v;
	u32 nr, cap, seq;
	u64 min;
};

static void flat_walk(struct flat_list *l, const struct chain_node *c, u32 up)
{
	const struct chain_node *child;
	u32 at = l->nr;

	GROW(l->v, l->nr, l->cap);
	l->v[l->nr++] = (struct flat){ .node = c, .up = up };
	for (child = c->child; child; child = child->next)
		flat_walk(l, child, at + 1);
	l->v[at].seq = l->seq++;
	l->v[at].shown = c->count_hits && c->hits >= l->min;
}

static int cmp_flat(const void *a, const void *b, void *list)
{
	const struct flat_list *l = list;
	const struct flat *fa = &l->v[*(const u32 *)a], *fb = &l->v[*(const u32 *)b];

	if (fa->node->hits != fb->node->hits)
		return fa->node->hits > fb->node->hits ? -1 : 1;
	return fa->seq < fb->seq ? -1 : 1;
}

static void put_flat_path(struct chain_view *v, const struct flat_list *l, u32 at, bool *first)
{
	const struct flat *f = &l->v[at];
	u32 i;

	if (f->up)
		put_flat_path(v, l, f->up - 1, first);
	for (i = 0; i < f->node->nr_labels; i++) {
		if (v->opt->mode == CHAIN_FLAT)
			outbuf_puts(v->o, "                ");
		else if (!*first)
			outbuf_puts(v->o, v->sep ? v->sep : ";");
		*first = false;
		stdio_put_step(v->h, f->node->labels[i], v->o);
		if (v->opt->mode == CHAIN_FLAT)
			outbuf_putc(v->o, '\n');
	}
}

static void put_flat(struct chain_view *v, const struct chain_node *root)
{
	struct flat_list l = { .min = to_u64(hists_total(v->h) * v->opt->min_percent / 100) };
	_cleanup_free_ u32 *order = NULL;
	const struct chain_node *c;
	u32 i, nr = 0;

	for (c = root->child; c; c = c->next)
		flat_walk(&l, c, 0);
	order = xmalloc(l.nr * sizeof(*order));
	for (i = 0; i < l.nr; i++)
		if (l.v[i].shown)
			order[nr++] = i;
	qsort_r(order, nr, sizeof(*order), cmp_flat, &l);
	if (v->opt->print_limit)
		nr = min(nr, v->opt->print_limit);
	for (i = 0; i < nr; i++) {
		const struct chain_node *n = l.v[order[i]].node;
		bool first = true;

		if (v->opt->mode == CHAIN_FLAT)
			outbuf_puts(v->o, "           ");
		/* As mainline: a flat chain's number includes all stacks that contain it. */
		if (v->opt->mode == CHAIN_FLAT)
			put_value(v, n->total, n->count, hists_total(v->h));
		else
			put_value(v, n->hits, n->count_hits, hists_total(v->h));
		outbuf_putc(v->o, v->opt->mode == CHAIN_FLAT ? '\n' : ' ');
		put_flat_path(v, &l, order[i], &first);
		outbuf_putc(v->o, '\n');
	}
	free(l.v);
}

void stdio_print_chain(const struct hists *h, const struct hist_row *row,
		       const struct stdio_opt *opt, struct outbuf *o)
{
	const struct hist_config *cfg = hists_config(h);
	const struct chain_opt *co = &cfg->chain;
	struct chain_view v = {
		.h = h, .opt = co, .o = o, .sep = opt->sep, .skip_first = opt->skip_first,
		.total = hist_row_number(row, 0, cfg->children ? OV_CHILDREN : OV_SELF),
	};
	_cleanup_arena_ struct arena arena = { 0 };
	struct chain_node *root;

	if (co->mode == CHAIN_NONE)
		return;
	/* If the row is below the threshold, so are all its nodes. */
	if (co->mode != CHAIN_FRACTAL && v.total < to_u64(hists_total(h) * co->min_percent / 100))
		return;
	root = hist_callgraph(h, row, co->min_percent, &arena);
	if (root && root->child) {
		if (co->mode == CHAIN_FLAT || co->mode == CHAIN_FOLDED)
			put_flat(&v, root);
		else
			put_graph(&v, root);
		outbuf_deinit(&v.bars);
	}
}
