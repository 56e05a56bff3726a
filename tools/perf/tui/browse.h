/* SPDX-License-Identifier: GPL-2.0 */
/* The histogram on the screen, for the files that handle keys. */
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
	/*
	 * The previous reports and the shown one. The first is the caller's, the others were
	 * counted by .count
	 */
	struct {
		const struct tui_report *report;
		char *trail;		/* its selection of samples, for the title; "": all */
	} reports[BROWSE_REPORTS];
	u32 nr_reports;			/* at least one; the last is shown */
	/* The stacks of the shown report; NULL: not counted */
	struct tui_report *stacks;
	struct flame_picture *picture;
	char *stacks_words;		/* the command line that counted them */
	struct tui_screen *screen;
	struct tui_view view;
	struct tui_tree tree;
	struct tui_draw draw;
	struct tui_line line;		/* the line being drawn */
	struct tui_place top, cursor;	/* lines of the tree; not used without rows */
	u32 skip;			/* columns scrolled out at the left */
	u32 event;			/* index of the event in the report */
	regex_t search;
	bool searches;			/* .search is compiled */
	char literal[128];		/* the expression if only names can contain it, else "" */
	u32 key;			/* whose function runs (keys.c) */
	char message[256];		/* shown until the next key */
	/* For a report that changes: the positions of its lines */
	struct {
		bool rows;			/* rows are about to change */
		u32 below_row, below_top;	/* lines: top line to its row, cursor to top line */
		char *zooms[TUI_ZOOMS];		/* names of their columns */
	} kept;
	struct arena names;		/* names in .picture, if its report changes */
	/* Draws the current view, with .message in its last line; NULL: the histogram */
	void (*show)(void *ctx);
	void *show_ctx;
};

/* Lines around the tree: title and head above it, the bar below. */
#define BROWSE_ABOVE 2
#define BROWSE_AROUND 3

/* browse_height - number of lines of the tree on the screen */
static inline u32 browse_height(const struct tui_browser *b)
{
	return max(b->screen->rows - BROWSE_AROUND, 1);
}

/* browse_show - draw the current view: the histogram, or by .show */
void browse_show(struct tui_browser *b);

/* browse_behind - set the view that is drawn behind prompts and messages; NULL: the histogram */
void browse_behind(struct tui_browser *b, void (*show)(void *ctx), void *ctx);

/* browse_follow - scroll as little as needed to show the cursor; there must be rows */
void browse_follow(struct tui_browser *b);

/* browse_say - set the message in the bar */
void browse_say(struct tui_browser *b, const char *fmt, ...) __printf(2, 3);

/* browse_report - show a report; @trail: its selection of samples, for the title */
void browse_report(struct tui_browser *b, const struct tui_report *r, const char *trail);

/* browse_rows - update the rows after a change, and go to the first */
void browse_rows(struct tui_browser *b);

/**
 * browse_ask() - let the user type a line
 * @b: the browser
 * @what: the prompt
 * @text: initial content; set to the line
 * @size: room in @text
 *
 * Return: false: the user cancelled.
 */
bool browse_ask(struct tui_browser *b, const char *what, char *text, size_t size);

/**
 * browse_words() - the command line of the view
 * @b: the browser
 * @form: the form of output
 * @c: set to the command; call words_deinit()
 *
 * Return: false, after a message, if no command shows the view.
 */
bool browse_words(struct tui_browser *b, enum tui_form form, struct word_list *c);

/**
 * browse_count() - count the recording with another command line and show the result
 * @b: the browser
 * @words: the command line; the first word is "perf"
 * @trail: selection of samples, for the title: "time 1.5-2 > "
 */
void browse_count(struct tui_browser *b, const struct word_list *words, const char *trail);

/* browse_back - show the previous report; false: there is none */
bool browse_back(struct tui_browser *b);

/* browse_stacks - the boxes of the shown report's stacks; NULL after a message */
const struct flame_picture *browse_stacks(struct tui_browser *b);

/* browse_drop_stacks - free the stacks and their boxes */
void browse_drop_stacks(struct tui_browser *b);

/*
 * browse_after_work - call after work that q can interrupt: shows a message if it was, and resets
 * the flag
 */
void browse_after_work(struct tui_browser *b);

/*
 * browse_dropped - as browse_after_work(), if a partial result is useless; return: true if
 * interrupted
 */
bool browse_dropped(struct tui_browser *b);

/* browse_work - draw the view with a message before slow work */
void browse_work(struct tui_browser *b, const char *what);

/*
 * live.c: browse_live - the report changes from now on. browse_live_key - handle a key of such a
 * report; return: false: it is not such a key
 */
void browse_live(struct tui_browser *b);
bool browse_live_key(struct tui_browser *b, u32 key);

/* browse_is_live - does the shown report change (perf top)? */
static inline bool browse_is_live(const struct tui_browser *b)
{
	return b->report->live != NULL;
}

/*
 * browse_new_stacks - make the picture again after the stacks changed; NULL: no stacks, and the
 * picture is unchanged
 */
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
 * @title: the first line
 * @items: the lines
 * @nr: number of lines, at least one
 *
 * Return: the index of the line; -1: none.
 */
int menu_choose(struct tui_browser *b, const char *title, const char *const *items, u32 nr);

/* keys.c: handle keys other than movement; return: false: the key has no function */
bool browse_act(struct tui_browser *b, u32 key);

/*
 * search.c: ask for an expression (return: false: cancelled); forget it; search from the cursor on
 */
bool browse_search_ask(struct tui_browser *b);
void browse_search_forget(struct tui_browser *b);

/* The state of a long search; all 0 at its start. */
struct tui_patience {
	u64 began, looked, lines;
	bool said;
};

/*
 * browse_search_ended - called for each line; return: true: a key was pressed to end a long search
 */
bool browse_search_ended(struct tui_browser *b, struct tui_patience *p);
void browse_search(struct tui_browser *b);
void browse_search_next(struct tui_browser *b, bool down);

/**
 * text_view_show() - show text on the whole screen, with scrolling, until the user goes back
 * @b: the browser
 * @title: the first line
 * @text: lines
 */
void text_view_show(struct tui_browser *b, const char *title, const char *text);

/*
 * text_view_show_code - show annotate's output, starting at the hottest line; H returns to it. @o: the
 * text; renewed while it is shown if the report changes
 */
void text_view_show_code(struct tui_browser *b, const char *title, struct outbuf *o);

/*
 * start.c: the terminal. start_listen - set the receiver of messages (NULL: they are stored) and
 * the function that draws the view below the progress (NULL: none). start_last_message - the last
 * stored message
 */
extern struct tui_screen tui_screen;
void start_listen(diag_sink *to, void (*redraw)(void));
const char *start_last_message(void);
/* start_quiet - show no progress, or show it again */
void start_quiet(bool on);

#endif /* PERF_TUI_BROWSE_H */
