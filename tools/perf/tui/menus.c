// SPDX-License-Identifier: GPL-2.0
/*
 * menus.c - views beside the histogram: menus, a function's code, its callers and callees, the
 * command that prints the current view
 *
 * Each is given the browser and owns its content until the user goes back.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/progress.h"
#include "hist/hist.h"
#include "render/flame.h"
#include "tui/browse.h"

/* A list of lines; the user chooses one. */
struct tui_list {
	const char *title, *bar;
	/* Draw line @i at @row of the screen. */
	void (*put)(struct tui_browser *b, void *ctx, u32 i, int row, bool selected);
	void *ctx;
	u32 nr, at, top;
};

/* Return: true: the user chose line l->at. */
static bool list_choose(struct tui_browser *b, struct tui_list *l)
{
	u32 rows, key, i;

	for (;;) {
		rows = max(b->screen->rows - 2, 1);
		l->top = l->at < l->top ? l->at : l->at - l->top >= rows ? l->at - rows + 1 : l->top;
		screen_clear();
		screen_text(b->screen, 0, STYLE_TITLE, l->title);
		for (i = 0; i < rows && l->top + i < l->nr; i++)
			l->put(b, l->ctx, l->top + i, 1 + i, l->top + i == l->at);
		screen_text(b->screen, b->screen->rows - 1, STYLE_BAR, l->bar);
		screen_flush();
		key = screen_key(b->screen, true);
		if (key == TUI_KEY_CLICK) {
			i = l->top + b->screen->click_line - 1;
			if (b->screen->click_line < 1 || b->screen->click_line > (int)rows || i >= l->nr)
				continue;
			l->at = i;
		}
		if (key == TUI_KEY_ENTER || key == TUI_KEY_CLICK)
			return true;
		if (browse_is_back(key))
			return false;
		browse_scroll(&l->at, l->nr ? l->nr - 1 : 0, rows, key);
	}
}

static void put_choice(struct tui_browser *b, void *ctx, u32 i, int row, bool selected)
{
	const char *const *items = ctx;

	line_reset(&b->line);
	outbuf_puts(&b->line.text, items[i]);
	screen_put(b->screen, row, &b->line, 0, selected);
}

int menu_choose(struct tui_browser *b, const char *title, const char *const *items, u32 nr)
{
	struct tui_list l = {
		.title = title, .bar = "Enter: this one   q: back", .put = put_choice,
		.ctx = (void *)items, .nr = nr,
	};

	return list_choose(b, &l) ? (int)l.at : -1;
}

void sort_show(struct tui_browser *b)
{
	static const char *const items[] = {
		"symbol", "dso,symbol", "comm,dso,symbol", "comm", "pid,comm", "tid,comm", "dso", "cpu",
		"srcline", "parent", "other keys ...",
	};
	u32 last = ARRAY_SIZE(items) - 1;
	_cleanup_words_ struct word_list c = { 0 };
	char keys[128] = "";
	int i = menu_choose(b, "Rows of", items, ARRAY_SIZE(items));

	if (i < 0)
		return;
	snprintf(keys, sizeof(keys), "%s", (u32)i < last ? items[i] : "");
	if ((u32)i == last && (!browse_ask(b, "Sort keys", keys, sizeof(keys)) || !*keys))
		return;
	if (!browse_words(b, FORM_TEXT, &c))
		return;
	words_add(&c, "-s");
	words_add(&c, "%s", keys);
	browse_count(b, &c, "");
}

void annotate_show(struct tui_browser *b, const char *symbol, const char *file)
{
	const struct event *ev = b->view.event->members[0]->event;
	char title[256];
	_cleanup_words_ struct word_list c = { 0 };
	_cleanup_outbuf_ struct outbuf o = { 0 };
	bool good;

	if (!browse_words(b, FORM_TEXT, &c))
		return;
	browse_work(b, "counting ...");
	snprintf(title, sizeof(title), "%s%s%s", symbol, file ? " in " : "", file ? file : "");
	good = b->report->annotate(b->report->ctx, c.v + 1, ev, symbol, file, &o);
	if (!browse_stopped(b, "stopped") && good)
		text_view_show(b, title, &o, true);
	if (good && browse_is_live(b))
		b->report->annotate_done(b->report->ctx);
}

/* A caller or callee, with its sum. */
struct relative {
	const char *name;
	u64 total;
	char kind;
};

struct relatives {
	const char *name;		/* the function */
	struct relative *of[2];		/* callers, callees; largest sum first */
	u32 nr[2], cap[2];
	u64 total, self;		/* of the function */
	u64 all;			/* of the event */
	char kind;
};

static void add_relative(struct relatives *r, int which, const char *name, char kind, u64 total)
{
	u32 i;

	for (i = 0; i < r->nr[which]; i++)
		if (!strcmp(r->of[which][i].name, name))
			break;
	if (i == r->nr[which]) {
		GROW(r->of[which], r->nr[which], r->cap[which]);
		r->of[which][r->nr[which]++] = (struct relative){ .name = name, .kind = kind };
	}
	r->of[which][i].total += total;
}

static int cmp_relatives(const void *a, const void *b)
{
	const struct relative *ra = a, *rb = b;

	if (ra->total != rb->total)
		return ra->total < rb->total ? 1 : -1;
	return strcmp(ra->name, rb->name);
}

/*
 * Find the callers and callees of a function. A box precedes its children, so the path to a box is
 * a stack. For a recursive function its sum and its callers count only the outermost call, as in
 * rows with children; callees count each call.
 */
static void find_relatives(struct relatives *r, const struct flame_picture *p,
			   const struct flame_event *ev, const char *name)
{
	const struct flame_box **way = NULL;
	u32 cap = 0, depth = 0, inside = UINT32_MAX, i;

	memset(r, 0, sizeof(*r));
	r->name = name;
	r->all = ev->total;
	for (i = ev->first; i < ev->first + ev->nr; i++) {
		const struct flame_box *box = &p->boxes[i];

		if (box->kind == 'f')
			continue;
		depth = box->depth;
		GROW_TO(way, depth + 1, cap);
		way[depth] = box;
		if (depth <= inside)
			inside = UINT32_MAX;
		if (depth && !strcmp(way[depth - 1]->name, name) && way[depth - 1]->kind != 'c') {
			add_relative(r, 1, box->name, box->kind, box->total);
			r->self -= box->total;
		}
		if (strcmp(box->name, name) || box->kind == 'c' || box->kind == 'r')
			continue;
		r->self += box->total;
		r->kind = box->kind;
		if (inside != UINT32_MAX)
			continue;
		inside = depth;
		r->total += box->total;
		if (depth)
			add_relative(r, 0, way[depth - 1]->name, way[depth - 1]->kind, box->total);
	}
	free(way);
	for (i = 0; i < 2; i++)
		if (r->nr[i])
			qsort(r->of[i], r->nr[i], sizeof(*r->of[i]), cmp_relatives);
}

enum tui_style kind_style(char kind)
{
	switch (kind) {
	case 'k':
		return STYLE_KERNEL;
	case 'i':
		return STYLE_INLINED;
	case 'm':
		return STYLE_DEFERRED;
	case 'j':
		return STYLE_JIT;
	default:
		return STYLE_USER;
	}
}

/* Line @i of: callers by ascending sum, the function (NULL), callees by descending sum. */
static const struct relative *relative_at(const struct relatives *r, u32 i)
{
	return i < r->nr[0] ? &r->of[0][r->nr[0] - 1 - i] :
	       i > r->nr[0] ? &r->of[1][i - r->nr[0] - 1] : NULL;
}

static void put_relative(struct tui_browser *b, void *ctx, u32 i, int row, bool selected)
{
	const struct relatives *r = ctx;
	const struct relative *rel = relative_at(r, i);
	double whole = r->all ? r->all : 1;
	struct tui_line *l = &b->line;

	line_reset(l);
	line_style(l, rel ? STYLE_PLAIN : STYLE_TITLE);
	if (rel)
		outbuf_printf(&l->text, "%8.2f%%  %s ", 100.0 * rel->total / whole,
			      i < r->nr[0] ? "  from" : "    to");
	else
		outbuf_printf(&l->text, "%8.2f%%  (itself %.2f%%) ", 100.0 * r->total / whole,
			      100.0 * r->self / whole);
	line_style(l, kind_style(rel ? rel->kind : r->kind));
	short_name_put(&l->text, rel ? rel->name : r->name,
		       hists_config(b->view.event->members[0])->full_names);
	screen_put(b->screen, row, l, 0, selected);
}

/* Show one function. Return: the next one, to free(); NULL: back. */
static char *callers_of(struct tui_browser *b, const struct flame_picture *p,
			const struct flame_event *ev, const char *name)
{
	const struct relative *next;
	struct relatives r;
	char *chosen = NULL, title[256];
	struct tui_list l = {
		.title = title, .bar = "Enter: go to it   q: back", .put = put_relative, .ctx = &r,
	};

	find_relatives(&r, p, ev, name);
	if (!r.total)
		browse_say(b, "no stack was recorded with %.100s in it", name);
	l.at = r.nr[0];
	l.nr = r.nr[0] + 1 + r.nr[1];
	snprintf(title, sizeof(title), "Callers and callees of %.180s", name);
	while (r.total && !chosen && list_choose(b, &l)) {
		next = relative_at(&r, l.at);
		/* Command names and the root are not functions: they have no view. */
		if (next && next->kind != 'c' && next->kind != 'r')
			chosen = xstrdup(next->name);
	}
	free(r.of[0]);
	free(r.of[1]);
	return chosen;
}

void callers_show(struct tui_browser *b, const char *symbol)
{
	const struct flame_picture *p = browse_stacks(b);
	const char *event = hists_event_name(b->view.event->members[0]);
	const struct flame_event *ev;
	char *ways[32], *next;
	u32 nr = 0;

	if (!p || !p->nr_events)
		return;
	ev = flame_event_called(p, event) ?: &p->events[0];
	ways[nr++] = xstrdup(symbol);
	while (nr) {
		next = callers_of(b, p, ev, ways[nr - 1]);
		if (!next)
			free(ways[--nr]);
		else if (nr < ARRAY_SIZE(ways))
			ways[nr++] = next;
		else
			free(next);
	}
	if (browse_is_live(b) && !b->show)
		browse_drop_stacks(b);
}

void command_show(struct tui_browser *b, enum tui_form form)
{
	_cleanup_words_ struct word_list c = { 0 };
	_cleanup_outbuf_ struct outbuf o = { 0 };

	if (!browse_words(b, form, &c))
		return;
	command_text(&c, b->screen->columns, &o);
	text_view_show(b, "The command that prints this", &o, false);
}

void write_show(struct tui_browser *b)
{
	static const struct { char key; const char *suffix; } forms[] = {
		[FORM_TEXT] = { 't', "txt" }, [FORM_FOLDED] = { 'f', "folded" },
		[FORM_SVG] = { 's', "svg" },
	};
	char answer[8] = "", path[256];
	_cleanup_words_ struct word_list c = { 0 };
	_cleanup_outbuf_ struct outbuf why = { 0 };
	u32 form;

	if (!browse_ask(b, "Write t: text, f: folded stacks, s: a flame graph", answer, sizeof(answer)))
		return;
	for (form = 0; form < ARRAY_SIZE(forms) && tolower(*answer) != forms[form].key;)
		form++;
	if (form == ARRAY_SIZE(forms)) {
		browse_say(b, "t, f or s");
		return;
	}
	snprintf(path, sizeof(path), "perf-report.%s", forms[form].suffix);
	if (!browse_ask(b, "File", path, sizeof(path)) || !*path || !browse_words(b, form, &c))
		return;
	browse_say(b, "writing %s ...", path);
	browse_show(b);
	if (command_write(&c, path, &why))
		browse_say(b, "wrote %s", path);
	else
		browse_say(b, "%s", outbuf_text(&why));
	interrupt_forget();
}
