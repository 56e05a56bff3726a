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

/* Size of the largest stack copy in a sample, in bytes. */
#define DWARF_MAX_COPY	65528

struct dwarf_unwinder;

/*
 * dwarf_unwinder_create - make an unwinder, with a cache of the programs' tables; @live: the tasks
 * run now: code without a file is read in their memory. Return: the unwinder, for all threads that
 * read the session.
 */
struct dwarf_unwinder *dwarf_unwinder_create(bool live);
void dwarf_unwinder_destroy(struct dwarf_unwinder *u);

/**
 * dwarf_unwind() - walk a sample's stack copy
 * @tl: the sealed timeline, with the task's mappings
 * @t: the sample's task
 * @s: the sample; @s->user_regs and @s->user_stack are read
 * @time: the sample's time on the timeline
 * @ips: set to the callchain, innermost first, including the sampled ip. Addresses of callers are
 *	 one less than the return addresses, so that they are in the function and line of the call.
 * @sps: set to the stack pointer of each frame, but on arm64; may be NULL
 * @max: size of @ips, and of @sps
 * @stop: set to the reason for the end of the walk, if any ip was stored
 *
 * The walk ends without message if the copy ends, or if a table is missing or damaged.
 * Return: the number of ips; as in mainline 0 if the sample has no user registers or an empty copy,
 *	   because the stack is unmapped (execve) or not touched yet (a new thread).
 * Context: thread-safe.
 */
u32 dwarf_unwind(struct dwarf_unwinder *u, struct timeline *tl, const struct thread *t,
		 const struct sample *s, u64 time, u64 *ips, u64 *sps, u32 max,
		 enum walk_stop *stop);

#endif /* PERF_UNWIND_DWARF_UNWIND_H */
