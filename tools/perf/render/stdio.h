/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A histogram as text.
 */
#ifndef PERF_RENDER_STDIO_H
#define PERF_RENDER_STDIO_H

#include "hist/hist.h"

/* As mainline: longer names are cut in call graphs, and so are headers, with the blanks after them. */
#define STDIO_TEXT_MAX 1023U

struct stdio_opt {
	const char *sep;	/* -t: between columns, without padding; NULL: aligned columns */
	const char *widths;	/* -w: "5,0,20"; NULL: as wide as the content */
	u32 width;		/* rows are cut here; 0: nowhere */
	double percent_limit;
	u64 min_samples;	/* rows with no more are hidden */
	u32 max_rows;		/* rows after these are hidden; 0: none */
	int socket;		/* of all that is shown; -1: of any */
	bool hierarchy;
	bool no_comments;	/* -q */
	bool weights;		/* --mem-mode: periods are weights */
	const char *sort;	/* shown above the rows; NULL: not */
	bool skip_first;	/* -s sym: a call graph need not begin with the row's symbol */
};

/* What is shown together: one event, or a group. */
struct stdio_view {
	struct hists **members;
	u32 nr;
	const char *title;	/* "event 'cycles'" */
	struct hist_columns *cols;
	const struct stdio_opt *opt;
	struct outbuf *out;
};

/**
 * stdio_print() - the section of one event or group
 * @v: the view; its histograms are sorted
 */
void stdio_print(struct stdio_view *v);

/* stdio_cell.c: shared by the layouts */

/**
 * stdio_title() - the comment lines above a section
 * @title: "event 'cycles'"
 * @samples: how many, printed with three digits at most and a unit
 * @what: what is counted, with the blank before the colon if there is one: "Event count (approx.)"
 * @count: the event's count
 * @o: where to
 */
void stdio_title(const char *title, u64 samples, const char *what, u64 count, struct outbuf *o);

double stdio_percent(const struct hists *h, u64 period);

/* stdio_over_limit - whether the sum of a row, or of several, is one that is shown */
bool stdio_over_limit(const struct stdio_view *v, u64 period);

/* stdio_shows - the same of a row, by the number of its samples, too */
bool stdio_shows(const struct stdio_view *v, const struct hist_row *row);

/**
 * stdio_number() - a number of one member of the view
 * @v: the view
 * @col: its column
 * @member: the member; all are put, from the first to the last
 * @value: the number
 * @o: where to
 */
void stdio_number(const struct stdio_view *v, const struct hist_column *col, u32 member, u64 value,
		  struct outbuf *o);

const char *stdio_header(const struct stdio_view *v, const struct hist_column *col);
u32 stdio_number_width(const struct stdio_view *v, const struct hist_column *col);
u32 stdio_key_width(const struct stdio_view *v, const struct hist_column *col);

/* stdio_put_step - the text of a step of a call graph */
void stdio_put_step(const struct hists *h, u32 label, struct outbuf *o);

/* stdio_put_branches - branch statistics of a step, in brackets after a blank; or nothing */
void stdio_put_branches(const struct step_branches *b, struct outbuf *o);

/* stdio_hide_foreign_fields - a tracepoint's field has a column where its event is shown */
void stdio_hide_foreign_fields(struct stdio_view *v);

/* stdio_put_line - a row or a line of the head, cut to the width, with its end of line */
void stdio_put_line(const struct stdio_view *v, const struct outbuf *line, struct outbuf *o);

/* hierarchy.c */
void stdio_print_hierarchy(struct stdio_view *v);

/**
 * stdio_print_chain() - a row's call graph
 * @h: its histogram
 * @row: the row
 * @opt: how
 * @o: where to
 */
void stdio_print_chain(const struct hists *h, const struct hist_row *row,
		       const struct stdio_opt *opt, struct outbuf *o);

#endif /* PERF_RENDER_STDIO_H */
