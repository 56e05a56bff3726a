/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A histogram as text.
 */
#ifndef PERF_RENDER_STDIO_H
#define PERF_RENDER_STDIO_H

#include "base/outfile.h"
#include "hist/hist.h"

/* As mainline: longer names in call graphs are cut, as are headers with their padding. */
#define STDIO_TEXT_MAX 1023U

struct stdio_opt {
	const char *sep;	/* -t: between columns, without padding; NULL: aligned columns */
	const char *widths;	/* -w: "5,0,20"; NULL: as wide as the content */
	u32 width;		/* rows are cut at this width; 0: not cut */
	double percent_limit;
	u64 min_samples;	/* rows with at most this many are hidden */
	u32 max_rows;		/* maximum number of rows; 0: no limit */
	int socket;		/* the only socket shown; -1: all */
	bool hierarchy;
	bool no_comments;	/* -q */
	bool weights;		/* --mem-mode: periods are weights */
	const char *sort;	/* shown above the rows; NULL: not shown */
	bool skip_first;	/* -s sym: call graphs omit the row's symbol */
};

/* A section: one event, or a group. */
struct stdio_view {
	struct hists **members;
	u32 nr;
	const char *title;	/* "event 'cycles'" */
	struct hist_columns *cols;
	const struct stdio_opt *opt;
	struct outfile *out;
};

/* stdio_print - print the section of an event or group, whose histograms are sorted */
void stdio_print(struct stdio_view *v);

/* stdio_cell.c: shared by the layouts */

/*
 * stdio_title - append the comment lines above a section; @title: "event 'cycles'"; @what: the
 * label of @count: "Event count (approx.)"
 */
void stdio_title(const char *title, u64 samples, const char *what, u64 count, struct outbuf *o);

/* stdio_over_limit - is a sum above the display limit? */
bool stdio_over_limit(const struct stdio_view *v, u64 period);

/* stdio_shows - is a row shown, by its sum and its number of samples? */
bool stdio_shows(const struct stdio_view *v, const struct hist_row *row);

/* stdio_number - append a number of a group member, all of them in order */
void stdio_number(const struct stdio_view *v, const struct hist_column *col, u32 member, u64 value,
		  struct outbuf *o);

const char *stdio_header(const struct stdio_view *v, const struct hist_column *col);
u32 stdio_number_width(const struct stdio_view *v, const struct hist_column *col);
u32 stdio_key_width(const struct stdio_view *v, const struct hist_column *col);

/* stdio_put_step - the text of a step of a call graph */
void stdio_put_step(const struct hists *h, u32 label, struct outbuf *o);

/* stdio_put_branches - append a blank and the branch statistics of a step in brackets, if any */
void stdio_put_branches(const struct step_branches *b, struct outbuf *o);

/* stdio_hide_foreign_fields - hide columns of tracepoint fields whose event is not in the view */
void stdio_hide_foreign_fields(struct stdio_view *v);

/* stdio_put_line - append a row or head line, cut to the width, and a newline */
void stdio_put_line(const struct stdio_view *v, const struct outbuf *line, struct outbuf *o);

/* hierarchy.c */
void stdio_print_hierarchy(struct stdio_view *v);

/* stdio_print_chain - append a row's call graph */
void stdio_print_chain(const struct hists *h, const struct hist_row *row,
		       const struct stdio_opt *opt, struct outbuf *o);

#endif /* PERF_RENDER_STDIO_H */
