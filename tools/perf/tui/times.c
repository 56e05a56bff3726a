// SPDX-License-Identifier: GPL-2.0
/*
 * times.c - samples over time: a line for each thread or CPU, time from left to right
 *
 * It is given the sums by row and slice of time (tui.h) and owns the cursor and the mark. A
 * marked range becomes an option --time, so that every later view shows that range only.
 */
#include <stdio.h>

#include "tui/browse.h"

struct times_view {
	struct tui_browser *b;
	const struct tui_report *report;	/* not b->report, which may be that of a range */
	struct tui_times t;		/* of a report that changes: valid until the next key is read */
	bool cpus;
	bool counted;			/* times_done() is to be called */
	u64 id;				/* of the selected row */
	u32 row, top, at, mark;		/* @at, @mark: slices of time; mark -1: none */
	/* Largest sum of any column and row, valid for a width of most_width; 0: invalid */
	u64 most;
	u32 most_width;
};

/* Width of names: 22 columns, or a third of a narrow terminal, at least 4. */
static u32 name_width(const struct times_view *v)
{
	return min(max(v->b->screen->columns / 3, 4), 22);
}

static u32 width(const struct times_view *v)
{
	int left = v->b->screen->columns - (int)name_width(v);

	return min((u32)max(left, 1), v->t.slices);
}

/* The first slice of a column; its last is before the first of the next column. */
static u32 slice(const struct times_view *v, u32 column)
{
	return (u64)column * v->t.slices / width(v);
}

static u32 column_of(const struct times_view *v, u32 at)
{
	u32 i = (u64)at * width(v) / v->t.slices;

	return i + 1 < width(v) && slice(v, i + 1) <= at ? i + 1 : i;
}

static u64 sum(const struct times_view *v, const struct tui_time_row *r, u32 column)
{
	u32 i, end = slice(v, column + 1);
	u64 s = 0;

	for (i = slice(v, column); i < end; i++)
		s += r->buckets[i];
	return s;
}

/* Visits every slice of every row, 4 KB a thread: too slow for each key. */
static u64 most(struct times_view *v)
{
	u32 w = width(v), i, c;

	if (v->most_width == w)
		return v->most;
	v->most = 1;
	for (i = 0; i < v->t.nr_rows; i++)
		for (c = 0; c < w; c++)
			v->most = max(v->most, sum(v, &v->t.rows[i], c));
	v->most_width = w;
	return v->most;
}

static double seconds(const struct times_view *v, u32 at)
{
	return (double)(v->t.last - v->t.first + 1) * at / v->t.slices / 1e9;
}

static void put_row(struct times_view *v, const struct tui_time_row *r, int row, bool selected)
{
	static const char heat[] = " .:-=+*#%@";
	struct tui_line *l = &v->b->line;
	u32 w = width(v), at = column_of(v, v->at), i;
	u32 mark = v->mark == UINT32_MAX ? at : column_of(v, v->mark);
	int name = name_width(v) - 2;
	size_t len;

	line_reset(l);
	line_style(l, selected ? STYLE_TITLE : STYLE_PLAIN);
	outbuf_printf(&l->text, "%c%-*.*s ", selected ? '>' : ' ', name, name, r->name);
	for (len = outbuf_len(&l->text), i = 0; i < w; i++) {
		u64 s = sum(v, r, i);
		u32 h = s ? 1 + (u32)((double)s / most(v) * (sizeof(heat) - 3)) : 0;
		bool marked = i >= min(at, mark) && i <= max(at, mark);

		line_style_from(l, len + i, marked ? STYLE_BOX_CURSOR : h > 6 ? STYLE_HOT :
				h > 2 ? STYLE_WARM : STYLE_PLAIN);
		outbuf_putc(&l->text, heat[h]);
	}
	line_style(l, STYLE_PLAIN);
	screen_put(v->b->screen, row, l, 0, false);
}

static void show(void *ctx)
{
	struct times_view *v = ctx;
	struct tui_browser *b = v->b;
	u32 rows = max(b->screen->rows - 3, 1), i;
	struct tui_line *l = &b->line;

	v->top = v->row < v->top ? v->row : v->row - v->top >= rows ? v->row - rows + 1 : v->top;
	screen_clear();
	line_reset(l);
	line_style(l, STYLE_TITLE);
	outbuf_printf(&l->text, "%ssamples of %s over %.6f s", b->draw.trail, v->cpus ? "CPUs" : "threads",
		      (double)(v->t.last - v->t.first) / 1e9);
	screen_put(b->screen, 0, l, 0, false);
	for (i = 0; i < rows && v->top + i < v->t.nr_rows; i++)
		put_row(v, &v->t.rows[v->top + i], 1 + i, v->top + i == v->row);
	line_reset(l);
	if (v->mark == UINT32_MAX)
		outbuf_printf(&l->text, "at %.6f s", seconds(v, v->at));
	else
		outbuf_printf(&l->text, "from %.6f s to %.6f s", seconds(v, min(v->at, v->mark)),
			      seconds(v, max(v->at, v->mark) + 1));
	screen_put(b->screen, b->screen->rows - 2, l, 0, false);
	screen_text(b->screen, b->screen->rows - 1, STYLE_BAR,
		    *b->message ? b->message :
		    v->mark == UINT32_MAX ? "m: mark   T: threads or CPUs   h: help   q: back" :
					    "Enter: this range   m: no mark   h: help   q: back");
	screen_flush();
}

/* Count the recording's samples. Return: false after a message. */
static bool count(struct times_view *v)
{
	struct tui_browser *b = v->b;
	_cleanup_words_ struct word_list c = { 0 };
	bool good;

	if (!browse_words(b, FORM_TEXT, &c))
		return false;
	browse_work(b, "counting ...");
	good = v->report->times(v->report->ctx, c.v + 1, v->cpus, &v->t);
	browse_stopped(b, PARTIAL);
	v->row = v->top = 0;
	v->most_width = 0;
	v->counted = good;
	return good;
}

/* Restrict all views to the marked range. */
static void take_range(struct times_view *v)
{
	u64 span = v->t.last - v->t.first + 1;
	u64 from = v->t.first + to_u64((double)span * min(v->at, v->mark) / v->t.slices);
	u64 to = v->t.first + to_u64((double)span * (max(v->at, v->mark) + 1) / v->t.slices);
	_cleanup_words_ struct word_list c = { 0 };
	char trail[96];

	if (!browse_words(v->b, FORM_TEXT, &c))
		return;
	snprintf(trail, sizeof(trail), "time %.6f-%.6f > ", seconds(v, min(v->at, v->mark)),
		 seconds(v, max(v->at, v->mark) + 1));
	words_add(&c, "--time");
	words_add(&c, "%llu.%09llu,%llu.%09llu", from / 1000000000, from % 1000000000, to / 1000000000, to % 1000000000);
	browse_count(v->b, &c, trail);
}

static void across(struct times_view *v, bool right)
{
	u32 c = column_of(v, v->at);

	if (right && c + 1 < width(v))
		v->at = slice(v, c + 1);
	else if (!right && c)
		v->at = slice(v, c - 1);
}

/* Rows of CPUs, or of threads. Return: false: back. */
static bool other_rows(struct times_view *v)
{
	v->report->times_done(v->report->ctx, &v->t);
	v->t = (struct tui_times){ .slices = 1 };
	v->cpus = !v->cpus;
	if (count(v))
		return true;
	v->cpus = !v->cpus;
	return count(v);
}

/* The slice of a time; the last slice if it is later. */
static u32 slice_at(const struct times_view *v, u64 time)
{
	u64 past = max(time, v->t.first) - v->t.first, span = v->t.last - v->t.first + 1;

	return min((u32)((double)min(past, span) * v->t.slices / span), v->t.slices - 1);
}

static u64 time_at(const struct times_view *v, u32 at)
{
	return v->t.first + to_u64((double)(v->t.last - v->t.first + 1) * (at + 0.5) / v->t.slices);
}

/* Show the samples of now. The row, the mark and the cursor stay where they are, a cursor at the end at the end. */
static void renew(struct times_view *v)
{
	u64 at = time_at(v, v->at);
	u64 mark = v->mark == UINT32_MAX ? 0 : time_at(v, v->mark);
	bool last = column_of(v, v->at) + 1 == width(v);
	u32 i;

	v->report->times_now(v->report->ctx, &v->t);
	v->most_width = 0;
	v->at = last ? slice(v, width(v) - 1) : slice_at(v, at);
	if (v->mark != UINT32_MAX)
		v->mark = slice_at(v, mark);
	for (i = 0; i < v->t.nr_rows && v->t.rows[i].id != v->id; i++)
		;
	v->row = i < v->t.nr_rows ? i : 0;
}

/* Return: false: back. */
static bool act(struct times_view *v, u32 key)
{
	switch (key) {
	case TUI_KEY_UP:
		v->row -= v->row > 0;
		break;
	case TUI_KEY_DOWN:
		v->row += v->row + 1 < v->t.nr_rows;
		break;
	case TUI_KEY_LEFT:
	case TUI_KEY_RIGHT:
		across(v, key == TUI_KEY_RIGHT);
		break;
	case TUI_KEY_HOME:
		v->at = 0;
		break;
	case TUI_KEY_END:
		v->at = slice(v, width(v) - 1);
		break;
	case 'm':
	case ' ':
		v->mark = v->mark == UINT32_MAX ? v->at : UINT32_MAX;
		break;
	case TUI_KEY_ENTER:
		if (v->mark == UINT32_MAX) {
			v->mark = v->at;
			break;
		}
		take_range(v);
		return false;
	case 'T':
		return other_rows(v);
	case 'h':
	case '?':
	case TUI_KEY_F1:
		v->b->help(v->b, "time line");
		if (browse_is_live(v->b))
			renew(v);
		break;
	case 'q':
	case TUI_KEY_ESCAPE:
	case TUI_KEY_INTERRUPT:
	case TUI_KEY_HANGUP:
		return false;
	case TUI_KEY_TICK:
		if (browse_is_live(v->b))
			renew(v);
		break;
	case TUI_KEY_RESIZE:
	case TUI_KEY_NONE:
		break;
	default:
		browse_say(v->b, "no such key here; h: help");
	}
	return true;
}

void times_show(struct tui_browser *b)
{
	struct times_view v = { .b = b, .report = b->report, .mark = UINT32_MAX };
	u32 key;

	if (!count(&v))
		return;
	browse_behind(b, show, &v);
	do {
		show(&v);
		v.id = v.row < v.t.nr_rows ? v.t.rows[v.row].id : 0;
		key = screen_key(b->screen, true);
		if (key != TUI_KEY_TICK)
			*b->message = 0;
	} while (act(&v, key));
	browse_behind(b, NULL, NULL);
	if (v.counted)
		v.report->times_done(v.report->ctx, &v.t);
}
