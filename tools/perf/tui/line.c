// SPDX-License-Identifier: GPL-2.0
/*
 * line.c - text and styles of a line; characters that are safe for a terminal
 *
 * Names of any origin reach the terminal only through line_char(). UTF-8 is not decoded by the C
 * library, which depends on the locale; the locale gives only the width of a character.
 */
#define _XOPEN_SOURCE 700
#include <wctype.h>

#include "base/printable.h"
#include "tui/line.h"

void line_deinit(struct tui_line *l)
{
	outbuf_deinit(&l->text);
}

void line_reset(struct tui_line *l)
{
	l->text.pos = l->text.base;
	l->nr_parts = 0;
}

void line_style_from(struct tui_line *l, u32 from, enum tui_style style)
{
	if (l->nr_parts && l->parts[l->nr_parts - 1].from == from)
		l->nr_parts--;
	if (l->nr_parts == TUI_PARTS || (l->nr_parts && l->parts[l->nr_parts - 1].style == style))
		return;
	l->parts[l->nr_parts].from = from;
	l->parts[l->nr_parts++].style = style;
}

void line_style(struct tui_line *l, enum tui_style style)
{
	line_style_from(l, outbuf_len(&l->text), style);
}

/* Direction marks, joiners and similar characters, which change how their neighbours are shown. */
static bool invisible(wchar_t c)
{
	return (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0x061c || c == 0xfeff;
}

/* A character, 0 if it is invalid. Return: its length in bytes. */
static size_t decode(const char *s, size_t len, wchar_t *c)
{
	static const u8 mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	size_t n = utf8_size(s, len), i;

	*c = (u8)*s & mask[n];
	for (i = 1; i < n; i++)
		*c = *c << 6 | ((u8)s[i] & 0x3f);
	return n ?: 1;
}

size_t line_char(const char *s, size_t len, wchar_t *c, u32 *columns)
{
	size_t n = decode(s, len, c);
	int width;

	*columns = 1;
	if (*c >= 0x20 && *c < 0x7f)
		return n;
	width = *c < 0x20 || invisible(*c) || !iswprint(*c) ? -1 : wcwidth(*c);
	if (width < 0)
		*c = L'?';
	else
		*columns = width;
	return n;
}
