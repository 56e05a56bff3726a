// SPDX-License-Identifier: GPL-2.0
/*
 * act.c - what keys do beside moving: a table of them, from which the help is made
 *
 * It is given the browser. After a function of the table the cursor is at a line of the tree, and
 * what it has to say is in the bar.
 */
#include <ctype.h>
#include <stdio.h>

#include "tui/browse.h"
#include "tui/command.h"

static bool on_row(struct tui_browser *b)
{
	if (b->view.nr_rows)
		return true;
	browse_say(b, "there is no row here");
	return false;
}

/* The line at the top of the screen must remain one: it is not below what closes. */
static void set_open(struct tui_browser *b, bool open, bool deep)
{
	b->cursor.step = 0;
	browse_follow(b);
	tree_set_open(&b->tree, &b->cursor, open, deep);
}

static void act_toggle(struct tui_browser *b)
{
	if (on_row(b))
		set_open(b, !tree_open(&b->tree, &b->cursor), false);
}

static void act_open(struct tui_browser *b)
{
	if (on_row(b))
		set_open(b, true, false);
}

static void act_close(struct tui_browser *b)
{
	if (!on_row(b))
		return;
	/* What is closed already closes what it is in. */
	if (b->cursor.node && !b->cursor.node->open)
		tree_up(&b->cursor);
	set_open(b, false, false);
}

static void act_deep(struct tui_browser *b)
{
	if (on_row(b))
		set_open(b, !tree_open(&b->tree, &b->cursor), true);
}

static void set_all(struct tui_browser *b, bool open)
{
	tree_all(&b->tree, open);
	b->cursor = (struct tui_place){ .at = b->cursor.at };
	b->top = (struct tui_place){ .at = b->top.at };
}

static void act_open_all(struct tui_browser *b)
{
	set_all(b, true);
}

static void act_close_all(struct tui_browser *b)
{
	set_all(b, false);
}

static void act_hot(struct tui_browser *b)
{
	if (on_row(b))
		tree_hot(&b->tree, &b->cursor);
}

/* Into the first of these columns that there is, or out of it. */
static void zoom(struct tui_browser *b, const char *const *keys, const char *what)
{
	const struct hist_column *col = NULL;
	size_t i;

	for (i = 0; keys[i] && !col; i++)
		col = view_column(b->view.cols, keys[i]);
	if (!col) {
		browse_say(b, "rows do not say %s: perf report -s %s,... has rows that do", what, keys[0]);
		return;
	}
	if (b->view.nr_zooms && b->view.zooms[b->view.nr_zooms - 1].col == col)
		view_zoom_out(&b->view);
	else if (!on_row(b))
		return;
	else if (!view_zoom(&b->view, col, view_row(&b->view, b->tree.rows[b->cursor.at])))
		browse_say(b, "so many zooms in one another there are not");
	browse_rows(b);
}

static void act_dso(struct tui_browser *b)
{
	static const char *const keys[] = { "dso", NULL };

	zoom(b, keys, "in which file they are");
}

static void act_thread(struct tui_browser *b)
{
	static const char *const keys[] = { "tid", "pid", "tgid", "comm", NULL };

	zoom(b, keys, "of which thread they are");
}

static void act_parent(struct tui_browser *b)
{
	static const char *const keys[] = { "parent", NULL };

	zoom(b, keys, "which parent they have");
}

static void act_search(struct tui_browser *b)
{
	browse_search(b);
}

static void act_next(struct tui_browser *b)
{
	browse_search_next(b, true);
}

static void act_previous(struct tui_browser *b)
{
	browse_search_next(b, false);
}

static void act_percent(struct tui_browser *b)
{
	b->view.relative = !b->view.relative;
	browse_rows(b);
	browse_say(b, b->view.relative ? "percentages of what zooms leave" : "percentages of everything");
}

static void act_limit(struct tui_browser *b)
{
	char text[32] = "", *end;
	double v;

	if (!browse_ask(b, "Hide what is under this percentage", text, sizeof(text)) || !*text)
		return;
	v = strtod(text, &end);
	if (end == text || *end || !(v >= 0 && v <= 100)) {
		browse_say(b, "'%s' is not a percentage", text);
		return;
	}
	b->view.limit = v;
	/* Call graphs have the same limit. */
	tree_all(&b->tree, b->tree.all_open);
	browse_rows(b);
}

static void act_event(struct tui_browser *b)
{
	if (b->report->nr_events < 2) {
		browse_say(b, "there is one event only");
		return;
	}
	b->event = (b->event + 1) % b->report->nr_events;
	while (view_zoom_out(&b->view))
		;
	b->view.event = &b->report->events[b->event];
	tree_all(&b->tree, false);
	draw_begin(&b->draw);
	browse_rows(b);
}

static void act_header(struct tui_browser *b)
{
	struct outbuf o;

	outbuf_init(&o, -1);
	b->report->header(b->report->ctx, &o);
	window_show(b, "What the recording says of itself", outbuf_text(&o));
	outbuf_deinit(&o);
}

static void act_command(struct tui_browser *b)
{
	struct tui_command c;
	struct outbuf o;

	if (!browse_words(b, FORM_TEXT, &c))
		return;
	outbuf_init(&o, -1);
	command_text(&c, b->screen->columns, &o);
	window_show(b, "The command that prints this", outbuf_text(&o));
	outbuf_deinit(&o);
	command_deinit(&c);
}

static void act_write(struct tui_browser *b)
{
	static const struct { char key; const char *suffix; } forms[] = {
		[FORM_TEXT] = { 't', "txt" }, [FORM_FOLDED] = { 'f', "folded" },
		[FORM_SVG] = { 's', "svg" },
	};
	char answer[8] = "", path[256];
	struct tui_command c;
	struct outbuf why;
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
	outbuf_init(&why, -1);
	if (command_write(&c, path, &why))
		browse_say(b, "wrote %s", path);
	else
		browse_say(b, "%.*s", (int)strcspn(outbuf_text(&why), "\n"), outbuf_text(&why));
	outbuf_deinit(&why);
	command_deinit(&c);
}

bool browse_function(struct tui_browser *b, char **symbol, char **file)
{
	const struct hist_column *col;
	struct hist_step step;

	*symbol = *file = NULL;
	if (!on_row(b))
		return false;
	if (b->cursor.node) {
		step = hist_step(b->view.event->members[0], b->cursor.node->chain->labels[b->cursor.step]);
		*symbol = step.name ? xstrdup(step.name) : NULL;
		*file = step.file ? xstrdup(step.file) : NULL;
	} else {
		col = view_column(b->view.cols, "symbol");
		if (!col) {
			browse_say(b, "rows do not say in which function they are: s changes what they are of");
			return false;
		}
		*symbol = view_text(&b->view, b->tree.rows[b->cursor.at], col);
		/* "[.] name" */
		if (strlen(*symbol) > 4 && **symbol == '[' && (*symbol)[2] == ']')
			memmove(*symbol, *symbol + 4, strlen(*symbol) - 3);
		col = view_column(b->view.cols, "dso");
		*file = col && verbose <= 0 ? view_text(&b->view, b->tree.rows[b->cursor.at], col) : NULL;
	}
	if (*symbol)
		return true;
	free(*file);
	browse_say(b, "the function here is not known");
	return false;
}

static void act_annotate(struct tui_browser *b)
{
	char *symbol, *file;

	if (!browse_function(b, &symbol, &file))
		return;
	annotate_show(b, symbol, file);
	free(symbol);
	free(file);
}

static void act_callers(struct tui_browser *b)
{
	char *symbol, *file;

	if (!browse_function(b, &symbol, &file))
		return;
	callers_show(b, symbol);
	free(symbol);
	free(file);
}

static void act_help(struct tui_browser *b);

static const struct {
	u32 key;
	const char *name, *help;
	void (*act)(struct tui_browser *b);
} acts[] = {
	{ TUI_KEY_ENTER, "Enter", "open or close what the cursor is on", act_toggle },
	{ 'e', "e", "open or close it with everything below", act_deep },
	{ '+', "+", "open it", act_open },
	{ '-', "-", "close it, or what it is in", act_close },
	{ 'E', "E", "open everything", act_open_all },
	{ 'C', "C", "close everything", act_close_all },
	{ 'H', "H", "open the hot path: the heaviest callers, or callees, of the row", act_hot },
	{ 'd', "d", "zoom into the file (DSO) of the row, and out", act_dso },
	{ 't', "t", "zoom into the thread of the row, and out", act_thread },
	{ 'P', "P", "zoom into the parent of the row, and out (-s parent)", act_parent },
	{ '/', "/", "search for an extended regular expression", act_search },
	{ 'n', "n", "the next match", act_next },
	{ 'N', "N", "the match before", act_previous },
	{ 'F', "F", "percentages of what zooms leave, or of everything", act_percent },
	{ 'L', "L", "hide what is under a percentage", act_limit },
	{ 'f', "f", "the next event", act_event },
	{ 'a', "a", "annotate: the code of the function, with the samples of each instruction", act_annotate },
	{ 'B', "B", "who calls the function, and what it calls", act_callers },
	{ 'v', "v", "the flame graph", flame_show },
	{ 'T', "T", "when the samples were taken, by thread and CPU; a range of it is a zoom", times_show },
	{ 's', "s", "rows of something else: sort keys", sort_show },
	{ 'i', "i", "what the recording says of itself", act_header },
	{ 'c', "c", "the command line that prints what is shown", act_command },
	{ 'w', "w", "write it to a file", act_write },
	{ 'h', "h", "this help", act_help },
	{ '?', "?", "this help", act_help },
};

static void act_help(struct tui_browser *b)
{
	struct outbuf o;
	size_t i;

	outbuf_init(&o, -1);
	outbuf_puts(&o, "arrows   up, down; left and right where lines are longer than the screen\n"
		    "PgUp, PgDn, blank, Home, End   further\n"
		    "q, Esc   back from a zoom or window; q: quit\n");
	for (i = 0; i < ARRAY_SIZE(acts); i++)
		outbuf_printf(&o, "%-8s %s\n", acts[i].name, acts[i].help);
	window_show(b, "Keys", outbuf_text(&o));
	outbuf_deinit(&o);
}

static void act_click(struct tui_browser *b)
{
	struct tui_place p = b->top;
	u32 down = max(b->screen->click_line - BROWSE_ABOVE, 0);

	if (!b->view.nr_rows || b->screen->click_line < BROWSE_ABOVE ||
	    b->screen->click_line >= b->screen->rows - 1 || tree_move(&b->tree, &p, down) != down)
		return;
	/* The line that the cursor is on already opens. */
	if (tree_same(&p, &b->cursor))
		act_toggle(b);
	else
		b->cursor = p;
}

bool browse_act(struct tui_browser *b, u32 key)
{
	size_t i;

	if (key == TUI_KEY_CLICK) {
		act_click(b);
		return true;
	}
	for (i = 0; i < ARRAY_SIZE(acts); i++) {
		if (acts[i].key == key) {
			acts[i].act(b);
			return true;
		}
	}
	return false;
}
