// SPDX-License-Identifier: GPL-2.0
/*
 * text_view.c - text on the whole screen
 *
 * It is given the text, and owns the list of its lines and the position in it.
 */
#include "base/arena.h"
#include "base/cleanup.h"
#include "render/colour.h"
#include "tui/browse.h"

struct text_view {
	const char **lines;		/* the start of each; one more for the end */
	u32 nr, cap, top, skip;
	bool code;			/* lines begin with a percentage */
};

static void find_lines(struct text_view *w, const char *text)
{
	w->nr = 0;
	for (;;) {
		const char *end = strchrnul(text, '\n');

		GROW_TO(w->lines, (u64)w->nr + 2, w->cap);
		w->lines[w->nr] = text;
		w->lines[w->nr + 1] = end + 1;
		if (!*end) {
			w->nr += *text != 0;
			return;
		}
		w->nr++;
		text = end + 1;
	}
}

/* The percentage at the start of a line of code; -1: none. */
static double code_percent(const char *s)
{
	char *end;
	double v = strtod(s, &end);

	return end > s && !strncmp(end, " : ", 3) ? v : -1;
}

static enum tui_style code_style(const char *s)
{
	double v = code_percent(s);

	return v >= COLOUR_HOT ? STYLE_HOT : v >= COLOUR_WARM ? STYLE_WARM :
	       v < 0 ? STYLE_INLINED : STYLE_PLAIN;
}

static u32 hottest(const struct text_view *w)
{
	double most = -1, v;
	u32 line = 0, i;

	for (i = 0; i < w->nr; i++) {
		v = code_percent(w->lines[i]);
		if (v > most) {
			most = v;
			line = i;
		}
	}
	return line;
}

/* Scroll the hottest line to the middle. */
static void to_hottest(struct text_view *w, u32 rows)
{
	u32 line = hottest(w);

	w->top = line > rows / 2 ? line - rows / 2 : 0;
}

static void show(struct tui_browser *b, const struct text_view *w, const char *title)
{
	struct tui_line *l = &b->line;
	u32 rows = max(b->screen->rows - 2, 1), i;

	screen_clear();
	screen_text(b->screen, 0, STYLE_TITLE, title);
	for (i = 0; i < rows && w->top + i < w->nr; i++) {
		const char *s = w->lines[w->top + i];

		line_reset(l);
		if (w->code)
			line_style(l, code_style(s));
		outbuf_write(&l->text, s, w->lines[w->top + i + 1] - s - 1);
		screen_put(b->screen, 1 + i, l, w->skip, false);
	}
	line_reset(l);
	line_style(l, STYLE_BAR);
	outbuf_printf(&l->text, "line %u of %u%s   q: back", min(w->top + rows, w->nr), w->nr,
		      w->code ? "   H: the hottest" : "");
	screen_put(b->screen, b->screen->rows - 1, l, 0, false);
	screen_flush();
}

/* Show the samples of now, at the same lines. */
static void renew(struct tui_browser *b, struct text_view *w, struct outbuf *o)
{
	o->pos = o->base;
	b->report->annotate_now(b->report->ctx, o);
	find_lines(w, outbuf_text(o));
}

void browse_scroll(u32 *at, u32 last, u32 page, u32 key)
{
	switch (key) {
	case TUI_KEY_UP:
		*at -= *at > 0;
		break;
	case TUI_KEY_DOWN:
		*at += *at < last;
		break;
	case TUI_KEY_PAGE_UP:
		*at -= min(*at, page);
		break;
	case TUI_KEY_PAGE_DOWN:
	case ' ':
		*at = min(*at + page, last);
		break;
	case TUI_KEY_HOME:
		*at = 0;
		break;
	case TUI_KEY_END:
		*at = last;
		break;
	}
}

bool browse_is_back(u32 key)
{
	return key == 'q' || key == TUI_KEY_ESCAPE || key == TUI_KEY_INTERRUPT ||
	       key == TUI_KEY_HANGUP;
}

static void run(struct tui_browser *b, const char *title, const char *text, struct outbuf *code)
{
	struct text_view w = { .code = code != NULL };
	u32 key, rows, last;

	find_lines(&w, text);
	if (code)
		to_hottest(&w, max(b->screen->rows - 2, 1));
	for (;;) {
		rows = max(b->screen->rows - 2, 1);
		last = w.nr > rows ? w.nr - rows : 0;
		w.top = min(w.top, last);
		show(b, &w, title);
		key = screen_key(b->screen, true);
		browse_scroll(&w.top, last, rows, key);
		if (browse_is_back(key))
			break;
		switch (key) {
		case TUI_KEY_TICK:
			if (code && browse_is_live(b))
				renew(b, &w, code);
			break;
		case TUI_KEY_LEFT:
			w.skip -= min(w.skip, 8u);
			break;
		case TUI_KEY_RIGHT:
			w.skip += w.skip < 65536 ? 8 : 0;
			break;
		case 'H':
			if (code)
				to_hottest(&w, rows);
			break;
		}
	}
	free(w.lines);
}

void text_view_show(struct tui_browser *b, const char *title, const char *text)
{
	run(b, title, text, NULL);
}

void text_view_show_code(struct tui_browser *b, const char *title, struct outbuf *o)
{
	run(b, title, outbuf_text(o), o);
}
