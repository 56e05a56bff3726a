/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies of files of other processes, of bounded size.
 */
#ifndef PERF_CMD_RECORD_KEEP_COPY_H
#define PERF_CMD_RECORD_KEEP_COPY_H

#include "cmd/record/keep/reach.h"

/* Bytes. */
struct budget {
	u64 each;		/* of a file: a larger one is not copied */
	u64 all;		/* of all copies */
	u64 used;
};

/* Where a copy is to go. */
struct copy {
	const struct fs_place *place;	/* of the file */
	u32 pid;
	const char *path;		/* as the process calls it */
	int from;			/* O_PATH */
	u64 size;			/* of the file, as fstat() says */
	int folder;
	const char *name;		/* in @folder */
	bool may_share;			/* a clone or a hard link will do */
};

/**
 * copy_file() - copy a file
 * @r: how it is reached
 * @b: what may be used, and is then
 * @c: from where to where
 *
 * The copy gets its name when it is whole, and is ours alone.
 * Return: 0; -EFBIG: it is too large; -ETIMEDOUT: its file system does not answer; or another -errno; then there is
 * no copy.
 */
int copy_file(struct reach *r, struct budget *b, const struct copy *c);

/* copy_error - in words, why there is none */
const char *copy_error(int err);

#endif /* PERF_CMD_RECORD_KEEP_COPY_H */
