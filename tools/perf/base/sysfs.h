/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small files of sysfs, procfs and tracefs, and the mount points of sysfs and tracefs.
 */
#ifndef PERF_BASE_SYSFS_H
#define PERF_BASE_SYSFS_H

#include "base/types.h"

/**
 * sysfs_root(), tracefs_root() - the mount points
 *
 * SYSFS_PATH and TRACEFS_PATH in the environment override them. The first
 * call of tracefs_root() looks for tracefs at /sys/kernel/tracing, then at the
 * mounts of tracefs and debugfs; when it is mounted nowhere, it is mounted at
 * /sys/kernel/tracing. Not for several threads at once.
 * Return: a path without a final slash; nothing need be there.
 */
const char *sysfs_root(void);
const char *tracefs_root(void);

/**
 * tracefs_why() - why tracefs cannot be read, and a remedy
 * @err: -EACCES when events/ may not be read, -ENOENT when it is not there
 * @buf: set to the text
 * @size: of @buf
 *
 * Return: @buf.
 */
const char *tracefs_why(int err, char *buf, size_t size);

/**
 * read_text() - read a small file of sysfs or procfs
 * @buf: where to; terminated, the final newline removed
 * @size: of @buf
 *
 * Return: number of bytes, or -errno.
 */
int read_text(const char *path, char *buf, size_t size);

/**
 * sysfs_list() - the entries of a folder
 * @nr: set to their number
 *
 * Return: their names in alphabetical order, without those that begin with a dot; NULL when
 * there are none or the folder cannot be read. Call sysfs_list_free().
 */
char **sysfs_list(const char *path, u32 *nr);
void sysfs_list_free(char **names, u32 nr);

#endif /* PERF_BASE_SYSFS_H */
