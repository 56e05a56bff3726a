// SPDX-License-Identifier: GPL-2.0
/*
 * Messages to the user. Each is one line and one call of the sink; text from a recording is
 * made printable first.
 */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/printable.h"

int verbose;
static unsigned int nr_errors;
static diag_sink *sink;

static void __printf(2, 0) put_line(const char *prefix, const char *fmt, va_list ap)
{
	char line[2048];
	int n = snprintf(line, sizeof(line), "%s", prefix);
	int m = vsnprintf(line + n, sizeof(line) - n - 1, fmt, ap);

	if (m < 0)
		return;
	n = min(n + m, (int)sizeof(line) - 2);
	/* Names in it may be the recording's: none begins a line that looks like ours. */
	make_printable(line, n, false);
	line[n++] = '\n';
	if (sink)
		sink(line, n);
}

void diag_set_sink(diag_sink *fn)
{
	sink = fn;
}

void diag_to_stderr(const char *line, size_t size)
{
	/* stderr was closed by the user: there is nowhere to report it. */
	if (write(STDERR_FILENO, line, size) != (ssize_t)size)
		return;
}

int diag_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line("perf: ", fmt, ap);
	va_end(ap);
	__atomic_add_fetch(&nr_errors, 1, __ATOMIC_RELAXED);
	return -1;
}

void diag_fatal(const char *fmt, ...)
{
	static __thread bool first;
	static bool ends;
	va_list ap;

	/* Threads run out of memory together: one says so, and exit() is called once. */
	if (!__atomic_exchange_n(&ends, true, __ATOMIC_RELAXED))
		first = true;
	while (!first)
		pause();
	va_start(ap, fmt);
	put_line("perf: ", fmt, ap);
	va_end(ap);
	exit(1);
}

void diag_more(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line("", fmt, ap);
	va_end(ap);
}

void diag_warn(const char *fmt, ...)
{
	va_list ap;

	if (verbose < 0)
		return;
	va_start(ap, fmt);
	put_line("perf: warning: ", fmt, ap);
	va_end(ap);
}

void diag_info(int level, const char *fmt, ...)
{
	va_list ap;

	if (verbose < level)
		return;
	va_start(ap, fmt);
	put_line("", fmt, ap);
	va_end(ap);
}

unsigned int diag_errors(void)
{
	return __atomic_load_n(&nr_errors, __ATOMIC_RELAXED);
}
