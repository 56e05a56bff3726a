// SPDX-License-Identifier: GPL-2.0
/*
 * The times of samples, by thread or CPU, for the browser.
 *
 * It is given a report with its filter set up, and walks the session once, on one thread; perf top
 * passes it the samples one at a time.
 */
#include <stdio.h>

#include "base/diag.h"
#include "base/hash.h"
#include "base/sort.h"
#include "cmd/report/report.h"
#include "tui/tui.h"

void times_count_begin(struct times_count *c, struct session *s, bool cpus, u64 first, u64 last)
{
	*c = (struct times_count){ .session = s, .cpus = cpus, .span = last - first + 1 };
	c->t.first = first;
	c->t.last = last;
	c->t.slices = TUI_TIME_BUCKETS;
}

static struct tui_time_row *row_of(struct times_count *c, const struct sample *s, const char *comm)
{
	struct tui_times *t = &c->t;
	struct tui_time_row *row;
	char name[64];
	bool added;
	u64 id = c->cpus ? s->cpu : s->tid, *i = hash_insert(&c->rows, id, 0, &added);

	if (!added)
		return &t->rows[*i];
	*i = t->nr_rows;
	GROW(t->rows, t->nr_rows, c->cap);
	row = &t->rows[t->nr_rows++];
	if (c->cpus)
		snprintf(name, sizeof(name), "CPU %d", (int)s->cpu);
	else
		snprintf(name, sizeof(name), "%.30s %d", comm, (int)s->tid);
	*row = (struct tui_time_row){ .name = xstrdup(name), .id = id };
	row->buckets = xcalloc(TUI_TIME_BUCKETS, sizeof(*row->buckets));
	return row;
}

int times_count_sample(void *ctx, const struct visit *v)
{
	const struct sample *s = v->sample;
	struct times_count *c = ctx;
	u64 at = s->time - c->t.first;
	struct tui_time_row *row;

	if (!v->passes)
		return 0;
	if (at >= c->span) {
		c->beyond |= s->time > c->t.first;
		return 0;
	}
	row = row_of(c, s, thread_comm(c->session->timeline, v->thread, v->chain->time));
	/* (The quotient may round to 1.) */
	row->buckets[min((u32)((double)at / c->span * TUI_TIME_BUCKETS), TUI_TIME_BUCKETS - 1u)]++;
	row->total++;
	return 0;
}

static bool row_before(const struct tui_time_row *a, const struct tui_time_row *b)
{
	return a->total != b->total ? a->total > b->total : strcmp(a->name, b->name) < 0;
}
DEFINE_HEAP_SORT(sort_rows, struct tui_time_row, row_before)

void times_count_sort(struct times_count *c)
{
	u32 i;

	sort_rows(c->t.rows, c->t.nr_rows);
	for (i = 0; i < c->t.nr_rows; i++)
		*hash_insert(&c->rows, c->t.rows[i].id, 0, NULL) = i;
}

bool report_times(const struct report_run *r, bool cpus, struct tui_times *t)
{
	const struct session_ops ops = { .sample = times_count_sample, .filter = &r->filter };
	struct session *s = r->session;
	u64 first = s->first_time, last = s->last_time;
	struct times_count c;

	if (!s->has_time || first > last) {
		diag_error("%s does not say when samples were taken", s->reader->path);
		return false;
	}
	if (cpus && !(s->events->sample_type & PERF_SAMPLE_CPU)) {
		diag_error("%s does not say on which CPU samples were taken", s->reader->path);
		return false;
	}
	if (r->filter.times.nr) {
		first = max(first, r->filter.times.spans[0].from);
		last = min(last, r->filter.times.spans[r->filter.times.nr - 1].to);
	}
	times_count_begin(&c, s, cpus, first, max(first, last));
	session_run(s, &ops, &c);
	times_count_sort(&c);
	hash_deinit(&c.rows);
	*t = c.t;
	return true;
}

void report_times_deinit(struct tui_times *t)
{
	u32 i;

	for (i = 0; i < t->nr_rows; i++) {
		free(t->rows[i].name);
		free(t->rows[i].buckets);
	}
	free(t->rows);
	memset(t, 0, sizeof(*t));
}
