/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The histogram on the screen, for the files that act on keys.
 */
#ifndef PERF_TUI_BROWSE_H
#define PERF_TUI_BROWSE_H

#include <regex.h>

#include "base/arena.h"
#include "base/diag.h"
#include "tui/command.h"
#include "tui/draw.h"
#include "tui/screen.h"

#define BROWSE_REPORTS 8

struct flame_picture;

struct tui_browser {
	const struct tui_report *report;	/* the shown report */
	/* Those before it, each counted again in another way; the first is the caller's */
	struct {
		const struct tui_report *report;
		char *trail;		/* its samples, for the title; "": all */
	} reports[BROWSE_REPORTS];
	u32 nr_reports;			/* at least one; the last is shown */
	/* The stacks of the shown report; NULL: not counted */
	struct tui_report *stacks;
	struct flame_picture *picture;
	char *stacks_words;		/* the command that they are of */
	struct tui_screen *screen;
	struct tui_view view;
	struct tui_tree tree;
	struct tui_draw draw;
	struct tui_line line;		/* the line being drawn */
	struct tui_place top, cursor;	/* lines of the tree; not used without rows */
	u32 skip;			/* columns that are left of the screen */
	u32 event;			/* which of the report's */
	regex_t search;
	bool searches;			/* .search is compiled */
	char literal[128];		/* a name that it matches has this in it; "": any may match */
	char message[256];		/* shown until the next key */
	/* Of a report that changes: where its lines were */
	struct {
		bool rows;			/* they are about to change */
		u32 below_row, below_top;	/* the line at the top, below its row; the cursor, below that */
		char *zooms[TUI_ZOOMS];		/* names of their columns */
	} kept;
	struct arena names;		/* of .picture, if its report changes */
	/* What is on the screen, with .message in its last line; NULL: the histogram */
	void (*show)(void *ctx);
	void *show_ctx;
};

/* Lines that are not of the tree: title, head, and the bar at the bottom. */
#define BROWSE_ABOVE 2
#define BROWSE_AROUND 3

/* browse_height - how many lines of the tree fit */
static inline u32 browse_height(const struct tui_browser *b)
{
	return max(b->screen->rows - BROWSE_AROUND, 1);
}

/* browse_show - draw what is looked at: the histogram, or what .show draws */
void browse_show(struct tui_browser *b);

/* browse_behind - prompts and messages have this after them; NULL: the histogram */
void browse_behind(struct tui_browser *b, void (*show)(void *ctx), void *ctx);

/* browse_follow - scroll as little as puts the cursor on the screen; there must be rows */
void browse_follow(struct tui_browser *b);

/* browse_say - a message for the bar */
void browse_say(struct tui_browser *b, const char *fmt, ...) __printf(2, 3);

/* browse_report - show a report; @trail: what its samples are, for the title */
void browse_report(struct tui_browser *b, const struct tui_report *r, const char *trail);

/* browse_rows - the rows have changed: find them, and go to the first */
void browse_rows(struct tui_browser *b);

/**
 * browse_ask() - let the user type a line
 * @b: the browser
 * @what: for what
 * @text: set to the line; its content can be edited
 * @size: room in @text
 *
 * Return: false: the user thought better of it.
 */
bool browse_ask(struct tui_browser *b, const char *what, char *text, size_t size);

/**
 * browse_words() - the command line of the view
 * @b: the browser
 * @form: in which form
 * @c: set to it; command_deinit() it
 *
 * Return: false after a message: there is none.
 */
bool browse_words(struct tui_browser *b, enum tui_form form, struct tui_command *c);

/**
 * browse_count() - count the recording again and show that
 * @b: the browser
 * @words: of the command; the first is "perf"
 * @trail: for the title: "time 1.5-2 > "
 */
void browse_count(struct tui_browser *b, const struct tui_command *words, const char *trail);

/* browse_back - show the previous view; false: there is none */
bool browse_back(struct tui_browser *b);

/* browse_stacks - the stacks of the shown report as boxes; NULL after a message */
const struct flame_picture *browse_stacks(struct tui_browser *b);

/* browse_drop_stacks - free them */
void browse_drop_stacks(struct tui_browser *b);

/* browse_after_work - after something that q could end: the message if it did, and the next is whole */
void browse_after_work(struct tui_browser *b);

/* browse_dropped - the same where half of it is of no use; return: it did */
bool browse_dropped(struct tui_browser *b);

/* browse_work - draw everything with a message before something that takes a while */
void browse_work(struct tui_browser *b, const char *what);

/* browse_function - the function and file of the line that the cursor is on, to free(); *@file may be
 * NULL: not known. Return: false after a message.
 */
bool browse_function(struct tui_browser *b, char **symbol, char **file);

/* live.c: the report changes from now on; browse_live_key - a key that only such a report has; return: it is one */
void browse_live(struct tui_browser *b);
bool browse_live_key(struct tui_browser *b, u32 key);

/* browse_is_live - is what is shown a report that changes? */
static inline bool browse_is_live(const struct tui_browser *b)
{
	return b->report->live != NULL;
}

/* browse_new_stacks - the picture anew, of stacks that have changed; NULL: there are none, and the picture is as it was */
const struct flame_picture *browse_new_stacks(struct tui_browser *b);

/* Views; each returns when the user goes back. */
void annotate_show(struct tui_browser *b, const char *symbol, const char *file);
void flame_show(struct tui_browser *b);
void callers_show(struct tui_browser *b, const char *symbol);
void times_show(struct tui_browser *b);
void sort_show(struct tui_browser *b);
void command_show(struct tui_browser *b, enum tui_form form);
void write_show(struct tui_browser *b);

/**
 * menu_choose() - let the user choose a line
 * @b: the browser
 * @title: for the first line
 * @items: lines
 * @nr: how many, at least one
 *
 * Return: its number; -1: none.
 */
int menu_choose(struct tui_browser *b, const char *title, const char *const *items, u32 nr);

/* keys.c: keys other than movement; return: false: the key has no function */
bool browse_act(struct tui_browser *b, u32 key);

/* search.c: ask for an expression; false: there is none. Have none. From the cursor on, down or up */
bool browse_search_ask(struct tui_browser *b);
void browse_search_forget(struct tui_browser *b);

/* How long a search takes: zero at its beginning. */
struct tui_patience {
	u64 began, looked, lines;
	bool said;
};

/* browse_search_ended - for each line: a key was pressed to end a search that takes long */
bool browse_search_ended(struct tui_browser *b, struct tui_patience *p);
void browse_search(struct tui_browser *b);
void browse_search_next(struct tui_browser *b, bool down);

/**
 * text_view_show() - text that can be scrolled, over the whole screen, until the user goes back
 * @b: the browser
 * @title: for the first line
 * @text: lines
 */
void text_view_show(struct tui_browser *b, const char *title, const char *text);

/* text_view_show_code - the same for annotate's output; it begins at the hottest line, H goes there */
void text_view_show_code(struct tui_browser *b, const char *title, const char *text);

/* start.c: the terminal; where messages go meanwhile, NULL: they are kept, and what draws the view that
 * progress is shown in, NULL: there is none; the last message that was kept
 */
extern struct tui_screen tui_screen;
void start_listen(diag_sink *to, void (*redraw)(void));
const char *start_last_message(void);
/* start_quiet - show no progress, or show it again */
void start_quiet(bool on);

#endif /* PERF_TUI_BROWSE_H */
