/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User callchains from a stack copy: PERF_SAMPLE_REGS_USER, PERF_SAMPLE_STACK_USER (memory above
 * the stack pointer), and the rules of .eh_frame or .debug_frame.
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
 * dwarf_unwinder_create - an unwinder for all threads, with the programs' tables; @live: the tasks
 * run now: code without a file is read in their memory
 */
struct dwarf_unwinder *dwarf_unwinder_create(bool live);
void dwarf_unwinder_destroy(struct dwarf_unwinder *u);

/*
 * dwarf_unwind - walk a sample's stack copy; @tl: sealed; @time: on the timeline; @ips: set to up
 * to @max ips, innermost first, with the sampled one; callers' are one less than return addresses,
 * to be in the line of the call; @sps: set to the frames' stack pointers, but on arm64; may be
 * NULL; @stop: set to why the walk ended, if any ip was stored. Return: the number of ips; as in
 * mainline 0 without user registers or with an empty copy: the stack is unmapped (execve) or not
 * touched yet (a new thread). Context: any thread.
 */
u32 dwarf_unwind(struct dwarf_unwinder *u, struct timeline *tl, const struct thread *t,
		 const struct sample *s, u64 time, u64 *ips, u64 *sps, u32 max,
		 enum walk_stop *stop);

#endif /* PERF_UNWIND_DWARF_UNWIND_H */
