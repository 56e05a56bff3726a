/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms on a terminal, to move around in. A build without ncurses (make NO_TUI=1) has no
 * other file of this folder.
 */
#ifndef PERF_TUI_TUI_H
#define PERF_TUI_TUI_H

#include "ui/stdio.h"

/* An event or a group, sorted. */
struct tui_event {
	struct hists **members;
	u32 nr;
	const char *title;		/* "event 'cycles'" */
};

struct tui_report {
	const struct tui_event *events;
	u32 nr_events;			/* at least one */
	struct hist_columns *cols;
	const struct stdio_opt *opt;
	/* The command line that made this, ended by NULL, for a command that makes it again */
	char *const *argv;
	const char *once;		/* why no command can; NULL: one can */
	/* What the recording says of itself, and what is wrong with it */
	void (*header)(void *ctx, struct outbuf *o);
	void *ctx;
};

#ifdef NO_TUI
#define tui_missing() "this perf was built without ncurses"
#define tui_run(r) ((void)(r), -1)
#else
/**
 * tui_missing() - why nothing can be shown in this way
 *
 * Return: NULL: it can; else a reason, for a message.
 */
const char *tui_missing(void);

/**
 * tui_run() - show histograms until the user has enough
 * @r: what to show
 *
 * Return: 0; 130 after ^C; -1 when the terminal cannot be used.
 */
int tui_run(const struct tui_report *r);

#endif

#endif /* PERF_TUI_TUI_H */
