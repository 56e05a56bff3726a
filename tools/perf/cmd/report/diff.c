// SPDX-License-Identifier: GPL-2.0
/*
 * perf diff, and perf report --diff: the rows of several recordings side by side, those first whose
 * share changed most. Each recording is counted by a report of its own; rows with the same text in
 * their key columns belong together. With -g a row is a call path: a line of --folded.
 *
 * Calls go one way: report_diff --> report_make of each recording --> collect --> print.
 */
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/hash.h"
#include "cmd/report/report.h"
#include "hist/hist.h"
#include "render/colour.h"
#include "render/flame.h"

/* What is 95 % of a normal distribution, in standard deviations */
#define DEVIATIONS	1.96

struct diff_row {
	const char *key;	/* the texts of all columns, each ends with a 0 byte */
	u64 *value;		/* of each recording */
	double by;		/* the order: descending */
};

struct diff {
	const struct report_options *opt;
	struct diff_run {
		struct report_run *r;
		u64 total;		/* what is 100 % */
		u64 samples;
	} *runs;			/* the baseline, then the others */
	u32 nr;
	struct arena texts;
	struct hash found;		/* hash of a key -> number of its row + 1 */
	struct diff_row *rows;
	u32 nr_rows, cap_rows;
	u32 *width;			/* of each key column */
	u32 nr_keys;
	bool full_names;		/* of long functions; keys always have them */
	bool marks;			/* differences that may be chance are marked */
};

/* Add to a row; @key: @len bytes with the 0 of the last column */
static void add(struct diff *d, const char *key, size_t len, u32 run, u64 value)
{
	u64 *at = hash_insert(&d->found, hash_bytes(key, len), len, NULL);
	struct diff_row *row;

	if (!*at) {
		GROW(d->rows, d->nr_rows, d->cap_rows);
		row = &d->rows[d->nr_rows++];
		row->key = memcpy(arena_alloc(&d->texts, len), key, len);
		row->value = arena_alloc(&d->texts, d->nr * sizeof(*row->value));
		memset(row->value, 0, d->nr * sizeof(*row->value));
		*at = d->nr_rows;
	}
	d->rows[*at - 1].value[run] += value;
}

static bool is_key(const struct hist_column *col)
{
	return col->key && !col->hidden;
}

/* Rows of another recording have the columns of @r's. Return: 0, or -1 after diag_error() */
static int check_columns(const struct report_run *r, const struct report_run *other)
{
	const struct hist_columns *a = &r->cols, *b = &other->cols;
	u32 i = 0, k = 0;

	for (;; i++, k++) {
		while (i < a->nr && !is_key(&a->cols[i]))
			i++;
		while (k < b->nr && !is_key(&b->cols[k]))
			k++;
		if (i == a->nr || k == b->nr || strcmp(a->cols[i].name, b->cols[k].name))
			break;
	}
	return i == a->nr && k == b->nr ? 0 :
	       diag_error("--diff: %s has other columns than %s",
			  other->session->reader->path, r->session->reader->path);
}

static void collect_rows(struct diff *d, u32 run, struct hists *h)
{
	enum overhead_kind kind = d->opt->children > 0 ? OV_CHILDREN : OV_SELF;
	const struct hist_columns *cols = &d->runs[run].r->cols;
	_cleanup_outbuf_ struct outbuf o = { 0 };
	u32 i, c;

	hists_sort(h, cols, 1, 0);
	d->runs[run].total = hists_column_total(h, kind);
	d->runs[run].samples = h->filtered.nr;
	for (i = 0; i < h->nr_sorted; i++) {
		const struct hist_row *row = hists_row_at(h, i);

		o.pos = o.base;
		for (c = 0; c < cols->nr; c++) {
			if (!is_key(&cols->cols[c]))
				continue;
			hist_row_text(h, row, &cols->cols[c], &o);
			outbuf_write(&o, "", 1);
		}
		add(d, o.base, outbuf_len(&o), run, hist_row_number(row, 0, kind));
	}
}

/* Lines "function;function COUNT" of all events. Return: 0 or -errno */
static int collect_paths(struct diff *d, u32 run)
{
	const struct report_run *r = d->runs[run].r;
	int fd = memfd_create("folded", MFD_CLOEXEC), err;
	_cleanup_free_ char *line = NULL;
	struct outfile o;
	size_t cap = 0;
	ssize_t len;
	FILE *f;
	u32 i;

	if (fd < 0)
		return -errno;
	outfile_init(&o, fd);
	flame_folded(r->hists, r->session->events->nr, &o);
	err = outfile_deinit(&o);
	f = err ? NULL : fdopen(fd, "r");
	if (!f) {
		close(fd);
		return err ?: -ENOMEM;
	}
	rewind(f);
	while ((len = getline(&line, &cap, f)) > 0) {
		char *count = strrchr(line, ' ');

		if (!count)
			continue;
		*count = '\0';
		d->runs[run].total += strtoull(count + 1, NULL, 10);
		add(d, line, count + 1 - line, run, strtoull(count + 1, NULL, 10));
	}
	fclose(f);
	for (i = 0; i < r->session->events->nr; i++)
		d->runs[run].samples += r->hists[i]->filtered.nr;
	return 0;
}

static double share(const struct diff *d, const struct diff_row *row, u32 run)
{
	return d->runs[run].total ? (double)row->value[run] / d->runs[run].total : 0;
}

/*
 * May two draws from the same program differ so much? The shares of independent samples are
 * distributed binomially (any textbook on statistics: difference of two proportions).
 */
static bool may_be_chance(const struct diff *d, const struct diff_row *row, u32 run)
{
	double p = share(d, row, 0), q = share(d, row, run), of_p, of_q;
	u64 n = d->runs[0].samples, m = d->runs[run].samples;

	of_p = n ? p * (1 - p) / n : 0;
	of_q = m ? q * (1 - q) / m : 0;
	return fabs(q - p) <= DEVIATIONS * sqrt(of_p + of_q);
}

static double order_of(const struct diff *d, const struct diff_row *row)
{
	double p = share(d, row, 0), q = share(d, row, d->opt->diff_order);

	switch (d->opt->compute) {
	case DIFF_RATIO:
		return p ? q / p : 0;
	case DIFF_DELTA:
		return q - p;
	default:
		return fabs(q - p);
	}
}

static int cmp_rows(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;

	if (x->by != y->by)
		return x->by < y->by ? 1 : -1;
	return strcmp(x->key, y->key);
}

static void put_delta(const struct diff *d, const struct diff_row *row, u32 run, struct outbuf *o)
{
	double delta = 100 * (share(d, row, run) - share(d, row, 0));
	char text[32];

	if (d->opt->compute == DIFF_RATIO)
		snprintf(text, sizeof(text), "%.6f", share(d, row, run) / share(d, row, 0));
	else
		snprintf(text, sizeof(text), "%+.2f%%", delta);
	if (d->opt->compute == DIFF_RATIO && !row->value[0])
		text[0] = '\0';
	if (d->opt->stdio.sep) {
		outbuf_printf(o, "%s%s", d->opt->stdio.sep, text);
		return;
	}
	outbuf_printf(o, "  %s%*s%s%s", colour_begin(fabs(delta)), d->nr > 2 ? 11 : 9, text,
		      colour_end(fabs(delta)),
		      !d->marks ? "" : may_be_chance(d, row, run) ? "~" : " ");
}

/* A cell as it is shown: "[.] NAME", or in a call path a list of names, has short names. */
static void put_key(const struct diff *d, const char *text, struct outbuf *o)
{
	_cleanup_free_ char *copy = NULL;
	char *rest, *name;

	if (!d->full_names && d->opt->diff_paths) {
		rest = copy = xstrdup(text);
		while ((name = strsep(&rest, ";"))) {
			short_name_put(o, name, false);
			outbuf_puts(o, rest ? ";" : "");
		}
	} else if (!d->full_names && text[0] == '[' && text[1] &&
		   text[2] == ']' && text[3] == ' ') {
		outbuf_write(o, text, 4);
		short_name_put(o, text + 4, false);
	} else {
		outbuf_puts(o, text);
	}
}

static void put_row(const struct diff *d, const struct diff_row *row, struct outbuf *o)
{
	const char *sep = d->opt->stdio.sep, *text = row->key;
	char base[32] = "";
	size_t from;
	u32 i;

	if (row->value[0])
		snprintf(base, sizeof(base), "%.2f%%", 100 * share(d, row, 0));
	outbuf_printf(o, sep ? "%s" : d->nr > 2 ? "  %10s" : "  %8s", base);
	for (i = 1; i < d->nr; i++)
		put_delta(d, row, i, o);
	for (i = 0; d->opt->total_period && i < d->nr; i++)
		outbuf_printf(o, sep ? "%s%llu" : "%s%14llu", sep ?: "  ", row->value[i]);
	for (i = 0; i < d->nr_keys; i++, text += strlen(text) + 1) {
		outbuf_puts(o, sep ?: "  ");
		from = outbuf_len(o);
		put_key(d, text, o);
		if (!sep && i + 1 < d->nr_keys)
			outbuf_fill(o, ' ', d->width[i] - (outbuf_len(o) - from));
	}
	outbuf_putc(o, '\n');
}

/* A cell of the line of names or, with @dots, of that below it; @width: below 0: left-aligned */
static void put_name(const struct diff *d, const char *before, int width, const char *name,
		     bool dots, struct outbuf *o)
{
	outbuf_puts(o, before);
	if (dots)
		outbuf_fill(o, '.', abs(width));
	else
		outbuf_printf(o, "%*s", d->opt->stdio.sep ? 0 : width, name);
}

static void put_names(const struct diff *d, const struct hist_columns *cols, bool dots,
		      struct outbuf *o)
{
	static const char *const names[] = {
		[DIFF_DELTA_ABS] = "Delta Abs", [DIFF_DELTA] = "Delta", [DIFF_RATIO] = "Ratio",
	};
	const char *sep = d->opt->stdio.sep ?: "  ";
	bool many = d->nr > 2;
	char name[32];
	u32 i, n = 0;

	put_name(d, "# ", many ? 10 : 8, many ? "Baseline/0" : "Baseline", dots, o);
	for (i = 1; i < d->nr; i++) {
		snprintf(name, sizeof(name), many ? "%s/%u" : "%s", names[d->opt->compute], i);
		put_name(d, sep, many ? 11 : 9, name, dots, o);
		outbuf_puts(o, d->marks ? " " : "");
	}
	for (i = 0; d->opt->total_period && i < d->nr; i++) {
		snprintf(name, sizeof(name), !i ? "Base period" : many ? "Period/%u" : "Period", i);
		put_name(d, sep, 14, name, dots, o);
	}
	for (i = 0; cols && i < cols->nr; i++)
		if (is_key(&cols->cols[i]))
			put_name(d, sep, -(int)d->width[n++], cols->cols[i].header, dots, o);
	if (!cols)
		put_name(d, sep, -9, "Call path", dots, o);
	outbuf_putc(o, '\n');
}

/* Columns are as wide as their widest text. */
static void set_widths(struct diff *d)
{
	_cleanup_outbuf_ struct outbuf o = { 0 };
	const char *text;
	u32 i, n;

	for (i = 0; i < d->nr_rows; i++) {
		text = d->rows[i].key;
		for (n = 0; n < d->nr_keys; n++, text += strlen(text) + 1) {
			o.pos = o.base;
			put_key(d, text, &o);
			d->width[n] = max(d->width[n], (u32)outbuf_len(&o));
		}
	}
}

static bool is_shown(const struct diff *d, const struct diff_row *row)
{
	bool any = false;
	u32 i;

	for (i = 0; i < d->nr; i++)
		any |= row->value[i] && 100 * share(d, row, i) >= d->opt->stdio.percent_limit;
	return any && (row->value[0] || !d->opt->baseline_only);
}

static void print_table(struct diff *d, const char *title, const struct hist_columns *cols,
			struct outfile *out)
{
	struct outbuf *o = &out->text;
	u32 i, k, shown = 0, chance = 0;

	set_widths(d);
	if (!d->opt->quiet) {
		outbuf_printf(o, "# %s\n#\n", title);
		for (i = 0; d->nr > 2 && i < d->nr; i++)
			outbuf_printf(o, "%s#  [%u] %s%s\n%s", i ? "" : "# Data files:\n", i,
				      d->runs[i].r->session->reader->path, i ? "" : " (Baseline)",
				      i + 1 < d->nr ? "" : "#\n");
		put_names(d, cols, false, o);
		if (!d->opt->stdio.sep)
			put_names(d, cols, true, o);
		outbuf_puts(o, "#\n");
	}
	for (i = 0; i < d->nr_rows; i++)
		d->rows[i].by = order_of(d, &d->rows[i]);
	if (d->nr_rows)
		qsort(d->rows, d->nr_rows, sizeof(*d->rows), cmp_rows);
	for (i = 0; i < d->nr_rows && !outfile_drain(out); i++) {
		if (!is_shown(d, &d->rows[i]))
			continue;
		put_row(d, &d->rows[i], o);
		for (k = 1; k < d->nr; k++, shown++)
			chance += may_be_chance(d, &d->rows[i], k);
	}
	if (d->opt->quiet)
		return;
	outbuf_printf(o, "#\n# %s%u of %u differences may be chance:", d->marks ? "~ " : "", chance, shown);
	for (i = 0; i < d->nr; i++)
		outbuf_printf(o, "%s%llu", i ? i + 1 < d->nr ? ", " : " and " : " ",
			      d->runs[i].samples);
	outbuf_puts(o, " samples (at 95 %)\n#\n");
}

static void print_folded(const struct diff *d, struct outfile *out)
{
	u32 i, k;

	for (i = 0; i < d->nr_rows && !outfile_drain(out); i++) {
		outbuf_puts(&out->text, d->rows[i].key);
		for (k = 0; k < d->nr; k++)
			outbuf_printf(&out->text, " %llu", d->rows[i].value[k]);
		outbuf_putc(&out->text, '\n');
	}
}

/* The next event begins. */
static void forget(struct diff *d)
{
	u32 i;

	arena_deinit(&d->texts);
	hash_deinit(&d->found);
	d->nr_rows = 0;
	for (i = 0; i < d->nr; i++)
		d->runs[i].total = d->runs[i].samples = 0;
}

/* The histogram of an event with this name; if both recordings have one event, of that. */
static struct hists *same_event(const struct report_run *r, const struct hists *h, u32 nr_events)
{
	u32 i;

	for (i = 0; i < r->session->events->nr; i++)
		if (!strcmp(hists_event_name(r->hists[i]), hists_event_name(h)))
			return r->hists[i];
	return nr_events == 1 && r->session->events->nr == 1 ? r->hists[0] : NULL;
}

static int compare_events(struct diff *d, struct outfile *out)
{
	const struct report_run *first = d->runs[1].r;
	u32 nr_events = first->session->events->nr, i, k;

	for (k = 0; k < d->nr; k++)
		if (check_columns(first, d->runs[k].r))
			return -1;
	d->width = xcalloc(first->cols.nr, sizeof(*d->width));
	for (i = 0; i < first->cols.nr; i++)
		if (is_key(&first->cols.cols[i]))
			d->width[d->nr_keys++] = strlen(first->cols.cols[i].header);
	for (i = 0; i < nr_events; i++) {
		struct hists *h = first->hists[i], *of;
		_cleanup_outbuf_ struct outbuf title = { 0 };

		if (!h->filtered.nr)
			continue;
		forget(d);
		outbuf_printf(&title, "Event '%s'", hists_event_name(h));
		for (k = 0; k < d->nr; k++) {
			of = same_event(d->runs[k].r, h, nr_events);
			if (of)
				collect_rows(d, k, of);
			else
				outbuf_printf(&title, "\n# %s has no such event",
					      d->runs[k].r->session->reader->path);
		}
		print_table(d, outbuf_text(&title), &first->cols, out);
	}
	return 0;
}

static int compare_paths(struct diff *d, struct outfile *out)
{
	u32 k;
	int err;

	d->nr_keys = 1;
	d->width = xcalloc(1, sizeof(*d->width));
	for (k = 0; k < d->nr; k++) {
		err = collect_paths(d, k);
		if (err)
			return diag_error("--diff: call paths cannot be compared: %s", strerror(-err));
	}
	if (d->opt->diff_paths)
		print_table(d, "Call paths", NULL, out);
	else
		print_folded(d, out);
	return 0;
}

int report_diff(struct report_run *r, struct outfile *out)
{
	const struct report_options *o = r->opt;
	struct diff d = { .opt = o, .nr = 2 + o->nr_more, .marks = ui_colour && !o->stdio.sep };
	bool counted = true;
	int status = 1;
	u32 i;

	d.full_names = r->hist.full_names;
	r->hist.full_names = true;
	for (i = 0; i < r->session->events->nr; i++)
		hists_set_full_names(r->hists[i], true);
	if (o->diff_order < 1 || (u32)o->diff_order >= d.nr)
		return diag_error("--order: %d is not a recording from 1 to %u", o->diff_order, d.nr - 1), 1;
	d.runs = xcalloc(d.nr, sizeof(*d.runs));
	d.runs[1].r = r;
	for (i = 0; i < d.nr && counted; i++) {
		if (i != 1)
			d.runs[i].r = report_count_other(r, i ? o->more[i - 2] : NULL);
		counted = d.runs[i].r;
	}
	if (counted)
		status = (o->folded ? compare_paths(&d, out) : compare_events(&d, out)) ? 1 : 0;
	for (i = 0; i < d.nr; i++)
		if (i != 1 && d.runs[i].r)
			report_free_other(d.runs[i].r);
	forget(&d);
	free(d.rows);
	free(d.width);
	free(d.runs);
	return status;
}
