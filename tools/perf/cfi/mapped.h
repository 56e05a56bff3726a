/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens the file that a process has mapped: in another mount namespace, below another root, on
 * an overlay, deleted or unnamed.
 */
#ifndef PERF_CFI_MAPPED_H
#define PERF_CFI_MAPPED_H

#include <sys/stat.h>
#include <sys/types.h>

#include "base/types.h"

struct mapped {
	pid_t pid;		/* 0: no process, @path is to be opened */
	u64 start, end;		/* of the mapping; both 0: not known */
	u64 inode;		/* 0: not known */
	const char *path;	/* as the process or the kernel calls it */
};

/**
 * mapped_open() - open the file of a mapping
 * @m: the mapping
 * @st: set to the result of fstat()
 *
 * /proc/PID/map_files has the file itself, for root; else its name is looked up below the
 * root of the process, and below ours when the process has gone. A file with another inode
 * number is not the mapped one.
 *
 * Return: its descriptor, for reading; -errno: -ENOENT when no name leads to it.
 */
int mapped_open(const struct mapped *m, struct stat *st);

/**
 * mapped_stat() - the file that a path means in a process
 * @pid: the process
 * @path: absolute path
 * @st: where to
 *
 * Return: whether there is one, there or, when the process has gone, here.
 */
bool mapped_stat(pid_t pid, const char *path, struct stat *st);

#endif /* PERF_CFI_MAPPED_H */
