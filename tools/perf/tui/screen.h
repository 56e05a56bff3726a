/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The terminal: its content, the pressed key, and restoring its state.
 */
#ifndef PERF_TUI_SCREEN_H
#define PERF_TUI_SCREEN_H

#include "tui/line.h"

/* Keys other than characters; a character is its own code. */
enum tui_key {
	TUI_KEY_NONE = 0,		/* no key was pressed */
	TUI_KEY_UP = 0x110000, TUI_KEY_DOWN, TUI_KEY_LEFT, TUI_KEY_RIGHT, TUI_KEY_PAGE_UP,
	TUI_KEY_PAGE_DOWN, TUI_KEY_HOME, TUI_KEY_END, TUI_KEY_ENTER, TUI_KEY_ESCAPE,
	TUI_KEY_BACKSPACE, TUI_KEY_BACKTAB, TUI_KEY_F1, TUI_KEY_RESIZE,
	TUI_KEY_CLICK,			/* see tui_screen.click_line */
	TUI_KEY_TICK,			/* screen_idle(): something has changed */
	TUI_KEY_INTERRUPT,		/* ^C, or SIGINT */
	TUI_KEY_HANGUP,			/* the terminal is gone, or SIGTERM */
};

struct tui_screen {
	int rows, columns;
	int click_line;
};

/*
 * screen_start - take the terminal over, until screen_stop(), also by exit(); @s: set to its size.
 * Return: false if it cannot be used.
 */
bool screen_start(struct tui_screen *s);
void screen_stop(void);

/* screen_clear - clear all lines */
void screen_clear(void);

/* screen_put - draw a line, without its first @skip columns; @selected: the cursor is on it */
void screen_put(const struct tui_screen *s, int row, const struct tui_line *l, u32 skip,
		bool selected);

/* screen_text - draw a line of text in one style */
void screen_text(const struct tui_screen *s, int row, enum tui_style style, const char *text);

/* screen_flush - update the terminal: writes all differences at once */
void screen_flush(void);

/* screen_copy - have the terminal put text on the clipboard, if it can (OSC 52) */
void screen_copy(const char *text, size_t len);

/*
 * screen_key - wait for a key if @wait; @s: its size is set with TUI_KEY_RESIZE. Return: a
 * character or one of enum tui_key. After TUI_KEY_INTERRUPT or TUI_KEY_HANGUP every call returns
 * that.
 */
u32 screen_key(struct tui_screen *s, bool wait);

/*
 * screen_idle - while waiting for a key, @ms returns for how long, NULL: no limit; at 0 @tick is
 * called, which returns true if the content changed: then screen_key() returns TUI_KEY_TICK
 */
void screen_idle(u32 (*ms)(void *ctx), bool (*tick)(void *ctx), void *ctx);

/* screen_forget_interrupt - a ^C ended an operation only: screen_key() stops returning it */
void screen_forget_interrupt(void);

#endif /* PERF_TUI_SCREEN_H */
