/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ptrace sampler's buffer, and that of --wall: one of struct rings, filled by a thread, with
 * the layout, barriers and order of the kernel's (perf_event_open(2), "MMAP layout"). Its descriptor
 * is a pipe: readable when there are records, hung up when no more follow.
 */
#ifndef PERF_CMD_RECORD_PTRACE_RING_H
#define PERF_CMD_RECORD_PTRACE_RING_H

#include "base/hash.h"
#include "measure/rings.h"
#include "synth/synth.h"

/* The first event's; those of others follow. */
#define PTRACE_EVENT_ID	1

struct ptrace_ring {
	struct perf_event_mmap_page *page;
	char *data;
	u64 size;
	int end;		/* of the pipe, for writing; -1: no more records follow */
	u64 woken;		/* data_head at the last byte in the pipe */
	u64 lost;		/* records for which there was no room, and no LOST record yet */
	struct synth synth;	/* records without their times, for ptrace_ring_flush() */
};

/*
 * ptrace_ring_open - make @p a buffer of a recording: the last, if its events are open; else the
 * only one; @r: its options, specs, cpus (one: -1) and threads are set; rings_close() undoes it.
 * Return: 0, or -1 after diag_error(). Call ptrace_ring_close() in either case.
 */
int ptrace_ring_open(struct ptrace_ring *p, struct rings *r);

/* ptrace_ring_put - append a record; if there is no room it is counted as lost */
void ptrace_ring_put(struct ptrace_ring *p, const struct perf_event_header *h);

/*
 * ptrace_ring_flush - append the records of .synth, with their @time and bits of @misc; @known:
 * hashes of those to leave out, or NULL
 */
void ptrace_ring_flush(struct ptrace_ring *p, u64 time, u16 misc, const struct hash *known);

/* ptrace_ring_wake - tell the reader that there are records, if there are more than at the last call */
void ptrace_ring_wake(struct ptrace_ring *p);

/* ptrace_ring_end - no more records follow */
void ptrace_ring_end(struct ptrace_ring *p);

/* ptrace_ring_close - the same, and free everything but the memory and the pipe's other end */
void ptrace_ring_close(struct ptrace_ring *p);

/* What a process runs, if that is not the same while it is traced: ptrace_program.c */
enum program_kind {
	PROGRAM_USUAL,
	PROGRAM_TRACES,		/* it calls ptrace() */
	PROGRAM_SET_ID,		/* it is set-id, and runs without the rights */
};

/* program_kind - @pid: a process that may be traced */
enum program_kind program_kind(pid_t pid);

/* program_check - may the command at a path be traced? Return: 0, or -1 after diag_error() */
int program_check(const char *path);

/*
 * stack_copy - copy the stack of a thread that does not run, page by page: it may end anywhere;
 * @size: at most 64 kB. Return: bytes
 */
u64 stack_copy(pid_t tid, u64 sp, u64 size, char *to);

#endif /* PERF_CMD_RECORD_PTRACE_RING_H */
