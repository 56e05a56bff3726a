/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The histogram on the screen, for the files that act on keys.
 */
#ifndef PERF_TUI_BROWSE_H
#define PERF_TUI_BROWSE_H

#include <regex.h>

#include "tui/draw.h"
#include "tui/screen.h"

struct tui_browser {
	const struct tui_report *report;
	struct tui_screen screen;
	struct tui_view view;
	struct tui_tree tree;
	struct tui_draw draw;
	struct tui_line line;		/* what is being drawn */
	struct tui_place top, cursor;	/* lines of the tree; not used without rows */
	u32 skip;			/* columns that are left of the screen */
	u32 event;			/* which of the report's */
	regex_t search;
	bool searches;			/* .search is compiled */
	char message[256];		/* shown until the next key */
};

/* Lines that are not of the tree: title, head, and the bar at the bottom. */
#define BROWSE_ABOVE 2
#define BROWSE_AROUND 3

/* browse_show - draw everything */
void browse_show(struct tui_browser *b);

/* browse_follow - scroll as little as puts the cursor on the screen; there must be rows */
void browse_follow(struct tui_browser *b);

/* browse_say - a message for the bar */
void browse_say(struct tui_browser *b, const char *fmt, ...) __printf(2, 3);

/* browse_rows - the rows have changed: find them, and go to the first */
void browse_rows(struct tui_browser *b);

/**
 * browse_ask() - let the user type a line
 * @b: the browser
 * @what: for what
 * @text: set to the line; what is in it can be edited
 * @size: room in @text
 *
 * Return: false: the user thought better of it.
 */
bool browse_ask(struct tui_browser *b, const char *what, char *text, size_t size);

/* act.c: what a key does beside moving; return: false: it does nothing */
bool browse_act(struct tui_browser *b, u32 key);

/* search.c: from the cursor on, down or up */
void browse_search(struct tui_browser *b);
void browse_search_next(struct tui_browser *b, bool down);

/**
 * window_show() - text that can be scrolled, over the whole screen, until the user goes back
 * @b: the browser
 * @title: for the first line
 * @text: lines
 */
void window_show(struct tui_browser *b, const char *title, const char *text);

#endif /* PERF_TUI_BROWSE_H */
