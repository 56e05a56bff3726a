// SPDX-License-Identifier: GPL-2.0
/*
 * search.c - finds the next line that an expression matches
 *
 * Lines are searched by their drawn text: those that are visible, then those of closed call graphs,
 * of which the one that matches is opened. A key ends a long search. If the expression is plain
 * text, rows whose names lack it are skipped without drawing.
 */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "tui/browse.h"

/*
 * The C library compiles a repeated part once for each possible repetition, so that a few nested
 * repeats take gigabytes, and a back reference makes it try all ways to match. So a compiled
 * expression has no back reference, and its repeats that can be nested multiply to at most MOST:
 * matching takes milliseconds a line, and callers check the keys between lines.
 */
#define MOST 1024

/* The product of the repeats that can be nested: bounds, and '+' after a group or another repeat. */
static u64 nested_repeats(const char *s)
{
	u64 product = 1, least, most;
	char before = 0;

	for (; *s && product <= MOST; before = *s++) {
		if (*s == '{') {
			least = strtoul(s + 1, NULL, 10);
			most = strtoul(s + 1 + strcspn(s, ",}"), NULL, 10);
			product *= min(max(least, most), (u64)MOST) + 1;
		} else if (*s == '+' && before && strchr(")}*+?", before)) {
			product *= 2;
		} else if (*s == '\\' && s[1]) {
			s++;
		}
	}
	return product;
}

static bool has_back_reference(const char *s)
{
	for (; (s = strchr(s, '\\')) && s[1]; s += 2)
		if (s[1] >= '1' && s[1] <= '9')
			return true;
	return false;
}

/*
 * Compile an extended regular expression, if its matching time is bounded. @re: to be freed by
 * regfree(). Return: false, and the reason in @why, if it is refused.
 */
static bool expression_compile(regex_t *re, const char *text, char *why, size_t size)
{
	int err;

	if (has_back_reference(text)) {
		snprintf(why, size, "a back reference would take too long to match");
		return false;
	}
	if (nested_repeats(text) > MOST) {
		snprintf(why, size, "its repeats would take too long to match");
		return false;
	}
	err = regcomp(re, text, REG_EXTENDED | REG_NOSUB);
	if (err)
		regerror(err, re, why, size);
	return !err;
}

#define SAY_NS 30000000ULL		/* after this time the bar shows a message */
#define PATIENCE_NS 300000000ULL	/* before this time keys do not end a search */
#define LOOK_NS 20000000ULL	/* between two checks of the keys */
#define LINES 64			/* between two checks of the clock */

bool browse_search_ended(struct tui_browser *b, struct tui_patience *p)
{
	u64 now;
	u32 key;

	if (p->lines++ % LINES)
		return false;
	now = monotonic_ns();
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
	return browse_search_matches(b, b->line.text.base, outbuf_len(&b->line.text));
}

bool browse_search_matches(const struct tui_browser *b, const char *text, size_t len)
{
	regmatch_t in = { .rm_eo = len };

	return b->searches && !regexec(&b->search, text, 1, &in, REG_STARTEND);
}

static bool advance(struct tui_browser *b, struct tui_place *p, bool down)
{
	return down ? tree_next(&b->tree, p) : tree_prev(&b->tree, p);
}

/*
 * Look at visible lines, or at those of closed call graphs, from @p to the cursor or the last one.
 * Return: the cursor is at a match, or a key ended the search.
 */
static bool look(struct tui_browser *b, struct tui_place p, bool down, bool closed,
		 struct tui_patience *patience)
{
	bool over = false;

	b->tree.closed_too = closed;
	do {
		if (closed == tree_visible(&p))
			continue;
		over = matches(b, &p);
		if (over)
			b->cursor = p;
		else
			over = browse_search_ended(b, patience);
	} while (!over && (closed || !tree_same(&p, &b->cursor)) && advance(b, &p, down));
	b->tree.closed_too = false;
	tree_reveal(&b->cursor);
	return over;
}

/* @first: a new expression: visible lines come before closed ones, wherever the cursor is */
static void search(struct tui_browser *b, bool down, bool first)
{
	const struct tui_place top = { 0 };
	struct tui_place p = b->cursor;
	struct tui_patience patience = { 0 };

	if (advance(b, &p, down) && look(b, p, down, false, &patience))
		return;
	if (down && !first && look(b, top, true, true, &patience))
		return;
	if (look(b, down ? top : tree_last(&b->tree), down, false, &patience))
		return;
	if (!look(b, top, true, true, &patience))
		browse_say(b, "nothing matches");
}

void browse_search_next(struct tui_browser *b, bool down)
{
	if (!b->searches)
		browse_say(b, "/ begins a search");
	else if (b->view.nr_rows)
		search(b, down, false);
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
	/* It matches nothing but itself. */
	if (!strpbrk(text, ".[]()*+?{}|^$\\") && is_of_names(&b->draw, text))
		strcpy(b->literal, text);
	return true;
}

void browse_search(struct tui_browser *b)
{
	if (browse_search_ask(b) && b->view.nr_rows)
		search(b, true, true);
}
