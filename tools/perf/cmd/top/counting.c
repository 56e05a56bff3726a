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

#include "base/arena.h"
#include "cmd/top/top.h"
#include "event/records.h"
#include "event/sample.h"
#include "session/offcpu.h"

/* Fraction of the counts that remains at each refresh, as in mainline: 7/8. */
#define DECAY_NUM	7
#define DECAY_DEN	8
/* After this many refreshes a sample's weight is negligible: it is not recounted. */
#define DECAY_LAST	40
/* Allowed memory per byte of the window's records, with stacks, frames and tasks. */
#define BYTES_PER_BYTE	5
#define MAX_REFRESHES	1024

/*
 * Off-CPU times of threads. Records are added in stream order, which is not time order: the marks
 * of a refresh are sorted by thread and time, after the waits that have not ended. A sample is
 * counted when its wait has ended. Its period is then the wait's time in nanoseconds, written into
 * the record. struct waits owns the lists; the samples belong to the window.
 */

static void waits_init(struct waits *w, const struct event_list *events)
{
	u32 i;

	*w = (struct waits){ 0 };
	for (i = 0; i < events->nr; i++)
		w->used |= offcpu_event(events->events[i]);
}

static void add_mark(struct waits *w, u32 tid, u64 time, struct perf_event_header *sample,
		     u64 refresh)
{
	GROW(w->marks, w->nr, w->cap);
	w->marks[w->nr++] = (struct wait_mark){ time, refresh, sample, tid };
}

/*
 * Look at a record; an off-CPU sample must stay in place until its wait has ended, or until
 * waits_forget(); @refresh: of its segment. Return: it is one, and not to be counted yet.
 */
static bool waits_note(struct waits *w, const struct event_list *events,
		       struct perf_event_header *h, u64 refresh)
{
	bool sample = h->type == PERF_RECORD_SAMPLE;
	const struct event *ev;
	u32 tid;

	if (!w->used || !offcpu_mark(events, h, &tid))
		return false;
	ev = event_list_find(events, h);
	if (sample && (!ev->layout.period || h->size < ev->layout.variable))
		return false;
	add_mark(w, tid, record_time(events, h), sample ? h : NULL, refresh);
	return sample;
}

static u64 *period_of(const struct event_list *events, const struct perf_event_header *sample)
{
	return (u64 *)((char *)sample + event_list_find(events, sample)->layout.period);
}

static bool waits_ended(const struct event_list *events, const struct perf_event_header *sample)
{
	return *period_of(events, sample) != 1;
}

static int compare_marks(const void *a, const void *b)
{
	const struct wait_mark *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

/* @count the samples whose waits have ended, with their periods. */
static void waits_end(struct waits *w, const struct event_list *events,
		      void (*count)(void *ctx, const struct perf_event_header *sample), void *ctx)
{
	size_t i;

	if (!w->used)
		return;
	for (i = 0; i < w->nr_open; i++)
		add_mark(w, w->open[i].tid, w->open[i].time, w->open[i].sample, w->open[i].refresh);
	w->nr_open = 0;
	if (w->nr)
		qsort(w->marks, w->nr, sizeof(*w->marks), compare_marks);
	for (i = 0; i < w->nr; i++) {
		const struct wait_mark *m = &w->marks[i], *next = m + 1;

		if (!m->sample)
			continue;
		if (i + 1 == w->nr || next->tid != m->tid) {
			GROW(w->open, w->nr_open, w->cap_open);
			w->open[w->nr_open++] = *m;
			continue;
		}
		*period_of(events, m->sample) = max(next->time - m->time, 2ULL);
		count(ctx, m->sample);
	}
	w->nr = 0;
}

/* Drop samples of segments before this refresh. */
static void waits_forget(struct waits *w, u64 refresh)
{
	size_t i, left = 0;

	for (i = 0; i < w->nr_open; i++)
		if (w->open[i].refresh >= refresh)
			w->open[left++] = w->open[i];
	w->nr_open = left;
}

static struct perf_event_header *record_at(const struct window_segment *s, size_t at)
{
	return (struct perf_event_header *)(s->records.base + at);
}

static void session_begin(struct top_count *c)
{
	c->session = session_fed(&c->window->reader->events, &c->opts->shown.cfg.symbols);
	c->session->reader = c->window->reader;
	c->session->features = &c->window->reader->features;
}

static void session_end(struct top_count *c)
{
	c->session->reader = NULL;	/* owned by the window */
	session_close(c->session);
}

int counting_init(struct top_count *c, const struct top_options *o, struct window *w)
{
	u32 i;

	*c = (struct top_count){
		.opts = o, .window = w, .zero = o->zero, .hide_kernel = o->hide_kernel, .hide_user = o->hide_user,
		.memory.limit = o->max_memory / 2,
	};
	for (i = 0; i < SUMS_KINDS; i++)
		c->sums[i] = (struct top_sums){ .of = c, .kind = i };
	c->sums[SUMS_ROWS].opt = &o->shown;
	session_begin(c);
	waits_init(&c->waits, &w->reader->events);
	return sums_begin(&c->sums[SUMS_ROWS]);
}

void counting_deinit(struct top_count *c)
{
	u32 i;

	for (i = 0; i < SUMS_KINDS; i++)
		sums_end(&c->sums[i]);
	session_end(c);
	free(c->waits.marks);
	free(c->waits.open);
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

static void count_sample(void *ctx, const struct perf_event_header *h)
{
	struct top_count *c = ctx;
	u32 i;

	for (i = 0; i < SUMS_KINDS; i++)
		sums_add(&c->sums[i], h);
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

static void count_segment(const struct top_sums *sums, const struct window_segment *s, size_t end)
{
	size_t at;

	for (at = 0; at < end; at += record_at(s, at)->size)
		if (record_at(s, at)->type == PERF_RECORD_SAMPLE && !has_no_period(sums->of, record_at(s, at)))
			sums_add(sums, record_at(s, at));
}

/* Recount each sample of the window with its current weight. */
static void count_window(struct top_sums *sums)
{
	struct top_count *c = sums->of;
	bool adds_up = c->opts->add_up || !sums_decays(sums), decays = !adds_up && !c->zero;
	struct window_segment *s;
	u64 at = 0;

	for (s = c->window->first; s && c->walked.segment; s = s->next) {
		bool last = s == c->walked.segment;

		for (; at && at < s->refresh && decays; at++)
			sums_decay(sums, DECAY_NUM, DECAY_DEN);
		at = s->refresh;
		if (adds_up || (c->zero ? at == c->refresh : at + DECAY_LAST > c->refresh))
			count_segment(sums, s, last ? c->walked.at : outbuf_len(&s->records));
		if (last)
			break;
	}
	for (; at && at < c->refresh && decays; at++)
		sums_decay(sums, DECAY_NUM, DECAY_DEN);
}

/* The time of a sample: synthesised records have a time of 0. */
static u64 oldest(const struct top_count *c)
{
	const struct window_segment *s;
	u64 time = -1;
	size_t at;

	for (s = c->window->first; s && time == (u64)-1; s = s->next)
		for (at = 0; at < outbuf_len(&s->records) && time == (u64)-1; at += record_at(s, at)->size)
			if (record_at(s, at)->type == PERF_RECORD_SAMPLE)
				time = record_time(c->session->events, record_at(s, at));
	return min(time, c->newest);
}

static void sums_again(struct top_sums *s)
{
	s->of->oldest = oldest(s->of);
	/* The fit cannot fail: it succeeded before for the same recording. */
	if (s->opt && !sums_begin(s))
		count_window(s);
}

/* Drop everything and rebuild it from the window. @files: drop the symbols of files, too */
static void start_anew(struct top_count *c, bool files)
{
	u64 samples = c->rate_samples, kernel = c->rate_kernel;
	struct window_segment *s;
	u32 i;

	for (i = 0; i < SUMS_KINDS; i++)
		sums_end(&c->sums[i]);
	if (files) {
		session_end(c);
		malloc_trim(0);
		session_begin(c);
	} else {
		session_feed_forget(c->session);
	}
	c->counted_bytes = 0;
	feed_before(c);
	for (s = c->window->first; s; s = s->next)
		feed(c, s);
	session_feed_seal(c->session, c->newest);
	for (i = 0; i < SUMS_KINDS; i++)
		sums_again(&c->sums[i]);
	c->rate_samples = samples;
	c->rate_kernel = kernel;
	if (files)
		memory_needed(&c->memory);
}

/* Return: true if there are rows. */
static bool finish(struct top_count *c)
{
	u32 i;

	for (i = SUMS_ROWS + 1; i < SUMS_KINDS; i++)
		sums_finish(&c->sums[i]);
	return sums_finish(&c->sums[SUMS_ROWS]);
}

bool counting_again(struct top_count *c)
{
	start_anew(c, false);
	return finish(c);
}

int counting_start(struct top_count *c, enum sums_kind kind, const struct report_options *o)
{
	struct top_sums *s = &c->sums[kind];

	s->opt = o;
	c->oldest = oldest(c);
	if (sums_begin(s))
		return -1;
	count_window(s);
	sums_finish(s);
	return 0;
}

/* Begin the time line later when its end is reached. */
static void move_times(struct top_count *c)
{
	struct top_sums *s = &c->sums[SUMS_TIMES];

	if (!s->opt || !s->times.beyond)
		return;
	sums_end(s);
	sums_again(s);
}

bool counting_refresh(struct top_count *c, bool all)
{
	u64 most = c->opts->max_memory / BYTES_PER_BYTE;
	u32 num = c->zero ? 0 : c->opts->add_up ? 1 : DECAY_NUM;
	u32 den = c->zero || c->opts->add_up ? 1 : DECAY_DEN;
	struct window_segment *s;
	bool files;
	u32 i;

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
	for (i = 0; i < SUMS_KINDS; i++)
		sums_decay(&c->sums[i], num, den);
	each_new(c, count);
	waits_end(&c->waits, c->session->events, count_sample, c);
	set_walked(c);
	window_trim(c->window, most);
	if (c->window->first)
		waits_forget(&c->waits, c->window->first->refresh);
	files = memory_exceeds(&c->memory);
	if (files || c->counted_bytes > 2 * most + outbuf_len(&c->window->before.records) ||
	    c->refresh % MAX_REFRESHES == 0)
		start_anew(c, files);
	move_times(c);
	return finish(c);
}
