// SPDX-License-Identifier: GPL-2.0
/*
 * What the samples of the window add up to. Given are the options and the window; owned are the session that
 * gets its records one by one, and the report on it, whose histograms are weighed and finished at each refresh.
 *
 * A sample waits for the end of the round after its own: the record of its mapping may be in another CPU's
 * buffer, which is read later.
 */
#include "cmd/top/counting.h"
#include "event/event.h"

/* As mainline: at each refresh so much of what was counted stays. */
#define DECAY_NUM	7
#define DECAY_DEN	8
/* After so many refreshes hardly anything of a sample is left: it is not counted again. */
#define DECAY_LAST	40
/* For each byte of records in the window so many are taken in all, for stacks, frames and tasks. */
#define BYTES_PER_BYTE	5
#define MAX_REFRESHES	1024

static const struct perf_event_header *record_at(const struct segment *s, size_t at)
{
	return (const struct perf_event_header *)(s->records.base + at);
}

static bool is_kernel(u8 cpumode)
{
	return cpumode == PERF_RECORD_MISC_KERNEL || cpumode == PERF_RECORD_MISC_GUEST_KERNEL;
}

static int on_sample(void *ctx, const struct visit *v)
{
	struct top_count *c = ctx;
	bool kernel = is_kernel(v->sample->cpumode);

	if (!v->counts)
		return 0;
	c->rate_samples++;
	c->rate_kernel += kernel;
	if (kernel ? !c->opts->hide_kernel : !c->opts->hide_user)
		hists_collect(c->run.hists[v->sample->event->idx], v);
	return 0;
}

/* The session has its timeline from now on. */
static int make_report(struct top_count *c)
{
	c->run = report_run_of(&c->opts->shown, c->session);
	if (report_fit(&c->run))
		return -1;
	c->ops = (struct session_ops){ .sample = on_sample, .filter = &c->run.filter, .keep_threads = true };
	c->walker = session_walker_create(c->session, &c->ops, c);
	return 0;
}

static void unmake_report(struct top_count *c)
{
	session_walker_destroy(c->walker);
	c->walker = NULL;
	report_unmake(&c->run);
}

int counting_init(struct top_count *c, const struct top_options *o, struct window *w)
{
	*c = (struct top_count){ .opts = o, .window = w, .zero = o->zero };
	c->session = session_fed(reader_events(w->reader), &o->shown.cfg.symbols);
	c->session->reader = w->reader;
	c->session->features = reader_features(w->reader);
	return make_report(c);
}

void counting_deinit(struct top_count *c)
{
	unmake_report(c);
	c->session->reader = NULL;	/* the window's */
	session_close(c->session);
}

static void decay(struct top_count *c, bool zero)
{
	u32 i;

	for (i = 0; i < c->session->events->nr; i++)
		hists_decay(c->run.hists[i], zero ? 0 : DECAY_NUM, zero ? 1 : DECAY_DEN);
}

/* Side-band records of a segment; and where rounds end in it. */
static void feed(struct top_count *c, struct segment *s)
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

/* What to do with a kernel record. */
typedef void record_fn(struct top_count *c, const struct perf_event_header *h);

static void note_time(struct top_count *c, const struct perf_event_header *h)
{
	u64 time = record_time(c->session->events, h);

	if (time != (u64)-1)
		c->newest = max(c->newest, time);
}

static void count(struct top_count *c, const struct perf_event_header *h)
{
	if (h->type == PERF_RECORD_SAMPLE)
		session_walk(c->walker, h);
}

/* Records of a segment, from an offset to another one. */
static void each_record(struct top_count *c, const struct segment *s, size_t from, size_t to, record_fn *fn)
{
	size_t at;

	for (at = from; at < to; at += record_at(s, at)->size)
		if (record_at(s, at)->type < REC_HEADER_ATTR)
			fn(c, record_at(s, at));
}

/* Records from c->walked to c->round. */
static void each_new(struct top_count *c, record_fn *fn)
{
	struct segment *s = c->walked.segment ?: c->window->first, *last = c->round.segment;
	size_t from = c->walked.segment ? c->walked.at : 0;

	for (; s && last; s = s->next, from = 0) {
		each_record(c, s, from, s == last ? c->round.at : outbuf_len(&s->records), fn);
		if (s == last)
			return;
	}
}

/* Segments before the one where counting goes on are only needed to count again. */
static void set_walked(struct top_count *c)
{
	struct segment *s;

	c->walked = c->round;
	for (s = c->window->first; c->walked.segment && s != c->walked.segment; s = s->next)
		s->walked = true;
}

/* Each sample counts for its weight now. */
static void count_again(struct top_count *c)
{
	struct segment *s;
	u64 at = 0;

	for (s = c->window->first; s && c->walked.segment; s = s->next) {
		bool last = s == c->walked.segment;

		if (!c->opts->add_up && !c->zero) {
			for (; at && at < s->refresh; at++)
				decay(c, false);
			at = s->refresh;
		}
		if (c->zero ? s->refresh == c->refresh : c->opts->add_up || s->refresh + DECAY_LAST > c->refresh)
			each_record(c, s, 0, last ? c->walked.at : outbuf_len(&s->records), count);
		if (last)
			break;
	}
	for (; at && at < c->refresh; at++)
		decay(c, false);
}

/* All that is known is that of the window. */
static void start_anew(struct top_count *c)
{
	struct segment *s;

	unmake_report(c);
	session_feed_forget(c->session);
	c->counted_bytes = 0;
	feed_before(c);
	for (s = c->window->first; s; s = s->next)
		feed(c, s);
	session_feed_seal(c->session, c->newest);
	/* It was fit before, by the same recording. */
	make_report(c);
	count_again(c);
}

void counting_forget(struct top_count *c)
{
	decay(c, true);
}

bool counting_refresh(struct top_count *c, bool all)
{
	u64 most = c->opts->max_memory / BYTES_PER_BYTE;
	struct segment *s, *new;
	bool any = false;
	u32 i;

	new = window_take(c->window);
	c->refresh++;
	for (s = new; s; s = s->next) {
		s->refresh = c->refresh;
		feed(c, s);
	}
	if (all && c->window->last)
		c->round = (struct window_place){ c->window->last, outbuf_len(&c->window->last->records) };
	/* Nothing older than these records comes any more. */
	each_new(c, note_time);
	session_feed_seal(c->session, c->newest);
	c->rate_samples = c->rate_kernel = 0;
	if (!c->opts->add_up || c->zero)
		decay(c, c->zero);
	else
		for (i = 0; i < c->session->events->nr; i++)
			hists_decay(c->run.hists[i], 1, 1);
	each_new(c, count);
	set_walked(c);
	window_trim(c->window, most);
	if (c->counted_bytes > 2 * most + outbuf_len(&c->window->before.records) || c->refresh % MAX_REFRESHES == 0) {
		u64 samples = c->rate_samples, kernel = c->rate_kernel;

		start_anew(c);
		c->rate_samples = samples;
		c->rate_kernel = kernel;
	}
	for (i = 0; i < c->session->events->nr; i++) {
		hists_finish(c->run.hists[i]);
		any |= hists_any_row(c->run.hists[i]);
	}
	return any;
}
