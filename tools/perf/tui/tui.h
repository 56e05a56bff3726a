/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interactive browser of histograms. A build without ncurses (make NO_TUI=1) uses no other file
 * of this folder.
 */
#ifndef PERF_TUI_TUI_H
#define PERF_TUI_TUI_H

#include "render/stdio.h"

/* An event or a group, sorted. */
struct tui_event {
	struct hists **members;
	u32 nr;
	const char *title;		/* "event 'cycles'" */
};

#define TUI_TIME_BUCKETS 1024

/* Samples of a thread or a CPU over time. */
struct tui_time_row {
	char *name;
	u64 id;				/* TID or CPU */
	u64 total;
	u32 *buckets;			/* TUI_TIME_BUCKETS slices of equal length */
};

struct tui_times {
	u64 first, last;		/* nanoseconds, of the slices in use */
	u32 slices;			/* in use: at least 1, at most TUI_TIME_BUCKETS */
	struct tui_time_row *rows;	/* sorted by samples, descending */
	u32 nr_rows;
};

/* A report that changes while it is shown: perf top. */
struct tui_live {
	/* Returns the time to wait for a key, in ms; 0: tick() is due */
	u32 (*wait_ms)(void *ctx);
	/*
	 * Do the periodic work. @changes: called before rows change; afterwards the report has
	 * other events, columns and histograms. Return: true if they changed.
	 */
	bool (*tick)(void *ctx, void (*changes)(void *arg), void *arg);
	/* Append a line with the state to @o */
	void (*status)(void *ctx, struct outbuf *o);
	/*
	 * Handle a key with a function of its own. @changes: as for tick(). @say: set to a message;
	 * "": none. Return: false: the key has the function it has in a report.
	 */
	bool (*key)(void *ctx, u32 key, void (*changes)(void *arg), void *arg, char *say, size_t size);
	const char *keys;		/* lines of the help */
	/* Write the samples in memory as a recording. Return: NULL, or the reason for failure */
	const char *(*write)(void *ctx, const char *path);
	/* Set the time between refreshes. Return: NULL, or the reason for failure */
	const char *(*delay)(void *ctx, const char *seconds);
};

struct tui_report {
	const struct tui_live *live;	/* NULL: it does not change */
	const struct tui_event *events;
	u32 nr_events;			/* at least one */
	struct hist_columns *cols;
	const struct stdio_opt *opt;
	/* The command line of this report, ended by NULL, to make it again */
	char *const *argv;
	const char *once;		/* reason why it cannot be made again; NULL: it can */
	/*
	 * Count the recording with another command line, with --stdio for tables, or --folded for
	 * the stacks of a flame graph. Return: NULL after a message.
	 */
	struct tui_report *(*count)(void *ctx, char *const *argv);
	/* Free a report that @count returned. */
	void (*drop)(struct tui_report *r);
	/*
	 * Append a function, @symbol of @file (NULL: any), annotated with the samples of @event
	 * selected by argv; incomplete if interrupted(). Return: false after a message.
	 */
	bool (*annotate)(void *ctx, char *const *argv, const struct event *event,
			 const char *symbol, const char *file, struct outbuf *o);
	/*
	 * Count the samples selected by argv over time, by CPU or by thread. Return: false after a
	 * message; else call times_done().
	 */
	bool (*times)(void *ctx, char *const *argv, bool cpus, struct tui_times *t);
	void (*times_done)(void *ctx, struct tui_times *t);
	/*
	 * Of a report that changes, until annotate_done() or times_done(): with the samples of now
	 */
	void (*annotate_now)(void *ctx, struct outbuf *o);
	void (*annotate_done)(void *ctx);
	void (*times_now)(void *ctx, struct tui_times *t);
	/* Append the recording's header and its damage */
	void (*header)(void *ctx, struct outbuf *o);
	void *ctx;
};

#ifdef NO_TUI
#define tui_missing() "this perf was built without ncurses"
#define tui_begin() false
#define tui_end() ((void)0)
#define tui_run(r) ((void)(r), -1)
#else
/* tui_missing - the reason why the browser cannot be used; NULL: it can */
const char *tui_missing(void);

/*
 * tui_begin - take over the terminal, before there is a report: it shows progress, q stops counting
 * (as ^C does elsewhere), messages are stored until tui_end(). Return: false: it cannot be used.
 */
bool tui_begin(void);

/* tui_end - restore the terminal and print the messages; also called at exit() */
void tui_end(void);

/* tui_run - between these, show histograms until the user quits. Return: 0; 130 after ^C. */
int tui_run(const struct tui_report *r);

#endif

#endif /* PERF_TUI_TUI_H */
