// SPDX-License-Identifier: GPL-2.0
/*
 * screen.c - the terminal, by ncurses, which no other file uses
 *
 * It owns the terminal's state from screen_start() to screen_stop(): its modes, and the signals
 * that end or stop a program or report a resize. These are blocked and read from a descriptor, so
 * that no handler runs inside ncurses: each becomes a key, and the program ends or stops where it
 * waits for keys. Only poll() may wait: keys are read from a non-blocking descriptor.
 */
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <term.h>
#include <unistd.h>

/* term.h defines macros of terminfo's names; this code uses this one. */
#undef columns
#include "base/cleanup.h"
#include "base/sort.h"
#include "tui/screen.h"
#include "tui/tui.h"

static SCREEN *terminal;
static FILE *input;		/* keys: see open_input() */
static int signal_fd = -1;
static sigset_t signals, signals_before;
static attr_t looks[STYLE_MAX];
static u32 end_key;		/* the key that ends the program; 0: none yet */
static struct {
	u32 (*ms)(void *ctx);
	bool (*tick)(void *ctx);
	void *ctx;
} idle;				/* .ms NULL: only wait for keys */

const char *tui_missing(void)
{
	const char *term = getenv("TERM"), *move;
	int status;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return "standard input and output are no terminal";
	if (!term || !*term)
		return "TERM is not set";
	if (setupterm(NULL, STDOUT_FILENO, &status) != OK)
		return "the type of terminal that TERM names is not known";
	move = tigetstr("cup");
	status = move && move != (char *)-1;
	del_curterm(cur_term);
	if (!status)
		return "a terminal of the type that TERM names cannot move its cursor";
	return NULL;
}

/* The look of each style: with colours, and by attributes alone. */
static void set_looks(void)
{
	static const struct { short many, few; attr_t none; short many_back, few_back; } table[STYLE_MAX] = {
		[STYLE_TITLE] = { -1, -1, A_BOLD, 0, 0 },
		[STYLE_HEAD] = { 245, COLOR_CYAN, A_UNDERLINE, 0, 0 },
		[STYLE_BAR] = { -1, -1, A_REVERSE, 0, 0 },
		[STYLE_HOT] = { 160, COLOR_RED, A_BOLD, 0, 0 },
		[STYLE_WARM] = { 34, COLOR_GREEN, A_NORMAL, 0, 0 },
		[STYLE_USER] = { -1, -1, A_NORMAL, 0, 0 },
		[STYLE_KERNEL] = { 172, COLOR_YELLOW, A_DIM, 0, 0 },
		[STYLE_INLINED] = { 37, COLOR_CYAN, A_UNDERLINE, 0, 0 },
		[STYLE_DEFERRED] = { 170, COLOR_MAGENTA, A_BOLD, 0, 0 },
		[STYLE_JIT] = { 70, COLOR_GREEN, A_NORMAL, 0, 0 },
		[STYLE_BOX] = { 16, COLOR_BLACK, A_NORMAL, 216, COLOR_RED },
		[STYLE_BOX_KERNEL] = { 16, COLOR_BLACK, A_NORMAL, 222, COLOR_YELLOW },
		[STYLE_BOX_INLINED] = { 16, COLOR_BLACK, A_NORMAL, 152, COLOR_CYAN },
		[STYLE_BOX_DEFERRED] = { 16, COLOR_BLACK, A_NORMAL, 182, COLOR_MAGENTA },
		[STYLE_BOX_JIT] = { 16, COLOR_BLACK, A_NORMAL, 150, COLOR_GREEN },
		[STYLE_BOX_CURSOR] = { 231, COLOR_WHITE, A_REVERSE, 25, COLOR_BLUE },
		[STYLE_BOX_FOUND] = { 231, COLOR_WHITE, A_BOLD, 90, COLOR_BLACK },
	};
	const char *no = getenv("NO_COLOR");
	bool colours = !(no && *no) && has_colors() && start_color() != ERR;
	short i, c, back;

	if (colours)
		use_default_colors();
	for (i = 0; i < STYLE_MAX; i++) {
		c = COLORS >= 256 ? table[i].many : table[i].few;
		looks[i] = table[i].none;
		back = COLORS >= 256 ? table[i].many_back : table[i].few_back;
		if (!colours || (!back && (!c || c < 0)))
			continue;
		init_pair(i + 1, c, table[i].many_back ? back : -1);
		looks[i] = COLOR_PAIR(i + 1);
	}
}

/* Never called: SIGTSTP is blocked while this is its handler. */
static void on_stop(int sig __unused)
{
}

/*
 * ncurses ignores SIGTSTP while it updates the screen, if the signal's action was the default: a
 * SIGTSTP that is pending then would be dropped. With any other action ncurses does not touch it.
 */
static void handle_stop(bool ours)
{
	if (sigismember(&signals, SIGTSTP))
		signal(SIGTSTP, ours ? on_stop : SIG_DFL);
}

static void take_signals(void)
{
	static const int which[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH };
	struct sigaction sa;
	size_t i;

	sigemptyset(&signals);
	for (i = 0; i < ARRAY_SIZE(which); i++)
		if (!sigaction(which[i], NULL, &sa) && sa.sa_handler != SIG_IGN)
			sigaddset(&signals, which[i]);
	/* A signal without a handler would be dropped while it is blocked. */
	sigaddset(&signals, SIGWINCH);
	pthread_sigmask(SIG_BLOCK, &signals, &signals_before);
	handle_stop(true);
	signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/*
 * Open the terminal again for reading keys. O_NONBLOCK is a property of the open file, which
 * standard input shares with the shell. Reads must not block, since signals are blocked and would
 * not end them: input reported by poll() can be gone, as ^C drops earlier input, and ncurses reads
 * on after the first byte of a sequence. If the terminal cannot be opened, keys are read from
 * standard input.
 */
static void open_input(void)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
	int fd = open("/proc/self/fd/0", flags);

	/* After su the terminal's file belongs to another user. */
	if (fd < 0 && tcgetpgrp(STDIN_FILENO) >= 0)
		fd = open("/dev/tty", flags);
	input = fd < 0 ? NULL : fdopen(fd, "r");
	if (fd >= 0 && !input)
		close(fd);
	if (!input)
		input = stdin;
}

static void close_all(void)
{
	if (input != stdin)
		fclose(input);
	close(signal_fd);
	signal_fd = -1;
	handle_stop(false);
	pthread_sigmask(SIG_SETMASK, &signals_before, NULL);
}

void screen_stop(void)
{
	if (!terminal)
		return;
	endwin();
	delscreen(terminal);
	terminal = NULL;
	close_all();
}

/* ncurses has 100 bytes for each place; a terminal may claim 65,535 rows of 65,535. */
#define MAX_ROWS 500
#define MAX_COLUMNS 2000

static void read_size(struct tui_screen *s)
{
	struct winsize ws;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) && ws.ws_row && ws.ws_col)
		resizeterm(min(ws.ws_row, MAX_ROWS), min(ws.ws_col, MAX_COLUMNS));
	getmaxyx(stdscr, s->rows, s->columns);
}

/* newterm() takes any size but for these variables; read_size() follows. */
static void bound_size(void)
{
	struct winsize ws;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) || (ws.ws_row <= MAX_ROWS && ws.ws_col <= MAX_COLUMNS))
		return;
	setenv("LINES", "500", 1);
	setenv("COLUMNS", "2000", 1);
}

bool screen_start(struct tui_screen *s)
{
	static bool registered;

	setlocale(LC_CTYPE, "");
	if (MB_CUR_MAX == 1)
		setlocale(LC_CTYPE, "C.UTF-8");
	take_signals();
	open_input();
	bound_size();
	terminal = newterm(NULL, stdout, input);
	if (!terminal) {
		close_all();
		return false;
	}
	if (!registered)
		atexit(screen_stop);
	registered = true;
	/*
	 * Before the first endwin() ncurses assumes a program without windows and flushes its
	 * output at each move of the cursor: a hundred writes a screen instead of one.
	 */
	endwin();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	mouseinterval(0);
	set_looks();
	read_size(s);
	return true;
}

void screen_clear(void)
{
	erase();
}

/* The style at @offset. @end: set to its end, if that is before the end of the text. */
static enum tui_style style_at(const struct tui_line *l, u32 offset, size_t *end)
{
	u32 behind = LOWER_BOUND(0, l->nr_parts, i, l->parts[i].from <= offset);

	if (behind < l->nr_parts)
		*end = min(*end, (size_t)l->parts[behind].from);
	return behind ? l->parts[behind - 1].style : STYLE_PLAIN;
}

#define AT_ONCE 256	/* characters passed to ncurses in one call */

/*
 * Draw characters of one style, @*i to @end, without the first @*skip columns. Several characters
 * are passed in each call, since a call is expensive. Return: false: the next one does not fit into
 * @*room.
 */
static bool put_part(const struct tui_line *l, size_t *i, size_t end, u32 *skip, u32 *room)
{
	wchar_t text[AT_ONCE];
	u32 nr = 0, width;
	size_t n;

	for (; *i < end; *i += n) {
		n = line_char(l->text.base + *i, end - *i, &text[nr], &width);
		if (*skip) {
			*skip -= min(*skip, width);
			continue;
		}
		if (width > *room)
			break;
		*room -= width;
		if (++nr == AT_ONCE) {
			addnwstr(text, nr);
			nr = 0;
		}
	}
	addnwstr(text, nr);
	return *i >= end;
}

void screen_put(const struct tui_screen *s, int row, const struct tui_line *l, u32 skip,
		bool selected)
{
	size_t len = outbuf_len(&l->text), i = 0, end = len;
	u32 room = max(s->columns, 0);

	move(row, 0);
	do {
		end = len;
		attrset(looks[style_at(l, i, &end)] | (selected ? A_REVERSE : 0));
	} while (put_part(l, &i, end, &skip, &room) && i < len);
	attrset(A_NORMAL);
	if (!selected && style_at(l, len, &end) != STYLE_BAR)
		return;
	attrset(A_REVERSE);
	for (; room; room--)
		addnwstr(L" ", 1);
	attrset(A_NORMAL);
}

void screen_text(const struct tui_screen *s, int row, enum tui_style style, const char *text)
{
	struct tui_line l = { .nr_parts = 0 };

	line_style(&l, style);
	outbuf_puts(&l.text, text);
	screen_put(s, row, &l, 0, false);
	line_deinit(&l);
}

void screen_flush(void)
{
	refresh();
}

void screen_copy(const char *text, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	_cleanup_outbuf_ struct outbuf o = { 0 };
	size_t i, k;
	u32 v;

	outbuf_puts(&o, "\033]52;c;");
	for (i = 0; i < len; i += 3) {
		for (v = 0, k = i; k < i + 3; k++)
			v = v << 8 | (k < len ? (u8)text[k] : 0);
		for (k = 0; k < 4; k++)
			outbuf_putc(&o, i + k > len ? '=' : digits[v >> (18 - 6 * k) & 63]);
	}
	outbuf_putc(&o, '\a');
	fwrite(o.base, 1, outbuf_len(&o), stdout);
	fflush(stdout);
}

/* ^Z and SIGTSTP: restore the terminal for the shell until fg. */
static void stop_here(void)
{
	sigset_t stop;

	endwin();
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	/* The default action stops the process when the signal is unblocked. */
	handle_stop(false);
	raise(SIGTSTP);
	pthread_sigmask(SIG_UNBLOCK, &stop, NULL);
	pthread_sigmask(SIG_BLOCK, &stop, NULL);
	handle_stop(true);
	/* The shell may have changed the terminal's modes, which endwin() is to restore. */
	def_shell_mode();
	reset_prog_mode();
	clearok(stdscr, TRUE);
}

static u32 take_signal(struct tui_screen *s)
{
	struct signalfd_siginfo si;
	u32 key = TUI_KEY_NONE;

	while (read(signal_fd, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGTSTP) {
			stop_here();
			read_size(s);
			key = max(key, (u32)TUI_KEY_RESIZE);
		} else if (si.ssi_signo == SIGWINCH) {
			read_size(s);
			key = max(key, (u32)TUI_KEY_RESIZE);
		} else {
			key = si.ssi_signo == SIGINT ? max(key, (u32)TUI_KEY_INTERRUPT) :
			      (u32)TUI_KEY_HANGUP;
		}
	}
	return key;
}

static u32 take_mouse(struct tui_screen *s)
{
	MEVENT e;

	if (getmouse(&e) != OK)
		return TUI_KEY_NONE;
	if (e.bstate & BUTTON4_PRESSED)
		return TUI_KEY_UP;
	if (e.bstate & BUTTON5_PRESSED)
		return TUI_KEY_DOWN;
	s->click_line = e.y;
	return e.bstate & BUTTON1_PRESSED ? TUI_KEY_CLICK : TUI_KEY_NONE;
}

static u32 take_key(struct tui_screen *s)
{
	static const struct { wint_t curses; u32 key; } keys[] = {
		{ KEY_UP, TUI_KEY_UP }, { KEY_DOWN, TUI_KEY_DOWN }, { KEY_LEFT, TUI_KEY_LEFT },
		{ KEY_RIGHT, TUI_KEY_RIGHT }, { KEY_PPAGE, TUI_KEY_PAGE_UP },
		{ KEY_NPAGE, TUI_KEY_PAGE_DOWN }, { KEY_HOME, TUI_KEY_HOME }, { KEY_END, TUI_KEY_END },
		{ KEY_ENTER, TUI_KEY_ENTER }, { KEY_BACKSPACE, TUI_KEY_BACKSPACE },
		{ KEY_BTAB, TUI_KEY_BACKTAB }, { KEY_F(1), TUI_KEY_F1 },
	};
	wint_t c;
	size_t i;

	switch (get_wch(&c)) {
	case KEY_CODE_YES:
		if (c == KEY_MOUSE)
			return take_mouse(s);
		for (i = 0; i < ARRAY_SIZE(keys); i++)
			if (keys[i].curses == c)
				return keys[i].key;
		return TUI_KEY_NONE;
	case OK:
		if (c == '\r' || c == '\n')
			return TUI_KEY_ENTER;
		if (c == '\b' || c == 0x7f)
			return TUI_KEY_BACKSPACE;
		return c == 033 ? (u32)TUI_KEY_ESCAPE : c;
	default:
		return TUI_KEY_NONE;
	}
}

static u32 next_key(struct tui_screen *s, bool wait)
{
	struct pollfd fds[] = {
		{ .fd = fileno(input), .events = POLLIN }, { .fd = signal_fd, .events = POLLIN },
	};
	u32 key;
	int n, ms;

	for (;;) {
		/* Signals have priority over keys typed before them. */
		key = take_signal(s);
		/* Check ncurses' buffer, which poll() does not see. */
		if (!key)
			key = take_key(s);
		if (key)
			return key;
		ms = !wait ? 0 : idle.ms ? (int)idle.ms(idle.ctx) : -1;
		n = poll(fds, ARRAY_SIZE(fds), ms);
		if (n < 0 && errno != EINTR)
			return TUI_KEY_HANGUP;
		if (n > 0 && fds[0].revents & ~POLLIN) {
			/* The terminal is gone: ignore the SIGHUP that follows. */
			signal(SIGHUP, SIG_IGN);
			return TUI_KEY_HANGUP;
		}
		if (!wait)
			return take_key(s);
		if (!ms && idle.tick(idle.ctx))
			return TUI_KEY_TICK;
	}
}

void screen_idle(u32 (*ms)(void *ctx), bool (*tick)(void *ctx), void *ctx)
{
	idle.ms = ms;
	idle.tick = tick;
	idle.ctx = ctx;
}

void screen_forget_interrupt(void)
{
	if (end_key == TUI_KEY_INTERRUPT)
		end_key = TUI_KEY_NONE;
}

u32 screen_key(struct tui_screen *s, bool wait)
{
	u32 key;

	/* After a key that ends the program every call returns it, so that all views return. */
	if (end_key)
		return end_key;
	key = next_key(s, wait);
	if (key == TUI_KEY_INTERRUPT || key == TUI_KEY_HANGUP)
		end_key = key;
	return key;
}
