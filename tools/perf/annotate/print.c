// SPDX-License-Identifier: GPL-2.0
/*
 * print.c - a function as text: source lines above the instructions that were made of them
 *
 * It is given a function and owns nothing. Every sample of the function stands in one line: one
 * inside of an instruction, which no processor takes but a wrong disassembly has, gets a line of
 * its own.
 */
#include <stdlib.h>

#include "annotate/code.h"
#include "annotate/source.h"
#include "ui/colour.h"

#define WIDTH 8		/* of a percentage */

static void put_hit(const struct annotate_func *f, u64 period, u64 addr, const char *text,
		    struct outbuf *o)
{
	double percent = f->period ? 100.0 * period / f->period : 0;

	outbuf_printf(o, "%s%*.2f%s : ", colour_begin(percent), WIDTH, percent, colour_end(percent));
	outbuf_printf(o, "%8llx:   %s\n", addr, text);
}

static void put_source(struct sources *s, const char *at, const char **before, struct outbuf *o)
{
	const char *colon = strrchr(at, ':'), *slash, *text;
	u32 line = strtoul(colon + 1, NULL, 10);

	if (!strcmp(at, *before))
		return;
	text = source_line(s, at, colon - at, line);
	/* Where another file begins its name stands alone. */
	if (strncmp(at, *before, colon - at + 1) || !text) {
		slash = memrchr(at, '/', colon - at);
		slash = slash ? slash + 1 : at;
		outbuf_printf(o, "%*s : %.*s%s\n", WIDTH, "",
			      text ? (int)(colon - slash) : (int)strlen(slash), slash, text ? ":" : "");
	}
	if (text)
		outbuf_printf(o, "%*s : %-6u%s\n", WIDTH, "", line, text);
	*before = at;
}

static void put_title(const struct annotate_func *f, const struct code *c, struct outbuf *o)
{
	size_t from, len;

	outbuf_puts(o, " Percent | ");
	from = outbuf_len(o) - 11;
	outbuf_printf(o, "%s of %s in %s for %s (%llu samples, percent: local period)",
		      *c->why ? "Addresses" : "Source code & Disassembly", f->sym->name,
		      f->dso->name, f->event->name, f->samples);
	len = outbuf_len(o) - from;
	outbuf_putc(o, '\n');
	memset(outbuf_reserve(o, len), '-', len);
	o->pos += len;
	outbuf_putc(o, '\n');
	if (*c->why)
		outbuf_printf(o, "%*s : no code: %s\n", WIDTH, "", c->why);
}

void annotate_print(const struct annotate_func *f, const struct annotate_style *style,
		    struct outbuf *o)
{
	struct sources sources = { 0 };
	const char *before = "", *at;
	struct code c;
	u32 i, h = 0;

	code_read(&c, f, style);
	put_title(f, &c, o);
	for (i = 0; i < c.nr; i++) {
		u64 addr = c.lines[i].addr, period = 0;

		for (; h < f->nr_hits && f->hits[h].addr < addr; h++)
			put_hit(f, f->hits[h].period, f->hits[h].addr, "(inside of an instruction)", o);
		if (h < f->nr_hits && f->hits[h].addr == addr)
			period = f->hits[h++].period;
		at = style->no_source ? NULL : dso_srcline(f->dso, addr, true);
		if (at)
			put_source(&sources, at, &before, o);
		put_hit(f, period, addr, c.lines[i].text, o);
	}
	for (; h < f->nr_hits; h++)
		put_hit(f, f->hits[h].period, f->hits[h].addr, "", o);
	sources_deinit(&sources);
	code_deinit(&c);
}
