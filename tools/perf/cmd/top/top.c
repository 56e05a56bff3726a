// SPDX-License-Identifier: GPL-2.0
/*
 * perf top: what runs now. A process records (recording.c: perf record into a pipe), a thread reads that
 * into memory (window.c), and each refresh counts what has come (counting.c) into the histograms of perf report,
 * which are printed here.
 *
 * Calls go one way: top --> counting --> window --> sideband; top --> recording; all of them --> top_options.
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

#define FLUSH_MS	100		/* so often the kernel's buffers are read */
#define DEFAULT_ROWS	20		/* where there is no terminal */
#define FIRST_MS	300		/* then the first rows are shown, */
#define LATEST_MS	1000		/* or that there are none */

static u64 now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static u64 processor_ns(const struct top *t)
{
	return now_ns(CLOCK_PROCESS_CPUTIME_ID) + recording_ns(&t->recording);
}

bool top_refresh(struct top *t)
{
	u64 now = now_ns(CLOCK_MONOTONIC), used = processor_ns(t);
	struct top_status *s = &t->status;
	double seconds = (now - t->refreshed_ns) / 1e9;
	bool any;

	s->ended = window_ended(&t->window, &s->lost);
	any = counting_refresh(&t->counting, s->ended);
	s->rate = t->counting.rate_samples / seconds;
	s->kernel = t->counting.rate_samples ? 100.0 * t->counting.rate_kernel / t->counting.rate_samples : 0;
	s->cpu = 100.0 * (used - t->used_ns) / 1e9 / seconds;
	s->window_bytes = t->window.bytes;
	t->refreshed_ns = now;
	t->used_ns = used;
	return any;
}

u32 top_wait_ms(const struct top *t)
{
	u64 due = t->refreshed_ns + (t->shown ? t->opts.delay * 1e9 : FIRST_MS * 1000000ULL);
	u64 now = now_ns(CLOCK_MONOTONIC);

	return due <= now ? 0 : min((due - now + 999999) / 1000000, (u64)FLUSH_MS);
}

void top_status_text(const struct top *t, struct outbuf *o)
{
	const struct top_status *s = &t->status;

	outbuf_printf(o, "%.0f samples/s, kernel %.1f %%, lost %llu, perf top itself %.1f %% of a CPU, %.1f MB of records",
		      s->rate, s->kernel, s->lost, s->cpu, s->window_bytes / 1048576.0);
}

/* Rows that fit on the terminal beside the lines above them. */
static u32 rows_that_fit(const struct top *t)
{
	struct winsize size;

	if (t->opts.entries)
		return t->opts.entries;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row)
		return DEFAULT_ROWS;
	return max((int)size.ws_row - 10, 1);
}

static void put_events(struct top *t, struct outbuf *o)
{
	struct report_run *r = &t->counting.run;
	u32 i;

	r->stdio.max_rows = rows_that_fit(t);
	r->stdio.min_samples = t->opts.min_samples;
	r->stdio.width = r->stdio.widths ? 0 : terminal_width(STDOUT_FILENO);
	for (i = 0; i < r->session->events->nr; i++) {
		struct stdio_view v = { .cols = &r->cols, .opt = &r->stdio, .out = o };
		struct report_section s;
		struct outbuf title;

		outbuf_init(&title, -1);
		s = report_section(r, i, &title);
		v.members = s.members;
		v.nr = s.nr;
		v.title = outbuf_text(&title);
		if (s.nr)
			stdio_print(&v);
		outbuf_deinit(&title);
		free(s.members);
	}
}

/* Return: false: nobody reads it any more. */
static bool print(struct top *t)
{
	struct outbuf o;

	outbuf_init(&o, STDOUT_FILENO);
	if (isatty(STDOUT_FILENO))
		outbuf_puts(&o, "\033[H\033[2J");
	outbuf_puts(&o, "# perf top: ");
	top_status_text(t, &o);
	outbuf_puts(&o, "\n#\n");
	put_events(t, &o);
	return !outbuf_deinit(&o);
}

static void run_stdio(struct top *t)
{
	u64 began = t->refreshed_ns;

	while (!interrupted() && !t->status.ended) {
		u32 ms = top_wait_ms(t);

		if (ms) {
			poll(NULL, 0, ms);
			recording_flush(&t->recording);
			continue;
		}
		/* The first rows come as soon as there are some. */
		if (!top_refresh(t) && t->refreshed_ns - began < LATEST_MS * 1000000ULL)
			continue;
		if (!print(t))
			return;
		t->shown = true;
	}
}

/* Return: the status of the recording, which has ended before its first record. */
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
	t->refreshed_ns = now_ns(CLOCK_MONOTONIC);
	t->used_ns = processor_ns(t);
	if (counting_init(&t->counting, &t->opts, &t->window))
		status = 1;
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

	/* A reader that has gone is an error of write(). */
	signal(SIGPIPE, SIG_IGN);
	if (!top_options_parse(&t.opts, argc, argv)) {
		if (t.opts.only_own)
			diag_warn("only processes of this user are measured: the whole system needs root, CAP_PERFMON or kernel.perf_event_paranoid 0");
		status = recording_start(&t.recording, &t.opts.record, false) ? 1 : 0;
		if (!status) {
			interrupt_catch_ends();
			error_report(colour_setup(t.opts.shown.colour, false));
			status = run(&t);
			recording_deinit(&t.recording);
		}
	}
	top_options_deinit(&t.opts);
	return status;
}
