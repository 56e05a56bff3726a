// SPDX-License-Identifier: GPL-2.0
/*
 * browser.c - a histogram on the screen: drawing it, prompting for a line, counting it with other
 * options
 *
 * It is given the browser. Invariant: the cursor is on the screen, at or below its top line. The
 * browser owns the reports that were counted here.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/progress.h"
#include "render/flame.h"
#include "tui/browse.h"

void browse_say(struct tui_browser *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(b->message, sizeof(b->message), fmt, ap);
	va_end(ap);
}

static void put_bar(struct tui_browser *b)
{
	struct tui_line *l = &b->line;

	line_reset(l);
	line_style(l, STYLE_BAR);
	if (!*b->message && browse_is_live(b)) {
		b->report->live->status(b->report->ctx, &l->text);
		outbuf_puts(&l->text, "   ");
	}
	if (*b->message)
		outbuf_puts(&l->text, b->message);
	else if (b->view.nr_rows)
		outbuf_printf(&l->text, "row %u of %u", b->cursor.at + 1, b->view.nr_rows);
	else
		outbuf_puts(&l->text, "no rows");
	if (!*b->message)
		outbuf_printf(&l->text, "   h: help   q: %s",
			      b->view.nr_zooms || b->nr_reports > 1 ? "back" : "quit");
	screen_put(b->screen, b->screen->rows - 1, l, 0, false);
}

/* Is @p on a screen whose top line is @from? */
static bool within(struct tui_browser *b, struct tui_place from, const struct tui_place *p)
{
	u32 i;

	for (i = 0; i < browse_height(b); i++) {
		if (tree_same(&from, p))
			return true;
		if (!tree_next(&b->tree, &from))
			break;
	}
	return false;
}

void browse_follow(struct tui_browser *b)
{
	if (within(b, b->top, &b->cursor))
		return;
	if (b->cursor.at >= b->top.at && !within(b, b->cursor, &b->top)) {
		b->top = b->cursor;
		tree_move(&b->tree, &b->top, -(s64)(browse_height(b) - 1));
	} else {
		b->top = b->cursor;
	}
}

static void put_rows(struct tui_browser *b)
{
	struct tui_place p = b->top;
	u32 i;

	for (i = 0; i < browse_height(b); i++) {
		if (!p.node)
			draw_fit(&b->draw, b->tree.rows[p.at]);
		if (!tree_next(&b->tree, &p))
			break;
	}
	draw_head(&b->draw, &b->line);
	screen_put(b->screen, 1, &b->line, b->skip, false);
	p = b->top;
	for (i = 0; i < browse_height(b); i++) {
		draw_place(&b->draw, &p, &b->line);
		screen_put(b->screen, BROWSE_ABOVE + i, &b->line, b->skip, tree_same(&p, &b->cursor));
		if (!tree_next(&b->tree, &p))
			break;
	}
}

void browse_show(struct tui_browser *b)
{
	if (b->show) {
		b->show(b->show_ctx);
		return;
	}
	b->draw.columns = b->screen->columns;
	screen_clear();
	draw_title(&b->draw, &b->line);
	screen_put(b->screen, 0, &b->line, 0, false);
	if (b->view.nr_rows) {
		browse_follow(b);
		put_rows(b);
	}
	put_bar(b);
	screen_flush();
}

void browse_behind(struct tui_browser *b, void (*show)(void *ctx), void *ctx)
{
	b->show = show;
	b->show_ctx = ctx;
}

void browse_rows(struct tui_browser *b)
{
	view_update(&b->view);
	b->tree.rows = b->view.rows;
	b->tree.nr_rows = b->view.nr_rows;
	b->top = b->cursor = (struct tui_place){ 0 };
}

/* Encode a character as UTF-8. Return: the number of bytes. */
static u32 encode(u32 c, char *s)
{
	u32 n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, i;
	static const u8 first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (i = n - 1; i; i--, c >>= 6)
		s[i] = 0x80 | (c & 0x3f);
	s[0] = first[n] | c;
	return n;
}

bool browse_ask(struct tui_browser *b, const char *what, char *text, size_t size)
{
	size_t len = strlen(text);
	char bytes[4];
	u32 key, n;

	for (;;) {
		browse_say(b, "%s: %s_", what, text);
		browse_show(b);
		key = screen_key(b->screen, true);
		*b->message = 0;
		if (key == TUI_KEY_ENTER)
			return true;
		if (key == TUI_KEY_ESCAPE || key == TUI_KEY_INTERRUPT || key == TUI_KEY_HANGUP)
			return false;
		if (key == TUI_KEY_BACKSPACE) {
			while (len && ((u8)text[--len] & 0xc0) == 0x80)
				;
			text[len] = 0;
		} else if (key >= ' ' && key < 0x110000) {
			n = encode(key, bytes);
			if (len + n >= size)
				continue;
			memcpy(text + len, bytes, n);
			len += n;
			text[len] = 0;
		}
	}
}

/* Show the last of the reports. */
static void take_report(struct tui_browser *b)
{
	const struct tui_report *r = b->reports[b->nr_reports - 1].report;

	while (view_zoom_out(&b->view))
		;
	b->report = r;
	b->event = 0;
	b->skip = 0;
	b->view.cols = r->cols;
	b->view.event = &r->events[0];
	b->view.limit = r->opt->percent_limit;
	b->view.relative = hists_config(r->events[0].members[0])->relative;
	b->draw = (struct tui_draw){
		.view = &b->view, .tree = &b->tree, .cols = r->cols, .opt = r->opt,
		.trail = b->reports[b->nr_reports - 1].trail, .files = b->draw.files,
	};
	tree_all(&b->tree, false);
	draw_begin(&b->draw);
	browse_rows(b);
}

void browse_report(struct tui_browser *b, const struct tui_report *r, const char *trail)
{
	b->reports[b->nr_reports].report = r;
	b->reports[b->nr_reports++].trail = xstrdup(trail);
	take_report(b);
}

bool browse_back(struct tui_browser *b)
{
	struct tui_report *last;

	if (b->nr_reports == 1)
		return false;
	b->nr_reports--;
	/* All reports but the first are from .count. */
	last = (struct tui_report *)b->reports[b->nr_reports].report;
	/* If the report changes, each count is of its own recording, which is dropped with it. */
	if (b->reports[0].report->live)
		browse_drop_stacks(b);
	free(b->reports[b->nr_reports].trail);
	take_report(b);
	last->drop(last);
	return true;
}

void browse_work(struct tui_browser *b, const char *what)
{
	browse_say(b, "%s", what);
	browse_show(b);
	*b->message = 0;
}

bool browse_stopped(struct tui_browser *b, const char *message)
{
	if (!interrupted())
		return false;
	interrupt_forget();
	browse_say(b, "%s", message);
	return true;
}

bool browse_words(struct tui_browser *b, enum tui_form form, struct word_list *c)
{
	const char *why = b->report->once;

	if (!why)
		why = command_make(c, b->report->argv, &b->view, form);
	if (why)
		browse_say(b, "nothing can count this again: %s", why);
	return !why;
}

void browse_count(struct tui_browser *b, const struct word_list *words, const char *trail)
{
	struct tui_report *r;
	_cleanup_outbuf_ struct outbuf o = { 0 };
	u32 i;

	if (b->nr_reports == BROWSE_REPORTS) {
		browse_say(b, "go back before something else is counted: q");
		return;
	}
	outbuf_puts(&o, b->draw.trail);
	for (i = 0; i < b->view.nr_zooms; i++)
		outbuf_printf(&o, "%s: %s > ", b->view.zooms[i].col->name, b->view.zooms[i].text);
	outbuf_puts(&o, trail);
	browse_work(b, "counting ...");
	r = b->report->count(b->report->ctx, words->v + 1);
	if (r)
		browse_report(b, r, outbuf_text(&o));
	browse_stopped(b, PARTIAL);
}

void browse_drop_stacks(struct tui_browser *b)
{
	if (b->picture)
		flame_picture_destroy(b->picture);
	if (b->stacks)
		b->stacks->drop(b->stacks);
	free(b->stacks_words);
	arena_deinit(&b->names);
	b->picture = NULL;
	b->stacks = NULL;
	b->stacks_words = NULL;
}

static void make_picture(struct tui_browser *b)
{
	struct hists **hists = NULL;
	u32 nr = 0, cap = 0, i, m;

	for (i = 0; i < b->stacks->nr_events; i++) {
		const struct tui_event *e = &b->stacks->events[i];

		for (m = 0; m < e->nr; m++) {
			GROW(hists, nr, cap);
			hists[nr++] = e->members[m];
		}
	}
	b->picture = flame_picture_create(hists, nr, true);
	free(hists);
	/* The picture outlives its histograms: copy the names. */
	for (i = 0; browse_is_live(b) && i < b->picture->nr; i++) {
		const char **name = &b->picture->boxes[i].name;

		*name = arena_strndup(&b->names, *name, strlen(*name));
	}
}

const struct flame_picture *browse_new_stacks(struct tui_browser *b)
{
	struct flame_picture *before = b->picture;
	struct arena names = b->names;

	if (!b->stacks || !before)
		return NULL;
	b->names = (struct arena){ 0 };
	make_picture(b);
	if (b->picture->nr_events) {
		flame_picture_destroy(before);
		arena_deinit(&names);
		return b->picture;
	}
	flame_picture_destroy(b->picture);
	arena_deinit(&b->names);
	b->picture = before;
	b->names = names;
	return NULL;
}

const struct flame_picture *browse_stacks(struct tui_browser *b)
{
	_cleanup_words_ struct word_list c = { 0 };
	_cleanup_outbuf_ struct outbuf words = { 0 };

	if (!browse_words(b, FORM_FOLDED, &c))
		return NULL;
	/* Earlier stacks have other samples; drop them unless a flame graph shows them. */
	if (browse_is_live(b) && !b->show)
		browse_drop_stacks(b);
	command_text(&c, UINT32_MAX, &words);
	if (!b->stacks_words || strcmp(b->stacks_words, outbuf_text(&words))) {
		browse_drop_stacks(b);
		browse_work(b, "counting stacks ...");
		b->stacks = b->report->count(b->report->ctx, c.v + 1);
		browse_stopped(b, PARTIAL);
		if (b->stacks) {
			b->stacks_words = xstrdup(outbuf_text(&words));
			make_picture(b);
		}
	}
	return b->picture;
}
