/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: the last pass over a recording.
 */
#ifndef PERF_CMD_RECORD_CUT_SUMMARY_H
#define PERF_CMD_RECORD_CUT_SUMMARY_H

#include "base/hash.h"
#include "cmd/record/output.h"
#include "cmd/tables/tables.h"

/**
 * record_look() - count truncated user callchains, and collect the files with samples
 * @opts: the options
 * @out: the complete recording
 * @tables: the registered unwind tables; NULL: none
 * @hits: filled as by record_hits()
 * @line: set to how many callchains were truncated, in which files, and why; the caller frees it.
 *	Not set below the threshold of cuts_percent()
 *
 * Return: false: @hits is empty, as the recording has no user callchains to judge, is too large, or
 * a file system did not answer.
 */
bool record_look(const struct record_options *opts, const struct output *out,
		 const struct tables *tables, struct hash *hits, char **line);

#endif /* PERF_CMD_RECORD_CUT_SUMMARY_H */
