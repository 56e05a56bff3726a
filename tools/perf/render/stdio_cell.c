// SPDX-License-Identifier: GPL-2.0
/*
 * stdio_cell.c - elements of the layouts of a histogram: numbers, column widths, lines
 *
 * It is given the view and owns nothing.
 */
#include <stdio.h>

#include "base/terminal.h"
#include "render/colour.h"
#include "render/stdio.h"

const char *stdio_header(const struct stdio_view *v, const struct hist_column *col)
{
	return !col->key && col->overhead == OV_SELF && v->cols->self ? "Self" : col->header;
}

u32 stdio_number_width(const struct stdio_view *v, const struct hist_column *col)
{
	return max(overhead_defs[col->overhead].width * v->nr,
		   (u32)strlen(stdio_header(v, col)));
}

bool stdio_over_limit(const struct stdio_view *v, u64 period)
{
	return percent_of(period, hists_total(v->members[0])) >= v->opt->percent_limit;
}

bool stdio_shows(const struct stdio_view *v, const struct hist_row *row)
{
	enum overhead_kind sum = hists_config(v->members[0])->children ? OV_CHILDREN : OV_SELF;

	return stdio_over_limit(v, hist_row_number(row, 0, sum)) &&
	       (!v->opt->min_samples || hist_row_number(row, 0, OV_SAMPLES) > v->opt->min_samples);
}

void stdio_number(const struct stdio_view *v, const struct hist_column *col, u32 member, u64 value,
		  struct outbuf *o)
{
	const struct overhead_def *def = &overhead_defs[col->overhead];
	double percent;

	if (v->opt->sep && member)
		outbuf_putc(o, ' ');
	if (!def->percent) {
		outbuf_printf(o, "%*llu", v->opt->sep ? 0 : def->width, value);
		return;
	}
	percent = percent_of(value, hists_column_total(v->members[member], col->overhead));
	/* As mainline: after a blank, so 100.00 % is one column wider than callees' latency. */
	outbuf_printf(o, "%s%s%*.2f%%%s", colour_begin(percent), v->opt->sep ? "" : " ",
		      v->opt->sep ? 0 : def->width - 2, percent, colour_end(percent));
}

u32 stdio_key_width(const struct stdio_view *v, const struct hist_column *col)
{
	const struct hists *h = v->members[0];
	u32 width = max((u32)strlen(col->header), (u32)col->min_width);
	u32 nr = h->nr_sorted, shown = 0, i;
	bool of_file = !strcmp(col->name, "dso") && !v->opt->sep && !v->opt->widths;
	_cleanup_outbuf_ struct outbuf o = { 0 };

	for (i = 0; i < nr && !col->fixed; i++) {
		/* Hidden rows count for the width, but only up to the last shown row. */
		if (v->opt->max_rows && shown == v->opt->max_rows)
			break;
		shown += stdio_shows(v, hists_row_at(h, i));
		/* As mainline: the file of a row without symbol is as wide as an address. */
		if (of_file && hist_row_nameless(h, hists_row_at(h, i)))
			width = max(width, 16U);
		width = max(width, hist_row_extent(h, hists_row_at(h, i), col, &o));
	}
	return width;
}

void stdio_put_line(const struct stdio_view *v, const struct outbuf *line, struct outbuf *o)
{
	size_t len = outbuf_len(line), fit = len;

	if (v->opt->width)
		fit = terminal_fit(line->base, len, v->opt->width, NULL);
	outbuf_write(o, line->base, fit);
	if (fit < len && ui_colour)
		outbuf_puts(o, "\033[m");
	outbuf_putc(o, '\n');
}

/* The number of samples is abbreviated: 12345 is "12K". */
void stdio_title(const char *title, u64 samples, const char *what, u64 count, struct outbuf *o)
{
	static const char units[] = " KMGTPE";
	int unit = 0;

	for (; samples / 1000; samples /= 1000)
		unit++;
	outbuf_printf(o, "# Samples: %llu%c of %s\n", samples, units[unit], title);
	outbuf_printf(o, "# %s: %llu\n", what, count);
}
