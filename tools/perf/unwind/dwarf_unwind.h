/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User callchains from a stack copy: PERF_SAMPLE_REGS_USER has the registers,
 * PERF_SAMPLE_STACK_USER the memory above the stack pointer, and the programs' .eh_frame or
 * .debug_frame the rules of the walk.
 */
#ifndef PERF_UNWIND_DWARF_UNWIND_H
#define PERF_UNWIND_DWARF_UNWIND_H

#include "event/sample.h"
#include "timeline/timeline.h"
#include "unwind/chain_end.h"

/* Bytes of the largest copy of a stack that a sample may have. */
#define DWARF_MAX_COPY	65528

struct dwarf_unwinder;

/**
 * dwarf_unwinder_create() - make an unwinder, with a cache of the programs' tables
 *
 * Return: the unwinder, for all threads that read the session.
 */
struct dwarf_unwinder *dwarf_unwinder_create(void);
void dwarf_unwinder_destroy(struct dwarf_unwinder *u);

/**
 * dwarf_unwind() - walk a sample's stack copy
 * @u: the unwinder
 * @tl: the sealed timeline, with the task's mappings
 * @t: the sample's task
 * @s: the sample; @s->user_regs and @s->user_stack are read
 * @time: the sample's, as the timeline counts it
 * @ips: where the callchain goes, innermost first, the sampled ip itself included.
 *	 Addresses of callers are those of the call, not of the return: one less than
 *	 the stack has, so that they lie in the line and the function that called.
 * @max: room in @ips
 * @stop: set to why the walk ended, if any were stored
 *
 * The walk ends quietly where the copy ends, a table is missing or is damaged.
 * Return: how many were stored; 0 when the sample has no user registers or no byte of the stack,
 *	   as mainline has it: its mapping is gone (execve), or was not used yet (a new thread).
 * Context: thread-safe.
 */
u32 dwarf_unwind(struct dwarf_unwinder *u, struct timeline *tl, const struct thread *t,
		 const struct sample *s, u64 time, u64 *ips, u32 max, enum walk_stop *stop);

#endif /* PERF_UNWIND_DWARF_UNWIND_H */
