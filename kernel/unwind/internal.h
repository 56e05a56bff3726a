/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of this folder share. Calls go one way:
 *
 *	deferred.c -> cache.c -> user.c
 *	deferred.c -> state.c
 *
 * Documentation/unwind-deferred.rst explains the terms.
 */
#ifndef _KERNEL_UNWIND_INTERNAL_H
#define _KERNEL_UNWIND_INTERNAL_H

#include <linux/bits.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/unwind_compat.h>
#include <linux/unwind_deferred_types.h>
#include <linux/unwind_user_types.h>

/*
 * unwind_task_info::state, one word so that one cmpxchg changes all of it.
 *
 * It is changed by its task and by whatever interrupts that, NMIs included.
 * The one exception is unwind_deferred_cancel(), which clears a bit of UNWIND_PENDING
 * in every task.
 */
#define UNWIND_CLIENTS		8
#define UNWIND_PENDING		GENMASK_ULL(7, 0)	/* clients with a request */
#define UNWIND_LEFT		GENMASK_ULL(31, 8)	/* when UNWIND_LEAVING was set, in seconds */
#define UNWIND_DEPTH		GENMASK_ULL(51, 32)	/* of the deepest request */
#define UNWIND_COOKIE		BIT_ULL(52)	/* the cookie is this entry's */
#define UNWIND_EXEC		BIT_ULL(53)	/* the mm is new, the registers are not */
#define UNWIND_QUEUED		BIT_ULL(54)	/* the task work is queued: outlives the entry */
#define UNWIND_LEAVING		BIT_ULL(55)	/* completed for the return: no requests for a while */
#define UNWIND_FAULTED		BIT_ULL(56)	/* a walk at a block failed: do not repeat it */
#define UNWIND_REFUSED		BIT_ULL(57)	/* in execve, the mm is the old one: no requests */
#define UNWIND_SIGNAL		BIT_ULL(58)	/* a signal, or sigreturn, changes the registers */

/* UNWIND_LEAVING, set at @now in jiffies. */
#define UNWIND_LEAVING_AT(now)	(UNWIND_LEAVING | (((now) / HZ) << 8 & UNWIND_LEFT))

#define UNWIND_DEPTH_MAX	((unsigned int)(UNWIND_DEPTH >> 32))

/* What a request is completed at; the tracepoint and debugfs have names for it. */
enum unwind_reason {
	UNWIND_REASON_RETURN,
	UNWIND_REASON_BLOCK,
	UNWIND_REASON_EXEC,
	UNWIND_REASON_EXIT,
	UNWIND_REASON_DISABLE,
	UNWIND_NR_REASONS,
};

/* debugfs unwind/stats */
enum unwind_stat {
	UNWIND_COMPLETED,		/* by reason */
	UNWIND_REQUESTS = UNWIND_NR_REASONS,
	UNWIND_SHARED,
	UNWIND_NMI,			/* requests made in an NMI */
	UNWIND_FAULTS,
	UNWIND_TABLE_WALKS,		/* with a table registered, of 64-bit code */
	UNWIND_COMPLETE,		/* of these, up to the outermost frame */
	UNWIND_NR_STATS,
};

DECLARE_PER_CPU(unsigned long [UNWIND_NR_STATS], unwind_stats);

#define unwind_stat_inc(stat)	this_cpu_inc(unwind_stats[stat])

/* A user stack that is there and will be there when the request is completed. */
static inline bool unwind_has_user_stack(struct task_struct *task)
{
	/* In an interrupt, beside others of the task's flags being written; those that are read stay. */
	return data_race(is_user_task(task)) && !(READ_ONCE(task->flags) & PF_EXITING);
}

/* state.c */
DECLARE_PER_CPU(u32, unwind_counter);
u64 unwind_state_request(struct unwind_task_info *info, u64 set, unsigned int depth, u64 *cookie);
u32 unwind_state_take(struct unwind_task_info *info, u32 clients, u64 leaving);

/* cache.c */
extern unsigned int unwind_scratch_room;
int unwind_scratch_walk(unsigned int depth, struct unwind_stacktrace *trace);
bool unwind_cache_walk(unsigned int depth, struct unwind_stacktrace *trace);

#endif /* _KERNEL_UNWIND_INTERNAL_H */
