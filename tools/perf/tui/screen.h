/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The terminal: its content, the pressed key, and restoring its state.
 */
#ifndef PERF_TUI_SCREEN_H
#define PERF_TUI_SCREEN_H

#include "tui/line.h"

/* Keys beside characters, which are themselves. */
enum tui_key {
	TUI_KEY_NONE = 0,		/* nothing was pressed in time */
	TUI_KEY_UP = 0x110000, TUI_KEY_DOWN, TUI_KEY_LEFT, TUI_KEY_RIGHT, TUI_KEY_PAGE_UP,
	TUI_KEY_PAGE_DOWN, TUI_KEY_HOME, TUI_KEY_END, TUI_KEY_ENTER, TUI_KEY_ESCAPE,
	TUI_KEY_BACKSPACE, TUI_KEY_BACKTAB, TUI_KEY_F1, TUI_KEY_RESIZE,
	TUI_KEY_CLICK,			/* see tui_screen.click_line */
	TUI_KEY_TICK,			/* screen_idle(): something has changed */
	TUI_KEY_INTERRUPT,		/* ^C, or SIGINT */
	TUI_KEY_HANGUP,			/* the terminal has gone, or SIGTERM */
};

struct tui_screen {
	int rows, columns;
	int click_line;
};

/* screen_missing - why there can be no screen here; NULL: there can */
const char *screen_missing(void);

/**
 * screen_start() - take the terminal over
 * @s: set to its size
 *
 * screen_stop(), which exit() calls, too, gives it back.
 *
 * Return: false: it cannot be taken over.
 */
bool screen_start(struct tui_screen *s);
void screen_stop(void);

/* screen_clear - all lines are empty */
void screen_clear(void);

/**
 * screen_put() - a line
 * @s: the screen
 * @row: which
 * @l: the line's content
 * @skip: columns of it that are left of the screen
 * @selected: the cursor is on it
 */
void screen_put(const struct tui_screen *s, int row, const struct tui_line *l, u32 skip,
		bool selected);

/* screen_flush - update the terminal: writes all differences at once */
void screen_flush(void);

/**
 * screen_key() - wait for a key
 * @s: the screen; its size is set with TUI_KEY_RESIZE
 * @wait: false: look only whether one was pressed
 *
 * Return: a character or one of enum tui_key. After TUI_KEY_INTERRUPT or TUI_KEY_HANGUP always
 * that.
 */
u32 screen_key(struct tui_screen *s, bool wait);

/**
 * screen_idle() - do something while keys are waited for
 * @ms: how long to wait for a key, in ms; 0: @tick is called; NULL: for ever
 * @tick: return: whether something has changed: then TUI_KEY_TICK is returned in place of a key
 * @ctx: handed to them
 */
void screen_idle(u32 (*ms)(void *ctx), bool (*tick)(void *ctx), void *ctx);

/* screen_forget_interrupt - ^C, which every screen_key() gives from then on, ended something else
 * than the program.
 */
void screen_forget_interrupt(void);

#endif /* PERF_TUI_SCREEN_H */
