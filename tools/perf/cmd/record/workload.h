/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: the command that is measured from its first instruction.
 */
#ifndef PERF_CMD_RECORD_WORKLOAD_H
#define PERF_CMD_RECORD_WORKLOAD_H

#include <sys/types.h>

#include "base/types.h"

struct workload {
	pid_t pid;		/* 0: there is no command */
	int go;			/* closing it unwritten cancels the exec; -1: begun or closed */
	int failed;		/* carries errno when exec failed; -1: closed */
	bool ended;		/* it has been waited for */
	int status;		/* as wait() gives it */
};

/**
 * workload_init() - no command yet
 * @w: what to fill
 */
void workload_init(struct workload *w);

/**
 * workload_check() - can a command be executed?
 * @name: its name or path
 *
 * Called before an older recording makes way for a new one, so that a mistyped command
 * costs nothing.
 * Return: 0, or -1 after diag_error().
 */
int workload_check(const char *name);

/**
 * workload_fork() - start a command, held back before its exec
 * @w: the workload
 * @argv: the command
 * @stdout_taken: the recording goes to standard output: what the command prints
 *	goes to standard error instead of between its records
 *
 * Return: 0, or -1 after diag_error().
 */
int workload_fork(struct workload *w, char *const *argv, bool stdout_taken);

/**
 * workload_go() - let the command begin
 * @w: the workload
 * @name: the command's name, for the message
 *
 * Return: 0, or -1 after diag_error() when it can't be executed.
 */
int workload_go(struct workload *w, const char *name);

/* workload_held - has the command been forked, but not begun? */
static inline bool workload_held(const struct workload *w)
{
	return w->pid && !w->ended && w->go >= 0;
}

/**
 * workload_poll() - has the command ended by itself?
 * @w: the workload
 *
 * Return: true the first time after it has.
 */
bool workload_poll(struct workload *w);

/**
 * workload_deinit() - end the command if it still runs, and wait for it
 * @w: the workload; @w->status is valid afterwards
 *
 * May be called again.
 */
void workload_deinit(struct workload *w);

#endif /* PERF_CMD_RECORD_WORKLOAD_H */
