/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line of perf top.
 */
#ifndef PERF_CMD_TOP_TOP_OPTIONS_H
#define PERF_CMD_TOP_TOP_OPTIONS_H

#include "cmd/report/report_options.h"
#include "cmd/top/recording.h"

struct top_options {
	struct word_list record, report;	/* command lines of perf record and perf report */
	struct report_options shown;	/* of the latter */
	double delay;			/* seconds between refreshes */
	u64 max_memory;			/* bytes */
	u64 min_samples;		/* rows with no more are hidden */
	int entries;			/* rows that are shown; 0: all that fit */
	bool zero, add_up;		/* rows are not decayed: they begin anew, or are those of the whole window */
	bool hide_kernel, hide_user;
	bool usual_keys;		/* neither -s nor --fields was given */
	bool only_own;			/* no right to measure others */
};

/**
 * top_options_parse() - read the command line
 * @o: set; top_options_deinit() it in any case
 * @argc: number of words
 * @argv: words
 *
 * Return: 0, or -1 after diag_error().
 */
int top_options_parse(struct top_options *o, int argc, char **argv);
/* top_options_delay - set the time between refreshes; return: false: it is none, or too short */
bool top_options_delay(struct top_options *o, const char *seconds);
void top_options_deinit(struct top_options *o);

#endif /* PERF_CMD_TOP_TOP_OPTIONS_H */
