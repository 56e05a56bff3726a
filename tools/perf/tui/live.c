// SPDX-License-Identifier: GPL-2.0
/*
 * live.c - a report that changes while it is shown (perf top), whose rows can change while any view
 * waits for a key. Open lines, zooms and the cursor's position are preserved. Other views show the
 * samples of the time when they were made, except that the flame graph is updated.
 */
#include <stdio.h>

#include "base/hash.h"
#include "tui/browse.h"

static u64 row_id(void *ctx, u32 row)
{
	struct tui_browser *b = ctx;
	const struct hists *h = b->view.event->members[0];
	_cleanup_outbuf_ struct outbuf o = { 0 };
	u32 i;

	for (i = 0; i < b->view.cols->nr; i++)
		if (b->view.cols->cols[i].key)
			hist_row_text(h, view_row(&b->view, row), &b->view.cols->cols[i], &o);
	return hash_bytes(o.base, outbuf_len(&o));
}

static u64 step_id(void *ctx, u32 label)
{
	struct tui_browser *b = ctx;
	struct hist_step s = hist_step(b->view.event->members[0], label);

	return hash_mix(s.name ? hash_bytes(s.name, strlen(s.name)) : s.address,
			s.file ? hash_bytes(s.file, strlen(s.file)) : 0);
}

/* The number of lines between two, at most @most. */
static u32 lines_between(struct tui_browser *b, struct tui_place from, const struct tui_place *to, u32 most)
{
	u32 nr = 0;

	while (nr < most && !tree_same(&from, to) && tree_next(&b->tree, &from))
		nr++;
	return nr;
}

/* Save the positions, before rows change. */
static void keep(void *arg)
{
	struct tui_browser *b = arg;
	u32 i;

	if (!browse_is_live(b))
		return;
	b->kept.rows = true;
	b->kept.below_row = b->kept.below_top = 0;
	if (b->view.nr_rows) {
		browse_follow(b);
		b->kept.below_row = lines_between(b, (struct tui_place){ .at = b->top.at }, &b->top, UINT16_MAX);
		b->kept.below_top = lines_between(b, b->top, &b->cursor, browse_height(b));
	}
	for (i = 0; i < b->view.nr_zooms; i++) {
		free(b->kept.zooms[i]);
		b->kept.zooms[i] = xstrdup(b->view.zooms[i].col->name);
	}
	tree_keep(&b->tree);
}

/* Restore the positions, after rows changed. */
static void take(struct tui_browser *b)
{
	const struct tui_report *r = b->report;
	u32 at = b->top.at, i;

	if (!browse_is_live(b) || !b->kept.rows)
		return;
	b->kept.rows = false;
	b->event = min(b->event, r->nr_events - 1);
	b->view.cols = b->draw.cols = r->cols;
	b->view.event = &r->events[b->event];
	for (i = 0; i < b->view.nr_zooms; i++)
		view_zoom_again(&b->view, i, view_column(r->cols, b->kept.zooms[i]));
	draw_begin(&b->draw);
	browse_rows(b);
	if (!b->view.nr_rows)
		return;
	b->top.at = min(at, b->view.nr_rows - 1);
	tree_move(&b->tree, &b->top, b->kept.below_row);
	b->cursor = b->top;
	tree_move(&b->tree, &b->cursor, b->kept.below_top);
}

static const struct tui_report *first(const struct tui_browser *b)
{
	return b->reports[0].report;
}

static u32 wait_ms(void *arg)
{
	return first(arg)->live->wait_ms(first(arg)->ctx);
}

static bool tick(void *arg)
{
	bool changed;

	start_quiet(true);
	changed = first(arg)->live->tick(first(arg)->ctx, keep, arg);
	if (changed)
		take(arg);
	start_quiet(false);
	return changed;
}

void browse_live(struct tui_browser *b)
{
	b->tree.row_id = row_id;
	b->tree.step_id = step_id;
	screen_idle(wait_ms, tick, b);
}

static void act_write(struct tui_browser *b)
{
	char path[256] = "perf.data";
	const char *why;

	if (!browse_ask(b, "Write the samples in memory to", path, sizeof(path)) || !*path)
		return;
	why = first(b)->live->write(first(b)->ctx, path);
	if (why)
		browse_say(b, "%s: %s", path, why);
	else
		browse_say(b, "wrote %s: perf report -i %s", path, path);
}

static void act_delay(struct tui_browser *b)
{
	char text[32] = "";
	const char *why;

	if (!browse_ask(b, "Seconds between refreshes", text, sizeof(text)) || !*text)
		return;
	why = first(b)->live->delay(first(b)->ctx, text);
	if (why)
		browse_say(b, "%s", why);
}

bool browse_live_key(struct tui_browser *b, u32 key)
{
	const struct tui_report *r = b->report;

	if (!r->live)
		return false;
	if (key == 'w' || key == 'P')
		act_write(b);
	else if (key == 'D')
		act_delay(b);
	else if (r->live->key(r->ctx, key, keep, b, b->message, sizeof(b->message)))
		take(b);
	else
		return false;
	return true;
}
