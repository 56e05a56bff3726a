/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms on a terminal, to move around in. A build without ncurses (make NO_TUI=1) has no
 * other file of this folder.
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
	u64 total;
	u32 *buckets;			/* TUI_TIME_BUCKETS slices of equal length */
};

struct tui_times {
	u64 first, last;		/* nanoseconds */
	struct tui_time_row *rows;	/* those with most samples first */
	u32 nr_rows;
};

/* A report that changes while it is shown: perf top. */
struct tui_live {
	/* How long to wait for a key, in ms; 0: tick() is due */
	u32 (*wait_ms)(void *ctx);
	/*
	 * What is due. @changes: called before rows change, if they do: the events, columns and histograms of
	 * the report are others afterwards. Return: whether they did.
	 */
	bool (*tick)(void *ctx, void (*changes)(void *arg), void *arg);
	/* The state in a line, appended to @o */
	void (*status)(void *ctx, struct outbuf *o);
	/*
	 * A key that report does not have, or not for this. @changes: as above. @say: set to a message; "": none.
	 * Return: false: it is report's.
	 */
	bool (*key)(void *ctx, u32 key, void (*changes)(void *arg), void *arg, char *say, size_t size);
	const char *keys;		/* lines of the help */
	/* Write what is in memory as a recording. Return: NULL, or why not */
	const char *(*write)(void *ctx, const char *path);
	/* Set the time between refreshes. Return: NULL, or why not */
	const char *(*delay)(void *ctx, const char *seconds);
};

struct tui_report {
	const struct tui_live *live;	/* NULL: it does not change */
	const struct tui_event *events;
	u32 nr_events;			/* at least one */
	struct hist_columns *cols;
	const struct stdio_opt *opt;
	/* The command line that made this, ended by NULL, for a command that makes it again */
	char *const *argv;
	const char *once;		/* why no command can; NULL: one can */
	/*
	 * The same recording counted with other words: argv as above, with --stdio for tables, or
	 * --folded for stacks as a flame graph has them. NULL after a message.
	 */
	struct tui_report *(*count)(void *ctx, char *const *argv);
	/* What @count returned is not needed any more. */
	void (*drop)(struct tui_report *r);
	/*
	 * A function with its code, appended to @o: @symbol of @file (NULL: any), with the samples
	 * of @event that argv leaves. Return: false after a message. Where interrupted() is true what
	 * was appended is not all.
	 */
	bool (*annotate)(void *ctx, char *const *argv, const struct event *event,
			 const char *symbol, const char *file, struct outbuf *o);
	/*
	 * When the samples that argv leaves were taken, by CPU or by thread. Return: false after a
	 * message; else times_done() it.
	 */
	bool (*times)(void *ctx, char *const *argv, bool cpus, struct tui_times *t);
	void (*times_done)(struct tui_times *t);
	/* What the recording says of itself, and what is wrong with it */
	void (*header)(void *ctx, struct outbuf *o);
	void *ctx;
};

#ifdef NO_TUI
#define tui_missing() "this perf was built without ncurses"
#define tui_begin() false
#define tui_end() ((void)0)
#define tui_run(r) ((void)(r), -1)
#else
/**
 * tui_missing() - why nothing can be shown in this way
 *
 * Return: NULL: it can; else a reason, for a message.
 */
const char *tui_missing(void);

/**
 * tui_begin() - take the terminal over, before there is anything to show
 *
 * From now on progress is shown there, q ends what is being counted as ^C does elsewhere, and
 * messages are kept until tui_end().
 *
 * Return: false: the terminal cannot be used.
 */
bool tui_begin(void);

/* tui_end - give the terminal back, and print the messages; at exit() this happens by itself */
void tui_end(void);

/**
 * tui_run() - show histograms until the user has enough
 * @r: what to show
 *
 * Between tui_begin() and tui_end().
 * Return: 0; 130 after ^C.
 */
int tui_run(const struct tui_report *r);

#endif

#endif /* PERF_TUI_TUI_H */
