/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program whose output is read, by line or by block, and which the user can stop.
 */
#ifndef PERF_BASE_CHILD_H
#define PERF_BASE_CHILD_H

#include "base/types.h"

/* The standard output, or error, that child_run() reads. */
#define CHILD_READ (-1)

struct child {
	const char *program;		/* found as execvp() does */
	char *const *argv;		/* ended by NULL; [0] is its name */
	int in;				/* its input; 0: none */
	int out, err;			/* its outputs: descriptors, or CHILD_READ */
	bool plain_locale;		/* in the locale C, else in that of perf */
	const char *what;		/* shown while it runs: "objdump" */
	/* A line without its newline, which may be changed; NULL: nobody wants them */
	void (*line)(void *ctx, char *line);
	/* Instead of lines: bytes as they come. Return: false: kill it. */
	bool (*bytes)(void *ctx, const char *p, size_t n);
	void *ctx;
};

/**
 * child_run() - run a program to its end
 *
 * Signals do what they do by default. It is in a process group of its own, so that
 * ^C on the terminal goes to perf alone. As soon as interrupted() is true, be it from the
 * beginning, it is killed with its children. Where progress has a sink (base/progress.h), that
 * is called every 40 ms meanwhile, and can have this done by interrupt_raise(). When perf dies
 * the program does, too.
 *
 * Return: its status as of waitpid(), 127 as exit status: it could not be executed;
 * -EINTR: it was stopped, also by @bytes; another -errno: there was no process, or its status is
 * not known.
 * Context: the kernel kills the program when the calling thread ends.
 */
int child_run(const struct child *c);

#endif /* PERF_BASE_CHILD_H */
