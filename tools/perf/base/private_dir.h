/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Folders in perf's cache (~/.debug) that only this user can write, so that their files can be
 * used without the checks for other files.
 */
#ifndef PERF_BASE_PRIVATE_DIR_H
#define PERF_BASE_PRIVATE_DIR_H

#include "base/types.h"

struct stat;

/**
 * private_dir_open() - open such a folder, made if it is absent
 * @dir: perf's cache folder; made if it is absent
 * @name: of the folder in it
 *
 * Return: a descriptor; -EPERM when it is another user's, a link, or can be written by
 * others; or another -errno.
 */
int private_dir_open(const char *dir, const char *name);

/* private_file - is it ours, and can no other user write it? */
bool private_file(const struct stat *st);

/**
 * private_dir_trim() - remove the files that were not used (written) for the longest time
 * @limit: bytes that may remain
 *
 * Files called .tmp.* were left by a killed perf; they are removed after an hour.
 * Return: how many others were removed.
 */
u32 private_dir_trim(int fd, u64 limit);

#endif /* PERF_BASE_PRIVATE_DIR_H */
