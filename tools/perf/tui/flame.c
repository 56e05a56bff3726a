// SPDX-License-Identifier: GPL-2.0
/*
 * flame.c - the flame graph on the terminal, the root at the top
 *
 * It is given the boxes of the picture (render/flame.h) and owns the zoom, the cursor, and the
 * boxes found by a search. A box narrower than a column is not drawn; a zoom makes it wider. A
 * key costs one visit of each box.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "hist/hist.h"
#include "render/flame.h"
#include "tui/browse.h"

struct flame_view {
	struct tui_browser *b;
	const struct flame_picture *p;
	const struct flame_event *ev;
	u32 zoom, cursor;		/* boxes */
	u32 before[32], nr_before;	/* previous zooms, the newest last */
	u32 top;			/* depth of the first line */
	bool stepping;			/* Enter goes to the next match */
	bool *found;			/* by box of the event: matched by the search */
};

static const struct flame_box *box(const struct flame_view *v, u32 i)
{
	return &v->p->boxes[i];
}

/* Convert a position to a column within the zoom. */
static u32 column(const struct flame_view *v, u64 at)
{
	const struct flame_box *z = box(v, v->zoom);
	u32 width = max(v->b->screen->columns, 1);

	if (at <= z->start)
		return 0;
	if (at >= z->start + z->total)
		return width;
	return (u64)((double)(at - z->start) / z->total * width);
}

/* Is a box in the zoom and at least one column wide? @from, @to: set to its columns */
static bool drawn(const struct flame_view *v, u32 i, u32 *from, u32 *to)
{
	const struct flame_box *x = box(v, i), *z = box(v, v->zoom);

	if (x->start >= z->start + z->total || x->start + x->total <= z->start)
		return false;
	/* Of the boxes beside or below the zoomed one, those that it is above are drawn. */
	if (x->depth <= z->depth && i != v->zoom &&
	    (x->start > z->start || z->start + z->total > x->start + x->total))
		return false;
	*from = column(v, x->start);
	*to = column(v, x->start + x->total);
	return *from < *to;
}

static bool matches(const struct flame_view *v, const struct flame_box *x)
{
	return x->kind != 'r' && x->kind != 'f' &&
	       browse_search_matches(v->b, x->name, strlen(x->name));
}

static enum tui_style box_style(const struct flame_view *v, u32 i)
{
	const struct flame_box *x = box(v, i);

	if (i == v->cursor)
		return STYLE_BOX_CURSOR;
	if (v->found[i - v->ev->first])
		return STYLE_BOX_FOUND;
	return x->kind == 'o' ? STYLE_BOX_DEFERRED : kind_style(x->kind) - STYLE_USER + STYLE_BOX;
}

/* Append a function's name in @width columns, after a border at its left. */
static void put_box(struct flame_view *v, const char *function, u32 width)
{
	_cleanup_outbuf_ struct outbuf shown = { 0 };
	struct outbuf *o = &v->b->line.text;
	u32 room = width - 1, columns;
	const char *name;
	size_t len, n;
	wchar_t c;

	short_name_put(&shown, function, hists_config(v->b->view.event->members[0])->full_names);
	name = shown.base;
	len = outbuf_len(&shown);
	outbuf_putc(o, '|');
	/* Names of one or two characters are omitted. */
	while (width > 3 && len) {
		n = line_char(name, len, &c, &columns);
		if (columns > room)
			break;
		outbuf_write(o, name, n);
		room -= columns;
		name += n;
		len -= n;
	}
	outbuf_fill(o, ' ', room);
}


/* Draw the boxes of one depth, from left to right, which is their order except for hidden boxes. */
static void put_level(struct flame_view *v, u32 depth, int row)
{
	struct tui_line *l = &v->b->line;
	u32 at = 0, i, from, to;

	line_reset(l);
	for (i = v->ev->first; i < v->ev->first + v->ev->nr; i++) {
		if (box(v, i)->depth != depth || !drawn(v, i, &from, &to) || from < at)
			continue;
		line_style(l, STYLE_PLAIN);
		outbuf_fill(&l->text, ' ', from - at);
		line_style(l, box_style(v, i));
		put_box(v, box(v, i)->name, to - from);
		at = to;
	}
	line_style(l, STYLE_PLAIN);
	screen_put(v->b->screen, row, l, 0, false);
}

static void show(void *ctx)
{
	struct flame_view *v = ctx;
	struct tui_browser *b = v->b;
	u32 rows = max(b->screen->rows - 3, 1), depth = box(v, v->cursor)->depth, i;
	const struct flame_box *c = box(v, v->cursor);
	struct tui_line *l = &b->line;

	v->top = depth < v->top ? depth : depth - v->top >= rows ? depth - rows + 1 : v->top;
	screen_clear();
	line_reset(l);
	line_style(l, STYLE_TITLE);
	outbuf_printf(&l->text, "%sflame graph of %s", b->draw.trail, v->ev->name);
	if (v->zoom != v->ev->first)
		outbuf_printf(&l->text, " > %s", box(v, v->zoom)->name);
	screen_put(b->screen, 0, l, 0, false);
	for (i = 0; i < rows; i++)
		put_level(v, v->top + i, 1 + i);
	line_reset(l);
	outbuf_printf(&l->text, "%.2f%%, %u samples  %s", percent_of(c->total, v->ev->total), c->samples, c->name);
	screen_put(b->screen, b->screen->rows - 2, l, 0, false);
	screen_text(b->screen, b->screen->rows - 1, STYLE_BAR, *b->message ? b->message :
		    "Enter: zoom   arrows   / search   a: code   B: callers   h: help   q: back");
	screen_flush();
}

static u32 parent(const struct flame_view *v, u32 i)
{
	u32 depth = box(v, i)->depth;

	while (i > v->ev->first && box(v, i)->depth >= depth)
		i--;
	return i;
}

/* The widest visible child; @i if there is none. */
static u32 widest_child(const struct flame_view *v, u32 i)
{
	u32 best = i, k, from, to;

	for (k = i + 1; k < v->ev->first + v->ev->nr && box(v, k)->depth > box(v, i)->depth; k++)
		if (box(v, k)->depth == box(v, i)->depth + 1 && drawn(v, k, &from, &to) &&
		    (best == i || box(v, k)->total > box(v, best)->total))
			best = k;
	return best;
}

/* The next box to the left or right at the depth of the cursor. */
static u32 neighbour(const struct flame_view *v, bool right)
{
	const struct flame_box *c = box(v, v->cursor), *x;
	u32 best = v->cursor, i, from, to;

	for (i = v->ev->first; i < v->ev->first + v->ev->nr; i++) {
		x = box(v, i);
		if (x->depth != c->depth || i == v->cursor || !drawn(v, i, &from, &to))
			continue;
		if (right ? x->start <= c->start : x->start >= c->start)
			continue;
		if (best == v->cursor || (right ? x->start < box(v, best)->start : x->start > box(v, best)->start))
			best = i;
	}
	return best;
}

/* Find all matching boxes. A key cancels the search. */
static void find_all(struct flame_view *v)
{
	struct tui_patience p = { 0 };
	u32 i;

	memset(v->found, 0, v->ev->nr * sizeof(*v->found));
	for (i = 0; v->b->searches && i < v->ev->nr; i++) {
		v->found[i] = matches(v, box(v, v->ev->first + i));
		if (!browse_search_ended(v->b, &p))
			continue;
		memset(v->found, 0, v->ev->nr * sizeof(*v->found));
		browse_search_forget(v->b);
	}
}

/* Sum of the matching boxes. Of nested matches only the outer one counts. */
static void sum_found(struct flame_view *v)
{
	u32 i, inside = UINT32_MAX, nr = 0;
	u64 sum = 0;

	for (i = v->ev->first; i < v->ev->first + v->ev->nr; i++) {
		const struct flame_box *x = box(v, i);

		if (x->depth <= inside)
			inside = UINT32_MAX;
		if (inside != UINT32_MAX || !v->found[i - v->ev->first])
			continue;
		inside = x->depth;
		sum += x->total;
		nr++;
	}
	v->stepping = nr;
	browse_say(v->b, "found in %.2f%% (%u places)%s", percent_of(sum, v->ev->total), nr,
		   nr ? "   Enter: the next" : "");
}

/* Go to the next matching box within the zoom, from left to right and from callers down. */
static void next_found(struct flame_view *v, bool down)
{
	u32 nr = v->ev->nr, at = v->cursor - v->ev->first, k, i, from, to;

	for (k = 1; k <= nr; k++) {
		i = (at + (down ? k : nr - k)) % nr;
		if (!v->found[i] || !drawn(v, v->ev->first + i, &from, &to))
			continue;
		v->cursor = v->ev->first + i;
		return;
	}
	browse_say(v->b, v->b->searches ? "nothing that matches is wide enough to be shown" : "/ begins a search");
}

/* Zoom to the box at the cursor. */
static void zoom(struct flame_view *v)
{
	if (box(v, v->cursor)->kind == 'f' || v->cursor == v->zoom)
		return;
	if (v->nr_before == ARRAY_SIZE(v->before)) {
		memmove(v->before, v->before + 1, sizeof(v->before) - sizeof(*v->before));
		v->nr_before--;
	}
	v->before[v->nr_before++] = v->zoom;
	v->zoom = v->cursor;
}

static void act(struct flame_view *v, u32 key)
{
	struct tui_browser *b = v->b;

	v->stepping &= key == TUI_KEY_ENTER || key == TUI_KEY_RESIZE || key == TUI_KEY_NONE;
	switch (key) {
	case TUI_KEY_UP:
		v->cursor = parent(v, v->cursor);
		break;
	case TUI_KEY_DOWN:
		v->cursor = widest_child(v, v->cursor);
		break;
	case TUI_KEY_LEFT:
		v->cursor = neighbour(v, false);
		break;
	case TUI_KEY_RIGHT:
		v->cursor = neighbour(v, true);
		break;
	case TUI_KEY_HOME:
		v->cursor = v->zoom = v->ev->first;
		v->nr_before = 0;
		break;
	case TUI_KEY_ENTER:
		if (v->stepping) {
			sum_found(v);
			next_found(v, true);
		} else {
			zoom(v);
		}
		break;
	case 'a':
		annotate_show(b, box(v, v->cursor)->name, NULL);
		break;
	case 'B':
		callers_show(b, box(v, v->cursor)->name);
		break;
	case '/':
		if (!browse_search_ask(b))
			break;
		find_all(v);
		if (b->searches)
			sum_found(v);
		break;
	case 'n':
	case 'N':
		next_found(v, key == 'n');
		break;
	case 'c':
		command_show(b, FORM_SVG);
		break;
	case 'w':
		write_show(b);
		break;
	case 'h':
	case '?':
	case TUI_KEY_F1:
		b->help(b, "flame graph");
		break;
	case TUI_KEY_RESIZE:
	case TUI_KEY_NONE:
		break;
	default:
		browse_say(b, "no such key here; h: help");
	}
}

/* The path to a box, for free(): the names below the root's, each followed by a newline. */
static char *way_to(const struct flame_view *v, u32 i)
{
	u32 depth = box(v, i)->depth, at = i;
	const char **names = xcalloc(depth + 1, sizeof(*names));
	_cleanup_outbuf_ struct outbuf o = { 0 };
	char *text;

	for (; box(v, at)->depth; at = parent(v, at))
		names[box(v, at)->depth] = box(v, at)->name;
	for (at = 1; at <= depth; at++)
		outbuf_printf(&o, "%s\n", names[at]);
	text = xstrdup(outbuf_text(&o));
	free(names);
	return text;
}

static u32 child_called(const struct flame_view *v, u32 i, const char *name, size_t len)
{
	u32 k;

	for (k = i + 1; k < v->ev->first + v->ev->nr && box(v, k)->depth > box(v, i)->depth; k++)
		if (box(v, k)->depth == box(v, i)->depth + 1 && strlen(box(v, k)->name) == len &&
		    !memcmp(box(v, k)->name, name, len))
			return k;
	return i;
}

/* The box at the end of a path, or the last existing box on it. */
static u32 go(const struct flame_view *v, const char *way)
{
	u32 at = v->ev->first, next;
	const char *name;
	size_t len;

	for (name = way; *name; name += len + 1) {
		len = strcspn(name, "\n");
		next = child_called(v, at, name, len);
		if (next == at)
			break;
		at = next;
	}
	return at;
}

static void set_event(struct flame_view *v, const char *name)
{
	v->ev = flame_event_called(v->p, name) ?: &v->p->events[0];
	free(v->found);
	v->found = xcalloc(v->ev->nr, sizeof(*v->found));
}

/* Update the picture after samples changed. Zoom and cursor stay at the same functions. */
static void renew(struct flame_view *v)
{
	_cleanup_free_ char *zoomed = way_to(v, v->zoom), *at = way_to(v, v->cursor);
	_cleanup_free_ char *name = xstrdup(v->ev->name);
	const struct flame_picture *p = browse_new_stacks(v->b);

	if (!p)
		return;
	v->p = p;
	set_event(v, name);
	v->zoom = go(v, zoomed);
	v->cursor = go(v, at);
	v->before[0] = v->ev->first;
	v->nr_before = v->zoom != v->ev->first;
	find_all(v);
}

static void browse(struct flame_view *v)
{
	u32 key;

	for (;;) {
		show(v);
		key = screen_key(v->b->screen, true);
		if (key == TUI_KEY_TICK) {
			if (browse_is_live(v->b))
				renew(v);
			continue;
		}
		*v->b->message = 0;
		if (key == TUI_KEY_INTERRUPT || key == TUI_KEY_HANGUP)
			return;
		if (key != 'q' && key != TUI_KEY_ESCAPE && key != TUI_KEY_BACKSPACE)
			act(v, key);
		else if (v->nr_before)
			v->zoom = v->before[--v->nr_before];
		else if (key != TUI_KEY_BACKSPACE)
			return;
	}
}

void flame_show(struct tui_browser *b)
{
	const struct flame_picture *p = browse_stacks(b);
	const char *name = hists_event_name(b->view.event->members[0]);
	struct flame_view v = { .b = b, .p = p };

	if (!p || !p->nr_events)
		return;
	set_event(&v, name);
	v.zoom = v.cursor = v.ev->first;
	browse_behind(b, show, &v);
	find_all(&v);
	browse(&v);
	browse_behind(b, NULL, NULL);
	free(v.found);
	if (browse_is_live(b))
		browse_drop_stacks(b);
}
