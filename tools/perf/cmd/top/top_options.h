/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line of perf top.
 */
#ifndef PERF_CMD_TOP_TOP_OPTIONS_H
#define PERF_CMD_TOP_TOP_OPTIONS_H

#include "base/words.h"
#include "cmd/report/report_options.h"

struct top_options {
	struct word_list record, report;	/* command lines of perf record and perf report */
	struct report_options shown;	/* parsed from .report */
	double delay;			/* seconds between refreshes */
	u64 max_memory;			/* bytes */
	u64 min_samples;		/* rows with this many samples or fewer are hidden */
	int entries;			/* number of rows; 0: as many as fit */
	/* no decay: rows restart at 0 at each refresh (zero), or cover the whole window (add_up) */
	bool zero, add_up;
	bool hide_kernel, hide_user;
	bool usual_keys;		/* neither -s nor --fields was given */
	bool only_own;			/* no permission to measure other users' processes */
};

/**
 * top_options_parse() - parse the command line
 * @o: set by the call; call top_options_deinit() in any case
 * @argc: number of arguments
 * @argv: arguments
 *
 * Return: 0, or -1 after diag_error().
 */
int top_options_parse(struct top_options *o, int argc, char **argv);
/* top_options_delay - set the refresh interval. Return: false if invalid or too short */
bool top_options_delay(struct top_options *o, const char *seconds);
/* top_parse_report - parse a command line of perf report. Return: 0, or -1 after diag_error() */
int top_parse_report(struct report_options *o, struct word_list *words);
void top_options_deinit(struct top_options *o);

#endif /* PERF_CMD_TOP_TOP_OPTIONS_H */
