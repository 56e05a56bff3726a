/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared within perf report.
 */
#ifndef PERF_CMD_REPORT_REPORT_H
#define PERF_CMD_REPORT_REPORT_H

#include "cmd/cut_chains.h"
#include "hist/config.h"
#include "hist/hist.h"
#include "render/stdio.h"
#include "session/filter.h"
#include "session/session.h"
#include "tui/tui.h"

enum report_ui { UI_AUTO, UI_STDIO, UI_TUI };

enum diff_compute { DIFF_DELTA_ABS, DIFF_DELTA, DIFF_RATIO };

/* Constant after parsing. struct report_run has the values for a recording. */
struct report_options {
	struct session_config cfg;
	struct hist_config hist;
	struct stdio_opt stdio;
	struct filter filter;		/* not set up */
	const char *sort, *fields, *parent, *ignore_callees;
	const char *colour, *flamegraph;
	/* --diff and perf diff */
	const char *diff;		/* the baseline; NULL: none */
	const char *before_time;	/* --time of the baseline; NULL: as the others */
	char **more;			/* recordings behind the second */
	u32 nr_more;
	int diff_order;			/* sorted by this recording's differences */
	enum diff_compute compute;
	bool baseline_only, diff_paths;
	bool chain_set, inverted, nr_samples, total_period, sys_us;
	bool latency, threads, total_cycles, branch_history, mem_mode;
	bool header, header_only, show_info, stats, tasks, mmaps, hierarchy;
	bool dump, folded, quiet, hide_unresolved, exclude_other;
	bool kernel_side, user_side;
	int children, branches, group;	/* opt_switch(); -1: not given */
	bool skip_empty;		/* no column for a group member without samples */
	int group_sort_idx, socket, max_stack, jobs;
	enum report_ui ui;		/* resolved: not UI_AUTO */
	char **words;			/* the command line, NULL-terminated */
};

/*
 * report_options_parse - parse the command line, @argv, which may be reordered; @words: the same
 * words, NULL-terminated, to which the options point. Return: 0, or -1 after diag_error(); call
 * report_options_deinit() in any case.
 */
int report_options_parse(struct report_options *o, char **words, int argc, char **argv);
void report_options_deinit(struct report_options *o);

struct branch_counts;

/* A report on one recording: the fitted options and the counts. */
struct report_run {
	const struct report_options *opt;
	struct session *session;

	/* The options, fitted to this recording */
	struct hist_config hist;
	struct stdio_opt stdio;
	struct filter filter;		/* set up; its lists belong to @opt */
	const char *sort, *fields;
	regex_t parent_regex, ignore_callees_regex;	/* used if @hist points to them */
	bool downwards;			/* the flame graph's root is at the top */

	/* The counts */
	struct hist_env *env;
	struct hists **hists;		/* by event */
	struct cuts *cuts;		/* NULL: callchains are not shown */
	struct hist_columns cols;

	bool other_damaged;		/* of --diff: a recording beside this one */
};

/* tasks.c: --tasks, --mmaps, --stats and the table of -T. Return: the exit status. */
int report_tasks(struct report_run *r, struct outfile *o);
int report_stats(struct report_run *r, struct outbuf *o);
int report_threads(struct report_run *r, struct outbuf *o);

/* blocks.c: the table of --total-cycles. Return: the exit status. */
int report_blocks(struct report_run *r, struct outbuf *o);

/* "Branch Statistics" below the tables; nothing if no branch has a kind */
void report_kinds(const struct branch_counts *c, struct outbuf *o);

/* count.c: count every sample into its histogram. Return: as session_run(). */
int report_count(struct report_run *r);

/* fit_options.c: fit the options to the recording. Return: 0, or -1 after diag_error() */
int report_fit(struct report_run *r);

/* sections.c: the histograms of an event or a group */
struct report_section {
	struct hists **members;		/* the caller frees the array */
	u32 nr;				/* 0: empty, or shown with its group's leader */
};

/* Sort the histograms of an event or its group; @title: "event 'cycles'" is appended. */
struct report_section report_section(const struct report_run *r, u32 event, struct outbuf *title);

/* Print the table of an event or a group; nothing if it is empty or shown with its leader. */
void report_print_section(struct report_run *r, u32 event, struct outfile *o);

/* Append how many deferred samples were joined, and why others were not. */
void report_account(const struct report_run *r, struct outbuf *o);

/* report_run.c */

/* report_run_of - initialise a report; @o and @s must outlive it */
struct report_run report_run_of(const struct report_options *o, struct session *s);

/* After report_fit() count samples and create rows. Return: 0; 1 after a message: no rows. */
int report_rows(struct report_run *r);

/* report_make - report_fit() and report_rows(); report_unmake() it also after an error */
int report_make(struct report_run *r);

/*
 * report_count_other - count another recording with the options of @r, which learns whether it is
 * damaged; @path: NULL: the baseline of --diff. Return: for report_free_other(); NULL after a
 * message.
 */
struct report_run *report_count_other(struct report_run *r, const char *path);
void report_free_other(struct report_run *r);

/* diff.c: the table of --diff; @r: the recording behind the baseline. Return: the exit status */
int report_diff(struct report_run *r, struct outfile *out);

/* report_unmake - free everything except the session and the options */
void report_unmake(struct report_run *r);

/* times.c: samples over time, counted one at a time */
struct times_count {
	struct session *session;
	bool cpus;			/* a row for each CPU, not each thread */
	u64 span;			/* nanoseconds of all slices */
	bool beyond;			/* a sample was later than the last slice */
	struct tui_times t;
	struct hash rows;		/* private: TID or CPU -> row */
	u32 cap;
};

/* times_count_begin - no samples yet; @first, @last: limits of the slices, in ns */
void times_count_begin(struct times_count *c, struct session *s, bool cpus, u64 first, u64 last);
/* times_count_sample - session_ops.sample for a struct times_count */
int times_count_sample(void *ctx, const struct visit *v);
/* times_count_sort - order the rows; more samples may follow */
void times_count_sort(struct times_count *c);

/* times.c: fill tui_report.times of a report whose filter is set up */
bool report_times(const struct report_run *r, bool cpus, struct tui_times *t);
void report_times_deinit(struct tui_times *t);

/* browse.c: show the tables in the terminal. Return: the exit status */
int report_browse(struct report_run *r);

/* browse.c: tui_report.count for a recording in a file; the result owns its session: free it with .drop() */
struct tui_report *report_count_file(const char *path, char *const *argv);

/* hints.c: lines at the head about problems of the profile; tips at its end. */
void report_diagnosis(struct report_run *r, struct outbuf *o);
void report_hints(struct report_run *r, struct outbuf *o);

#endif /* PERF_CMD_REPORT_REPORT_H */
