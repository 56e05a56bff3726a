/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paths of mappings as the kernel reports them.
 */
#ifndef PERF_BASE_PATH_H
#define PERF_BASE_PATH_H

#include <string.h>

#include "base/types.h"

/*
 * path_without_deleted - the length of a path without " (deleted)". The kernel puts that after the
 * path of a file that was removed. A file may be called so, too.
 */
static inline size_t path_without_deleted(const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(path), tail = sizeof(deleted) - 1;

	return len > tail && !strcmp(path + len - tail, deleted) ? len - tail : len;
}

#endif /* PERF_BASE_PATH_H */
