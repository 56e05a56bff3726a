// SPDX-License-Identifier: GPL-2.0
/*
 * source.c - source files by line, each read once
 *
 * It owns the lines. A path comes from debug information and may name anything: only regular
 * files up to a size are read, and unprintable bytes are removed.
 */
#include <sys/stat.h>

#include "annotate/source.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/text.h"

#define MOST (16ul << 20)

static void read_lines(struct sources *s, struct source_file *f)
{
	struct stat st;
	_cleanup_close_ int fd = open_regular(f->path, 0, &st);
	_cleanup_fclose_ FILE *in = NULL;
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	ssize_t len;

	if (fd < 0 || (u64)st.st_size > MOST)
		return;
	in = fdopen(fd, "r");
	if (!in)
		return;
	fd = -1;
	while ((len = getline(&line, &size, in)) > 0) {
		char *c, *text;

		if (line[len - 1] == '\n')
			line[--len] = 0;
		for (c = line; *c; c++)
			if (*c == '\t')
				*c = ' ';
		text = arena_strndup(&s->arena, line, len);
		GROW(f->lines, f->nr, f->cap);
		f->lines[f->nr++] = (char *)printable_copy(&s->arena, text);
	}
}

const char *source_line(struct sources *s, const char *path, size_t len, u32 line)
{
	struct source_file *f = NULL;
	u32 i;

	for (i = 0; i < s->nr && !f; i++)
		if (!strncmp(s->files[i].path, path, len) && !s->files[i].path[len])
			f = &s->files[i];
	if (!f) {
		GROW(s->files, s->nr, s->cap);
		f = &s->files[s->nr++];
		*f = (struct source_file){ .path = arena_strndup(&s->arena, path, len) };
		read_lines(s, f);
	}
	return line && line <= f->nr ? f->lines[line - 1] : NULL;
}

void sources_deinit(struct sources *s)
{
	u32 i;

	for (i = 0; i < s->nr; i++)
		free(s->files[i].lines);
	free(s->files);
	arena_deinit(&s->arena);
	memset(s, 0, sizeof(*s));
}
