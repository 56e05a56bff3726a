// SPDX-License-Identifier: GPL-2.0
/*
 * print.c - prints a function: source lines above the instructions compiled from them
 *
 * It is given a function, and reads its code and source at the first call. Every sample of the
 * function is in one line: an address inside an instruction, possible only with a wrong
 * disassembly, gets its own line.
 */
#include <stdlib.h>

#include "annotate/code.h"
#include "annotate/source.h"
#include "render/colour.h"

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
	struct outbuf *o;
};

static void put_hit(const struct annotate_printing *p, const struct annotate_hit *hit, const char *text)
{
	double percent = percent_of(hit->period, p->f->period);
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

static void put_title(const struct annotate_printing *p, const struct code *c)
{
	const struct annotate_func *f = p->f;
	int width = columns[p->column].width;
	struct outbuf *o = p->o;
	size_t from = outbuf_len(o), len;

	outbuf_printf(o, " %-*s | ", width - 1, columns[p->column].title);
	outbuf_printf(o, "%s of %s in %s for %s (%llu samples, percent: local period)",
		      *c->why ? "Addresses" : "Source code & Disassembly", f->sym->name,
		      f->dso->name, f->event->name, f->samples);
	len = outbuf_len(o) - from;
	outbuf_putc(o, '\n');
	outbuf_fill(o, '-', len);
	outbuf_putc(o, '\n');
	if (*c->why)
		outbuf_printf(o, "%*s : no code: %s\n", width, "", c->why);
}

void annotate_text_free(struct annotate_text *t)
{
	if (!t)
		return;
	sources_deinit(&t->sources);
	code_deinit(&t->code);
	free(t);
}

void annotate_print(struct annotate_func *f, const struct annotate_style *style,
		    struct outbuf *o)
{
	struct annotate_printing p = { .f = f, .column = style->column, .o = o };
	const char *before = "", *at;
	const struct code *c;
	u32 i, h = 0;

	if (!f->text) {
		f->text = xcalloc(1, sizeof(*f->text));
		code_read(&f->text->code, f, style);
	}
	c = &f->text->code;
	put_title(&p, c);
	for (i = 0; i < c->nr; i++) {
		struct annotate_hit hit = { .addr = c->lines[i].addr };

		for (; h < f->nr_hits && f->hits[h].addr < hit.addr; h++)
			put_hit(&p, &f->hits[h], "(inside of an instruction)");
		if (h < f->nr_hits && f->hits[h].addr == hit.addr)
			hit = f->hits[h++];
		at = style->no_source ? NULL : dso_srcline(f->dso, hit.addr, true);
		if (at)
			put_source(&p, at, &before);
		put_hit(&p, &hit, c->lines[i].text);
	}
	for (; h < f->nr_hits; h++)
		put_hit(&p, &f->hits[h], "");
}
