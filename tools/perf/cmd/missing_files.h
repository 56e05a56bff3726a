/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples without names because their files are not here: how many, which files, and the command that brings the names.
 */
#ifndef PERF_CMD_MISSING_FILES_H
#define PERF_CMD_MISSING_FILES_H

#include "base/outbuf.h"
#include "session/session.h"

/* All zeroes is an empty one. */
struct missing_files {
	struct missing_file {
		struct dso *dso;	/* NULL: none */
		u64 samples;		/* without a name */
	} *v;				/* by the dso's id */
	u32 nr, cap;
};

/* missing_files_add - samples of a file have no name */
void missing_files_add(struct missing_files *m, struct dso *d, u64 samples);

/* missing_files_merge - add all of @from */
void missing_files_merge(struct missing_files *m, const struct missing_files *from);

/**
 * missing_files_text() - a line about the files that are not here
 * @m: the files, sorted afterwards; others, which merely have no symbols, are passed over
 * @s: the recording
 * @total: all samples
 * @o: where to; nothing if fewer than one in a hundred samples lies in such files
 */
void missing_files_text(struct missing_files *m, const struct session *s, u64 total, struct outbuf *o);

void missing_files_deinit(struct missing_files *m);

#endif /* PERF_CMD_MISSING_FILES_H */
