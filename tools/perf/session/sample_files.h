/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files that samples and their callchains lie in.
 */
#ifndef PERF_SESSION_SAMPLE_FILES_H
#define PERF_SESSION_SAMPLE_FILES_H

#include "base/hash.h"
#include "session/session.h"

#define SAMPLE_FILES_BUILD_ID	1	/* the second key of a build-id */

/* All zeroes but for @fn and @arg; hash_deinit(&seen) at the end. */
struct sample_files {
	struct hash seen;		/* dso->id */
	void (*fn)(void *arg, const struct dso *dso);	/* called once for each file */
	void *arg;
};

/**
 * sample_files_note() - the files of one sample
 * @f: the files
 * @tl: the recording's timeline
 * @v: the sample
 */
void sample_files_note(struct sample_files *f, struct timeline *tl, const struct visit *v);

/* sample_files_insert - such a function; @arg: struct hash *, which gets hash_bytes() of the name, and that of
 * the build-id with SAMPLE_FILES_BUILD_ID
 */
void sample_files_insert(void *arg, const struct dso *dso);

/**
 * sample_files_run() - the files of all samples
 * @s: the session, which is run
 * @fn: called once for each file, in the order of the first samples
 * @arg: handed to it
 *
 * Return: 0, or what session_run() returned.
 */
int sample_files_run(struct session *s, void (*fn)(void *arg, const struct dso *dso), void *arg);

/**
 * record_hits() - the same of a recording that is not open
 * @path: a recording; what has been written so far counts
 * @names: as sample_files_insert()'s
 *
 * Return: 0, or a negative number after diag_error().
 */
int record_hits(const char *path, struct hash *names);

#endif /* PERF_SESSION_SAMPLE_FILES_H */
