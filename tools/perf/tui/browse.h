/* SPDX-License-Identifier: GPL-2.0 */
/* The histogram on the screen, for the files that handle keys. */
#ifndef PERF_TUI_BROWSE_H
#define PERF_TUI_BROWSE_H

#include <regex.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/text.h"
#include "hist/hist.h"
#include "tui/line.h"
#include "tui/screen.h"
#include "tui/tui.h"

/*
 * The list of lines: rows of a histogram, and below an open row its call graph, whose nodes are
 * open or closed. Nothing here draws.
 *
 * A position in the list is a row with a step of its graph, not a number: the next and previous
 * lines are found in O(depth of forks), whatever is above. So no key needs the number of lines,
 * and call graphs are made when one of their lines is reached.
 */

/* A node of a row's call graph. Closed, it is the line of its first step alone. */
struct tui_node {
	const struct chain_node *chain;
	struct tui_node *up;		/* NULL: the root (the row itself) */
	struct tui_node *prev, *next, *first, *last;
	u64 id;				/* see tree_keep() */
	bool open;
	bool known;			/* nodes for its children were made */
};

/* A row that is open, or whose graph was made. */
struct tui_graph {
	struct arena arena;
	struct tui_node root;		/* .chain is NULL if the row has no graph */
	u32 row;
};

struct tui_tree {
	const u32 *rows;		/* numbers of the shown rows, in their order */
	u32 nr_rows;
	/* The call graph of a row, in @arena; NULL: it has none */
	struct chain_node *(*graph)(void *ctx, u32 row, struct arena *arena);
	void *ctx;
	bool closed_too;		/* tree_next() moves through closed lines, too */
	bool all_open;			/* untouched lines are open, else closed */
	struct hash opened;		/* (hash of a line's functions) -> open: tree_keep() */
	/* Hashes that identify a row and a step */
	u64 (*row_id)(void *ctx, u32 row);
	u64 (*step_id)(void *ctx, u32 label);
	/* Owned: graphs by row */
	struct hash by_row;
	struct tui_graph **graphs;
	u32 nr_graphs, cap_graphs;
};

/* A line: a row, or a step of its call graph. */
struct tui_place {
	u32 at;				/* index in tui_tree.rows */
	struct tui_node *node;		/* NULL: the row itself */
	u32 step;			/* index in the node's run */
};

void tree_deinit(struct tui_tree *t);

/* tree_all - open or close everything. All places with a node become invalid. */
void tree_all(struct tui_tree *t, bool open);

/*
 * tree_keep - drop all graphs, before rows change. When they are made again, lines of the same
 * functions are open, by row_id and step_id.
 */
void tree_keep(struct tui_tree *t);

/* Move to the next or previous line; return: false at an end, with @p unchanged. */
bool tree_next(struct tui_tree *t, struct tui_place *p);
bool tree_prev(struct tui_tree *t, struct tui_place *p);

/* tree_move - move down, or with @by < 0 up. Return: by how many lines: fewer at an end */
u32 tree_move(struct tui_tree *t, struct tui_place *p, s64 by);

/* tree_last - the last line of all; the list must not be empty */
struct tui_place tree_last(struct tui_tree *t);

/* tree_open - is the row or node at a place open? */
bool tree_open(const struct tui_tree *t, const struct tui_place *p);

/* tree_foldable - can a place be opened? A row's graph not made yet is assumed to have lines. */
bool tree_foldable(const struct tui_tree *t, const struct tui_place *p);

/* Open or close the row or node at a place, @deep: with all below; @p moves to its first step. */
void tree_set_open(struct tui_tree *t, struct tui_place *p, bool open, bool deep);

/* tree_visible - are all lines above a place open? tree_reveal - open them */
bool tree_visible(const struct tui_place *p);
void tree_reveal(const struct tui_place *p);

/* tree_up - move to the parent node or row; false: @p is a row */
bool tree_up(struct tui_place *p);

/* tree_hot - open the hottest path of a row; @p moves to its end */
void tree_hot(struct tui_tree *t, struct tui_place *p);

/* tree_same - are two places the same line? */
static inline bool tree_same(const struct tui_place *a, const struct tui_place *b)
{
	return a->at == b->at && a->node == b->node && a->step == b->step;
}

/* A zoom: only rows with this value in this column. */
struct tui_zoom {
	const struct hist_column *col;
	u64 value;
	char *text;			/* the shown value, without padding */
};

#define TUI_ZOOMS 8

struct tui_view {
	const struct tui_event *event;
	const struct hist_columns *cols;
	struct tui_zoom zooms[TUI_ZOOMS];
	u32 nr_zooms;
	double limit;			/* percent */
	bool relative;			/* percentages of the shown rows, not of all */
	/* Set by view_update() */
	u32 *rows;			/* numbers of the shown rows */
	u32 nr_rows, cap_rows;
	u64 shown[OV_MAX];		/* sums of the rows in the first event of a group */
};

/* view_update - update the shown rows after a change of the members above; visits each row once */
void view_update(struct tui_view *v);
void view_deinit(struct tui_view *v);

/* view_column - a column by the name of its key; NULL: there is none */
const struct hist_column *view_column(const struct hist_columns *cols, const char *key);

/* view_text - the text of a row in a column, trimmed; free() it */
char *view_text(const struct tui_view *v, u32 row, const struct hist_column *col);

/* view_zoom - show only rows with the value of @row; false: too many zooms */
bool view_zoom(struct tui_view *v, const struct hist_column *col, const struct hist_row *row);

/* Set a zoom's column, and its value by its text, after columns and rows changed. */
void view_zoom_again(struct tui_view *v, u32 zoom, const struct hist_column *col);

/* view_zooms_like - does the last zoom select this row's value in this column? */
bool view_zooms_like(const struct tui_view *v, const struct hist_column *col,
		     const struct hist_row *row);

/* view_zoom_out - remove the last zoom; false: there is none */
bool view_zoom_out(struct tui_view *v);

/* view_total - the sum that is 100 % in a member of the group */
u64 view_total(const struct tui_view *v, u32 member);

/* view_column_percent - percentage of a number in a column; latencies have their own total */
double view_column_percent(const struct tui_view *v, u32 member, enum overhead_kind k, u64 value);

/* view_row - a row by its number */
static inline const struct hist_row *view_row(const struct tui_view *v, u32 row)
{
	return hists_row_at(v->event->members[0], row);
}

/* view_sum - the sum of a row that the limit is for: of its children, if they are shown */
u64 view_sum(const struct tui_view *v, const struct hist_row *row);

struct tui_draw {
	struct tui_view *view;
	struct tui_tree *tree;
	struct hist_columns *cols;	/* their widths are set here */
	const struct stdio_opt *opt;
	u32 columns;			/* width of the terminal */
	bool files;			/* show the file of each step of call graphs */
	const char *trail;		/* selection of samples, for the title: "time 1-2 > " */
};

/* draw_begin - set the minimum widths of the columns; call it for each event */
void draw_begin(struct tui_draw *d);

/* draw_fit - widen the columns for a row */
void draw_fit(struct tui_draw *d, u32 row);

/* draw_title - the title of the view, with its zooms */
void draw_title(const struct tui_draw *d, struct tui_line *l);

/* draw_head - the names of the columns */
void draw_head(const struct tui_draw *d, struct tui_line *l);

/* draw_place - the line of a row, or of a step of its call graph */
void draw_place(const struct tui_draw *d, const struct tui_place *p, struct tui_line *l);

/* draw_names - the keys of a row: the part of its line that differs most between rows */
void draw_names(const struct tui_draw *d, const struct tui_place *p, struct outbuf *o);

/* draw_has_counts - does a column have numbers other than percentages? */
bool draw_has_counts(const struct tui_draw *d);

enum tui_form { FORM_TEXT, FORM_FOLDED, FORM_SVG };

/*
 * command_make - set @c to the command line, from "perf" on, that prints the view; @argv: that of
 * the report; [0] is "report". Return: NULL, or the reason why there is none; then @c is empty.
 */
const char *command_make(struct word_list *c, char *const *argv, const struct tui_view *v,
			 enum tui_form form);

/* command_text - append the command in shell syntax, in lines of @width characters if words fit */
void command_text(const struct word_list *c, u32 width, struct outbuf *o);

/*
 * command_write - run the command, with its output in a new file. Return: true if it was written;
 * else it does not exist, and @why is set to the reason, also if it was stopped (base/child.h).
 */
bool command_write(const struct word_list *c, const char *path, struct outbuf *why);

#define BROWSE_REPORTS 8

struct flame_picture;

struct tui_browser {
	const struct tui_report *report;	/* the shown report */
	/* The shown one is the last. The first is the caller's, the others are by .count */
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
	void (*help)(struct tui_browser *b, const char *view);	/* help_show(), for the views */
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

/* browse_ask - let the user change a line of text. Return: false: the user cancelled. */
bool browse_ask(struct tui_browser *b, const char *what, char *text, size_t size);

/* browse_words - command_make(). Return: false, after a message, if no command shows the view. */
bool browse_words(struct tui_browser *b, enum tui_form form, struct word_list *c);

/*
 * browse_count - count the recording with another command line, from "perf" on, and show the
 * result; @trail: its selection of samples, for the title: "time 1.5-2 > "
 */
void browse_count(struct tui_browser *b, const struct word_list *words, const char *trail);

/* browse_back - show the previous report; false: there is none */
bool browse_back(struct tui_browser *b);

/* browse_stacks - the boxes of the shown report's stacks; NULL after a message */
const struct flame_picture *browse_stacks(struct tui_browser *b);

/* browse_drop_stacks - free the stacks and their boxes */
void browse_drop_stacks(struct tui_browser *b);

/* browse_stopped - was work interrupted by q? Then say @message, and reset the flag. */
bool browse_stopped(struct tui_browser *b, const char *message);
#define PARTIAL "stopped: partial result"

/* browse_work - draw the view with a message before slow work */
void browse_work(struct tui_browser *b, const char *what);

/* live.c: the report changes from now on; handle a key of such a report, false: it is none */
void browse_live(struct tui_browser *b);
bool browse_live_key(struct tui_browser *b, u32 key);

/* browse_is_live - does the shown report change (perf top)? */
static inline bool browse_is_live(const struct tui_browser *b)
{
	return b->report->live != NULL;
}

/* browse_new_stacks - make the picture again after the stacks changed; NULL: there are none now */
const struct flame_picture *browse_new_stacks(struct tui_browser *b);

/* Views; each returns when the user goes back. */
void annotate_show(struct tui_browser *b, const char *symbol, const char *file);
void flame_show(struct tui_browser *b);
void callers_show(struct tui_browser *b, const char *symbol);
void times_show(struct tui_browser *b);
void sort_show(struct tui_browser *b);
void command_show(struct tui_browser *b, enum tui_form form);
void write_show(struct tui_browser *b);

/* kind_style - the style of a function, by flame_box.kind */
enum tui_style kind_style(char kind);

/* browse_scroll - move @at, up to @last, by an arrow or similar; @page: lines of the screen */
void browse_scroll(u32 *at, u32 last, u32 page, u32 key);

/* browse_sideways - scroll by an arrow. Return: false: the key is none. */
bool browse_sideways(u32 *skip, u32 key);

/* browse_is_back - does the key leave a view? */
bool browse_is_back(u32 key);

/* menu_choose - let the user choose one of @nr > 0 lines. Return: its index; -1: none. */
int menu_choose(struct tui_browser *b, const char *title, const char *const *items, u32 nr);

/* keys.c: handle keys other than movement; return: false: the key has no function */
bool browse_act(struct tui_browser *b, u32 key);

/* search.c: ask for an expression (false: cancelled); forget it; does it match @len bytes? */
bool browse_search_ask(struct tui_browser *b);
void browse_search_forget(struct tui_browser *b);
bool browse_search_matches(const struct tui_browser *b, const char *text, size_t len);

/* The state of a long search; all 0 at its start. */
struct tui_patience {
	u64 began, looked, lines;
	bool said;
};

/* browse_search_ended - called for each line: was a key pressed to end a long search? */
bool browse_search_ended(struct tui_browser *b, struct tui_patience *p);
/* Search rows and call graphs: ask for an expression, or go to the next or previous match. */
void browse_search(struct tui_browser *b);
void browse_search_next(struct tui_browser *b, bool down);

/* keys.c: show the keys of all views; @view: "flame graph", whose keys are first; NULL: rows */
void help_show(struct tui_browser *b, const char *view);

/*
 * text_view_show - show text on the whole screen, until the user goes back; @title: the first line;
 * @code: it is annotate's: a cursor begins at the hottest line and follows jumps, and the text is
 * renewed while the report changes
 */
void text_view_show(struct tui_browser *b, const char *title, struct outbuf *text, bool code);

/*
 * start.c: the terminal; the receiver of messages (NULL: they are stored), and the function that
 * draws the view below the progress (NULL: none); the last stored message
 */
extern struct tui_screen tui_screen;
void start_listen(diag_sink *to, void (*redraw)(void));
const char *start_last_message(void);
/* start_quiet - show no progress, or show it again */
void start_quiet(bool on);

#endif /* PERF_TUI_BROWSE_H */
