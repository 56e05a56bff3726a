// SPDX-License-Identifier: GPL-2.0
/*
 * stdio.c - a histogram as a table
 *
 * Calls go one way: stdio --> hierarchy --> chain, stdio_cell.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/terminal.h"
#include "render/colour.h"
#include "render/stdio.h"

static void put_numbers(const struct stdio_view *v, const struct hist_column *col,
			const struct hist_row *row, struct outbuf *o)
{
	u32 pad = v->opt->sep ? 0 : col->width / v->nr - overhead_defs[col->overhead].width, m;

	for (m = 0; m < v->nr; m++) {
		outbuf_printf(o, "%*s", (int)pad, "");
		stdio_number(v, col, m, hist_row_number(row, m, col->overhead), o);
	}
}

/* Replace the separator in a value. */
static void replace_sep(struct outbuf *o, size_t from, const char *sep)
{
	char *p = o->base + from;

	for (; p < o->pos; p++)
		if (*p && strchr(sep, *p))
			*p = '.';
}

/* -w cuts names only: a column of numbers is at least as wide as they are. */
static void set_widths(struct stdio_view *v)
{
	const char *w = v->opt->widths;
	u32 i;

	for (i = 0; i < v->cols->nr; i++) {
		struct hist_column *col = &v->cols->cols[i];
		char *end;
		u32 width = 0;

		if (col->hidden)
			continue;
		if (w && *w) {
			width = min(strtoul(w, &end, 10), (unsigned long)STDIO_TEXT_MAX);
			w = *end == ',' ? end + 1 : end + strlen(end);
		}
		col->cut |= width && col->is_name;
		if (!col->key)
			col->width = max(width * v->nr, stdio_number_width(v, col));
		else if (width && col->is_name)
			col->width = width;
		else
			col->width = max(width, stdio_key_width(v, col));
	}
}

static void put_headers(struct stdio_view *v)
{
	_cleanup_outbuf_ struct outbuf line = { 0 };
	struct outbuf *o = &line;
	bool first = true;
	u32 i;

	if (v->opt->no_comments)
		return;
	outbuf_puts(o, "# ");
	for (i = 0; i < v->cols->nr; i++) {
		const struct hist_column *col = &v->cols->cols[i];
		const char *name = stdio_header(v, col);

		if (col->hidden)
			continue;
		if (!first)
			outbuf_puts(o, v->opt->sep ? v->opt->sep : "  ");
		first = false;
		if (v->opt->sep)
			outbuf_puts(o, name + strspn(name, " "));
		else
			outbuf_printf(o, !col->key || col->right ? "%*.*s" : "%-*.*s",
				      (int)min(col->width, STDIO_TEXT_MAX), (int)col->width, name);
	}
	stdio_put_line(v, o, &v->out->text);
	if (v->opt->sep)
		return;
	o->pos = o->base;
	outbuf_puts(o, "# ");
	for (i = 0, first = true; i < v->cols->nr; i++) {
		if (v->cols->cols[i].hidden)
			continue;
		if (!first)
			outbuf_puts(o, "  ");
		first = false;
		outbuf_fill(o, '.', v->cols->cols[i].width);
	}
	stdio_put_line(v, o, &v->out->text);
	outbuf_puts(&v->out->text, "#\n");
}

static u32 last_column(const struct hist_columns *cols)
{
	u32 i = cols->nr;

	while (i > 0 && cols->cols[i - 1].hidden)
		i--;
	return i - 1;
}

/* @text, @o: work space: the current column, and the columns so far */
static void put_row(const struct stdio_view *v, const struct hist_row *row, struct outbuf *text,
		    struct outbuf *o, struct outbuf *out)
{
	u32 i, last = last_column(v->cols), width, columns;
	const char *sep = v->opt->sep;
	bool first = true;
	size_t from;

	o->pos = o->base;
	for (i = 0; i < v->cols->nr; i++) {
		const struct hist_column *col = &v->cols->cols[i];

		if (col->hidden)
			continue;
		text->pos = text->base;
		if (col->key)
			hist_row_text(v->members[0], row, col, text);
		else
			put_numbers(v, col, row, text);
		if (!sep)
			outbuf_puts(o, "  ");
		else if (!first)
			outbuf_puts(o, sep);
		first = false;
		from = 0;
		if (sep && col->key) {
			from = strspn(outbuf_text(text), " ");
			replace_sep(text, from, sep);
		}
		width = outbuf_len(text) - from;
		if (!sep && col->cut)
			width = min(width, col->width);
		columns = width;
		if (ui_colour && !col->key)
			terminal_fit(text->base, width, 0, &columns);
		if (!sep && columns < col->width && (!col->key || col->right))
			outbuf_printf(o, "%*s", (int)(col->width - columns), "");
		outbuf_write(o, text->base + from, width);
		if (!sep && col->key && !col->right && columns < col->width &&
		    (i != last || !col->ragged))
			outbuf_printf(o, "%*s", (int)(col->width - columns), "");
	}
	stdio_put_line(v, o, out);
}

static void put_title(struct stdio_view *v)
{
	struct outbuf *o = &v->out->text;
	u64 samples = 0, period = 0;
	u32 m;

	if (v->opt->no_comments)
		return;
	for (m = 0; m < v->nr; m++) {
		const struct hists *h = v->members[m];

		samples += hists_config(h)->relative ? h->filtered.nr : h->total.nr;
		period += hists_total(h);
	}
	stdio_title(v->title, samples, v->opt->weights ? "Total weight " : "Event count (approx.)", period, o);
	if (v->opt->sort)
		outbuf_printf(o, "# Sort order   : %s\n", v->opt->sort);
	if (v->opt->socket >= 0)
		outbuf_printf(o, "# Processor Socket: %d\n", v->opt->socket);
	outbuf_puts(o, "#\n");
}

/*
 * Rows with call graphs are formatted by several threads, each block of rows into its own buffer.
 * The buffers are written in the order of the rows, so the text does not depend on the number of
 * threads.
 */
#define ROWS_AT_A_TIME	4U
#define NR_BLOCKS	256U

struct rows_job {
	const struct stdio_view *v;
	const struct hist_row **rows;
	u32 nr_rows, nr_blocks;
	struct outbuf blocks[NR_BLOCKS];
	u32 next;		/* block, taken with atomic add */
};

static void *put_blocks(void *arg)
{
	struct rows_job *job = arg;
	const struct stdio_view *v = job->v;
	const struct hists *h = v->members[0];
	_cleanup_outbuf_ struct outbuf text = { 0 }, line = { 0 };
	u32 b, i;

	while ((b = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED)) < job->nr_blocks) {
		struct outbuf *o = &job->blocks[b];

		for (i = b * ROWS_AT_A_TIME; i < min((b + 1) * ROWS_AT_A_TIME, job->nr_rows); i++) {
			put_row(v, job->rows[i], &text, &line, o);
			if (hists_config(h)->use_chains)
				stdio_print_chain(h, job->rows[i], v->opt, o);
		}
	}
	return NULL;
}

/* Up to NR_BLOCKS blocks of rows. */
static void put_round(struct rows_job *job, long cpus)
{
	pthread_t threads[63];
	u32 nr_threads = 0, i;

	job->nr_blocks = (job->nr_rows + ROWS_AT_A_TIME - 1) / ROWS_AT_A_TIME;
	job->next = 0;
	/* This thread formats rows, too, so it does not matter if others cannot be started. */
	while (nr_threads + 1 < min(min(cpus, (long)job->nr_blocks), 64L) &&
	       !pthread_create(&threads[nr_threads], NULL, put_blocks, job))
		nr_threads++;
	put_blocks(job);
	for (i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
}

static void put_rows(struct stdio_view *v, const struct hist_row **rows, u32 nr)
{
	struct rows_job job = { .v = v };
	/* Rows alone are not worth a thread. */
	long cpus = hists_config(v->members[0])->use_chains ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
	u32 done, i;

	for (done = 0; done < nr; done += job.nr_rows) {
		job.rows = rows + done;
		job.nr_rows = min(nr - done, NR_BLOCKS * ROWS_AT_A_TIME);
		put_round(&job, cpus);
		for (i = 0; i < job.nr_blocks; i++) {
			outbuf_append(&v->out->text, &job.blocks[i]);
			outfile_drain(v->out);
			job.blocks[i].pos = job.blocks[i].base;
		}
	}
	for (i = 0; i < NR_BLOCKS; i++)
		outbuf_deinit(&job.blocks[i]);
}

static void put_shown_rows(struct stdio_view *v)
{
	const struct hists *h = v->members[0];
	u32 i, nr = 0, nr_rows = h->nr_sorted;
	const struct hist_row **shown = xmalloc(max(nr_rows, 1u) * sizeof(*shown));

	for (i = 0; i < nr_rows; i++) {
		const struct hist_row *row = hists_row_at(h, i);

		if (v->opt->max_rows && nr == v->opt->max_rows)
			break;
		if (stdio_shows(v, row))
			shown[nr++] = row;
	}
	put_rows(v, shown, nr);
	free(shown);
}

void stdio_hide_foreign_fields(struct stdio_view *v)
{
	u32 i, m;

	for (i = 0; i < v->cols->nr; i++) {
		struct hist_column *col = &v->cols->cols[i];

		if (!col->event)
			continue;
		col->hidden = true;
		for (m = 0; m < v->nr; m++)
			col->hidden &= v->members[m]->event != col->event;
	}
}

void stdio_print(struct stdio_view *v)
{
	stdio_hide_foreign_fields(v);
	put_title(v);
	if (v->opt->hierarchy) {
		stdio_print_hierarchy(v);
	} else {
		set_widths(v);
		put_headers(v);
		put_shown_rows(v);
	}
	outbuf_puts(&v->out->text, "\n\n");
}
