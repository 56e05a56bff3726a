// SPDX-License-Identifier: GPL-2.0
/*
 * Shows a report in the browser (tui/), which may have the recording counted again with other
 * options.
 *
 * It is given a counted report, and owns the list of its events with their titles. Each recount is
 * a report of its own on the same session, from a command line, so its result is what that command
 * prints. A recording from a pipe can be read only once and is not counted again.
 */
#include <unistd.h>

#include "annotate/annotate.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/text.h"
#include "cmd/header/header.h"
#include "cmd/report/report.h"
#include "tui/tui.h"

/* A report in the browser. */
struct browsed {
	struct tui_report t;
	struct report_run *r;
	struct tui_event *events;
	struct outbuf *titles;		/* by event of the session */
	struct again *again;		/* owned if this report is a recount; else NULL */
};

static void put_header(void *ctx, struct outbuf *o)
{
	struct report_run *r = ctx;

	outbuf_printf(o, "# Total Lost Samples: %llu\n", session_lost(&r->session->stats));
	report_account(r, o);
	report_diagnosis(r, o);
	report_hints(r, o);
	outbuf_puts(o, "#\n");
	header_print(r->session->reader, r->opt->show_info, o);
}

/* A recount: a report with its own options, on the session of another report or on its own. */
struct again {
	struct report_run run;
	struct report_options opt;
	struct session *session;	/* NULL: the other report's */
	struct word_list words;
};

static void again_destroy(struct again *a)
{
	if (!a)
		return;
	report_unmake(&a->run);
	session_close(a->session);
	report_options_deinit(&a->opt);
	words_deinit(&a->words);
	free(a);
}

/* @s: NULL: open @path. Return: the recount; NULL after a message. */
static struct again *again_create(struct session *s, const char *path, char *const *argv)
{
	struct again *a = xcalloc(1, sizeof(*a));
	struct session_config cfg;
	char **words;			/* parsing may reorder them */
	int err;

	while (argv[a->words.nr])
		words_add(&a->words, "%s", argv[a->words.nr]);
	words = xcalloc(a->words.nr + 1, sizeof(*words));
	memcpy(words, a->words.v, a->words.nr * sizeof(*words));
	err = report_options_parse(&a->opt, a->words.v, a->words.nr, words);
	/* Option values point to the words, not to this array. */
	free(words);
	if (!err && !s) {
		cfg = a->opt.cfg;
		cfg.input = path;
		cfg.force = true;
		err = error_report(session_open(&cfg, &a->session));
	}
	if (err) {
		again_destroy(a);
		return NULL;
	}
	a->run = report_run_of(&a->opt, s ?: a->session);
	return a;
}

static struct browsed *browsed_create(struct report_run *r, struct again *again);

static struct tui_report *count(struct session *s, const char *path, char *const *argv)
{
	struct again *a = again_create(s, path, argv);

	if (a && !report_make(&a->run))
		return &browsed_create(&a->run, a)->t;
	again_destroy(a);
	return NULL;
}

static struct tui_report *count_again(void *ctx, char *const *argv)
{
	const struct report_run *r = ctx;

	return count(r->session, NULL, argv);
}

static bool annotate_again(void *ctx, char *const *argv, const struct event *event, const char *symbol,
			   const char *file, struct outbuf *o)
{
	const struct report_run *r = ctx;
	struct again *a = again_create(r->session, NULL, argv);
	struct annotate_style style = { 0 };
	struct annotate_opt opt = { .symbol = symbol, .dso = file, .event = event };
	struct annotate got = { 0 };
	u32 i;

	if (a && !error_report(filter_setup(&a->run.filter, a->run.session))) {
		opt.filter = &a->run.filter;
		style.no_demangle = a->opt.cfg.symbols.no_demangle;
		annotate_collect(&got, a->run.session, &opt);
		for (i = 0; i < got.nr_funcs && !interrupted(); i++)
			annotate_print(&got.funcs[i], &style, o);
		if (!got.nr_funcs)
			diag_error("no sample was taken in %s itself", symbol);
		annotate_deinit(&got);
	}
	again_destroy(a);
	return outbuf_len(o);
}

static bool times_again(void *ctx, char *const *argv, bool cpus, struct tui_times *t)
{
	const struct report_run *r = ctx;
	struct again *a = again_create(r->session, NULL, argv);
	bool good = a && !error_report(filter_setup(&a->run.filter, a->run.session)) &&
		    report_times(&a->run, cpus, t);

	again_destroy(a);
	return good;
}

static void times_done(void *ctx __unused, struct tui_times *t)
{
	report_times_deinit(t);
}

struct tui_report *report_count_file(const char *path, char *const *argv)
{
	return count(NULL, path, argv);
}

static void browsed_destroy(struct browsed *b)
{
	u32 i;

	for (i = 0; i < b->t.nr_events; i++)
		free(b->events[i].members);
	for (i = 0; i < b->r->session->events->nr; i++)
		outbuf_deinit(&b->titles[i]);
	free(b->titles);
	free(b->events);
	free(b);
}

static void drop(struct tui_report *t)
{
	struct browsed *b = container_of(t, struct browsed, t);
	struct again *again = b->again;

	browsed_destroy(b);
	again_destroy(again);
}

/* @again: ownership passes to the result; NULL: the caller owns the report */
static struct browsed *browsed_create(struct report_run *r, struct again *again)
{
	struct browsed *b = xcalloc(1, sizeof(*b));
	u32 nr_events = r->session->events->nr, i;

	b->r = r;
	b->again = again;
	b->events = xcalloc(nr_events, sizeof(*b->events));
	b->titles = xcalloc(nr_events, sizeof(*b->titles));
	b->t = (struct tui_report){
		.events = b->events, .cols = &r->cols, .opt = &r->stdio, .argv = r->opt->words,
		.once = r->session->reader->stream ? "the recording came through a pipe" : NULL,
		.count = count_again, .drop = drop, .annotate = annotate_again,
		.times = times_again, .times_done = times_done, .header = put_header, .ctx = r,
	};
	for (i = 0; i < nr_events; i++) {
		struct report_section s = report_section(r, i, &b->titles[i]);

		if (!s.nr) {
			free(s.members);
			continue;
		}
		b->events[b->t.nr_events++] = (struct tui_event){
			.members = s.members, .nr = s.nr, .title = outbuf_text(&b->titles[i]),
		};
	}
	return b;
}

int report_browse(struct report_run *r)
{
	struct browsed *b = browsed_create(r, NULL);
	int status;

	if (interrupted()) {
		interrupt_forget();
		diag_warn("stopped: this is what had come by then");
	}
	/* From here on ^C is a key. */
	interrupt_release();
	status = tui_run(&b->t);
	browsed_destroy(b);
	return status < 0 ? 1 : status;
}
