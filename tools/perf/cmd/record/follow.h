/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record --switch-output: what the next file has to know, namely which processes are
 * followed, and what was recorded while they were read from /proc.
 */
#ifndef PERF_CMD_RECORD_FOLLOW_H
#define PERF_CMD_RECORD_FOLLOW_H

#include "base/hash.h"
#include "base/outbuf.h"
#include "measure/target.h"
#include "synth/synth.h"

struct follow {
	struct hash processes;		/* pid -> threads that run */
	bool everyone;			/* all are measured: no list is needed */
	bool children;			/* a fork's child is measured, too */
	bool carrying;			/* follow_note() keeps records in @carry */
	struct outbuf carry;
};

/**
 * follow_init() - begin
 * @f: what to fill
 * @threads: what is measured
 * @children: their children are, too
 */
void follow_init(struct follow *f, const struct thread_list *threads, bool children);

/**
 * follow_note() - look at a record from a kernel buffer
 * @f: the list of processes
 * @h: a record, no sample
 */
void follow_note(struct follow *f, const struct perf_event_header *h);

/**
 * follow_synth() - make records of the processes that are followed and still there
 * @f: the list of processes, not of everyone
 * @s: where their records go
 */
void follow_synth(struct follow *f, struct synth *s);

/* follow_carry - keep what follow_note() gets for the next file, or no more of it */
void follow_carry(struct follow *f, bool on);

/* follow_carried - what has been kept; NULL: nothing */
const struct outbuf *follow_carried(const struct follow *f);

void follow_deinit(struct follow *f);

#endif /* PERF_CMD_RECORD_FOLLOW_H */
