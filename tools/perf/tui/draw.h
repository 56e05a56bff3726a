/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text of each line of the histogram. Nothing here knows the terminal.
 */
#ifndef PERF_TUI_DRAW_H
#define PERF_TUI_DRAW_H

#include "tui/line.h"
#include "tui/shown_rows.h"
#include "tui/tree.h"

struct tui_draw {
	struct tui_view *view;
	struct tui_tree *tree;
	struct hist_columns *cols;	/* of these the widths are set */
	const struct stdio_opt *opt;
	u32 columns;			/* of the terminal */
	bool files;			/* steps of call graphs have the names of their files */
	const char *trail;		/* how the samples were chosen, for the title: "time 1-2 > " */
};

/* draw_begin - the widths that the columns have whatever stands in them; for each event */
void draw_begin(struct tui_draw *d);

/* draw_fit - columns grow until a row has room */
void draw_fit(struct tui_draw *d, u32 row);

/* draw_title - the title of the view, with its zooms */
void draw_title(const struct tui_draw *d, struct tui_line *l);

/* draw_head - the names of the columns */
void draw_head(const struct tui_draw *d, struct tui_line *l);

/* draw_place - a row, or a step of its call graph */
void draw_place(const struct tui_draw *d, const struct tui_place *p, struct tui_line *l);

/* draw_names - the keys of a row: the part of its line that differs most between rows */
void draw_names(const struct tui_draw *d, const struct tui_place *p, struct outbuf *o);

/* draw_has_counts - are there numbers that are no percentages? */
bool draw_has_counts(const struct tui_draw *d);

#endif /* PERF_TUI_DRAW_H */
