// SPDX-License-Identifier: GPL-2.0
/*
 * start.c - the terminal before the first view
 *
 * It owns the screen between tui_begin() and tui_end(), and the messages of that time: each is
 * shown in the bottom line at once, and all are printed after the terminal is restored. Progress is
 * drawn in the bar's line. Each update checks the keys, so that work can be stopped.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/progress.h"
#include "tui/browse.h"

struct tui_screen tui_screen;
static struct outbuf said;
static bool begun;
static diag_sink *listener;
static void (*redraw_view)(void);	/* NULL: no browser yet */
static bool quiet;		/* hide progress: short, repeated work */
static bool helps;		/* help is shown while samples are counted */

/* Store a message. Context: any thread. */
static void keep_line(const char *line, size_t size)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	if (listener)
		listener(line, size);
	else
		outbuf_write(&said, line, size);
	pthread_mutex_unlock(&lock);
}

void start_listen(diag_sink *to, void (*redraw)(void))
{
	listener = to;
	redraw_view = redraw;
}

void start_quiet(bool on)
{
	quiet = on;
}

const char *start_last_message(void)
{
	const char *text, *last;
	size_t len = outbuf_len(&said);

	if (!len)
		return NULL;
	text = outbuf_text(&said);
	last = memrchr(text, '\n', len - 1);
	return last ? last + 1 : text;
}

/* Show the keys available while counting. */
static void show_help(bool whole)
{
	const char *const lines[] = {
		redraw_view ? "The view comes when this is done." :
			      "Rows come when all samples are counted and sorted.",
		"",
		whole ? "q, Esc   not now: rows of half the samples would be wrong" :
		redraw_view ? "q, Esc   stop: back, or a view of the samples read so far" :
			      "q, Esc   stop reading: rows of the samples read so far",
		redraw_view && !whole ? "^C       the same; quit if it is pressed once more" : "^C       quit",
		"h, ?     this help, or none",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines) && (int)i + 1 < tui_screen.rows; i++)
		screen_text(&tui_screen, i, STYLE_PLAIN, lines[i]);
}

static bool is_help(u32 key)
{
	return key == 'h' || key == '?' || key == TUI_KEY_F1;
}

/* A key during work: q stops it if that is possible; ^C and a closed terminal end the program. */
static void act(u32 key, bool whole)
{
	bool quit = key == TUI_KEY_INTERRUPT || key == TUI_KEY_HANGUP;

	if (is_help(key))
		helps = !helps;
	/* Lines may have moved: redraw everything. */
	if (is_help(key) || key == TUI_KEY_RESIZE) {
		screen_clear();
		if (redraw_view && !helps)
			redraw_view();
	} else if (whole && quit) {
		exit(key == TUI_KEY_INTERRUPT ? 130 : 0);
	} else if (!whole && (quit || key == 'q' || key == TUI_KEY_ESCAPE)) {
		interrupt_raise();
	}
	/* ^C only ended the work, as there is a browser to return to. */
	if (key == TUI_KEY_INTERRUPT && redraw_view)
		screen_forget_interrupt();
}

static void show_progress(const char *what, u64 done, u64 total, bool whole)
{
	char text[192], percent[32];
	u32 key;

	if (quiet)
		return;
	do {
		if (helps)
			show_help(whole);
		percent[0] = 0;
		if (total)
			snprintf(percent, sizeof(percent), ": %llu %%", 100 * done / total);
		snprintf(text, sizeof(text), "%s%s   h: help   %s", what, percent,
			 whole ? "^C: quit" : "q: stop");
		screen_text(&tui_screen, tui_screen.rows - 1, STYLE_BAR, text);
		screen_flush();
		key = screen_key(&tui_screen, false);
		act(key, whole);
	} while (is_help(key) || key == TUI_KEY_RESIZE);
}

bool tui_begin(void)
{
	if (!screen_start(&tui_screen))
		return false;
	begun = true;
	diag_set_sink(keep_line);
	progress_set_sink(show_progress);
	atexit(tui_end);
	screen_clear();
	show_progress("perf", 0, 0, false);
	return true;
}

void tui_end(void)
{
	if (!begun)
		return;
	begun = false;
	progress_set_sink(NULL);
	diag_set_sink(diag_to_stderr);
	screen_stop();
	if (outbuf_len(&said))
		diag_to_stderr(said.base, outbuf_len(&said));
	outbuf_deinit(&said);
}
