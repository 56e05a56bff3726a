/* SPDX-License-Identifier: GPL-2.0 */
/* Copies files of other processes, of limited size. */
#ifndef PERF_CMD_RECORD_KEEP_COPY_H
#define PERF_CMD_RECORD_KEEP_COPY_H

#include "host/host.h"

/* Size limits, in bytes. */
struct budget {
	u64 each;		/* of one file: larger files are not copied */
	u64 all;		/* of all copies */
	u64 used;
};

/* A file and the destination of its copy. */
struct copy {
	u32 pid;
	const char *path;		/* path in the process's namespace */
	int from;			/* O_PATH */
	u64 size;			/* of the file, as fstat() says */
	int folder;
	const char *name;		/* in @folder */
	bool may_share;			/* a clone or a hard link is sufficient */
	u64 changed_ns;			/* time of change that the copy gets; 0: its own */
};

/*
 * copy_file - copy a file, by a temporary name, mode 0600 unless it is shared. Return: 0; no copy:
 * -EFBIG: over a size limit; -ETIMEDOUT: the file system does not answer; or another -errno.
 */
int copy_file(struct host *h, struct budget *b, const struct copy *c);

/* copy_error - message for an error of copy_file() */
const char *copy_error(int err);

#endif /* PERF_CMD_RECORD_KEEP_COPY_H */
