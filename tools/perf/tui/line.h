/* SPDX-License-Identifier: GPL-2.0 */
/* A line of the screen: a text buffer, and the style of each part. Nothing here draws. */
#ifndef PERF_TUI_LINE_H
#define PERF_TUI_LINE_H

#include <wchar.h>

#include "base/outbuf.h"

enum tui_style {
	STYLE_PLAIN, STYLE_TITLE, STYLE_HEAD, STYLE_BAR, STYLE_HOT, STYLE_WARM,
	STYLE_USER, STYLE_KERNEL, STYLE_INLINED, STYLE_DEFERRED, STYLE_JIT,
	/* Boxes of flame graphs, in the order of the styles of frames */
	STYLE_BOX, STYLE_BOX_KERNEL, STYLE_BOX_INLINED, STYLE_BOX_DEFERRED, STYLE_BOX_JIT,
	STYLE_BOX_CURSOR, STYLE_BOX_FOUND, STYLE_MAX,
};

#define TUI_PARTS 256

struct tui_line {
	struct outbuf text;
	struct { u32 from; enum tui_style style; } parts[TUI_PARTS];
	u32 nr_parts;
};

void line_deinit(struct tui_line *l);

/* line_reset - an empty line */
void line_reset(struct tui_line *l);

/* line_style - set the style of text appended from now on; the last of TUI_PARTS is kept */
void line_style(struct tui_line *l, enum tui_style style);

/* line_style_from - set the style from byte @from on, which must not be before the last change */
void line_style_from(struct tui_line *l, u32 from, enum tui_style style);

/*
 * line_char - set @c to the next character of a text of @len > 0 bytes, and @columns to those that
 * it takes, 0 to 2; "?" for control characters, invalid UTF-8, and those that change the direction
 * of text. Return: its length in bytes.
 */
size_t line_char(const char *s, size_t len, wchar_t *c, u32 *columns);

#endif /* PERF_TUI_LINE_H */
