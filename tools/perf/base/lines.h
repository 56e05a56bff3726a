/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads text files of any size line by line.
 */
#ifndef PERF_BASE_LINES_H
#define PERF_BASE_LINES_H

#include "base/types.h"

/**
 * lines_read() - call a function for each line of a file
 * @fd: the file, read from its position
 * @most: maximum number of bytes
 * @line: called with @priv and the start and end of a line; the end is not terminated
 * @priv: for @line
 *
 * Lines of more than 64 kB are truncated. Reading stops at a piece that begins with a NUL: files with holes can be
 * of any size.
 *
 * Return: the number of bytes read; -EFBIG: there are more than @most; or another -errno.
 */
s64 lines_read(int fd, u64 most, void (*line)(void *priv, const char *start, const char *end), void *priv);

#endif /* PERF_BASE_LINES_H */
