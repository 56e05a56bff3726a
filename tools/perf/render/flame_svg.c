// SPDX-License-Identifier: GPL-2.0
/*
 * flame_svg.c - writes a flame graph as SVG, with its script
 *
 * Positions are percentages, so the picture is as wide as the window. Each box is a <g>, whose
 * class is its kind, which gives the colour, with data-x and data-w (in units of its event) for
 * zooming. Boxes too narrow to draw are text in <metadata>, of which the script makes elements when
 * a zoom makes them wide enough: the names, one per line, and for each event
 *	DEPTH,X,WIDTH,SAMPLES,NAME ...		in a difference ,BEFORE after it
 * Numbers are of base 36, X is relative to that of the previous box, NAME begins with the kind.
 * Events have the same position: one is shown at a time.
 */
#include <flame_css.h>		/* made by the build of flame.css and flame.js */
#include <flame_js.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/printable.h"
#include "render/flame.h"

#define BOX_HEIGHT	17
#define TOP		66
#define BOTTOM		44
#define WIDTH		1200	/* used if the window's width is unknown */
#define CHAR_WIDTH	7.0

/* May XML have a character? U+FFFE and U+FFFF are none. */
static bool is_xml(const char *s, size_t size)
{
	return !utf8_is_control(s, size) && !(size == 3 && !memcmp(s, "\xef\xbf", 2) && (u8)s[2] >= 0xbe);
}

/* Append XML text or an attribute value of up to @max characters, invalid ones as '?'. */
static void put_xml(struct outbuf *o, const char *s, size_t max)
{
	size_t len;

	for (; *s && max; max--, s += len) {
		/* The NUL ends an incomplete character. */
		len = utf8_size(s, 4);
		if (*s == '&')
			outbuf_puts(o, "&amp;");
		else if (*s == '<')
			outbuf_puts(o, "&lt;");
		else if (*s == '>')
			outbuf_puts(o, "&gt;");
		else if (*s == '"')
			outbuf_puts(o, "&quot;");
		else if (!len || !is_xml(s, len))
			outbuf_putc(o, '?');
		else
			outbuf_write(o, s, len);
		len = len ?: 1;
	}
}

/* The number of characters, not bytes. */
static size_t xml_length(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* A change of this share of an event has the full colour. */
#define FULL .05

/* Red: more than before; blue: less; white: unchanged. Black text is readable on the darkest. */
static void put_fill(const struct flame_picture *p, const struct flame_event *ev,
		     const struct flame_box *b, struct outbuf *o)
{
	double change = ((double)b->total - b->before) / ev->total / FULL;
	int pale;

	if (!p->difference || !ev->total)
		return;
	change = change > 1 ? 1 : change < -1 ? -1 : change;
	pale = 245 - (int)(135 * (change < 0 ? -change : change));
	outbuf_printf(o, " style=\"fill:rgb(%d,%d,%d)\"", change < 0 ? pale : 245, pale,
		      change > 0 ? pale : 245);
}

/* Per cent of an event's total. The periods of a damaged recording may add up to more than 2^64. */
static double percent(u64 part, const struct flame_event *ev)
{
	double share = percent_of(part, ev->total);

	return share > 100 ? 100 : share;
}

static void put_box(const struct flame_picture *p, const struct flame_event *ev,
		    const struct flame_box *b, struct outbuf *o)
{
	double x = percent(b->start, ev), w = percent(b->total, ev);
	u32 y = TOP + (p->downwards ? b->depth : p->depth - b->depth) * BOX_HEIGHT;
	bool shaded = strchr("kuijo", b->kind);
	int shade = shaded ? hash_bytes(b->name, strlen(b->name)) & 3 : 0;
	int fit = (w / 100 * WIDTH - 6) / CHAR_WIDTH;

	outbuf_printf(o, "<g class=\"b\" data-x=\"%llu\" data-w=\"%llu\" data-d=\"%u\" data-k=\"%c\" data-n=\"",
		      b->start, b->total, b->depth, b->kind);
	put_xml(o, b->name, (size_t)-1);
	outbuf_puts(o, "\"><title>");
	put_xml(o, b->name, (size_t)-1);
	outbuf_printf(o, " (%u samples, %.2f %%", b->samples, w);
	if (p->difference && b->kind != 'f')
		outbuf_printf(o, ", %+.2f", 100.0 * ((double)b->total - b->before) / ev->total);
	outbuf_puts(o, ")</title><rect");
	put_fill(p, ev, b, o);
	outbuf_printf(o, " class=\"%c%d\" x=\"%.4f%%\" y=\"%u\" "
		      "width=\"%.4f%%\" height=\"%u\"/><text dx=\"3\" x=\"%.4f%%\" y=\"%u\">",
		      b->kind, shade, x, y, w, BOX_HEIGHT - 1, x, y + 12);
	if (fit >= 3) {
		if (xml_length(b->name) <= (size_t)fit) {
			put_xml(o, b->name, (size_t)-1);
		} else {
			put_xml(o, b->name, fit - 2);
			outbuf_puts(o, "..");
		}
	}
	outbuf_puts(o, "</text></g>\n");
}

static void put_number(struct outbuf *o, u64 v)
{
	char digits[16], *d = &digits[sizeof(digits)];

	do
		*--d = "0123456789abcdefghijklmnopqrstuvwxyz"[v % 36];
	while (v /= 36);
	outbuf_write(o, d, &digits[sizeof(digits)] - d);
}

static void put_hidden(const struct flame_picture *p, const struct flame_event *ev,
		       struct hash *names, struct outbuf *list, struct outbuf *o)
{
	bool any = false, added;
	u64 x = 0, *name;
	u32 i;

	for (i = ev->first; i < ev->first + ev->nr; i++) {
		const struct flame_box *b = &p->boxes[i];

		if (!b->hidden)
			continue;
		outbuf_puts(o, any ? " " : "<metadata>");
		any = true;
		/* Names are interned: equal ones are equal pointers. */
		name = hash_insert(names, (uintptr_t)b->name, b->kind, &added);
		if (added) {
			*name = names->nr - 1;
			if (*name)
				outbuf_putc(list, '\n');
			outbuf_putc(list, b->kind);
			put_xml(list, b->name, (size_t)-1);
		}
		put_number(o, b->depth);
		outbuf_putc(o, ',');
		put_number(o, b->start - x);
		outbuf_putc(o, ',');
		put_number(o, b->total);
		outbuf_putc(o, ',');
		put_number(o, b->samples);
		outbuf_putc(o, ',');
		put_number(o, *name);
		if (p->difference) {
			outbuf_putc(o, ',');
			put_number(o, b->before);
		}
		x = b->start;
	}
	if (any)
		outbuf_puts(o, "</metadata>\n");
}

/* The event that is shown first */
static u32 main_event(const struct flame_picture *p)
{
	u32 i, most = 0;

	for (i = 1; i < p->nr_events; i++)
		if (p->events[i].samples > p->events[most].samples)
			most = i;
	return most;
}

static void put_events(const struct flame_picture *p, u32 shown, struct outbuf *o)
{
	_cleanup_hash_ struct hash names = { 0 };
	_cleanup_outbuf_ struct outbuf list = { 0 };
	u32 i, k;

	for (i = 0; i < p->nr_events; i++) {
		const struct flame_event *ev = &p->events[i];

		outbuf_printf(o, "<g class=\"e\" data-out=\"%llu\"%s>\n", ev->left_out,
			      i == shown ? "" : " style=\"display:none\"");
		for (k = ev->first; k < ev->first + ev->nr; k++)
			if (!p->boxes[k].hidden)
				put_box(p, ev, &p->boxes[k], o);
		put_hidden(p, ev, &names, &list, o);
		outbuf_puts(o, "</g>\n");
	}
	outbuf_puts(o, "<metadata id=\"names\">");
	outbuf_append(o, &list);
	outbuf_puts(o, "</metadata>\n");
}

/* The line of buttons: reset, and the events if there are several. */
static void put_choice(const struct flame_picture *p, u32 shown, struct outbuf *o)
{
	u32 i, x = 100;

	outbuf_puts(o, "<text id=\"reset\" x=\"10\" y=\"57\">reset zoom</text>\n");
	for (i = 0; p->nr_events > 1 && i < p->nr_events; i++) {
		const struct flame_event *ev = &p->events[i];

		outbuf_printf(o, "<text class=\"event%s\" data-e=\"%u\" x=\"%u\" y=\"57\">",
			      i == shown ? " chosen" : "", i, x);
		put_xml(o, ev->name, (size_t)-1);
		outbuf_printf(o, " (%u)</text>\n", ev->samples);
		x += (xml_length(ev->name) + 14) * CHAR_WIDTH;
	}
}

void flame_svg(const struct flame_picture *p, struct outbuf *o)
{
	static const struct { const char *class, *name; } legend[] = {
		{ "k0", "kernel" }, { "u0", "user" }, { "i0", "inlined" }, { "j0", "JIT, Python" }, { "o0", "off-CPU" },
		{ "m0", "user stack missing" }, { "f0", "too narrow to show: zoom in" },
	};
	u32 foot = TOP + (p->depth + 1) * BOX_HEIGHT, shown = main_event(p), i, x;
	bool off_cpu = false;

	outbuf_printf(o, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"100%%\" "
		      "height=\"%u\" style=\"min-width:600px\" data-top=\"%u\" "
		      "data-foot=\"%u\" data-depth=\"%u\" data-down=\"%d\" data-event=\"%u\">\n<title>",
		      foot + BOTTOM, TOP, BOTTOM, p->depth, p->downwards, shown);
	put_xml(o, p->title, (size_t)-1);
	outbuf_printf(o, "</title>\n<style>\n%s</style>\n", flame_css);
	outbuf_puts(o, "<rect id=\"back\" width=\"100%\" height=\"100%\"/>\n"
		    "<text id=\"title\" x=\"10\" y=\"22\">");
	put_xml(o, p->title, (size_t)-1);
	outbuf_puts(o, "</text>\n<text id=\"sub\" x=\"10\" y=\"40\">");
	put_xml(o, p->subtitle, (size_t)-1);
	outbuf_puts(o, "</text>\n");
	put_choice(p, shown, o);
	outbuf_puts(o, "<text class=\"tool\" id=\"flip\" x=\"100%\" y=\"61\" dx=\"-104\">icicle (i)</text>\n"
		    "<text class=\"tool\" id=\"safe\" x=\"100%\" y=\"61\" dx=\"-8\">colours (c)</text>\n");
	outbuf_puts(o, "<text id=\"found\" x=\"100%\" y=\"46\" dx=\"-8\"/>\n"
		    "<svg x=\"100%\" overflow=\"visible\"><foreignObject x=\"-230\" y=\"10\" "
		    "width=\"222\" height=\"24\"><input xmlns=\"http://www.w3.org/1999/xhtml\" "
		    "id=\"search\" type=\"search\" placeholder=\"search (regular expression)\"/>"
		    "</foreignObject></svg>\n");
	put_events(p, shown, o);
	outbuf_printf(o, "<g id=\"foot\" transform=\"translate(0,%u)\">\n"
		      "<text id=\"details\" x=\"10\" y=\"%u\"> </text>\n", foot, BOTTOM - 26);
	for (i = 0; i < p->nr_events; i++)
		off_cpu |= p->events[i].off_cpu;
	if (p->difference)
		outbuf_printf(o, "<text class=\"legend\" x=\"10\" y=\"%d\">red: more than before, blue: less "
			      "(percentages of the event; full colour at %g)</text>\n", BOTTOM - 8, 100 * FULL);
	for (i = 0, x = 10; i < ARRAY_SIZE(legend) && !p->difference; i++) {
		if (*legend[i].class == 'o' && !off_cpu)
			continue;
		outbuf_printf(o, "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"12\" height=\"12\"/>"
			      "<text class=\"legend\" x=\"%u\" y=\"%u\">%s</text>\n",
			      legend[i].class, x, BOTTOM - 18, x + 17, BOTTOM - 8, legend[i].name);
		x += 40 + strlen(legend[i].name) * 7;
	}
	outbuf_printf(o, "</g>\n<script><![CDATA[\n%s]]></script>\n</svg>\n", flame_js);
}
