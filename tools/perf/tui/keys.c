// SPDX-License-Identifier: GPL-2.0
/*
 * keys.c - the keys other than movement: a table, from which the help is made
 *
 * It is given the browser. After a function of the table the cursor is at a line of the tree,
 * and its message is in the bar.
 */
#include <stdio.h>

#include "tui/browse.h"

static bool on_row(struct tui_browser *b)
{
	if (b->view.nr_rows)
		return true;
	browse_say(b, "there is no row here");
	return false;
}

/*
 * Open or close at the cursor. The top line must not be within a node that closes, so the cursor is
 * scrolled into view.
 */
static void set_open(struct tui_browser *b, bool open, bool deep)
{
	b->cursor.step = 0;
	browse_follow(b);
	tree_set_open(&b->tree, &b->cursor, open, deep);
	if (open && !b->cursor.node && !tree_foldable(&b->tree, &b->cursor))
		browse_say(b, "no call graph here: none was recorded, or each branch is under the limit");
}

static void act_open(struct tui_browser *b)
{
	if (on_row(b))
		set_open(b, b->key == '+' || !tree_open(&b->tree, &b->cursor), b->key == 'e');
}

static void act_close(struct tui_browser *b)
{
	if (!on_row(b))
		return;
	/* If the node is closed, close its parent. */
	if (b->cursor.node && !b->cursor.node->open)
		tree_up(&b->cursor);
	set_open(b, false, false);
}

static void act_all(struct tui_browser *b)
{
	tree_all(&b->tree, b->key == 'E');
	b->cursor = (struct tui_place){ .at = b->cursor.at };
	b->top = (struct tui_place){ .at = b->top.at };
}

static void act_hot(struct tui_browser *b)
{
	if (on_row(b))
		tree_hot(&b->tree, &b->cursor);
}

static void zoom_in(struct tui_browser *b, const struct hist_column *col, const struct hist_row *row)
{
	if (!view_zoom(&b->view, col, row))
		browse_say(b, "too many zooms: q leaves the last one");
}

/* Zoom into the first existing column of the pressed key's, or out of it. */
static void act_zoom(struct tui_browser *b)
{
	static const struct { u32 key; const char *columns[5], *what; } zooms[] = {
		{ 'd', { "dso" }, "in which file they are" },
		{ 't', { "tid", "pid", "tgid", "comm" }, "of which thread they are" },
		{ 'S', { "socket" }, "on which processor socket they are" },
		{ 'G', { "cgroup" }, "in which cgroup they are" },
		{ 'P', { "parent" }, "which parent they have" },
	};
	const struct hist_column *col = NULL;
	size_t z, i;

	for (z = 0; zooms[z].key != b->key;)
		z++;
	for (i = 0; zooms[z].columns[i] && !col; i++)
		col = view_column(b->view.cols, zooms[z].columns[i]);
	if (!col) {
		browse_say(b, "rows do not say %s: perf report -s %s,... has rows that do", zooms[z].what,
			   zooms[z].columns[0]);
		return;
	}
	if (b->view.nr_zooms && b->view.zooms[b->view.nr_zooms - 1].col == col)
		view_zoom_out(&b->view);
	else if (!on_row(b))
		return;
	else
		zoom_in(b, col, view_row(&b->view, b->tree.rows[b->cursor.at]));
	browse_rows(b);
}

/* A row of the kernel, among all rows of the event, so that k can also zoom out. */
static const struct hist_row *kernel_row(const struct hists *h)
{
	u32 i;

	for (i = 0; i < h->nr_sorted; i++)
		if (hist_row_vmlinux(h, hists_row_at(h, i)))
			return hists_row_at(h, i);
	return NULL;
}

static void act_kernel(struct tui_browser *b)
{
	const struct hist_column *col = view_column(b->view.cols, "dso");
	const struct hist_row *row = col ? kernel_row(b->view.event->members[0]) : NULL;

	if (!row) {
		browse_say(b, col ? "no row is of the kernel" :
			   "rows do not say in which file they are: perf report -s dso,... has rows that do");
		return;
	}
	if (view_zooms_like(&b->view, col, row))
		view_zoom_out(&b->view);
	else
		zoom_in(b, col, row);
	browse_rows(b);
}

static void act_next(struct tui_browser *b)
{
	browse_search_next(b, b->key == 'n');
}

static void act_percent(struct tui_browser *b)
{
	b->view.relative = !b->view.relative;
	browse_rows(b);
	browse_say(b, b->view.relative ? "percentages of the zoomed samples" : "percentages of all samples");
}

static void act_files(struct tui_browser *b)
{
	b->draw.files = !b->draw.files;
	browse_say(b, b->draw.files ? "call graphs with the names of files" : "call graphs without files");
}

static void act_names(struct tui_browser *b)
{
	struct hists *h = b->view.event->members[0];
	bool full = !hists_config(h)->full_names;

	hists_set_full_names(h, full);
	browse_rows(b);
	browse_say(b, full ? "names in full" : "long names with ... for arguments of templates and folders");
}

static void act_limit(struct tui_browser *b)
{
	char text[32] = "", *end;
	double v;

	if (!browse_ask(b, "Hide rows and branches below this percentage", text, sizeof(text)) || !*text)
		return;
	v = strtod(text, &end);
	if (end == text || *end || !(v >= 0 && v <= 100)) {
		browse_say(b, "'%s' is not a percentage", text);
		return;
	}
	b->view.limit = v;
	/* The limit applies to call graphs, too: make them again. */
	tree_all(&b->tree, b->tree.all_open);
	browse_rows(b);
}

static void act_event(struct tui_browser *b)
{
	u32 by = b->key == TUI_KEY_BACKTAB ? b->report->nr_events - 1 : 1;

	if (b->report->nr_events < 2) {
		browse_say(b, "there is one event only");
		return;
	}
	b->event = (b->event + by) % b->report->nr_events;
	while (view_zoom_out(&b->view))
		;
	b->view.event = &b->report->events[b->event];
	tree_all(&b->tree, false);
	draw_begin(&b->draw);
	browse_rows(b);
}

/* Sort a group's rows as if this member came first. */
static void sort_by_member(struct tui_browser *b, u32 member)
{
	u32 nr = b->view.event->nr;
	_cleanup_words_ struct word_list c = { 0 };

	if (nr < 2 || member >= nr) {
		browse_say(b, nr < 2 ? "this is no group of events" : "the group has %u events, from 0 on", nr);
		return;
	}
	if (!browse_words(b, FORM_TEXT, &c))
		return;
	words_add(&c, "--group-sort-idx");
	words_add(&c, "%u", member);
	browse_count(b, &c, "");
}

static void act_header(struct tui_browser *b)
{
	_cleanup_outbuf_ struct outbuf o = { 0 };

	b->report->header(b->report->ctx, &o);
	text_view_show(b, "Header of the recording", &o, false);
}

static void act_command(struct tui_browser *b)
{
	command_show(b, FORM_TEXT);
}

/*
 * Set the function and file of the line at the cursor; free() both; *@file may be NULL. Return:
 * false after a message.
 */
static bool function_at(struct tui_browser *b, char **symbol, char **file)
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

static void act_function(struct tui_browser *b)
{
	char *symbol, *file;

	if (!function_at(b, &symbol, &file))
		return;
	if (b->key == 'a')
		annotate_show(b, symbol, file);
	else
		callers_show(b, symbol);
	free(symbol);
	free(file);
}

static void act_help(struct tui_browser *b);
static void act_menu(struct tui_browser *b);

/* An entry without a name is another key for the entry above. */
static const struct {
	u32 key;
	const char *name, *help;
	void (*act)(struct tui_browser *b);
} acts[] = {
	{ TUI_KEY_ENTER, "Enter", "open or close the line", act_open },
	{ 'e', "e", "open or close it with everything below", act_open },
	{ '+', "+", "open it", act_open },
	{ '-', "-", "close it, or its parent", act_close },
	{ 'E', "E", "open everything", act_all },
	{ 'C', "C", "close everything", act_all },
	{ 'H', "H", "open the hot path: the heaviest callers, or callees, of the row", act_hot },
	{ 'd', "d", "zoom into the file (DSO) of the row, and out", act_zoom },
	{ 'k', "k", "zoom into the kernel, and out", act_kernel },
	{ 't', "t", "zoom into the thread of the row, and out", act_zoom },
	{ 'S', "S", "zoom into the processor socket of the row, and out (-s socket)", act_zoom },
	{ 'G', "G", "zoom into the cgroup of the row, and out (-s cgroup)", act_zoom },
	{ 'P', "P", "zoom into the parent of the row, and out (-s parent)", act_zoom },
	{ '/', "/", "search for an extended regular expression", browse_search },
	{ 'n', "n", "the next match", act_next },
	{ 'N', "N", "the previous match", act_next },
	{ 'V', "V", "call graphs with the names of files, or without", act_files },
	{ 'F', "F", "percentages of the zoomed samples, or of all", act_percent },
	{ 'L', "L", "hide rows and branches below a percentage", act_limit },
	{ 'l', "l", "long names of functions in full, or with ... in them", act_names },
	{ '\t', "Tab, f", "the next event", act_event },
	{ 'f', NULL, NULL, act_event },
	{ TUI_KEY_BACKTAB, "S-Tab", "the previous event (Shift-Tab)", act_event },
	{ 'a', "a", "annotate: the code of the function, with the samples of each instruction", act_function },
	{ 'B', "B", "callers and callees of the function", act_function },
	{ 'v', "v", "the flame graph", flame_show },
	{ 'T', "T", "samples over time, by thread and CPU; zooms to a range", times_show },
	{ 's', "s", "other sort keys", sort_show },
	{ 'i', "i", "the header of the recording", act_header },
	{ 'c', "c", "the command line that prints this view", act_command },
	{ 'w', "w", "write it to a file", write_show },
	{ 'm', "m", "a menu of these keys", act_menu },
	{ 'h', "h, F1, ?", "this help", act_help },
	{ '?', NULL, NULL, act_help },
	{ TUI_KEY_F1, NULL, NULL, act_help },
};

static void act_menu(struct tui_browser *b)
{
	char lines[ARRAY_SIZE(acts)][120];
	const char *items[ARRAY_SIZE(acts)];
	size_t which[ARRAY_SIZE(acts)], i;
	u32 nr = 0;
	int chosen;

	for (i = 0; i < ARRAY_SIZE(acts); i++) {
		if (!acts[i].name || acts[i].act == act_menu)
			continue;
		snprintf(lines[nr], sizeof(lines[nr]), "%-8s %s", acts[i].name, acts[i].help);
		items[nr] = lines[nr];
		which[nr++] = i;
	}
	chosen = menu_choose(b, "What to do", items, nr);
	if (chosen < 0)
		return;
	b->key = acts[which[chosen]].key;
	acts[which[chosen]].act(b);
}

/* The keys of the other views. */
static const struct {
	const char *view, *keys;
} views[] = {
	{ "flame graph",
	  "up, down the caller, the widest callee; left, right: the next box at that depth\n"
	  "Enter    zoom: the box is as wide as the screen; after /: the next match\n"
	  "Home     no zoom\n"
	  "/, n, N  search for an extended regular expression; the next match, the previous\n"
	  "a, B, c, w   as in the list of rows\n" },
	{ "code",
	  "Enter    go where the jump goes; its target has a >; Backspace: return\n"
	  "H        the hottest line\n"
	  "s        with source lines, or without\n"
	  "y        copy the line: the terminal puts it on the clipboard (OSC 52)\n"
	  "/, n, N  search for an extended regular expression; the next match, the previous\n" },
	{ "time line",
	  "arrows, Home, End   a moment; a thread or CPU\n"
	  "m, blank mark this moment, or unmark\n"
	  "Enter    what is between the mark and here is what all views show\n"
	  "T        threads or CPUs\n" },
	{ "callers and callees", "Enter    those of the function\n" },
};

static void put_rows_keys(struct tui_browser *b, struct outbuf *o)
{
	size_t i;

	outbuf_puts(o, "arrows   up, down; left and right where lines are longer than the screen\n"
		    "PgUp, PgDn, blank, Home, End   further\n"
		    "q, Esc   back from a zoom or window; q: quit\n"
		    "0 to 9   order a group's rows by this event of it\n");
	if (browse_is_live(b))
		outbuf_puts(o, b->report->live->keys);
	for (i = 0; i < ARRAY_SIZE(acts); i++)
		if (acts[i].name)
			outbuf_printf(o, "%-8s %s\n", acts[i].name, acts[i].help);
}

void help_show(struct tui_browser *b, const char *view)
{
	_cleanup_outbuf_ struct outbuf first = { 0 }, o = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(views); i++)
		outbuf_printf(view && !strcmp(view, views[i].view) ? &first : &o, "\nIn the %s:\n%s",
			      views[i].view, views[i].keys);
	if (view)
		outbuf_puts(&first, "\nIn the list of rows:\n");
	put_rows_keys(b, &first);
	outbuf_append(&first, &o);
	text_view_show(b, "Keys", &first, false);
}

static void act_help(struct tui_browser *b)
{
	help_show(b, NULL);
}

static void act_click(struct tui_browser *b)
{
	struct tui_place p = b->top;
	u32 down = max(b->screen->click_line - BROWSE_ABOVE, 0);

	if (!b->view.nr_rows || b->screen->click_line < BROWSE_ABOVE ||
	    b->screen->click_line >= b->screen->rows - 1 || tree_move(&b->tree, &p, down) != down)
		return;
	/* A click on the cursor's line opens or closes it. */
	if (tree_same(&p, &b->cursor))
		act_open(b);
	else
		b->cursor = p;
}

bool browse_act(struct tui_browser *b, u32 key)
{
	size_t i;

	b->key = key;
	if (key == TUI_KEY_CLICK) {
		act_click(b);
		return true;
	}
	if (key >= '0' && key <= '9') {
		sort_by_member(b, key - '0');
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
