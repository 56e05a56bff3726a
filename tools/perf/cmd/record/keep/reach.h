/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files as other processes see them: the place of a process, and calls that may never return.
 */
#ifndef PERF_CMD_RECORD_KEEP_REACH_H
#define PERF_CMD_RECORD_KEEP_REACH_H

#include "base/aside.h"
#include "base/hash.h"

/* A mount namespace with a root in it: where a path leads. It is held while a process is known to live there. */
struct fs_place {
	u64 ns, device, inode;	/* of the namespace; of the root */
	int ns_fd, root;	/* O_PATH; both -1 in a slot that is free */
	bool here;		/* our own */
	u32 nr_processes;
	u32 left;		/* the round in which the last one went */
};

struct reach {
	struct aside aside;
	struct fs_place *places;
	u32 nr, cap;
	struct hash processes;	/* pid -> index in @places + 1 */
	u32 round;
	bool ending;		/* set by the recording's thread; atomic */
	int patience;		/* milliseconds that calls may still wait in vain, once it is */
	struct hash silent;	/* (namespace, folder) -> 1: a file of it did not answer */
	char *first;		/* the first file that did not */
	u32 first_pid;
	u64 nr_silent;		/* calls that were answered too late, or not even made */
};

void reach_init(struct reach *r);

/**
 * reach_place() - where the paths of a process lead
 * @r: the places
 * @pid: the process
 *
 * Return: the place, until reach_round(); NULL: the process has gone, or may not be looked at.
 */
struct fs_place *reach_place(struct reach *r, u32 pid);

/* reach_forget - the process has ended, or executes another program, perhaps elsewhere */
void reach_forget(struct reach *r, u32 pid);

/* reach_round - records up to here were looked at: let go of places without processes */
void reach_round(struct reach *r);

/**
 * reach_run() - make a call that may never return
 * @r: the places
 * @p: where @path leads to the file; NULL: not known
 * @pid: whose file it is, for the message
 * @path: the file: others of its folder are not asked for when it does not answer
 * @c: the call
 *
 * Return: as aside_run().
 */
int reach_run(struct reach *r, const struct fs_place *p, u32 pid, const char *path, struct aside_call *c);

/**
 * open_within() - open a path as a process finds it; for functions that reach_run() calls
 * @root: of the place
 * @path: the path
 * @flags: O_DIRECTORY, O_NOFOLLOW
 *
 * Return: a descriptor of O_PATH, or -errno.
 */
int open_within(int root, const char *path, u64 flags);

void reach_deinit(struct reach *r);

#endif /* PERF_CMD_RECORD_KEEP_REACH_H */
