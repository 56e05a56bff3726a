/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_SESSION_SAMPLE_FILES_H
#define PERF_SESSION_SAMPLE_FILES_H

#include "session/session.h"

#define SAMPLE_FILES_BUILD_ID	1	/* the second key of a build-id */

/**
 * sample_files_note() - the files that one sample and its callchain lie in
 * @names: hash_bytes() of each file's name is inserted, and that of its build-id with SAMPLE_FILES_BUILD_ID
 * @tl: the recording's timeline
 * @v: the sample
 */
void sample_files_note(struct hash *names, struct timeline *tl, const struct visit *v);

/**
 * record_hits() - the files that samples lie in
 * @path: a recording; what has been written so far counts
 * @names: as for sample_files_note()
 *
 * Return: 0, or a negative number after diag_error().
 */
int record_hits(const char *path, struct hash *names);

#endif /* PERF_SESSION_SAMPLE_FILES_H */
