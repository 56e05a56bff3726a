/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of source files.
 */
#ifndef PERF_ANNOTATE_SOURCE_H
#define PERF_ANNOTATE_SOURCE_H

#include "base/arena.h"

struct source_file {
	char *path;
	char **lines;		/* printable; NULL: the file cannot be read */
	u32 nr, cap;
};

/* All zeroes: no file was read yet. */
struct sources {
	struct source_file *files;
	u32 nr, cap;
	struct arena arena;
};

/**
 * source_line() - a line of a file
 * @s: the files
 * @path: of the file
 * @len: bytes of @path
 * @line: from 1
 *
 * Return: the line; NULL if the file cannot be read or has no such line.
 */
const char *source_line(struct sources *s, const char *path, size_t len, u32 line);
void sources_deinit(struct sources *s);

#endif /* PERF_ANNOTATE_SOURCE_H */
