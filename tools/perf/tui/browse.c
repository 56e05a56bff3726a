// SPDX-License-Identifier: GPL-2.0
/*
 * browse.c - the histogram on the screen: drawing, moving, typing a line
 *
 * It is given a report and owns struct tui_browser. Invariant: the top line of the screen is
 * not after the cursor, and the cursor is on the screen. A key costs the lines that are drawn,
 * plus its own work.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/progress.h"
#include "render/flame.h"
#include "tui/browse.h"

static u32 height(const struct tui_browser *b)
{
	return max(b->screen->rows - BROWSE_AROUND, 1);
}

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
	if (*b->message)
		outbuf_puts(&l->text, b->message);
	else if (b->view.nr_rows)
		outbuf_printf(&l->text, "row %u of %u   h: help   q: %s", b->cursor.at + 1,
			      b->view.nr_rows, b->view.nr_zooms || b->nr_reports > 1 ? "back" : "quit");
	else
		outbuf_printf(&l->text, "no rows   h: help   q: %s", b->view.nr_zooms || b->nr_reports > 1 ? "back" : "quit");
	screen_put(b->screen, b->screen->rows - 1, l, 0, false);
}

/* Whether a line is one of those that begin with another; both are of the tree. */
static bool within(struct tui_browser *b, struct tui_place from, const struct tui_place *p)
{
	u32 i;

	for (i = 0; i < height(b); i++) {
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
		tree_move(&b->tree, &b->top, -(s64)(height(b) - 1));
	} else {
		b->top = b->cursor;
	}
}

static void put_rows(struct tui_browser *b)
{
	struct tui_place p = b->top;
	u32 i;

	for (i = 0; i < height(b); i++) {
		if (!p.node)
			draw_fit(&b->draw, b->tree.rows[p.at]);
		if (!tree_next(&b->tree, &p))
			break;
	}
	draw_head(&b->draw, &b->line);
	screen_put(b->screen, 1, &b->line, b->skip, false);
	p = b->top;
	for (i = 0; i < height(b); i++) {
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
	tree_set_rows(&b->tree, b->view.rows, b->view.nr_rows);
	b->top = b->cursor = (struct tui_place){ 0 };
}

/* The bytes of a character. */
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

/* Keys that move; return: false: this one does not. */
static bool move(struct tui_browser *b, u32 key)
{
	s64 page = height(b) > 1 ? height(b) - 1 : 1;

	switch (key) {
	case TUI_KEY_LEFT:
		b->skip -= min(b->skip, 8u);
		return true;
	case TUI_KEY_RIGHT:
		b->skip += b->skip < 65536 ? 8 : 0;
		return true;
	case TUI_KEY_RESIZE:
		return true;
	default:
		break;
	}
	if (!b->view.nr_rows)
		return false;
	switch (key) {
	case TUI_KEY_UP:
		return tree_prev(&b->tree, &b->cursor), true;
	case TUI_KEY_DOWN:
		return tree_next(&b->tree, &b->cursor), true;
	case TUI_KEY_PAGE_UP:
		tree_move(&b->tree, &b->top, -page);
		return tree_move(&b->tree, &b->cursor, -page), true;
	case TUI_KEY_PAGE_DOWN:
	case ' ':
		tree_move(&b->tree, &b->top, page);
		return tree_move(&b->tree, &b->cursor, page), true;
	case TUI_KEY_HOME:
		b->top = b->cursor = (struct tui_place){ 0 };
		return true;
	case TUI_KEY_END:
		b->cursor = b->top = tree_last(&b->tree);
		tree_move(&b->tree, &b->top, -(s64)(height(b) - 1));
		return true;
	default:
		return false;
	}
}

static struct tui_browser *shown;	/* for say_line() and redraw() */

/* What is found wrong meanwhile, such as a file without symbols, goes to the bar. */
static void say_line(const char *line, size_t size)
{
	browse_say(shown, "%.*s", (int)(size && line[size - 1] == '\n' ? size - 1 : size), line);
}

static void redraw(void)
{
	browse_show(shown);
}

static struct chain_node *row_graph(void *ctx, u32 row, struct arena *arena)
{
	struct tui_browser *b = ctx;
	const struct hists *h = b->view.event->members[0];
	const struct hist_config *cfg = hists_config(h);

	if (!cfg->use_chains || cfg->chain.mode == CHAIN_NONE)
		return NULL;
	return hist_callgraph(h, view_row(&b->view, row),
			      b->view.limit > 0 ? b->view.limit : cfg->chain.min_percent, arena);
}

/* The last of the reports is what is shown. */
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

static void show_report(struct tui_browser *b, const struct tui_report *r, const char *trail)
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
	/* All but the first came from .count. */
	last = (struct tui_report *)b->reports[b->nr_reports].report;
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

static bool stopped(struct tui_browser *b, const char *message)
{
	if (!interrupted())
		return false;
	interrupt_forget();
	browse_say(b, "%s", message);
	return true;
}

void browse_after_work(struct tui_browser *b)
{
	stopped(b, "stopped: partial result");
}

bool browse_dropped(struct tui_browser *b)
{
	return stopped(b, "stopped");
}

bool browse_words(struct tui_browser *b, enum tui_form form, struct tui_command *c)
{
	const char *why = b->report->once;

	if (!why)
		why = command_make(c, b->report->argv, &b->view, form);
	if (why)
		browse_say(b, "nothing can count this again: %s", why);
	return !why;
}

void browse_count(struct tui_browser *b, const struct tui_command *words, const char *trail)
{
	struct tui_report *r;
	struct outbuf o;
	u32 i;

	if (b->nr_reports == BROWSE_REPORTS) {
		browse_say(b, "go back before something else is counted: q");
		return;
	}
	outbuf_init(&o, -1);
	outbuf_puts(&o, b->draw.trail);
	for (i = 0; i < b->view.nr_zooms; i++)
		outbuf_printf(&o, "%s: %s > ", b->view.zooms[i].col->name, b->view.zooms[i].text);
	outbuf_puts(&o, trail);
	browse_work(b, "counting ...");
	r = b->report->count(b->report->ctx, words->argv + 1);
	if (r)
		show_report(b, r, outbuf_text(&o));
	outbuf_deinit(&o);
	browse_after_work(b);
}

static void drop_stacks(struct tui_browser *b)
{
	if (b->picture)
		flame_picture_destroy(b->picture);
	if (b->stacks)
		b->stacks->drop(b->stacks);
	free(b->stacks_words);
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
}

const struct flame_picture *browse_stacks(struct tui_browser *b)
{
	struct tui_command c;
	struct outbuf words;

	if (!browse_words(b, FORM_FOLDED, &c))
		return NULL;
	outbuf_init(&words, -1);
	command_text(&c, UINT32_MAX, &words);
	if (!b->stacks_words || strcmp(b->stacks_words, outbuf_text(&words))) {
		drop_stacks(b);
		browse_work(b, "counting stacks ...");
		b->stacks = b->report->count(b->report->ctx, c.argv + 1);
		browse_after_work(b);
		if (b->stacks) {
			b->stacks_words = xstrdup(outbuf_text(&words));
			make_picture(b);
		}
	}
	outbuf_deinit(&words);
	command_deinit(&c);
	return b->picture;
}

static void browser_init(struct tui_browser *b, const struct tui_report *r)
{
	memset(b, 0, sizeof(*b));
	b->screen = &tui_screen;
	line_init(&b->line);
	tree_init(&b->tree, row_graph, b);
	show_report(b, r, "");
}

static void browser_deinit(struct tui_browser *b)
{
	browse_search_forget(b);
	drop_stacks(b);
	while (browse_back(b))
		;
	free(b->reports[0].trail);
	tree_deinit(&b->tree);
	view_deinit(&b->view);
	line_deinit(&b->line);
}

/* Until the user has enough. Return: the command's status. */
static int browse(struct tui_browser *b)
{
	u32 key;

	for (;;) {
		browse_show(b);
		key = screen_key(b->screen, true);
		*b->message = 0;
		if (key == TUI_KEY_INTERRUPT)
			return 130;
		if (key == TUI_KEY_HANGUP)
			return 0;
		if (move(b, key) || browse_act(b, key))
			continue;
		if (key != 'q' && key != TUI_KEY_ESCAPE)
			browse_say(b, "no such key; h: help");
		else if (view_zoom_out(&b->view))
			browse_rows(b);
		else if (browse_back(b))
			continue;
		else if (key == 'q')
			return 0;
		else
			browse_say(b, "q: quit");
	}
}

const char *tui_missing(void)
{
	return screen_missing();
}

int tui_run(const struct tui_report *r)
{
	struct tui_browser b;
	const char *last = start_last_message();
	int status;

	browser_init(&b, r);
	if (last)
		browse_say(&b, "%.*s", (int)strcspn(last, "\n"), last);
	shown = &b;
	start_listen(say_line, redraw);
	status = browse(&b);
	start_listen(NULL, NULL);
	browser_deinit(&b);
	return status;
}
