/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text files of any size, line by line and without a copy of the whole.
 */
#ifndef PERF_BASE_LINES_H
#define PERF_BASE_LINES_H

#include "base/types.h"

/**
 * lines_read() - hand over each line of a file
 * @fd: the file, read from where it is
 * @most: bytes that are read
 * @line: called with @priv, where a line begins, and where it ends: no newline or NUL stands there
 * @priv: for @line
 *
 * A line of more than 64 kB is cut there. The file ends where a piece of it begins with a NUL: text has none, and
 * files with holes can be of any size.
 *
 * Return: how many bytes were read, or -errno: -EFBIG when there are more than @most.
 */
s64 lines_read(int fd, u64 most, void (*line)(void *priv, const char *start, const char *end), void *priv);

#endif /* PERF_BASE_LINES_H */
