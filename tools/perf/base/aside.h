/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls that may never return, in a process of their own. If the server of a file system (FUSE,
 * NFS) hangs, not even SIGKILL ends a caller, and a process with one such thread never exits.
 * Therefore a child process makes the calls. If it does not answer in time it is killed and
 * abandoned, and another one takes its place.
 */
#ifndef PERF_BASE_ASIDE_H
#define PERF_BASE_ASIDE_H

#include <sys/types.h>

#include "base/types.h"

#define ASIDE_ARG_MAX	8192
#define ASIDE_FDS	2

struct aside {
	pid_t pid;		/* of the child; 0: none runs */
	int socket;
	u32 nr_left;		/* children that did not answer */
	bool cancelled;		/* atomic */
};

/* What the child is asked to do. */
struct aside_call {
	/*
	 * Runs in the child, where standard input and output lead nowhere. @arg and @in are those below. It sets @out to
	 * a descriptor that the caller gets, or leaves it -1.
	 * Return: the return value for aside_run(); not -ETIMEDOUT.
	 */
	int (*fn)(void *arg, const int *in, int *out);
	void *arg;		/* copied to the child and back */
	u32 size;		/* of @arg, at most ASIDE_ARG_MAX */
	int in[ASIDE_FDS];	/* descriptors of the caller's that @fn gets */
	u32 nr_in;
	int out;		/* set to the descriptor of @fn, or to -1 */
};

/**
 * aside_run() - have a function called in the child
 * @a: all zeroes before the first call; used by one thread at a time
 * @c: the call
 * @ms: for how long to wait at most
 *
 * The child is forked at the first call and has the memory of that moment. To close a descriptor of a file system that
 * hangs may wait, too: functions open with O_PATH what they hand out, and close the rest before they return.
 *
 * Return: the function's return value; -ETIMEDOUT: no answer in time, or too many abandoned children; or
 * another -errno.
 */
int aside_run(struct aside *a, struct aside_call *c, int ms);

/* aside_cancel - calls, also the one that waits, are answered -ETIMEDOUT from now on; from any thread */
void aside_cancel(struct aside *a);

/* aside_deinit - end the child; abandoned children are killed and may outlive us */
void aside_deinit(struct aside *a);

#endif /* PERF_BASE_ASIDE_H */
