// SPDX-License-Identifier: GPL-2.0
/*
 * The times of samples, by thread or CPU, for the browser.
 *
 * It is given a report with its filter set up, and walks the session once, on one thread.
 */
#include <stdio.h>

#include "base/diag.h"
#include "base/hash.h"
#include "base/sort.h"
#include "cmd/report/report.h"
#include "tui/tui.h"

struct counting {
	const struct report_run *r;
	struct tui_times *t;
	struct hash rows;		/* thread or CPU -> row */
	u32 cap;
	bool cpus;
};

static struct tui_time_row *row_of(struct counting *c, const struct sample *s, const char *comm)
{
	struct tui_times *t = c->t;
	struct tui_time_row *row;
	char name[64];
	bool added;
	u64 *i = hash_insert(&c->rows, c->cpus ? s->cpu : s->tid, 0, &added);

	if (!added)
		return &t->rows[*i];
	*i = t->nr_rows;
	GROW(t->rows, t->nr_rows, c->cap);
	row = &t->rows[t->nr_rows++];
	if (c->cpus)
		snprintf(name, sizeof(name), "CPU %d", (int)s->cpu);
	else
		snprintf(name, sizeof(name), "%.30s %d", comm, (int)s->tid);
	*row = (struct tui_time_row){ .name = xstrdup(name) };
	row->buckets = xcalloc(TUI_TIME_BUCKETS, sizeof(*row->buckets));
	return row;
}

static int take_sample(void *ctx, const struct visit *v)
{
	const struct sample *s = v->sample;
	struct counting *c = ctx;
	const struct report_run *r = c->r;
	const char *comm = thread_comm(r->session->timeline, v->thread, v->chain->time);
	u64 span = c->t->last - c->t->first + 1, at = s->time - c->t->first;
	struct tui_time_row *row;

	if (!v->passes || at >= span)
		return 0;
	row = row_of(c, s, comm);
	row->buckets[(u32)((double)at / span * TUI_TIME_BUCKETS)]++;
	row->total++;
	return 0;
}

static bool row_before(const struct tui_time_row *a, const struct tui_time_row *b)
{
	return a->total != b->total ? a->total > b->total : strcmp(a->name, b->name) < 0;
}
DEFINE_HEAP_SORT(sort_rows, struct tui_time_row, row_before)

bool report_times(const struct report_run *r, bool cpus, struct tui_times *t)
{
	const struct session_ops ops = { .sample = take_sample, .filter = &r->filter };
	struct session *s = r->session;
	struct counting c = { .r = r, .t = t, .cpus = cpus };

	memset(t, 0, sizeof(*t));
	if (!s->has_time || s->first_time > s->last_time) {
		diag_error("%s does not say when samples were taken", reader_path(s->reader));
		return false;
	}
	if (cpus && !(s->events->sample_type & PERF_SAMPLE_CPU)) {
		diag_error("%s does not say on which CPU samples were taken", reader_path(s->reader));
		return false;
	}
	t->first = s->first_time;
	t->last = s->last_time;
	if (r->filter.times.nr) {
		t->first = max(t->first, r->filter.times.spans[0].from);
		t->last = min(t->last, r->filter.times.spans[r->filter.times.nr - 1].to);
	}
	if (t->first > t->last)
		t->last = t->first;
	session_run(s, &ops, &c);
	sort_rows(t->rows, t->nr_rows);
	hash_deinit(&c.rows);
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
