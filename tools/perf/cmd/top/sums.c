// SPDX-License-Identifier: GPL-2.0
/*
 * Counts of four kinds, each a consumer of samples with a walker of its own. Rows and stacks are
 * histograms of perf report; annotate/ counts the addresses of a function, report's times.c samples
 * over time. struct top_sums owns the counts; counting.c calls it for the samples of the window.
 */
#include "base/error.h"
#include "cmd/top/top.h"

/* A time line is recounted when the samples have reached its end: after a quarter of its time. */
#define TIMES_AHEAD	4
#define TIMES_LEAST_NS	1000000000ULL

static bool is_kernel(u8 cpumode)
{
	return cpumode == PERF_RECORD_MISC_KERNEL || cpumode == PERF_RECORD_MISC_GUEST_KERNEL;
}

static int on_sample(void *ctx, const struct visit *v)
{
	struct top_sums *s = ctx;
	struct top_count *c = s->of;
	bool kernel = is_kernel(v->sample->cpumode);

	if (!v->counts)
		return 0;
	if (s->kind == SUMS_ROWS) {
		c->rate_samples++;
		c->rate_kernel += kernel;
	}
	if (kernel ? c->hide_kernel : c->hide_user)
		return 0;
	if (s->kind == SUMS_CODE)
		annotate_sample(&s->code, v);
	else if (s->kind == SUMS_TIMES)
		times_count_sample(&s->times, v);
	else
		hists_collect(s->run.hists[v->sample->event->idx], v);
	return 0;
}

static void times_begin(struct top_sums *s)
{
	u64 first = s->of->oldest, last = max(s->of->newest, first + TIMES_LEAST_NS);

	times_count_begin(&s->times, s->of->session, s->times.cpus, first, last + (last - first) / TIMES_AHEAD);
}

int sums_begin(struct top_sums *s)
{
	bool hists = s->kind == SUMS_ROWS || s->kind == SUMS_STACKS;

	if (!s->opt)
		return 0;
	s->run = report_run_of(s->opt, s->of->session);
	if (hists ? report_fit(&s->run) : error_report(filter_setup(&s->run.filter, s->of->session)))
		return -1;
	if (s->kind == SUMS_CODE) {
		s->code_opt.filter = &s->run.filter;
		annotate_begin(&s->code, s->of->session, &s->code_opt);
	} else if (s->kind == SUMS_TIMES) {
		times_begin(s);
	}
	s->ops = (struct session_ops){ .sample = on_sample, .filter = &s->run.filter, .keep_threads = true };
	s->walker = session_walker_create(s->of->session, &s->ops, s);
	return 0;
}

void sums_end(struct top_sums *s)
{
	if (!s->opt)
		return;
	if (s->walker)
		session_walker_destroy(s->walker);
	s->walker = NULL;
	annotate_deinit(&s->code);
	hash_deinit(&s->times.rows);
	report_times_deinit(&s->times.t);
	report_unmake(&s->run);
}

void sums_add(const struct top_sums *s, const struct perf_event_header *h)
{
	if (s->walker)
		session_walk(s->walker, h);
}

bool sums_decays(const struct top_sums *s)
{
	return s->kind != SUMS_TIMES;
}

void sums_decay(struct top_sums *s, u32 num, u32 den)
{
	u32 i;

	if (!s->walker || !sums_decays(s))
		return;
	if (s->kind == SUMS_CODE)
		annotate_decay(&s->code, num, den);
	for (i = 0; s->run.hists && i < s->of->session->events->nr; i++)
		hists_decay(s->run.hists[i], num, den);
}

/* The slices up to the newest record. */
static void times_finish(struct top_sums *s)
{
	struct times_count *t = &s->times;
	u64 past = max(s->of->newest, t->t.first) - t->t.first;

	times_count_sort(t);
	t->t.slices = min((u32)((double)past / t->span * TUI_TIME_BUCKETS) + 1, (u32)TUI_TIME_BUCKETS);
	t->t.last = t->t.first + to_u64((double)t->span * t->t.slices / TUI_TIME_BUCKETS) - 1;
}

bool sums_finish(struct top_sums *s)
{
	bool any = false;
	u32 i;

	if (!s->walker)
		return false;
	if (s->kind == SUMS_CODE)
		annotate_sort(&s->code);
	else if (s->kind == SUMS_TIMES)
		times_finish(s);
	for (i = 0; s->run.hists && i < s->of->session->events->nr; i++) {
		hists_finish(s->run.hists[i]);
		any |= hists_any_row(s->run.hists[i]);
	}
	return any;
}
