/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Standard output of all writers: a failed write is reported once, at exit, and makes the exit
 * status 1. Commands need no check of their own.
 */
#ifndef PERF_BASE_STDOUT_H
#define PERF_BASE_STDOUT_H

/**
 * stdout_begin() - check standard output when the program exits
 *
 * Called once, at program start. Closed descriptors 0 to 2 are opened on /dev/null such that reads
 * and writes fail; otherwise a file that the program opens would become one of them. A write past
 * the limit of file sizes (RLIMIT_FSIZE) gives EFBIG, no signal; see signals_default() for programs
 * that are executed.
 */
void stdout_begin(void);

/**
 * stdout_failed() - a write to standard output that did not go through stdio has failed
 * @err: -errno; the first one counts
 *
 * -EPIPE is no failure: the reader, head or a pager, wants no more.
 * Context: any thread.
 */
void stdout_failed(int err);

/* signals_default - in a child before its exec: undo stdout_begin()'s changes of signals */
void signals_default(void);

#endif /* PERF_BASE_STDOUT_H */
