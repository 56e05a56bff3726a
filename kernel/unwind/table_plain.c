// SPDX-License-Identifier: GPL-2.0
/*
 * Unwind tables for all that takes user stacks without a request: callchains of events without
 * attr.defer_callchain, bpf_get_stack() and bpf_get_stackid(), ftrace's userstacktrace.
 *
 * Such a walk happens at once, without page faults, and is not repeated. Which tables serve
 * a task is decided as for every walk (table_hash.c). A task that no table serves, and 32-bit
 * code, are left to the caller, which walks as it does without this file. So is each task
 * before CONFIG_PER_VMA_LOCK (unwind_plain_tables()).
 */
#include <linux/sched.h>
#include <linux/unwind_table.h>
#include <linux/unwind_user.h>

#include <asm/unwind_user.h>

#include "table.h"

/**
 * __unwind_plain - walk the current task's user stack if unwind tables serve the task
 * @entries:	receives user addresses, innermost first
 * @max:	how many entries fit
 * @regs:	user registers to begin from
 *
 * Context: any, NMI included; not in a guest.
 * Return: number of entries; 0 if the caller is to walk by frame pointers: no table serves the
 * task, or the code is not 64-bit.
 */
unsigned int __unwind_plain(unsigned long *entries, unsigned int max, struct pt_regs *regs)
{
	struct unwind_stacktrace trace = { .entries = entries };
	struct unwind_user_state state;

	if (!current->mm || !unwind_tables_serve())
		return 0;
	if (!arch_unwind_user_start(&state, regs) || state.word != sizeof(u64))
		return 0;
	unwind_user_walk(&trace, max, regs, UNWIND_WALK_LAST);
	return trace.nr;
}
