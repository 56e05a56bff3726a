/* SPDX-License-Identifier: GPL-2.0 */
/* The mapped files of samples and their callchains. */
#ifndef PERF_SESSION_SAMPLE_FILES_H
#define PERF_SESSION_SAMPLE_FILES_H

#include "base/hash.h"
#include "base/outbuf.h"
#include "session/session.h"

#define SAMPLE_FILES_BUILD_ID	1	/* second hash key of a build-id */

/* Zeroed, except @fn and @arg; call hash_deinit(&seen) at the end. */
struct sample_files {
	struct hash seen;		/* dso->id */
	void (*fn)(void *arg, const struct dso *dso);	/* called once for each file */
	void *arg;
};

/* sample_files_note - report the files of one sample; @tl: the recording's timeline */
void sample_files_note(struct sample_files *f, struct timeline *tl, const struct visit *v);

/*
 * sample_files_insert - .fn that adds hash_bytes() of the name to @arg, a struct hash *, and that
 * of the build-id with SAMPLE_FILES_BUILD_ID
 */
void sample_files_insert(void *arg, const struct dso *dso);

/* sample_files_run - session_run(), with @fn once for each file, in the order of samples */
int sample_files_run(struct session *s, void (*fn)(void *arg, const struct dso *dso), void *arg);

/*
 * record_hits - sample_files_insert() for the files of a recording, maybe an incomplete one.
 * Return: 0, or below after diag_error().
 */
int record_hits(const char *path, struct hash *names);

/* sample_names_config - set the configuration that sample_names() needs */
void sample_names_config(struct symbol_config *cfg);

/* sample_names - session_run() of a file that makes the section; empty if nothing has a name */
int sample_names(struct session *s, struct outbuf *o);

/* record_names - the same, for a recording of this machine; below 0 after diag_error() */
int record_names(const char *path, struct outbuf *o);

#endif /* PERF_SESSION_SAMPLE_FILES_H */
