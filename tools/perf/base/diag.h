/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages to the user, one line each: problems found during the work and, by error_report(),
 * the reason why it ended. They go to stderr, so that stdout has the result only.
 */
#ifndef PERF_BASE_DIAG_H
#define PERF_BASE_DIAG_H

#include "base/types.h"

/*
 * Where lines go, each with its newline. Before a sink is set nothing is shown; main() sets
 * diag_to_stderr.
 */
typedef void diag_sink(const char *line, size_t size);
void diag_set_sink(diag_sink *sink);
diag_sink diag_to_stderr;

/* How many -v were given; 0 without, -1 with -q. */
extern int verbose;

/**
 * diag_error() - report an error: what failed, where, what to do
 * @fmt: printf format, without a final newline
 *
 * Newlines and other control characters in it are shown as "?".
 * Return: always -1, for callers that only need "it failed".
 * Context: any thread; the line goes to the sink as a whole.
 */
int diag_error(const char *fmt, ...) __printf(1, 2);

/**
 * diag_fatal() - end the program with one line
 * @fmt: printf format, without a final newline
 *
 * For exhausted memory or object numbers, which no caller can handle. Everything else is an
 * error that is returned.
 */
void diag_fatal(const char *fmt, ...) __printf(1, 2) __attribute__((noreturn));

/*
 * diag_more - one more line for the last diag_error(); @fmt: printf format, without a final newline
 */
void diag_more(const char *fmt, ...) __printf(1, 2);

/**
 * diag_warn() - report a problem that does not end the work; not shown with -q
 * @fmt: printf format, without a final newline
 */
void diag_warn(const char *fmt, ...) __printf(1, 2);

/**
 * diag_info() - a line of detail, for -v
 * @level: shown when verbose is at least this
 * @fmt: printf format, without a final newline
 */
void diag_info(int level, const char *fmt, ...) __printf(2, 3);

/*
 * diag_errors - how many lines diag_error() has written. Return: the count, for commands that show
 * the readable part and then exit with a non-zero status.
 */
unsigned int diag_errors(void);

#endif /* PERF_BASE_DIAG_H */
