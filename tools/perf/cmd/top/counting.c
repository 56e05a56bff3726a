// SPDX-License-Identifier: GPL-2.0
/*
 * Sums over the samples of the window. It is given the options and the window. It owns the session
 * that is fed their records, and its report, whose histograms decay and are sorted at each
 * refresh.
 *
 * A sample is counted after the following round has ended: its mapping's record may be in another
 * CPU's buffer, which is read later.
 */
#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/top/counting.h"
#include "session/offcpu.h"

/* Fraction of the counts that remains at each refresh, as in mainline: 7/8. */
#define DECAY_NUM	7
#define DECAY_DEN	8
/* After this many refreshes a sample's weight is negligible: it is not recounted. */
#define DECAY_LAST	40
/* Allowed memory per byte of the window's records, with stacks, frames and tasks. */
#define BYTES_PER_BYTE	5
#define MAX_REFRESHES	1024

static struct perf_event_header *record_at(const struct window_segment *s, size_t at)
{
	return (struct perf_event_header *)(s->records.base + at);
}

static bool is_kernel(u8 cpumode)
{
	return cpumode == PERF_RECORD_MISC_KERNEL || cpumode == PERF_RECORD_MISC_GUEST_KERNEL;
}

static int on_sample(void *ctx, const struct visit *v)
{
	struct top_sums *sums = ctx;
	struct top_count *c = sums->of;
	bool kernel = is_kernel(v->sample->cpumode);

	if (!v->counts)
		return 0;
	if (sums == &c->rows) {
		c->rate_samples++;
		c->rate_kernel += kernel;
	}
	if (kernel ? !c->hide_kernel : !c->hide_user)
		hists_collect(sums->run.hists[v->sample->event->idx], v);
	return 0;
}

/* Fit the options. The session needs its timeline. */
static int sums_begin(struct top_sums *s)
{
	if (!s->opt)
		return 0;
	s->run = report_run_of(s->opt, s->of->session);
	if (report_fit(&s->run))
		return -1;
	s->ops = (struct session_ops){ .sample = on_sample, .filter = &s->run.filter, .keep_threads = true };
	s->walker = session_walker_create(s->of->session, &s->ops, s);
	return 0;
}

static void sums_end(struct top_sums *s)
{
	if (!s->opt)
		return;
	session_walker_destroy(s->walker);
	s->walker = NULL;
	report_unmake(&s->run);
}

static void session_begin(struct top_count *c)
{
	c->session = session_fed(reader_events(c->window->reader), &c->opts->shown.cfg.symbols);
	c->session->reader = c->window->reader;
	c->session->features = reader_features(c->window->reader);
}

static void session_end(struct top_count *c)
{
	c->session->reader = NULL;	/* owned by the window */
	session_close(c->session);
}

int counting_init(struct top_count *c, const struct top_options *o, struct window *w)
{
	*c = (struct top_count){
		.opts = o, .window = w, .zero = o->zero, .hide_kernel = o->hide_kernel, .hide_user = o->hide_user,
	};
	c->rows = (struct top_sums){ .of = c, .opt = &o->shown };
	c->stacks.of = c;
	session_begin(c);
	waits_init(&c->waits, reader_events(w->reader));
	return sums_begin(&c->rows);
}

void counting_deinit(struct top_count *c)
{
	sums_end(&c->rows);
	sums_end(&c->stacks);
	session_end(c);
	waits_deinit(&c->waits);
}

static void decay(const struct top_sums *s, u32 num, u32 den)
{
	u32 i;

	for (i = 0; s->opt && i < s->of->session->events->nr; i++)
		hists_decay(s->run.hists[i], num, den);
}

static bool finish(const struct top_sums *s)
{
	bool any = false;
	u32 i;

	for (i = 0; s->opt && i < s->of->session->events->nr; i++) {
		hists_finish(s->run.hists[i]);
		any |= hists_any_row(s->run.hists[i]);
	}
	return any;
}

/* Feed the side-band records of a segment, and find its rounds. */
static void feed(struct top_count *c, struct window_segment *s)
{
	size_t len = outbuf_len(&s->records), at;

	for (at = 0; at < len; at += record_at(s, at)->size) {
		const struct perf_event_header *h = record_at(s, at);

		if (h->type < REC_HEADER_ATTR && h->type != PERF_RECORD_SAMPLE)
			session_feed(c->session, h);
		if (h->type != REC_FINISHED_ROUND)
			continue;
		c->round = c->last_round;
		c->last_round = (struct window_place){ s, at };
	}
	c->counted_bytes += len;
}

static void feed_before(struct top_count *c)
{
	const struct outbuf *o = &c->window->before.records;
	const char *p;

	for (p = o->base; p < o->pos; p += ((const struct perf_event_header *)p)->size)
		session_feed(c->session, (const struct perf_event_header *)p);
	c->counted_bytes += outbuf_len(o);
}

/* Callback for a kernel record. */
typedef void record_fn(struct top_count *c, const struct window_segment *s, struct perf_event_header *h);

static void note_time(struct top_count *c, const struct window_segment *s __unused, struct perf_event_header *h)
{
	u64 time = record_time(c->session->events, h);

	if (time != (u64)-1)
		c->newest = max(c->newest, time);
}

static void walk(const struct top_sums *s, const struct perf_event_header *h)
{
	if (s->opt)
		session_walk(s->walker, h);
}

static void count_sample(void *ctx, const struct perf_event_header *h)
{
	struct top_count *c = ctx;

	walk(&c->rows, h);
	walk(&c->stacks, h);
}

static void count(struct top_count *c, const struct window_segment *s, struct perf_event_header *h)
{
	if (!waits_note(&c->waits, c->session->events, h, s->refresh) && h->type == PERF_RECORD_SAMPLE)
		count_sample(c, h);
}

static bool has_no_period(const struct top_count *c, const struct perf_event_header *h)
{
	const struct event *ev = c->waits.used ? event_list_find(c->session->events, h) : NULL;

	return ev && offcpu_event(ev) && !waits_ended(c->session->events, h);
}

/* Call @fn for each record from c->walked to c->round. */
static void each_new(struct top_count *c, record_fn *fn)
{
	struct window_segment *s = c->walked.segment ?: c->window->first, *last = c->round.segment;
	size_t at = c->walked.segment ? c->walked.at : 0, end;

	for (; s && last; s = s->next, at = 0) {
		end = s == last ? c->round.at : outbuf_len(&s->records);
		for (; at < end; at += record_at(s, at)->size)
			if (record_at(s, at)->type < REC_HEADER_ATTR)
				fn(c, s, record_at(s, at));
		if (s == last)
			return;
	}
}

/* Mark the segments before c->walked: they are only needed for recounts. */
static void set_walked(struct top_count *c)
{
	struct window_segment *s;

	c->walked = c->round;
	for (s = c->window->first; c->walked.segment && s != c->walked.segment; s = s->next)
		s->walked = true;
}

/* Recount the samples of a segment. */
static void count_segment(const struct top_sums *sums, const struct window_segment *s, size_t end)
{
	size_t at;

	for (at = 0; at < end; at += record_at(s, at)->size)
		if (record_at(s, at)->type == PERF_RECORD_SAMPLE && !has_no_period(sums->of, record_at(s, at)))
			walk(sums, record_at(s, at));
}

/* Recount each sample of the window with its current weight. */
static void count_window(struct top_sums *sums)
{
	struct top_count *c = sums->of;
	bool decays = !c->opts->add_up && !c->zero;
	struct window_segment *s;
	u64 at = 0;

	for (s = c->window->first; s && c->walked.segment; s = s->next) {
		bool last = s == c->walked.segment;

		for (; at && at < s->refresh && decays; at++)
			decay(sums, DECAY_NUM, DECAY_DEN);
		at = s->refresh;
		if (c->zero ? at == c->refresh : !decays || at + DECAY_LAST > c->refresh)
			count_segment(sums, s, last ? c->walked.at : outbuf_len(&s->records));
		if (last)
			break;
	}
	for (; at && at < c->refresh && decays; at++)
		decay(sums, DECAY_NUM, DECAY_DEN);
}

static void sums_again(struct top_sums *s)
{
	/* The fit cannot fail: it succeeded before for the same recording. */
	if (!sums_begin(s))
		count_window(s);
}

/* Resident memory of this process, in bytes. */
static u64 resident_bytes(void)
{
	u64 pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%*u %llu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

/* Drop tasks but keep the symbols of files, unless memory has doubled: then drop files too. */
static void forget_tasks(struct top_count *c)
{
	u64 bytes = resident_bytes();

	if (!c->least_bytes)
		c->least_bytes = bytes;
	if (bytes <= max(2 * c->least_bytes, c->opts->max_memory)) {
		session_feed_forget(c->session);
		return;
	}
	session_end(c);
	malloc_trim(0);
	session_begin(c);
	c->least_bytes = 0;
}

/* Drop everything and rebuild it from the window. */
static void start_anew(struct top_count *c)
{
	u64 samples = c->rate_samples, kernel = c->rate_kernel;
	struct window_segment *s;

	sums_end(&c->rows);
	sums_end(&c->stacks);
	forget_tasks(c);
	c->counted_bytes = 0;
	feed_before(c);
	for (s = c->window->first; s; s = s->next)
		feed(c, s);
	session_feed_seal(c->session, c->newest);
	sums_again(&c->rows);
	sums_again(&c->stacks);
	c->rate_samples = samples;
	c->rate_kernel = kernel;
}

bool counting_again(struct top_count *c)
{
	start_anew(c);
	finish(&c->stacks);
	return finish(&c->rows);
}

int counting_stacks(struct top_count *c, const struct report_options *o)
{
	sums_end(&c->stacks);
	c->stacks.opt = o;
	if (sums_begin(&c->stacks))
		return -1;
	if (o) {
		count_window(&c->stacks);
		finish(&c->stacks);
	}
	return 0;
}

bool counting_refresh(struct top_count *c, bool all)
{
	u64 most = c->opts->max_memory / BYTES_PER_BYTE;
	u32 num = c->zero ? 0 : c->opts->add_up ? 1 : DECAY_NUM;
	u32 den = c->zero || c->opts->add_up ? 1 : DECAY_DEN;
	struct window_segment *s;

	c->refresh++;
	for (s = window_take(c->window); s; s = s->next) {
		s->refresh = c->refresh;
		feed(c, s);
	}
	if (all && c->window->last)
		c->round = (struct window_place){ c->window->last, outbuf_len(&c->window->last->records) };
	/* No older records follow. */
	each_new(c, note_time);
	session_feed_seal(c->session, c->newest);
	c->rate_samples = c->rate_kernel = 0;
	decay(&c->rows, num, den);
	decay(&c->stacks, num, den);
	each_new(c, count);
	waits_end(&c->waits, c->session->events, count_sample, c);
	set_walked(c);
	window_trim(c->window, most);
	if (c->window->first)
		waits_forget(&c->waits, c->window->first->refresh);
	if (c->counted_bytes > 2 * most + outbuf_len(&c->window->before.records) || c->refresh % MAX_REFRESHES == 0)
		start_anew(c);
	finish(&c->stacks);
	return finish(&c->rows);
}
