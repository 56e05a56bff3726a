/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The other perf: the next program named perf in PATH that is not this one. Commands that this
 * perf lacks (perf stat, perf trace) are passed to it.
 */
#ifndef PERF_CMD_OTHER_PERF_H
#define PERF_CMD_OTHER_PERF_H

#include "base/text.h"

/**
 * struct other_perf - the other perf and its commands
 * @path: the program; empty: none
 * @names: its commands; empty: it does not list them
 */
struct other_perf {
	char path[4096];
	struct word_list names;
};

/* other_disabled - is PERF_NO_DELEGATE set, so that no other perf is run? */
bool other_disabled(void);

/**
 * other_init() - find the other perf and the names of its commands
 * @o: the result; other_deinit() frees it
 *
 * Programs that are this perf (a copy, or a script that runs it) are skipped.
 * Return: true if there is one.
 */
bool other_init(struct other_perf *o);

/* other_deinit - free what other_init() allocated */
void other_deinit(struct other_perf *o);

/* other_has - does the other perf list the command @name? */
bool other_has(const struct other_perf *o, const char *name);

/**
 * other_known() - the well-known commands of perf that this perf lacks
 * @i: 0, 1, ...
 * @help: set to a one-line description
 *
 * Return: its name, or NULL after the last.
 */
const char *other_known(size_t i, const char **help);

/**
 * other_exec() - execute the other perf
 * @argv: the whole command line
 * @what: for error messages: "perf stat"
 *
 * Arguments, standard streams and signals are passed on unchanged, so call it before
 * stdout_begin().
 * Return: 1, the exit status, after an error message.
 */
int other_exec(char **argv, const char *what);

#endif /* PERF_CMD_OTHER_PERF_H */
