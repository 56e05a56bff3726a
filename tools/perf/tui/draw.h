/* SPDX-License-Identifier: GPL-2.0 */
/* The text of each line of the histogram, independent of the terminal. */
#ifndef PERF_TUI_DRAW_H
#define PERF_TUI_DRAW_H

#include "tui/line.h"
#include "tui/shown_rows.h"
#include "tui/tree.h"

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

#endif /* PERF_TUI_DRAW_H */
