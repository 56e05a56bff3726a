// SPDX-License-Identifier: GPL-2.0
/*
 * shown_rows.c - the rows within zooms and limit
 *
 * It is given a sorted event and owns the list of the shown rows, in the order of the event. A
 * zoom compares values of a column and counts no samples again; the equivalent command line
 * (command.c) prints the same rows.
 */
#include "base/arena.h"
#include "tui/browse.h"

u64 view_sum(const struct tui_view *v, const struct hist_row *row)
{
	const struct hist_config *cfg = hists_config(v->event->members[0]);

	return hist_row_number(row, 0, cfg->children ? OV_CHILDREN : OV_SELF);
}

static bool passes(const struct tui_view *v, const struct hist_row *row)
{
	const struct hists *h = v->event->members[0];
	u32 i;

	for (i = 0; i < v->nr_zooms; i++)
		if (hist_row_value(h, row, v->zooms[i].col) != v->zooms[i].value)
			return false;
	return true;
}

static bool over_limit(const struct tui_view *v, const struct hist_row *row)
{
	return v->limit <= 0 || percent_of(view_sum(v, row), view_total(v, 0)) >= v->limit;
}

#define AHEAD 16	/* rows prefetched ahead, the number of parallel fetches of a CPU */

/* Rows are not sorted by memory address, so the walk prefetches them. */
void view_update(struct tui_view *v)
{
	const struct hists *h = v->event->members[0];
	u32 nr = h->nr_sorted, i, left = 0;
	/* With zooms a relative limit is of a sum that is known only after the walk. */
	bool later = v->limit > 0 && v->relative && v->nr_zooms;

	GROW_TO(v->rows, nr, v->cap_rows);
	v->nr_rows = 0;
	memset(v->shown, 0, sizeof(v->shown));
	for (i = 0; i < nr; i++) {
		const struct hist_row *row = hists_row_at(h, i);

		hists_prefetch(h, i + AHEAD);
		if (!passes(v, row))
			continue;
		v->shown[OV_SELF] += hist_row_number(row, 0, OV_SELF);
		v->shown[OV_LATENCY] += hist_row_number(row, 0, OV_LATENCY);
		v->shown[OV_SAMPLES] += hist_row_number(row, 0, OV_SAMPLES);
		if (later || over_limit(v, row))
			v->rows[v->nr_rows++] = i;
	}
	if (!later)
		return;
	for (i = 0; i < v->nr_rows; i++)
		if (over_limit(v, view_row(v, v->rows[i])))
			v->rows[left++] = v->rows[i];
	v->nr_rows = left;
}

void view_deinit(struct tui_view *v)
{
	while (view_zoom_out(v))
		;
	free(v->rows);
	v->rows = NULL;
	v->nr_rows = v->cap_rows = 0;
}

const struct hist_column *view_column(const struct hist_columns *cols, const char *key)
{
	u32 i;

	for (i = 0; i < cols->nr; i++)
		if (cols->cols[i].key && !cols->cols[i].hidden && !strcmp(cols->cols[i].name, key))
			return &cols->cols[i];
	return NULL;
}

/* The text of a row in a column, without padding. */
static char *value_text(const struct hists *h, const struct hist_row *row,
			const struct hist_column *col)
{
	_cleanup_outbuf_ struct outbuf o = { 0 };
	const char *s;
	size_t len;
	char *text;

	hist_row_text(h, row, col, &o);
	s = outbuf_text(&o);
	s += strspn(s, " ");
	for (len = strlen(s); len && s[len - 1] == ' ';)
		len--;
	text = xstrdup(s);
	text[len] = 0;
	return text;
}

char *view_text(const struct tui_view *v, u32 row, const struct hist_column *col)
{
	return value_text(v->event->members[0], view_row(v, row), col);
}

bool view_zoom(struct tui_view *v, const struct hist_column *col, const struct hist_row *row)
{
	const struct hists *h = v->event->members[0];

	if (v->nr_zooms == TUI_ZOOMS)
		return false;
	v->zooms[v->nr_zooms++] = (struct tui_zoom){
		.col = col, .value = hist_row_value(h, row, col), .text = value_text(h, row, col),
	};
	return true;
}

void view_zoom_again(struct tui_view *v, u32 zoom, const struct hist_column *col)
{
	const struct hists *h = v->event->members[0];
	struct tui_zoom *z = &v->zooms[zoom];
	u32 nr = h->nr_sorted, i;
	bool same = false;
	char *text;

	z->col = col;
	z->value = -1;			/* not the value of any row */
	for (i = 0; i < nr && !same; i++) {
		text = value_text(h, hists_row_at(h, i), col);
		same = !strcmp(text, z->text);
		if (same)
			z->value = hist_row_value(h, hists_row_at(h, i), col);
		free(text);
	}
}

bool view_zooms_like(const struct tui_view *v, const struct hist_column *col,
		     const struct hist_row *row)
{
	const struct tui_zoom *last = v->nr_zooms ? &v->zooms[v->nr_zooms - 1] : NULL;

	return last && last->col == col &&
	       last->value == hist_row_value(v->event->members[0], row, col);
}

bool view_zoom_out(struct tui_view *v)
{
	if (!v->nr_zooms)
		return false;
	free(v->zooms[--v->nr_zooms].text);
	return true;
}

u64 view_total(const struct tui_view *v, u32 member)
{
	return v->relative && v->nr_zooms && !member ? v->shown[OV_SELF] :
	       hists_total(v->event->members[member]);
}

double view_column_percent(const struct tui_view *v, u32 member, enum overhead_kind k, u64 value)
{
	if (k != OV_LATENCY && k != OV_LATENCY_CHILDREN)
		return percent_of(value, view_total(v, member));
	return percent_of(value, v->relative && v->nr_zooms && !member ? v->shown[OV_LATENCY] :
			  hists_column_total(v->event->members[member], k));
}
