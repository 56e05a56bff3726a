/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: the files of a recording: one, or several with --switch-output.
 */
#ifndef PERF_CMD_RECORD_FILES_H
#define PERF_CMD_RECORD_FILES_H

#include "cmd/record/drain.h"
#include "cmd/record/keep/keep.h"
#include "cmd/record/synthesis.h"
#include "cmd/record/unanswered.h"

struct files {
	const struct record_options *opts;
	struct rings *rings;
	struct watch *watch;		/* passes records to the components below */
	struct output *out;		/* the open file */
	struct drain *drain;
	struct live *live;		/* NULL: no stacks are walked */
	struct tables *tables;		/* NULL: none are registered */
	struct synthesis synthesis;
	bool follows;			/* --switch-output: @follow is in use */
	struct follow follow;
	/* --switch-output with deferred callchains: @unanswered is in use */
	bool waits;
	struct unanswered unanswered;
	struct keep *keep;		/* NULL: nothing is kept */
	char **names;			/* of the finished files, oldest first */
	u32 nr_names, cap_names, nr_removed;
	u64 lost;			/* records lost in all earlier files */
	/* set by files_end(): message about truncated callchains; NULL: none */
	char *cut_line;
};

/**
 * files_init() - initialise, without a file
 * @f: structure to initialise
 * @opts: the options
 * @desc: the events
 * @workload: the command
 * @rings: the mapped buffers
 * @tables: registers unwind tables; NULL: no tables are registered
 * @watch: the components of @f that inspect records are set in it
 * @drain: reads records into @out
 * @out: writes a file
 * @out: writes the current file
 */
void files_init(struct files *f, const struct record_options *opts, const struct description *desc,
		const struct workload *workload, struct rings *rings, struct tables *tables,
		struct watch *watch, struct drain *drain, struct output *out);

/**
 * files_begin() - create the first file and write the records that precede the data
 * @f: the files
 *
 * Return: 0, or -1 after diag_error(); the file is then removed.
 */
int files_begin(struct files *f);

/**
 * files_switch() - continue in a new file
 * @f: the files
 *
 * Return: 0, or -1 after diag_error().
 */
int files_switch(struct files *f);

/**
 * files_timeout() - maximum sleep between two rounds
 * @f: the files
 * @poll_tables: nothing wakes perf up for mappings whose unwind tables are missing
 *
 * Return: milliseconds; -1: unlimited.
 */
int files_timeout(const struct files *f, bool poll_tables);

/**
 * files_poll() - close the previous file if it is complete or its wait has timed out; tables_poll()
 * @f: the files
 *
 * Return: 0, or -1 after diag_error().
 */
int files_poll(struct files *f);

/**
 * files_end() - close all files
 * @f: the files, after the last round
 * @discard: recording has not begun: remove the file
 *
 * Return: 0, or -1 after diag_error().
 */
int files_end(struct files *f, bool discard);

/**
 * files_final_name() - rename the last file to its final name
 * @f: the files, after files_end()
 *
 * Return: the name.
 */
const char *files_final_name(struct files *f);

void files_deinit(struct files *f);

#endif /* PERF_CMD_RECORD_FILES_H */
