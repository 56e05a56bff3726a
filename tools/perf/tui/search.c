// SPDX-License-Identifier: GPL-2.0
/*
 * search.c - finds the next line that an expression matches
 *
 * Rows, and open steps of call graphs, are searched by their drawn text, once around the list.
 * A key ends a long search. If the expression is plain text, rows whose names lack it are skipped
 * without drawing.
 */
#include <string.h>
#include <time.h>

#include "tui/browse.h"
#include "tui/expression.h"

#define SAY_NS 30000000ULL		/* after this time the bar shows a message */
#define PATIENCE_NS 300000000ULL	/* before this time keys do not end a search */
#define LOOK_NS 20000000ULL	/* between two checks of the keys */
#define LINES 64			/* between two checks of the clock */

bool browse_search_ended(struct tui_browser *b, struct tui_patience *p)
{
	struct timespec ts;
	u64 now;
	u32 key;

	if (p->lines++ % LINES)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	now = ts.tv_sec * 1000000000ULL + ts.tv_nsec;
	if (!p->began)
		p->began = now;
	if (now - p->began < SAY_NS || now - p->looked < LOOK_NS)
		return false;
	p->looked = now;
	if (!p->said)
		browse_work(b, "searching ...   any key: stop");
	p->said = true;
	if (now - p->began < PATIENCE_NS)
		return false;
	key = screen_key(b->screen, false);
	if (key == TUI_KEY_NONE)
		return false;
	/* ^C ends the search, not the browser. */
	if (key == TUI_KEY_INTERRUPT)
		screen_forget_interrupt();
	browse_say(b, "the search was stopped");
	return true;
}

static bool matches(struct tui_browser *b, const struct tui_place *p)
{
	if (*b->literal && !p->node) {
		line_reset(&b->line);
		draw_names(&b->draw, p, &b->line.text);
		if (!memmem(b->line.text.base, outbuf_len(&b->line.text), b->literal, strlen(b->literal)))
			return false;
	}
	draw_place(&b->draw, p, &b->line);
	return !regexec(&b->search, outbuf_text(&b->line.text), 0, NULL, 0);
}

/* Advance by one line, with wrap-around. */
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
	struct tui_patience patience = { 0 };

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
		if (browse_search_ended(b, &patience))
			return;
	} while (!tree_same(&p, &b->cursor));
	browse_say(b, "nothing matches");
}

void browse_search_forget(struct tui_browser *b)
{
	if (b->searches)
		regfree(&b->search);
	b->searches = false;
	*b->literal = 0;
}

/* Can the text occur only in names, not in numbers or between columns? */
static bool is_of_names(const struct tui_draw *d, const char *literal)
{
	size_t digits = strspn(literal, "0123456789");

	if (strchr(literal, ' '))
		return false;
	if (literal[strspn(literal, "0123456789.%+-")])
		return true;
	/* A percentage has at most three consecutive digits. */
	return digits > 3 && !draw_has_counts(d);
}

bool browse_search_ask(struct tui_browser *b)
{
	char text[sizeof(b->literal)] = "", why[128];

	if (!browse_ask(b, "Search", text, sizeof(text)) || !*text)
		return false;
	browse_search_forget(b);
	b->searches = expression_compile(&b->search, text, why, sizeof(why));
	if (!b->searches) {
		browse_say(b, "%s: %s", text, why);
		return false;
	}
	if (expression_is_text(text) && is_of_names(&b->draw, text))
		strcpy(b->literal, text);
	return true;
}

void browse_search(struct tui_browser *b)
{
	if (browse_search_ask(b))
		browse_search_next(b, true);
}
