/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: the measured command.
 */
#ifndef PERF_CMD_RECORD_WORKLOAD_H
#define PERF_CMD_RECORD_WORKLOAD_H

#include <sys/types.h>

#include "base/types.h"

struct workload {
	pid_t pid;		/* 0: no command */
	/* pipe: a byte starts the exec, closing it cancels the exec; -1: started or closed */
	int go;
	int failed;		/* pipe: carries errno if exec fails; -1: closed */
	bool ended;		/* wait() has returned its status */
	int status;		/* from wait() */
};

/**
 * workload_init() - initialise without a command
 * @w: structure to initialise
 */
void workload_init(struct workload *w);

/**
 * workload_check() - check that a command can be executed
 * @name: its name or path
 *
 * Called before an existing recording is renamed, so that a mistyped command does not replace it.
 * Return: 0, or -1 after diag_error().
 */
int workload_check(const char *name);

/**
 * workload_fork() - fork the command; it waits before its exec
 * @w: the workload
 * @argv: the command
 * @stdout_taken: the recording goes to standard output; redirect the command's output to standard
 *   error
 *
 * Return: 0, or -1 after diag_error().
 */
int workload_fork(struct workload *w, char *const *argv, bool stdout_taken);

/**
 * workload_go() - execute the command
 * @w: the workload
 * @name: the command's name, for the message
 *
 * Return: 0, or -1 after diag_error() if it cannot be executed.
 */
int workload_go(struct workload *w, const char *name);

/* workload_held - true if the command is forked and not executed yet */
static inline bool workload_held(const struct workload *w)
{
	return w->pid && !w->ended && w->go >= 0;
}

/**
 * workload_poll() - check whether the command has exited
 * @w: the workload
 *
 * Return: true once, on the first call after its exit.
 */
bool workload_poll(struct workload *w);

/**
 * workload_deinit() - terminate the command if it still runs, and wait for it
 * @w: the workload; @w->status is valid afterwards
 *
 * Calling it again has no effect.
 */
void workload_deinit(struct workload *w);

#endif /* PERF_CMD_RECORD_WORKLOAD_H */
