// SPDX-License-Identifier: GPL-2.0
/*
 * browse.c - the interactive view of a report, from the first key to the last
 *
 * It is given a report and owns everything in struct tui_browser. A key's cost is that of drawing
 * the screen, plus that of its own function.
 *
 * Calls go one way between the files of the folder: browse --> live, keys --> flame, times, menus,
 * search, text_view --> browser --> draw, tree, shown_rows, command, screen --> line.
 */
#include "tui/browse.h"

/* Move the cursor. Return: false: the key does not move it. */
static bool move(struct tui_browser *b, u32 key)
{
	s64 page = browse_height(b) > 1 ? browse_height(b) - 1 : 1;

	if (browse_sideways(&b->skip, key) || key == TUI_KEY_RESIZE)
		return true;
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
		tree_move(&b->tree, &b->top, -(s64)(browse_height(b) - 1));
		return true;
	default:
		return false;
	}
}

static struct tui_browser *shown;	/* for say_line() and redraw() */

/* Show a message, such as a file without symbols, in the bar. */
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

static void browser_init(struct tui_browser *b, const struct tui_report *r)
{
	memset(b, 0, sizeof(*b));
	b->screen = &tui_screen;
	b->help = help_show;
	b->tree.graph = row_graph;
	b->tree.ctx = b;
	browse_report(b, r, "");
}

static void browser_deinit(struct tui_browser *b)
{
	u32 i;

	browse_search_forget(b);
	browse_drop_stacks(b);
	while (browse_back(b))
		;
	for (i = 0; i < TUI_ZOOMS; i++)
		free(b->kept.zooms[i]);
	free(b->reports[0].trail);
	tree_deinit(&b->tree);
	view_deinit(&b->view);
	line_deinit(&b->line);
}

/* Handle keys until the user quits. Return: the command's exit status. */
static int browse(struct tui_browser *b)
{
	u32 key;

	for (;;) {
		browse_show(b);
		key = screen_key(b->screen, true);
		if (key == TUI_KEY_TICK)
			continue;
		*b->message = 0;
		if (key == TUI_KEY_INTERRUPT)
			return 130;
		if (key == TUI_KEY_HANGUP)
			return 0;
		if (browse_live_key(b, key) || move(b, key) || browse_act(b, key))
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
	if (r->live)
		browse_live(&b);
	status = browse(&b);
	screen_idle(NULL, NULL, NULL);
	start_listen(NULL, NULL);
	browser_deinit(&b);
	return status;
}
