// SPDX-License-Identifier: GPL-2.0
/*
 * text_view.c - text on the whole screen
 *
 * It is given the text, and owns the list of its lines and the position in it. Code has a cursor,
 * which follows jumps.
 */
#include <ctype.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "render/colour.h"
#include "tui/browse.h"

struct text_view {
	struct tui_browser *b;
	const char *title;
	const char **lines;		/* the start of each shown line */
	u32 nr, cap, top, skip;
	bool code;			/* lines begin with a percentage */
	bool no_source;			/* lines without are hidden */
	u32 cursor;			/* in code */
	u32 from[32], nr_from;		/* lines that jumps were followed from */
};

static size_t line_size(const char *line)
{
	return strcspn(line, "\n");
}

/* The percentage at the start of a line of code; -1: none. */
static double code_percent(const char *s)
{
	char *end;
	double v = strtod(s, &end);

	return end > s && !strncmp(end, " : ", 3) ? v : -1;
}

static void find_lines(struct text_view *w, const char *text)
{
	const char *next;

	for (w->nr = 0; *text; text = next) {
		next = text + line_size(text);
		next += *next == '\n';
		if (w->no_source && code_percent(text) < 0)
			continue;
		GROW(w->lines, w->nr, w->cap);
		w->lines[w->nr++] = text;
	}
	w->cursor = min(w->cursor, max(w->nr, 1u) - 1);
	w->nr_from = 0;
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

static u32 height(const struct text_view *w)
{
	return max(w->b->screen->rows - 2, 1);
}

/* Put the cursor on a line, in the middle of the screen if it is not on it. */
static void go_to(struct text_view *w, u32 line)
{
	u32 rows = height(w);

	w->cursor = line;
	if (line < w->top || line >= w->top + rows)
		w->top = line > rows / 2 ? line - rows / 2 : 0;
}

/* Is it the line of this address? "    0.00 :   4010e3:   INSTRUCTION" */
static bool is_at(const char *line, u64 address)
{
	const char *p = strstr(line, " : ");
	char *end;

	return code_percent(line) >= 0 && strtoull(p + 3, &end, 16) == address && *end == ':';
}

/* The line that the jump at the cursor goes to: "jne    4010e3 <spin+0xa>"; UINT32_MAX: none is shown */
static u32 target(const struct text_view *w)
{
	const char *line = w->cursor < w->nr ? w->lines[w->cursor] : "", *p;
	size_t size = line_size(line);
	u64 address;
	u32 i;

	p = w->code && code_percent(line) >= 0 ? memmem(line, size, " <", 2) : NULL;
	while (p && p > line && isxdigit(p[-1]))
		p--;
	address = p ? strtoull(p, NULL, 16) : 0;
	for (i = 0; p && i < w->nr; i++)
		if (is_at(w->lines[i], address))
			return i;
	return UINT32_MAX;
}

static void show(void *ctx)
{
	const struct text_view *w = ctx;
	struct tui_browser *b = w->b;
	struct tui_line *l = &b->line;
	u32 to = target(w), i;

	screen_clear();
	screen_text(b->screen, 0, STYLE_TITLE, w->title);
	for (i = w->top; i < w->top + height(w) && i < w->nr; i++) {
		line_reset(l);
		if (w->code)
			line_style(l, code_style(w->lines[i]));
		outbuf_write(&l->text, w->lines[i], line_size(w->lines[i]));
		if (i == to)
			*l->text.base = '>';
		screen_put(b->screen, 1 + i - w->top, l, w->skip, w->code && i == w->cursor);
	}
	line_reset(l);
	line_style(l, STYLE_BAR);
	if (*b->message)
		outbuf_puts(&l->text, b->message);
	else
		outbuf_printf(&l->text, "line %u of %u%s%s   q: back",
			      w->code ? w->cursor + 1 : min(w->top + height(w), w->nr), w->nr,
			      to != UINT32_MAX ? "   Enter: to >" : "",
			      w->code ? "   /: search   H: the hottest   s: source   h: help" : "");
	screen_put(b->screen, b->screen->rows - 1, l, 0, false);
	screen_flush();
}

/* Go to the next or previous line that matches. */
static void next_match(struct text_view *w, bool down)
{
	u32 at = w->cursor, k;

	for (k = 0; k < w->nr; k++) {
		at = (at + (down ? 1 : w->nr - 1)) % w->nr;
		if (browse_search_matches(w->b, w->lines[at], line_size(w->lines[at]))) {
			go_to(w, at);
			return;
		}
	}
	browse_say(w->b, w->b->searches ? "nothing matches" : "/ begins a search");
}

static void follow_jump(struct text_view *w)
{
	u32 to = target(w);

	if (to == UINT32_MAX) {
		browse_say(w->b, "no jump to a line that is shown");
		return;
	}
	if (w->nr_from == ARRAY_SIZE(w->from)) {
		memmove(w->from, w->from + 1, sizeof(w->from) - sizeof(*w->from));
		w->nr_from--;
	}
	w->from[w->nr_from++] = w->cursor;
	go_to(w, to);
}

/* Hide or show source lines; the cursor stays on its line, or goes to the one above. */
static void toggle_source(struct text_view *w, const char *text)
{
	const char *line = w->nr ? w->lines[w->cursor] : text;
	u32 i;

	w->no_source = !w->no_source;
	find_lines(w, text);
	for (i = 0; i + 1 < w->nr && w->lines[i + 1] <= line; i++)
		;
	go_to(w, i);
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

bool browse_sideways(u32 *skip, u32 key)
{
	if (key == TUI_KEY_LEFT)
		*skip -= min(*skip, 8u);
	else if (key == TUI_KEY_RIGHT)
		*skip += *skip < 65536 ? 8 : 0;
	else
		return false;
	return true;
}

bool browse_is_back(u32 key)
{
	return key == 'q' || key == TUI_KEY_ESCAPE || key == TUI_KEY_INTERRUPT ||
	       key == TUI_KEY_HANGUP;
}

/* The keys of code. */
static void act(struct text_view *w, u32 key, struct outbuf *code)
{
	switch (key) {
	case TUI_KEY_ENTER:
		follow_jump(w);
		break;
	case TUI_KEY_BACKSPACE:
		if (w->nr_from)
			go_to(w, w->from[--w->nr_from]);
		break;
	case 'H':
		go_to(w, hottest(w));
		break;
	case 's':
		toggle_source(w, outbuf_text(code));
		break;
	case 'y':
		if (!w->nr)
			break;
		screen_copy(w->lines[w->cursor], line_size(w->lines[w->cursor]));
		browse_say(w->b, "copied, if the terminal does what OSC 52 says");
		break;
	case '/':
		if (browse_search_ask(w->b))
			next_match(w, true);
		break;
	case 'n':
	case 'N':
		next_match(w, key == 'n');
		break;
	case 'h':
	case '?':
	case TUI_KEY_F1:
		w->b->help(w->b, "code");
		break;
	case TUI_KEY_TICK:
		if (!browse_is_live(w->b))
			break;
		/* Show the samples of now, at the same lines. */
		code->pos = code->base;
		w->b->report->annotate_now(w->b->report->ctx, code);
		find_lines(w, outbuf_text(code));
		break;
	}
}

void text_view_show(struct tui_browser *b, const char *title, struct outbuf *text, bool code)
{
	struct text_view w = { .b = b, .title = title, .code = code };
	void (*behind)(void *ctx) = b->show;
	void *behind_ctx = b->show_ctx;
	u32 key, rows;

	find_lines(&w, outbuf_text(text));
	browse_behind(b, show, &w);
	if (code && w.nr)
		go_to(&w, hottest(&w));
	for (;;) {
		rows = height(&w);
		if (code && w.cursor >= w.top + rows)
			w.top = w.cursor - rows + 1;
		w.top = min(w.top, max(w.nr, rows) - rows);
		if (code)
			w.top = min(w.top, w.cursor);
		show(&w);
		key = screen_key(b->screen, true);
		if (key != TUI_KEY_TICK)
			*b->message = 0;
		if (browse_is_back(key))
			break;
		browse_scroll(code ? &w.cursor : &w.top, max(w.nr, 1u) - 1, rows, key);
		if (!browse_sideways(&w.skip, key) && code)
			act(&w, key, text);
	}
	browse_behind(b, behind, behind_ctx);
	free(w.lines);
}
