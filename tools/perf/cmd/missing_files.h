/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples without symbols as their files are missing: their number, the files, and a command that
 * gets the symbols.
 */
#ifndef PERF_CMD_MISSING_FILES_H
#define PERF_CMD_MISSING_FILES_H

#include "base/outbuf.h"
#include "session/session.h"

/* All zeroes: an empty list. */
struct missing_files {
	struct missing_file {
		struct dso *dso;	/* NULL: none */
		u64 samples;		/* without a name */
	} *v;				/* by the dso's id */
	u32 nr, cap;
};

/* missing_files_add - add samples of a file without symbols */
void missing_files_add(struct missing_files *m, struct dso *d, u64 samples);

/* missing_files_merge - add all of @from */
void missing_files_merge(struct missing_files *m, const struct missing_files *from);

/**
 * missing_files_text() - append a message about missing files
 * @m: the files, sorted afterwards; files that exist without symbols are ignored
 * @total: all samples
 * @o: the text is appended; nothing if less than 1 % of the samples are in missing files
 */
void missing_files_text(struct missing_files *m, const struct session *s, u64 total, struct outbuf *o);

void missing_files_deinit(struct missing_files *m);

#endif /* PERF_CMD_MISSING_FILES_H */
