// SPDX-License-Identifier: GPL-2.0
/*
 * perf top: a live profile. A process records (recording.c: perf record into a pipe), a thread
 * reads the pipe into memory (window.c), and each refresh counts the new samples (counting.c) into
 * the histograms of perf report. They are printed here, or shown in the browser (top_browse.c).
 *
 * Calls go one way: top --> top_browse --> refresh --> counting --> window --> sideband; counting
 * --> sums; refresh --> recording; all of them --> top_options.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/terminal.h"
#include "cmd/cmd.h"
#include "cmd/top/top.h"
#include "render/colour.h"

#define DEFAULT_ROWS	20		/* without a terminal */
#define LATEST_MS	1000		/* then an empty table is shown */

/* Number of rows that fit on the terminal below the header lines. */
static u32 rows_that_fit(const struct top *t)
{
	struct winsize size;

	if (t->opts.entries)
		return t->opts.entries;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row)
		return DEFAULT_ROWS;
	return max((int)size.ws_row - 10, 1);
}

static void put_events(struct top *t, struct outfile *o)
{
	struct report_run *r = &t->counting.sums[SUMS_ROWS].run;
	u32 i;

	r->stdio.max_rows = rows_that_fit(t);
	r->stdio.min_samples = t->opts.min_samples;
	r->stdio.width = r->stdio.widths ? 0 : terminal_width(STDOUT_FILENO);
	for (i = 0; i < r->session->events->nr; i++) {
		if (!top_is_dummy(r->session->events->events[i]))
			report_print_section(r, i, o);
	}
}

/* Return: false if the reader has closed the pipe. */
static bool print(struct top *t)
{
	struct outfile o;

	outfile_init(&o, STDOUT_FILENO);
	if (isatty(STDOUT_FILENO))
		outbuf_puts(&o.text, "\033[H\033[2J");
	outbuf_puts(&o.text, "# perf top: ");
	top_status_text(t, &o.text);
	outbuf_puts(&o.text, "\n#\n");
	put_events(t, &o);
	return !outfile_deinit(&o);
}

static void run_stdio(struct top *t)
{
	u64 began = t->refreshed_ns;

	while (!interrupted() && !t->status.ended) {
		poll(NULL, 0, top_wait_ms(t));
		if (!top_due(t))
			continue;
		/* The first rows are shown as soon as there are any. */
		if (!top_refresh(t) && t->refreshed_ns - began < LATEST_MS * 1000000ULL)
			continue;
		if (!print(t))
			return;
		t->shown = true;
	}
}

/* Return: exit status of the recording, which exited before its first record. */
static int never_began(struct top *t, struct error *e)
{
	int status;

	recording_wait(&t->recording);
	recording_messages(&t->recording);
	status = t->recording.status;
	if (WIFEXITED(status) && WEXITSTATUS(status)) {
		error_free(e);
		return WEXITSTATUS(status);
	}
	error_report(e);
	return 1;
}

static int run(struct top *t)
{
	struct error *e = window_open(&t->window, t->recording.path);
	int status = 0;

	if (e)
		return never_began(t, e);
	top_begin(t);
	if (counting_init(&t->counting, &t->opts, &t->window))
		status = 1;
	else if (t->opts.shown.ui == UI_TUI)
		status = top_browse(t);
	else
		run_stdio(t);
	recording_stop(&t->recording);
	counting_deinit(&t->counting);
	window_close(&t->window);
	return status;
}

int cmd_top(int argc, char **argv)
{
	struct top t = { .refreshed_ns = 0 };
	int status = 129;
	bool browser;

	/* A closed pipe is then an error of write(). */
	signal(SIGPIPE, SIG_IGN);
	if (!top_options_parse(&t.opts, argc, argv)) {
		if (t.opts.only_own)
			diag_warn("only processes of this user are measured: the whole system needs root, CAP_PERFMON or kernel.perf_event_paranoid 0");
		browser = t.opts.shown.ui == UI_TUI;
		status = recording_start(&t.recording, &t.opts.record, browser) ? 1 : 0;
		if (!status) {
			/* The browser reads ^C as a key. */
			if (!browser)
				interrupt_catch_ends();
			error_report(colour_setup(browser ? "never" : t.opts.shown.colour, false));
			status = run(&t);
			recording_deinit(&t.recording);
		}
	}
	report_options_deinit(&t.opts.shown);
	words_deinit(&t.opts.record);
	words_deinit(&t.opts.report);
	return status;
}
