/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The shown rows of an event: nested zooms, and a limit in percent.
 */
#ifndef PERF_TUI_SHOWN_ROWS_H
#define PERF_TUI_SHOWN_ROWS_H

#include "tui/tui.h"

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

/*
 * view_update - update the shown rows after a change of the members above. Visits each row of the
 * event once.
 */
void view_update(struct tui_view *v);
void view_deinit(struct tui_view *v);

/* view_column - a column by the name of its key; NULL: there is none */
const struct hist_column *view_column(const struct hist_columns *cols, const char *key);

/* view_text - the text of a row in a column, trimmed; free() it */
char *view_text(const struct tui_view *v, u32 row, const struct hist_column *col);

/* view_zoom - show only rows with the value of @row; false: too many zooms */
bool view_zoom(struct tui_view *v, const struct hist_column *col, const struct hist_row *row);

/*
 * view_zoom_again - set a zoom's column after columns and rows changed; its value is found by its
 * text
 */
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

/*
 * view_sum - the sum of a row that is compared with the limit; includes children if they are shown
 */
u64 view_sum(const struct tui_view *v, const struct hist_row *row);

#endif /* PERF_TUI_SHOWN_ROWS_H */
