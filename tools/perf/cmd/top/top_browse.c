// SPDX-License-Identifier: GPL-2.0
/*
 * perf top in the browser of perf report, as a changing report (tui_report.live). counting.c counts
 * the rows, and what else changes while it is shown. All other views are reports on a recording of
 * the window, written to an unnamed file. It is given the running perf top.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/progress.h"
#include "cmd/top/top.h"
#include "tui/tui.h"

#define FIRST_ROWS_NS	1000000000ULL	/* then the browser is shown without rows */
#define ENDED_MS	60000
#define STACK_KEYS	"--sort=comm"	/* unless the user has chosen keys */

/* Counts in the browser's format. */
struct top_report {
	struct tui_report t;
	struct tui_event *events;
	struct outbuf *titles;		/* by event */
};

/* Options of something else that is counted while it is shown. */
struct top_side {
	struct report_options opt;
	struct word_list words;
};

struct top_view {
	struct top *top;
	struct top_report rows, stacks;
	struct top_side sides[SUMS_KINDS];
	bool frozen;
};

static void forget_events(struct top_report *r)
{
	u32 i;

	for (i = 0; i < r->t.nr_events; i++) {
		free(r->events[i].members);
		outbuf_deinit(&r->titles[i]);
	}
	r->t.nr_events = 0;
}

static void take_events(struct top_report *r, struct top_sums *s)
{
	const struct event_list *list = s->run.session->events;
	u32 i;

	forget_events(r);
	for (i = 0; i < list->nr; i++) {
		struct report_section part;
		struct outbuf *title = &r->titles[r->t.nr_events];

		if (top_is_dummy(list->events[i]))
			continue;
		part = report_section(&s->run, i, title);
		if (!part.nr) {
			free(part.members);
			outbuf_deinit(title);
			continue;
		}
		r->events[r->t.nr_events++] = (struct tui_event){
			.members = part.members, .nr = part.nr, .title = outbuf_text(title),
		};
	}
	r->t.cols = &s->run.cols;
	r->t.opt = &s->run.stdio;
}

static void report_begin(struct top_report *r, struct top_view *v)
{
	u32 nr = v->top->counting.session->events->nr;

	r->events = xcalloc(nr, sizeof(*r->events));
	r->titles = xcalloc(nr, sizeof(*r->titles));
	r->t.events = r->events;
	r->t.ctx = v;
}

static void report_end(struct top_report *r)
{
	forget_events(r);
	free(r->events);
	free(r->titles);
}

static void take_all(struct top_view *v)
{
	struct top_sums *sums = v->top->counting.sums;

	take_events(&v->rows, &sums[SUMS_ROWS]);
	if (sums[SUMS_STACKS].opt)
		take_events(&v->stacks, &sums[SUMS_STACKS]);
}

/* Write the window to a recording. Return: a descriptor, and @path. */
static int snapshot(const struct top_view *v, char path[32])
{
	int fd = memfd_create("perf-top", MFD_CLOEXEC);
	int err = fd < 0 ? -errno : window_write(&v->top->window, fd);

	if (!err) {
		snprintf(path, 32, "/proc/self/fd/%d", fd);
		return fd;
	}
	diag_error("the samples in memory cannot be copied: %s", strerror(-err));
	if (fd >= 0)
		close(fd);
	return -1;
}

static void side_stop(struct top_view *v, enum sums_kind kind)
{
	struct top_side *side = &v->sides[kind];

	sums_end(&v->top->counting.sums[kind]);
	v->top->counting.sums[kind].opt = NULL;
	report_options_deinit(&side->opt);
	words_deinit(&side->words);
}

/* Start counting with a command line, to which @more is added. Return: false after a message. */
static bool side_start(struct top_view *v, enum sums_kind kind, char *const *argv, const char *more)
{
	struct top_side *side = &v->sides[kind];

	for (; *argv; argv++)
		words_add(&side->words, "%s", *argv);
	if (more)
		words_add(&side->words, "%s", more);
	if (!top_parse_report(&side->opt, &side->words) &&
	    !counting_start(&v->top->counting, kind, &side->opt))
		return true;
	side_stop(v, kind);
	return false;
}

static void drop_stacks(struct tui_report *t)
{
	side_stop(t->ctx, SUMS_STACKS);
}

/* Start counting the stacks of the samples in the rows; they change with the rows. */
static struct tui_report *live_stacks(struct top_view *v, char *const *argv)
{
	if (!side_start(v, SUMS_STACKS, argv, v->top->opts.usual_keys ? STACK_KEYS : NULL))
		return NULL;
	take_events(&v->stacks, &v->top->counting.sums[SUMS_STACKS]);
	return &v->stacks.t;
}

/* True if a command line is that of the rows; false if it has zooms or a limit. */
static bool are_rows(const struct top_view *v, char *const *argv)
{
	const struct word_list *words = &v->top->opts.report;
	u32 i, k;

	for (i = k = 0; i < words->nr; i++) {
		if (!strcmp(words->v[i], "--tui") || !strcmp(words->v[i], "--stdio"))
			continue;
		if (!argv[k] || strcmp(argv[k++], words->v[i]))
			return false;
	}
	return argv[k] && !strcmp(argv[k], "--folded") && !argv[k + 1];
}

/* Count the stacks of a command line; they begin with the task, as those of the rows. */
static struct tui_report *count_stacks(const char *path, char *const *argv)
{
	_cleanup_words_ struct word_list words = { 0 };

	for (; *argv; argv++)
		words_add(&words, "%s", *argv);
	words_add(&words, "%s", STACK_KEYS);
	return report_count_file(path, words.v);
}

static struct tui_report *count(void *ctx, char *const *argv)
{
	struct top_view *v = ctx;
	_cleanup_close_ int fd = -1;
	bool stacks = false;
	char path[32];
	u32 i;

	if (are_rows(v, argv))
		return live_stacks(v, argv);
	for (i = 0; argv[i]; i++)
		stacks |= !strcmp(argv[i], "--folded");
	fd = snapshot(v, path);
	if (fd < 0)
		return NULL;
	return stacks && v->top->opts.usual_keys ? count_stacks(path, argv) : report_count_file(path, argv);
}

static void annotate_now(void *ctx, struct outbuf *o)
{
	const struct top_view *v = ctx;
	struct annotate *a = &v->top->counting.sums[SUMS_CODE].code;
	const struct annotate_style style = { .no_demangle = v->top->opts.shown.cfg.symbols.no_demangle };
	u32 i;

	for (i = 0; i < a->nr_funcs && !interrupted(); i++)
		annotate_print(&a->funcs[i], &style, o);
}

static void annotate_done(void *ctx)
{
	side_stop(ctx, SUMS_CODE);
}

static bool annotate(void *ctx, char *const *argv, const struct event *event, const char *symbol, const char *file,
		     struct outbuf *o)
{
	struct top_view *v = ctx;
	struct top_sums *s = &v->top->counting.sums[SUMS_CODE];

	s->code_opt = (struct annotate_opt){ .symbol = symbol, .dso = file, .event = event };
	if (!side_start(v, SUMS_CODE, argv, NULL))
		return false;
	annotate_now(v, o);
	if (outbuf_len(o))
		return true;
	diag_error("no sample was taken in %s itself", symbol);
	annotate_done(v);
	return false;
}

static void times_now(void *ctx, struct tui_times *t)
{
	const struct top_view *v = ctx;

	*t = v->top->counting.sums[SUMS_TIMES].times.t;
}

static void times_done(void *ctx, struct tui_times *t __unused)
{
	side_stop(ctx, SUMS_TIMES);
}

static bool times(void *ctx, char *const *argv, bool cpus, struct tui_times *t)
{
	struct top_view *v = ctx;

	if (cpus && !(v->top->counting.session->events->sample_type & PERF_SAMPLE_CPU)) {
		diag_error("the samples do not say on which CPU they were taken");
		return false;
	}
	v->top->counting.sums[SUMS_TIMES].times.cpus = cpus;
	if (!side_start(v, SUMS_TIMES, argv, NULL))
		return false;
	times_now(v, t);
	return true;
}

static void put_status(void *ctx, struct outbuf *o)
{
	const struct top_view *v = ctx;
	const struct top_status *s = &v->top->status;

	outbuf_printf(o, "%.0f/s kernel %.0f%% lost %llu top %.1f%%%s%s%s", s->rate, s->kernel, s->lost, s->cpu,
		      v->frozen ? " FROZEN" : "", v->top->counting.zero ? " zero" : "", s->ended ? " ENDED" : "");
}

static void put_header(void *ctx, struct outbuf *o)
{
	const struct top_view *v = ctx;
	const struct word_list *words = &v->top->opts.record;
	u32 i;

	top_status_text(v->top, o);
	outbuf_printf(o, "\nrefreshed every %g s\n", v->top->opts.delay);
	outbuf_puts(o, "\nThe samples are those of:\n\nperf");
	for (i = 0; i < words->nr; i++)
		outbuf_printf(o, " %s", words->v[i]);
	outbuf_putc(o, '\n');
}

static u32 wait_ms(void *ctx)
{
	const struct top_view *v = ctx;

	return v->top->status.ended ? ENDED_MS : top_wait_ms(v->top);
}

/* True if the side-band records read while frozen exceed a quarter of the memory limit. */
static bool must_thaw(struct top_view *v)
{
	return window_pause(&v->top->window, true) > v->top->opts.max_memory / 4;
}

static void freeze(struct top_view *v, bool frozen)
{
	v->frozen = frozen;
	window_pause(&v->top->window, frozen);
}

static bool tick(void *ctx, void (*changes)(void *arg), void *arg)
{
	struct top_view *v = ctx;

	if (v->top->status.ended || !top_due(v->top))
		return false;
	if (v->frozen && must_thaw(v))
		freeze(v, false);
	if (v->frozen) {
		v->top->refreshed_ns = monotonic_ns();
		return false;
	}
	changes(arg);
	top_refresh(v->top);
	take_all(v);
	return true;
}

static bool key(void *ctx, u32 k, void (*changes)(void *arg), void *arg, char *say, size_t size)
{
	struct top_view *v = ctx;
	struct top_count *c = &v->top->counting;

	switch (k) {
	case ' ':
		freeze(v, !v->frozen);
		snprintf(say, size, v->frozen ? "frozen; blank: go on" : "going on");
		return true;
	case 'z':
		c->zero = !c->zero;
		snprintf(say, size, c->zero ? "only samples since the last refresh count" : "earlier samples count, too");
		return true;
	case 'K':
	case 'U':
		if (k == 'K')
			c->hide_kernel = !c->hide_kernel;
		else
			c->hide_user = !c->hide_user;
		changes(arg);
		counting_again(c);
		take_all(v);
		snprintf(say, size, "samples in %s are %s", k == 'K' ? "the kernel" : "programs",
			 (k == 'K' ? c->hide_kernel : c->hide_user) ? "hidden" : "shown");
		return true;
	default:
		return false;
	}
}

static const char *write_samples(void *ctx, const char *path)
{
	const struct top_view *v = ctx;
	struct new_file f;
	int err = new_file_open(&f, path, 0600);

	err = new_file_close(&f, err ?: window_write(&v->top->window, f.fd));
	return err ? output_error(err) : NULL;
}

static const char *set_delay(void *ctx, const char *seconds)
{
	struct top_view *v = ctx;

	return top_options_delay(&v->top->opts, seconds) ? NULL : "at least 0.1 seconds";
}

static const struct tui_live live = {
	.wait_ms = wait_ms, .tick = tick, .status = put_status, .key = key, .write = write_samples, .delay = set_delay,
	.keys = "blank    freeze: rows stay as they are, or change again\n"
		"z        only samples since the last refresh count, or earlier ones, too\n"
		"D        the seconds between refreshes\n"
		"K, U     hide samples in the kernel, in programs, or show them\n"
		"w, P     write the samples in memory to a file, for perf report\n"
		"         other views: v, a and T change with the rows; s and views of zooms are of the samples in memory now\n",
};

/* Wait for rows or a timeout. Return: false if the user quits. */
static bool first_rows(struct top_view *v)
{
	struct top *t = v->top;
	u64 began = t->refreshed_ns;

	for (;;) {
		progress_tick("waiting for samples");
		if (interrupted())
			return false;
		poll(NULL, 0, top_wait_ms(t));
		if (!top_due(t))
			continue;
		if (top_refresh(t) || t->refreshed_ns - began > FIRST_ROWS_NS || t->status.ended)
			break;
	}
	t->shown = true;
	take_all(v);
	return true;
}

int top_browse(struct top *t)
{
	struct top_view v = { .top = t };
	int status = 0;

	if (!tui_begin())
		return diag_error("--tui: the terminal cannot be used; --stdio prints text"), 1;
	v.stacks.t.drop = drop_stacks;
	v.rows.t = (struct tui_report){
		.live = &live, .argv = t->opts.report.v, .count = count, .header = put_header,
		.annotate = annotate, .annotate_now = annotate_now, .annotate_done = annotate_done,
		.times = times, .times_now = times_now, .times_done = times_done,
	};
	report_begin(&v.rows, &v);
	report_begin(&v.stacks, &v);
	if (first_rows(&v) && tui_run(&v.rows.t) < 0)
		status = 1;
	report_end(&v.rows);
	report_end(&v.stacks);
	tui_end();
	return status;
}
