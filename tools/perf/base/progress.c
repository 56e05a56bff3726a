// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/terminal.h"

#define WAIT_NS  1000000000ULL	/* nothing is shown before */
#define REDRAW_NS 100000000ULL
#define WIDTH 50		/* of the bar, where there is room for it */
#define BESIDE 10		/* brackets, blanks and the number */

static const char *what;
static u64 total, started, drawn;
static int width;

static sig_atomic_t nr_interrupts;

static u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void put(const char *line, int len)
{
	if (write(STDERR_FILENO, line, len) < 0)
		total = 0;
}

void progress_start(const char *title, u64 amount)
{
	what = title;
	total = isatty(STDERR_FILENO) ? amount : 0;
	drawn = 0;
	if (!total)
		return;
	started = now();
	width = terminal_width(STDERR_FILENO);
	/* A bar that wraps is drawn over and over on a new line. */
	width = width ? min(WIDTH, width - (int)strlen(title) - BESIDE) : WIDTH;
	if (width < 1)
		total = 0;
}

void progress_update(u64 done)
{
	char line[160];
	int filled, len;
	u64 t;

	if (!total)
		return;
	t = now();
	if (t - started < WAIT_NS || t - drawn < REDRAW_NS)
		return;
	drawn = t;
	done = min(done, total);
	filled = (int)((double)done / total * width);
	len = snprintf(line, sizeof(line), "\r%.40s [%.*s%*s] %3d%%", what, filled,
		       "##################################################", width - filled, "",
		       (int)((double)done / total * 100));
	put(line, len);
}

void progress_end(void)
{
	if (total && drawn)
		put("\r\033[K", 4);
	total = 0;
}

static void on_interrupt(int sig)
{
	if (__atomic_add_fetch(&nr_interrupts, 1, __ATOMIC_RELAXED) > 1) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
}

void interrupt_catch(void)
{
	struct sigaction sa = { .sa_handler = on_interrupt };

	/* No SA_RESTART: a read from a pipe is to end, too. */
	sigaction(SIGINT, &sa, NULL);
}

bool interrupted(void)
{
	return __atomic_load_n(&nr_interrupts, __ATOMIC_RELAXED);
}
