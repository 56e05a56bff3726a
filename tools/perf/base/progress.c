// SPDX-License-Identifier: GPL-2.0
/*
 * The progress bar on stderr, and ^C: between interrupt_catch() and interrupt_release() a
 * signal ends the current work, not the program.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/progress.h"
#include "base/terminal.h"

#define WAIT_NS  1000000000ULL	/* nothing is shown before */
#define REDRAW_NS 100000000ULL
#define LOOK_NS   40000000ULL	/* of a sink, which looks at the keys, too */
#define WIDTH 50		/* of the bar, where there is room for it */
#define BESIDE 10		/* brackets, blanks and the number */

static const char *what;
static u64 total, started, drawn;
static bool whole;
static int width;
static progress_sink *sink;

static sig_atomic_t nr_interrupts;
static u64 interrupted_at;	/* set by the first one */
/* An eventfd that the handler writes: poll() sees an interrupt that came just before it. */
static int wake_fd = -1;

#define GRACE_NS 300000000ULL	/* for what the writer of a pipe still sends */

static void put(const char *line, int len)
{
	if (write(STDERR_FILENO, line, len) < 0)
		total = 0;
}

void progress_set_sink(progress_sink *to)
{
	sink = to;
}

static void start(const char *title, u64 amount)
{
	what = title;
	if (sink) {
		total = amount;
		drawn = started = 0;
		return;
	}
	total = isatty(STDERR_FILENO) ? amount : 0;
	drawn = 0;
	if (!total)
		return;
	started = monotonic_ns();
	width = terminal_width(STDERR_FILENO);
	/* A bar that wraps is drawn over and over on a new line. */
	width = width ? min(WIDTH, width - (int)strlen(title) - BESIDE) : WIDTH;
	if (width < 1)
		total = 0;
}

void progress_start(const char *title, u64 amount)
{
	whole = false;
	start(title, amount);
}

void progress_start_whole(const char *title, u64 amount)
{
	whole = true;
	start(title, amount);
}

void progress_update(u64 done)
{
	char line[160];
	int filled, len;
	u64 t;

	if (!total)
		return;
	t = monotonic_ns();
	if (sink) {
		if (t - drawn >= LOOK_NS) {
			drawn = t;
			sink(what, min(done, total), total, whole);
		}
		return;
	}
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

void progress_tick(const char *title)
{
	u64 t;

	if (!sink)
		return;
	t = monotonic_ns();
	if (t - drawn < LOOK_NS)
		return;
	drawn = t;
	sink(title, 0, 0, false);
}

void progress_end(void)
{
	if (total && drawn && !sink)
		put("\r\033[K", 4);
	total = 0;
}

static void on_interrupt(int sig)
{
	const u64 one = 1;
	int saved = errno;

	if (!interrupted())
		__atomic_store_n(&interrupted_at, monotonic_ns(), __ATOMIC_RELAXED);
	if (__atomic_add_fetch(&nr_interrupts, 1, __ATOMIC_RELEASE) > 1) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	/* It does not wait, and two interrupts do not fill it. */
	while (write(wake_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	errno = saved;
}

static void catch(int sig)
{
	struct sigaction sa = { .sa_handler = on_interrupt }, old;

	/* Ignored when perf was started (nohup, a shell's background): it remains ignored. */
	if (sigaction(sig, NULL, &old) || old.sa_handler == SIG_IGN)
		return;
	if (wake_fd < 0)
		wake_fd = eventfd(0, EFD_CLOEXEC);
	/* No SA_RESTART: a read from a pipe is to end, too. */
	sigaction(sig, &sa, NULL);
}

void interrupt_catch(void)
{
	catch(SIGINT);
}

void interrupt_catch_ends(void)
{
	catch(SIGINT);
	catch(SIGTERM);
	catch(SIGHUP);
}

void interrupt_release(void)
{
	struct sigaction sa;

	if (!sigaction(SIGINT, NULL, &sa) && sa.sa_handler == on_interrupt)
		signal(SIGINT, SIG_DFL);
}

void interrupt_raise(void)
{
	if (!interrupted())
		__atomic_store_n(&interrupted_at, monotonic_ns(), __ATOMIC_RELAXED);
	__atomic_add_fetch(&nr_interrupts, 1, __ATOMIC_RELEASE);
}

void interrupt_forget(void)
{
	struct pollfd fd = { .fd = wake_fd, .events = POLLIN };
	u64 counter;
	/* Nothing may be there; then the eventfd is left alone, as it would wait. */
	if (interrupted() && poll(&fd, 1, 0) == 1 && read(wake_fd, &counter, sizeof(counter)) < 0)
		return;
	__atomic_store_n(&nr_interrupts, 0, __ATOMIC_RELEASE);
}

bool interrupt_wait(int fd)
{
	struct pollfd fds[] = { { .fd = fd, .events = POLLIN }, { .fd = wake_fd, .events = POLLIN } };
	u64 past;
	int n;

	while (!interrupted()) {
		n = poll(fds, 2, -1);
		if (n > 0 && fds[0].revents)
			return true;
		/* Where poll() gives no answer read() does. */
		if (n < 0 && errno != EINTR)
			return true;
	}
	do {
		past = monotonic_ns() - __atomic_load_n(&interrupted_at, __ATOMIC_RELAXED);
		if (past >= GRACE_NS)
			return false;
		n = poll(fds, 1, (GRACE_NS - past) / 1000000 + 1);
	} while (n < 0 && errno == EINTR);
	return n > 0;
}

bool interrupted(void)
{
	return __atomic_load_n(&nr_interrupts, __ATOMIC_ACQUIRE);
}
