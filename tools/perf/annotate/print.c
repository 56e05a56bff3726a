// SPDX-License-Identifier: GPL-2.0
/*
 * print.c - prints a function: source lines above the instructions compiled from them
 *
 * It is given a function, and reads its code and source at the first call. Every sample of the
 * function is in one line: an address inside an instruction, possible only with a wrong
 * disassembly, gets its own line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "annotate/annotate.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/text.h"
#include "render/colour.h"

/* A path comes from debug information and may name anything: only regular files are read. */
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

#define MOST_SOURCE (16ul << 20)

static void read_lines(struct sources *s, struct source_file *f)
{
	struct stat st;
	_cleanup_close_ int fd = open_regular(f->path, 0, &st);
	_cleanup_fclose_ FILE *in = NULL;
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	ssize_t len;

	if (fd < 0 || (u64)st.st_size > MOST_SOURCE)
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

/* Line @line, from 1, of a file; NULL if it cannot be read or has no such line. */
static const char *source_line(struct sources *s, const char *path, size_t len, u32 line)
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

static const struct { const char *title; int width; } columns[] = {
	[ANNOTATE_PERCENT] = { "Percent", 8 }, [ANNOTATE_SAMPLES] = { "Samples", 8 },
	[ANNOTATE_PERIOD] = { "Period", 12 },
};

/* What is read of a function once: it stays the same when its samples change. */
struct annotate_text {
	struct code code;
	struct sources sources;
};

struct annotate_printing {
	const struct annotate_func *f;
	enum annotate_column column;
	bool by_samples;
	struct annotate_hit whole;	/* what is 100 % */
	struct outbuf *o;
};

static void put_hit(const struct annotate_printing *p, const struct annotate_hit *hit, const char *text)
{
	double percent = p->by_samples ? percent_of(hit->samples, p->whole.samples) :
					 percent_of(hit->period, p->whole.period);
	int width = columns[p->column].width;

	outbuf_puts(p->o, colour_begin(percent));
	if (p->column == ANNOTATE_PERCENT)
		outbuf_printf(p->o, "%*.2f", width, percent);
	else
		outbuf_printf(p->o, "%*llu", width,
			      p->column == ANNOTATE_SAMPLES ? hit->samples : hit->period);
	outbuf_printf(p->o, "%s : %8llx:   %s\n", colour_end(percent), hit->addr, text);
}

static void put_source(struct annotate_printing *p, const char *at, const char **before)
{
	int width = columns[p->column].width;
	struct outbuf *o = p->o;
	const char *colon = strrchr(at, ':'), *slash, *text;
	u32 line = strtoul(colon + 1, NULL, 10);

	if (!strcmp(at, *before))
		return;
	text = source_line(&p->f->text->sources, at, colon - at, line);
	/* When the file changes, its name is printed on a line. */
	if (strncmp(at, *before, colon - at + 1) || !text) {
		slash = memrchr(at, '/', colon - at);
		slash = slash ? slash + 1 : at;
		outbuf_printf(o, "%*s : %.*s%s\n", width, "",
			      text ? (int)(colon - slash) : (int)strlen(slash), slash, text ? ":" : "");
	}
	if (text)
		outbuf_printf(o, "%*s : %-6u%s\n", width, "", line, text);
	*before = at;
}

/* A line of source with its number; "": there is none. */
static const char *text_of(struct annotate_printing *p, const char *at, char room[256])
{
	const char *colon = at ? strrchr(at, ':') : NULL, *text;
	u32 line = colon ? strtoul(colon + 1, NULL, 10) : 0;

	if (!line)
		return "";
	text = source_line(&p->f->text->sources, at, colon - at, line);
	snprintf(room, 256, "%-6u%s", line, text ?: "");
	return room;
}

static void put_title(const struct annotate_printing *p, const struct code *c, bool global)
{
	const struct annotate_func *f = p->f;
	int width = columns[p->column].width;
	struct outbuf *o = p->o;
	size_t from = outbuf_len(o), len;

	outbuf_printf(o, " %-*s | ", width - 1, columns[p->column].title);
	outbuf_printf(o, "%s of %s in %s for %s (%llu samples, percent: %s %s)",
		      *c->why ? "Addresses" : c->is_source ? "Source code" : "Source code & Disassembly",
		      f->sym->name,
		      f->dso->name, f->event->name, f->samples, global ? "global" : "local",
		      p->by_samples ? "hits" : "period");
	len = outbuf_len(o) - from;
	outbuf_putc(o, '\n');
	outbuf_fill(o, '-', len);
	outbuf_putc(o, '\n');
	if (*c->why)
		outbuf_printf(o, "%*s : no code: %s\n", width, "", c->why);
}

void annotate_text_free(struct annotate_text *t)
{
	u32 i;

	if (!t)
		return;
	for (i = 0; i < t->sources.nr; i++)
		free(t->sources.files[i].lines);
	free(t->sources.files);
	arena_deinit(&t->sources.arena);
	free(t->code.lines);
	arena_deinit(&t->code.arena);
	free(t);
}

void annotate_print(struct annotate_func *f, const struct annotate_style *style,
		    struct outbuf *o)
{
	struct annotate_printing p = {
		.f = f, .column = style->column, .by_samples = style->by_samples, .o = o,
		.whole = { .period = f->period, .samples = f->samples },
	};
	const char *before = "", *at, *text;
	const struct code *c;
	char room[256];
	u32 i, h = 0;

	if (!f->text) {
		f->text = xcalloc(1, sizeof(*f->text));
		code_read(&f->text->code, f, style);
	}
	c = &f->text->code;
	if (style->whole)
		p.whole = style->whole->total[f->event->idx];
	put_title(&p, c, style->whole);
	for (i = 0; i < c->nr; i++) {
		struct annotate_hit hit = { .addr = c->lines[i].addr };

		for (; h < f->nr_hits && f->hits[h].addr < hit.addr; h++)
			put_hit(&p, &f->hits[h], "(inside of an instruction)");
		if (h < f->nr_hits && f->hits[h].addr == hit.addr)
			hit = f->hits[h++];
		at = style->no_source ? NULL : dso_srcline(f->dso, hit.addr, true);
		if (at && !c->is_source)
			put_source(&p, at, &before);
		text = c->is_source ? text_of(&p, at, room) : c->lines[i].text;
		if (!c->is_source || hit.samples || *text)
			put_hit(&p, &hit, text);
	}
	for (; h < f->nr_hits; h++)
		put_hit(&p, &f->hits[h], "");
}
