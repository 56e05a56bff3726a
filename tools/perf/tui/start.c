// SPDX-License-Identifier: GPL-2.0
/*
 * start.c - the terminal from before there is anything to show
 *
 * It owns the screen between tui_begin() and tui_end(), and the messages of that time: one is shown
 * at the bottom at once, and all are printed when the terminal is as it was found. Progress is
 * drawn where the bar will be; keys are looked at whenever it is, so that work can be ended.
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/progress.h"
#include "tui/browse.h"

struct tui_screen tui_screen;
static struct outbuf said;
static bool begun;
static diag_sink *listener;

/* Any thread of a team may say something. */
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

void start_listen(diag_sink *to)
{
	listener = to;
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

/* What q cannot end ^C does, and a terminal that is closed: with the program. */
static void show_progress(const char *what, u64 done, u64 total, bool whole)
{
	struct tui_line l;
	u32 key;

	line_init(&l);
	line_style(&l, STYLE_BAR);
	outbuf_printf(&l.text, "%s: %llu %%   %s", what, total ? 100 * done / total : 0,
		      whole ? "^C: quit" : "q: stop");
	screen_put(&tui_screen, tui_screen.rows - 1, &l, 0, false);
	screen_flush();
	line_deinit(&l);
	key = screen_key(&tui_screen, false);
	if (whole && (key == TUI_KEY_INTERRUPT || key == TUI_KEY_HANGUP))
		exit(key == TUI_KEY_INTERRUPT ? 130 : 0);
	if (!whole && (key == 'q' || key == TUI_KEY_ESCAPE || key == TUI_KEY_INTERRUPT || key == TUI_KEY_HANGUP))
		interrupt_raise();
}

bool tui_begin(void)
{
	if (!screen_start(&tui_screen))
		return false;
	outbuf_init(&said, -1);
	begun = true;
	diag_set_sink(keep_line);
	progress_set_sink(show_progress);
	atexit(tui_end);
	screen_clear();
	show_progress("perf report", 0, 0, false);
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
