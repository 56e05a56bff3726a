// SPDX-License-Identifier: GPL-2.0
/*
 * draw.c - rows and steps of call graphs as lines of text with styles
 *
 * It is given the view and the tree, and owns nothing. The text of a row is made when its line
 * is drawn or searched, so that a column is as wide as the widest value drawn so far.
 */
#include "render/colour.h"
#include "tui/browse.h"

#define MARGIN 4		/* indentation of call graphs */

static struct stdio_view text_view(const struct tui_draw *d)
{
	return (struct stdio_view){
		.members = d->view->event->members, .nr = d->view->event->nr, .cols = d->cols,
		.opt = d->opt,
	};
}

static const struct hist_config *config(const struct tui_draw *d)
{
	return hists_config(d->view->event->members[0]);
}

void draw_begin(struct tui_draw *d)
{
	struct stdio_view v = text_view(d);
	u32 i;

	stdio_hide_foreign_fields(&v);
	for (i = 0; i < d->cols->nr; i++) {
		struct hist_column *col = &d->cols->cols[i];

		col->width = col->key ? max((u32)strlen(col->header), (u32)col->min_width) :
			     stdio_number_width(&v, col);
	}
}

static u32 columns_of(const struct outbuf *o, size_t from)
{
	size_t len = outbuf_len(o), i;
	u32 sum = 0, columns;
	wchar_t c;

	for (i = from; i < len; sum += columns)
		i += line_char(o->base + i, len - i, &c, &columns);
	return sum;
}

void draw_fit(struct tui_draw *d, u32 row)
{
	const struct hists *h = d->view->event->members[0];
	_cleanup_outbuf_ struct outbuf o = { 0 };
	u32 i;

	for (i = 0; i < d->cols->nr; i++) {
		struct hist_column *col = &d->cols->cols[i];

		if (col->hidden || col->fixed || !col->key)
			continue;
		o.pos = o.base;
		hist_row_text(h, view_row(d->view, row), col, &o);
		col->width = max(col->width, columns_of(&o, 0));
	}
}

/* Pad text to a column's width. @from: its start in @o */
static void pad(struct outbuf *o, size_t from, u32 width, bool right)
{
	u32 columns = columns_of(o, from), fill;
	size_t len = outbuf_len(o) - from;

	if (columns >= width)
		return;
	fill = width - columns;
	outbuf_fill(o, ' ', fill);
	if (!right)
		return;
	memmove(o->base + from + fill, o->base + from, len);
	memset(o->base + from, ' ', fill);
}

static enum tui_style percent_style(double percent)
{
	return percent >= COLOUR_HOT ? STYLE_HOT : percent >= COLOUR_WARM ? STYLE_WARM : STYLE_PLAIN;
}

static void put_numbers(const struct tui_draw *d, const struct hist_column *col,
			const struct hist_row *row, struct tui_line *l)
{
	const struct overhead_def *def = &overhead_defs[col->overhead];
	size_t from;
	u64 value;
	u32 m;

	for (m = 0; m < d->view->event->nr; m++) {
		double percent;

		value = hist_row_number(row, m, col->overhead);
		percent = def->percent ? view_column_percent(d->view, m, col->overhead, value) : 0;
		from = outbuf_len(&l->text);
		line_style(l, percent_style(percent));
		if (def->percent)
			outbuf_printf(&l->text, "%.2f%%", percent);
		else
			outbuf_dec(&l->text, value, 0, ' ');
		pad(&l->text, from, d->view->event->nr > 1 ? def->width : col->width, true);
	}
}

/* The style of a row's text: kernel and inlined functions have their own. */
static enum tui_style text_style(const struct hists *h, const struct hist_row *row,
				 const struct outbuf *o, size_t from)
{
	static const char inlined[] = " (inlined)";
	size_t len = outbuf_len(o) - from, n = sizeof(inlined) - 1;

	if (len >= n && !memcmp(o->base + from + len - n, inlined, n))
		return STYLE_INLINED;
	return hist_row_kernel(h, row) ? STYLE_KERNEL : STYLE_USER;
}

static void draw_row(const struct tui_draw *d, const struct tui_place *p, struct tui_line *l)
{
	const struct hists *h = d->view->event->members[0];
	const struct hist_row *row = view_row(d->view, d->tree->rows[p->at]);
	size_t from;
	u32 i;

	line_style(l, STYLE_PLAIN);
	if (config(d)->use_chains)
		outbuf_putc(&l->text, !tree_foldable(d->tree, p) ? ' ' : tree_open(d->tree, p) ? '-' : '+');
	for (i = 0; i < d->cols->nr; i++) {
		const struct hist_column *col = &d->cols->cols[i];

		if (col->hidden)
			continue;
		line_style(l, STYLE_PLAIN);
		outbuf_puts(&l->text, "  ");
		if (!col->key) {
			put_numbers(d, col, row, l);
			continue;
		}
		from = outbuf_len(&l->text);
		hist_row_text(h, row, col, &l->text);
		line_style_from(l, from, text_style(h, row, &l->text, from));
		pad(&l->text, from, col->width, col->right);
	}
}

static enum tui_style step_style(const struct hist_step *step)
{
	return step->cookie ? STYLE_DEFERRED : step->inlined ? STYLE_INLINED :
	       step->kernel ? STYLE_KERNEL : step->jit ? STYLE_JIT : STYLE_USER;
}

static u64 chain_total(const struct tui_draw *d, const struct tui_place *p)
{
	const struct tui_node *up = p->node->up;

	if (config(d)->chain.mode != CHAIN_FRACTAL)
		return view_total(d->view, 0);
	return up->up ? up->chain->children_total :
	       view_sum(d->view, view_row(d->view, d->tree->rows[p->at]));
}

static void put_value(const struct tui_draw *d, const struct tui_place *p, struct tui_line *l)
{
	const struct chain_node *c = p->node->chain;
	u64 total = chain_total(d, p);
	double percent = percent_of(c->total, total);

	switch (config(d)->chain.value) {
	case CHAIN_PERCENT:
		line_style(l, percent_style(percent));
		outbuf_printf(&l->text, "%.2f%% ", percent);
		break;
	case CHAIN_PERIOD:
		outbuf_printf(&l->text, "%llu ", c->total);
		break;
	case CHAIN_COUNT:
		outbuf_printf(&l->text, "%llu ", c->count);
		break;
	}
}

static void draw_step(const struct tui_draw *d, const struct tui_place *p, struct tui_line *l)
{
	const struct hists *h = d->view->event->members[0];
	u32 label = p->node->chain->labels[p->step], depth = 0, most = d->columns / 6;
	const struct hist_step step = hist_step(h, label);
	const struct tui_node *n;

	for (n = p->node; n->up->up && depth < most; n = n->up)
		depth++;
	line_style(l, STYLE_PLAIN);
	outbuf_fill(&l->text, ' ', min(MARGIN + 2 * depth, d->columns / 3));
	if (p->step) {
		outbuf_puts(&l->text, "  ");
	} else {
		outbuf_putc(&l->text, !tree_foldable(d->tree, p) ? ' ' : p->node->open ? '-' : '+');
		outbuf_putc(&l->text, ' ');
		put_value(d, p, l);
	}
	line_style(l, step_style(&step));
	if (step.cookie) {
		outbuf_puts(&l->text, "[user stack missing]");
		return;
	}
	stdio_put_step(h, label, &l->text);
	if (d->files && step.file)
		outbuf_printf(&l->text, " %s", step.file);
	if (p->node->chain->branches)
		stdio_put_branches(&p->node->chain->branches[p->step], &l->text);
}

void draw_place(const struct tui_draw *d, const struct tui_place *p, struct tui_line *l)
{
	line_reset(l);
	if (p->node)
		draw_step(d, p, l);
	else
		draw_row(d, p, l);
}

void draw_names(const struct tui_draw *d, const struct tui_place *p, struct outbuf *o)
{
	const struct hists *h = d->view->event->members[0];
	const struct hist_row *row = view_row(d->view, d->tree->rows[p->at]);
	u32 i;

	for (i = 0; i < d->cols->nr; i++) {
		const struct hist_column *col = &d->cols->cols[i];

		if (col->hidden || !col->key)
			continue;
		hist_row_text(h, row, col, o);
		outbuf_putc(o, ' ');
	}
}

bool draw_has_counts(const struct tui_draw *d)
{
	u32 i;

	for (i = 0; i < d->cols->nr; i++) {
		const struct hist_column *col = &d->cols->cols[i];

		if (!col->hidden && !col->key && !overhead_defs[col->overhead].percent)
			return true;
	}
	return false;
}

void draw_title(const struct tui_draw *d, struct tui_line *l)
{
	const struct tui_view *v = d->view;
	u64 samples = 0, period = 0;
	u32 i;

	for (i = 0; i < v->event->nr; i++) {
		samples += v->event->members[i]->total.nr;
		period += hists_total(v->event->members[i]);
	}
	line_reset(l);
	line_style(l, STYLE_TITLE);
	outbuf_puts(&l->text, d->trail);
	for (i = 0; i < v->nr_zooms; i++)
		outbuf_printf(&l->text, "%s%s: %s", i ? " > " : "", v->zooms[i].col->name,
			      v->zooms[i].text);
	outbuf_puts(&l->text, v->nr_zooms ? " > " : "");
	outbuf_printf(&l->text, "%llu samples of %s, count %llu", samples, v->event->title, period);
	if (v->limit > 0)
		outbuf_printf(&l->text, ", from %g%%", v->limit);
	if (v->relative)
		outbuf_puts(&l->text, ", % of the shown rows");
}

void draw_head(const struct tui_draw *d, struct tui_line *l)
{
	struct stdio_view v = text_view(d);
	size_t from;
	u32 i;

	line_reset(l);
	line_style(l, STYLE_HEAD);
	outbuf_puts(&l->text, config(d)->use_chains ? " " : "");
	for (i = 0; i < d->cols->nr; i++) {
		const struct hist_column *col = &d->cols->cols[i];

		if (col->hidden)
			continue;
		outbuf_puts(&l->text, "  ");
		from = outbuf_len(&l->text);
		outbuf_puts(&l->text, stdio_header(&v, col));
		pad(&l->text, from, col->width, !col->key || col->right);
	}
}
