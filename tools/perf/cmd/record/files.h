/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: the files of a recording, one after the other: one, or with --switch-output
 * many.
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
	struct watch *watch;		/* shows records to the parts below */
	struct output *out;		/* the file that is being written */
	struct drain *drain;
	struct live *live;		/* NULL: no stacks are walked */
	struct tables *tables;		/* NULL: none are registered */
	struct synthesis synthesis;
	bool follows;			/* --switch-output: @follow is in use */
	struct follow follow;
	bool waits;			/* and callchains are deferred: @unanswered is in use */
	struct unanswered unanswered;
	struct keep *keep;		/* NULL: nothing is kept */
	char **names;			/* of the files that were finished, the oldest first */
	u32 nr_names, cap_names, nr_removed;
	u64 lost;			/* records, in all files before this one */
};

/**
 * files_init() - begin, without a file
 * @f: what to fill
 * @opts: the options
 * @desc: the events
 * @workload: the command
 * @rings: the mapped buffers
 * @tables: registers the tables of what is mapped; NULL: tables are not registered
 * @watch: gets the parts that want to know of records
 * @drain: what reads them into @out
 * @out: what writes a file
 */
void files_init(struct files *f, const struct record_options *opts, const struct description *desc,
		const struct workload *workload, struct rings *rings, struct tables *tables,
		struct watch *watch, struct drain *drain, struct output *out);

/**
 * files_begin() - create the first file and write what comes before the data
 * @f: the files
 *
 * Return: 0, or -1 after diag_error(), with no file left.
 */
int files_begin(struct files *f);

/**
 * files_switch() - go on in a new file
 * @f: the files
 *
 * Return: 0, or -1 after diag_error().
 */
int files_switch(struct files *f);

/* files_timeout - for how long to sleep at most, in milliseconds; -1: for ever */
int files_timeout(const struct files *f);

/**
 * files_poll() - close the last file if nothing more is to come
 * @f: the files
 *
 * Return: 0, or -1 after diag_error().
 */
int files_poll(struct files *f);

/**
 * files_end() - close all files
 * @f: the files, after the last round
 * @discard: the recording has not begun: its file is to leave no trace
 *
 * Return: 0, or -1 after diag_error().
 */
int files_end(struct files *f, bool discard);

/**
 * files_final_name() - give the last file its final name
 * @f: the files, after files_end()
 *
 * Return: the name.
 */
const char *files_final_name(struct files *f);

void files_deinit(struct files *f);

#endif /* PERF_CMD_RECORD_FILES_H */
