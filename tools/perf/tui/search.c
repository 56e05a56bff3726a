// SPDX-License-Identifier: GPL-2.0
/*
 * search.c - the next line that an expression matches
 *
 * Rows, and steps of call graphs that are open, are searched by the text that is drawn of them,
 * once around the list. A key ends a search that takes long.
 */
#include "tui/browse.h"

#define AT_A_TIME 512		/* lines between two looks at the keys */

static bool matches(struct tui_browser *b, const struct tui_place *p)
{
	draw_place(&b->draw, p, &b->line);
	return !regexec(&b->search, outbuf_text(&b->line.text), 0, NULL, 0);
}

/* One line on; from the end to the beginning. */
static void step(struct tui_browser *b, struct tui_place *p, bool down)
{
	if (down ? tree_next(&b->tree, p) : tree_prev(&b->tree, p))
		return;
	if (down)
		*p = (struct tui_place){ 0 };
	else
		*p = tree_last(&b->tree);
}

void browse_search_next(struct tui_browser *b, bool down)
{
	struct tui_place p = b->cursor;
	u32 nr = 0;

	if (!b->searches) {
		browse_say(b, "/ begins a search");
		return;
	}
	if (!b->view.nr_rows)
		return;
	do {
		step(b, &p, down);
		if (matches(b, &p)) {
			b->cursor = p;
			return;
		}
		if (++nr == AT_A_TIME)
			browse_work(b, "searching ...   any key: stop");
		if (nr % AT_A_TIME == 0 && screen_key(b->screen, false) != TUI_KEY_NONE) {
			browse_say(b, "the search was stopped");
			return;
		}
	} while (!tree_same(&p, &b->cursor));
	browse_say(b, "nothing matches");
}

bool browse_search_ask(struct tui_browser *b)
{
	char text[128] = "", why[128];
	int err;

	if (!browse_ask(b, "Search", text, sizeof(text)) || !*text)
		return false;
	if (b->searches)
		regfree(&b->search);
	err = regcomp(&b->search, text, REG_EXTENDED | REG_NOSUB);
	b->searches = !err;
	if (err) {
		regerror(err, &b->search, why, sizeof(why));
		browse_say(b, "%s: %s", text, why);
	}
	return !err;
}

void browse_search(struct tui_browser *b)
{
	if (browse_search_ask(b))
		browse_search_next(b, true);
}
