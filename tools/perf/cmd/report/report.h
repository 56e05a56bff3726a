/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of perf report share.
 */
#ifndef PERF_CMD_REPORT_REPORT_H
#define PERF_CMD_REPORT_REPORT_H

#include "cmd/cut_chains.h"
#include "cmd/report/report_options.h"
#include "hist/hist.h"
#include "render/stdio.h"
#include "session/filter.h"
#include "session/session.h"

struct branch_counts;

/* A report on one recording: the options fitted to it, and what was counted. */
struct report_run {
	const struct report_options *opt;
	struct session *session;

	/* Of the options, as they are for this recording */
	struct hist_config hist;
	struct stdio_opt stdio;
	struct filter filter;		/* set up; its lists are the options' */
	const char *sort, *fields;
	regex_t parent_regex, ignore_callees_regex;	/* where @hist names them */
	bool downwards;			/* the flame graph's root is at the top */

	/* What was counted */
	struct hist_env *env;
	struct hists **hists;		/* by event */
	struct cuts *cuts;		/* NULL: callchains are not shown */
	struct hist_columns cols;
};

/* tasks.c: --tasks, --mmaps and --stats; return the command's status. */
int report_tasks(struct report_run *r, struct outbuf *o);
int report_stats(struct report_run *r, struct outbuf *o);

/* threads.c: the table of -T; returns the command's status. */
int report_threads(struct report_run *r, struct outbuf *o);

/* blocks.c: the table of --total-cycles; returns the command's status. */
int report_blocks(struct report_run *r, struct outbuf *o);

/* branch_kinds.c: the "Branch Statistics" below the tables; nothing if no branch says of what kind it is. */
void report_kinds(const struct branch_counts *c, struct outbuf *o);

/* count.c: every sample goes to its histogram; return: as session_run(). */
int report_count(struct report_run *r);

/* fit_options.c: fits the options to the recording; return: 0, or -1 after diag_error() */
int report_fit(struct report_run *r);

/* sections.c: what was counted, event by event */
struct report_section {
	struct hists **members;		/* free() them */
	u32 nr;				/* 0: nothing to show, or it is shown with its leader */
};

/**
 * report_section() - an event, or a group
 * @r: the report; everything is counted
 * @event: its leader
 * @title: "event 'cycles'" is appended to it
 *
 * Return: its histograms, in order.
 */
struct report_section report_section(const struct report_run *r, u32 event, struct outbuf *title);

/* sections.c: how many deferred callchains were joined, and why others were not */
void report_account(const struct report_run *r, struct outbuf *o);

/* report_run.c */

/* report_run_of - a report that is to be made; both outlive it */
struct report_run report_run_of(const struct report_options *o, struct session *s);

/**
 * report_rows() - count, and make the rows
 * @r: fitted to its recording
 *
 * Return: 0; 1 when there is nothing to show, after a message.
 */
int report_rows(struct report_run *r);

/**
 * report_make() - fit the options, count, and make the rows
 * @r: of report_run_of()
 *
 * Return: 0; 1 when there is nothing to show, after a message. In any case report_unmake() it.
 */
int report_make(struct report_run *r);

/* report_unmake - free all but the session and the options */
void report_unmake(struct report_run *r);

struct tui_times;

/* times.c: tui_report.times of a report whose filter is set up */
bool report_times(const struct report_run *r, bool cpus, struct tui_times *t);
void report_times_deinit(struct tui_times *t);

/* browse.c: the tables on the terminal; return: the command's status */
int report_browse(struct report_run *r);

/*
 * browse.c: tui_report.count, .annotate and .times of a recording in a file. @event: its number in the recording
 * counts, and its name. What report_count_file() returns owns the session: .drop() it.
 */
struct tui_report *report_count_file(const char *path, char *const *argv);
bool report_annotate_file(const char *path, char *const *argv, const struct event *event, const char *symbol,
			  const char *file, struct outbuf *o);
bool report_times_file(const char *path, char *const *argv, bool cpus, struct tui_times *t);

/* hints.c: the lines at the head that say what is wrong with the profile, those at its end. */
void report_diagnosis(struct report_run *r, struct outbuf *o);
void report_hints(struct report_run *r, struct outbuf *o);

#endif /* PERF_CMD_REPORT_REPORT_H */
