/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An error as a value. A function that can fail for a reason that concerns the user returns
 * one, or NULL for success. Only commands report errors, by error_report(); no folder below
 * cmd/ does.
 */
#ifndef PERF_BASE_ERROR_H
#define PERF_BASE_ERROR_H

#include "base/types.h"

struct error {
	int err;		/* the cause as a positive number of errno; 0: none fits */
	const char *path;	/* of the file that it is about; NULL: none */
	u64 offset;		/* in that file; -1: none */
	char *text;		/* the whole line; "": the reason was reported before */
	char **more;		/* lines that come below it */
	u32 nr_more;
};

/**
 * error_create() - an error
 * @err: as error.err
 * @fmt: printf format of the line; %m is the text of @err
 *
 * Return: the error, which the caller owns.
 */
struct error *error_create(int err, const char *fmt, ...) __printf(2, 3);

/**
 * error_file() - an error of a file
 * @path: the file; the line begins with it
 * @err: as error.err
 * @fmt: as for error_create(), for the text after the path
 */
struct error *error_file(const char *path, int err, const char *fmt, ...) __printf(3, 4);

/**
 * error_at() - an error at a place in a file
 * @offset: the place; the line begins with both
 * @err: as error.err
 * @fmt: as for error_create(), for the text after path and offset
 */
struct error *error_at(const char *path, u64 offset, int err, const char *fmt, ...) __printf(4, 5);

/*
 * error_add_line - show a line below that of an error; @fmt: printf format, without a final newline
 */
void error_add_line(struct error *e, const char *fmt, ...) __printf(2, 3);

/* error_reported - an error whose line was reported before */
struct error *error_reported(int err);

/*
 * error_report - report an error and free it; @e: the error; NULL: there is none. Return: 0 for
 * NULL, else -1.
 */
int error_report(struct error *e);

/* error_free - an error that does not matter; NULL is fine */
void error_free(struct error *e);

#endif /* PERF_BASE_ERROR_H */
