/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line of perf report.
 */
#ifndef PERF_CMD_REPORT_REPORT_OPTIONS_H
#define PERF_CMD_REPORT_REPORT_OPTIONS_H

#include "hist/config.h"
#include "render/stdio.h"
#include "session/filter.h"
#include "session/session.h"

enum report_ui { UI_AUTO, UI_STDIO, UI_TUI };

/* Constant after parsing. struct report_run has the values for a recording. */
struct report_options {
	struct session_config cfg;
	struct hist_config hist;
	struct stdio_opt stdio;
	struct filter filter;		/* not set up */
	const char *sort, *fields, *parent, *ignore_callees;
	const char *colour, *flamegraph, *diff;
	bool children, children_set, chain_set, inverted, nr_samples, total_period, sys_us;
	bool latency, threads, total_cycles, branch_history, mem_mode;
	bool header, header_only, show_info, stats, tasks, mmaps, group, group_set, hierarchy;
	bool dump, folded, quiet, hide_unresolved, exclude_other;
	bool branches, branches_set, kernel_side, user_side;
	bool skip_empty;		/* no column for a group member without samples */
	int group_sort_idx, socket, max_stack, jobs;
	enum report_ui ui;		/* resolved: not UI_AUTO */
	char **words;			/* the command line, NULL-terminated */
};

/**
 * report_options_parse() - parse the command line
 * @o: set by the call; call report_options_deinit() in any case
 * @words: the command line, NULL-terminated; must outlive the options, which point to it
 * @argc: number of words
 * @argv: the same words; may be reordered
 *
 * Return: 0, or -1 after diag_error().
 */
int report_options_parse(struct report_options *o, char **words, int argc, char **argv);
void report_options_deinit(struct report_options *o);

#endif /* PERF_CMD_REPORT_REPORT_OPTIONS_H */
