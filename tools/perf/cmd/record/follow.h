/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record --switch-output: state for the next file: the followed processes, and the records
 * written while /proc was read.
 */
#ifndef PERF_CMD_RECORD_FOLLOW_H
#define PERF_CMD_RECORD_FOLLOW_H

#include "base/hash.h"
#include "base/outbuf.h"
#include "measure/target.h"
#include "synth/synth.h"

struct follow_process {
	u32 pid;
	bool gone;			/* there are no records of it any more */
};

struct follow {
	struct hash processes;		/* pid -> number of running threads */
	bool everyone;			/* system-wide: no list is needed */
	bool children;			/* child processes are measured too */
	bool carrying;			/* follow_note() keeps records in @carry */
	struct outbuf carry;
	struct follow_process *listed;	/* the processes when follow_list() was called */
	u32 nr_listed, cap_listed;
};

/**
 * follow_init() - initialise the list of processes
 * @f: structure to initialise
 * @threads: the measured threads
 * @children: child processes are measured too
 */
void follow_init(struct follow *f, const struct thread_list *threads, bool children);

/**
 * follow_note() - update the list from a record of a kernel buffer
 * @f: the list of processes
 * @h: a record that is not a sample
 */
void follow_note(struct follow *f, const struct perf_event_header *h);

/* follow_list - copy the list of processes for follow_synth() */
void follow_list(struct follow *f);

/**
 * follow_synth() - synthesise records of the processes of follow_list() that still run
 * @f: the list of processes; not system-wide
 * @s: receives the records
 *
 * Context: also a thread, beside follow_note().
 */
void follow_synth(struct follow *f, struct synth *s);

/* follow_listed - take those that follow_synth() did not find out of the list of processes */
void follow_listed(struct follow *f);

/* follow_carry - start or stop keeping records of follow_note() for the next file */
void follow_carry(struct follow *f, bool on);

/* follow_carried - the kept records; NULL: none */
const struct outbuf *follow_carried(const struct follow *f);

void follow_deinit(struct follow *f);

#endif /* PERF_CMD_RECORD_FOLLOW_H */
