/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Access to files of other processes: their locations, and calls with a time limit.
 */
#ifndef PERF_CMD_RECORD_KEEP_REACH_H
#define PERF_CMD_RECORD_KEEP_REACH_H

#include "base/aside.h"
#include "base/hash.h"

/* A location: a mount namespace and a root in it. Open while a known process lives there. */
struct fs_place {
	u64 ns, device, inode;	/* of the namespace; of the root */
	int ns_fd, root;	/* O_PATH; both -1 in a free slot */
	bool here;		/* it is our own */
	u32 nr_processes;
	u32 left;		/* round in which its last process exited */
};

struct reach {
	struct aside aside;
	struct fs_place *places;
	u32 nr, cap;
	struct hash processes;	/* pid -> index in @places + 1 */
	u32 round;
	bool ending;		/* set by the recording thread; atomic */
	int patience;		/* total ms for which calls may still wait after @ending */
	struct hash silent;	/* (namespace, folder) -> 1: a file in it did not answer */
	char *first;		/* first file that did not answer */
	u32 first_pid;
	u64 nr_silent;		/* calls that timed out or were skipped */
};

void reach_init(struct reach *r);

/**
 * reach_place() - get the location of a process
 * @r: the places
 * @pid: the process
 *
 * Return: the location, valid until reach_round(); NULL: the process has exited or cannot be
 * inspected.
 */
struct fs_place *reach_place(struct reach *r, u32 pid);

/* reach_forget - the process has exited or executed another program, perhaps with another root */
void reach_forget(struct reach *r, u32 pid);

/* reach_round - the records of a round are processed: close locations without processes */
void reach_round(struct reach *r);

/**
 * reach_run() - make a call that may hang, with a time limit
 * @r: the locations
 * @p: location in which @path is resolved; NULL: unknown
 * @pid: process of the file, for the message
 * @path: the file; if it does not answer, its folder is not accessed again
 * @c: the call
 *
 * Return: as aside_run().
 */
int reach_run(struct reach *r, const struct fs_place *p, u32 pid, const char *path, struct aside_call *c);

/**
 * open_within() - open a path below another process's root; for functions called by reach_run()
 * @root: root of the location
 * @path: the path
 * @flags: O_DIRECTORY, O_NOFOLLOW
 *
 * Return: an O_PATH descriptor, or -errno.
 */
int open_within(int root, const char *path, u64 flags);

void reach_deinit(struct reach *r);

#endif /* PERF_CMD_RECORD_KEEP_REACH_H */
