/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of perf report share.
 */
#ifndef PERF_CMD_REPORT_REPORT_H
#define PERF_CMD_REPORT_REPORT_H

#include "cmd/cut_chains.h"
#include "hist/hist.h"
#include "render/stdio.h"
#include "session/filter.h"
#include "session/session.h"

enum report_ui { UI_AUTO, UI_STDIO, UI_TUI };

struct branch_counts;

struct report {
	struct session *session;
	struct hist_config hist;
	regex_t parent_regex, ignore_callees_regex;	/* where @hist names them */
	struct hist_env *env;
	struct hists **hists;		/* by event */
	struct cuts *cuts;		/* NULL: callchains are not shown */
	struct hist_columns cols;
	struct stdio_opt stdio;

	/* Options as given */
	struct session_config cfg;
	const char *sort, *fields, *parent, *ignore_callees;
	const char *colour, *flamegraph, *diff;
	bool children, children_set, chain_set, inverted, nr_samples, total_period, sys_us;
	bool latency, threads, total_cycles, branch_history, mem_mode;
	bool header, header_only, show_info, stats, tasks, mmaps, group, group_set, hierarchy;
	bool downwards;			/* the flame graph's root is at the top */
	bool dump, folded, quiet, hide_unresolved, exclude_other;
	bool branches, branches_set, kernel_side, user_side;
	bool skip_empty;		/* no column for a member of a group without samples */
	int group_sort_idx, socket, max_stack, jobs;
	enum report_ui ui;		/* after report_options() no longer UI_AUTO */
	char **argv;			/* the words, ended by NULL */

	/* Parsed */
	struct filter filter;
};

/* tasks.c: --tasks, --mmaps and --stats; return the command's status. */
int report_tasks(struct report *r, struct outbuf *o);
int report_stats(struct report *r, struct outbuf *o);

/* threads.c: the table of -T; returns the command's status. */
int report_threads(struct report *r, struct outbuf *o);

/* blocks.c: the table of --total-cycles; returns the command's status. */
int report_blocks(struct report *r, struct outbuf *o);

/* branch_kinds.c: the "Branch Statistics" below the tables; nothing if no branch says of what kind it is. */
void report_kinds(const struct branch_counts *c, struct outbuf *o);

/* count.c: every sample goes to its histogram; return: as session_run(). */
int report_count(struct report *r);

/* options.c: reads the command line into @r; return: 0, or -1 after diag_error(). */
int report_options(struct report *r, int argc, char **argv);

/* options.c: a report with the options that a command line has; free() it. NULL after a message.
 * @argv: ended by NULL; must live as long as the report, which has its words
 */
struct report *report_of_words(char **argv);

/* report.c: what was counted, event by event */
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
struct report_section report_section(const struct report *r, u32 event, struct outbuf *title);

/* report.c: how many deferred callchains were joined, and why others were not */
void report_account(const struct report *r, struct outbuf *o);

/**
 * report_make() - set up and count
 * @r: options and session
 *
 * Return: 0; 1 when there is nothing to show, after a message. In any case report_unmake() it.
 */
int report_make(struct report *r);

/* report_unmake - free all but the session */
void report_unmake(struct report *r);

struct tui_times;

/* times.c: tui_report.times of a report whose filter is set up */
bool report_times(const struct report *r, bool cpus, struct tui_times *t);
void report_times_deinit(struct tui_times *t);

/* browse.c: the tables on the terminal; return: the command's status */
int report_browse(struct report *r);

/* hints.c: the lines at the head that say what is wrong with the profile, those at its end. */
void report_diagnosis(struct report *r, struct outbuf *o);
void report_hints(struct report *r, struct outbuf *o);

#endif /* PERF_CMD_REPORT_REPORT_H */
