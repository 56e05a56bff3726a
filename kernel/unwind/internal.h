/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_UNWIND_INTERNAL_H
#define _KERNEL_UNWIND_INTERNAL_H

#include <linux/bits.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/unwind_deferred_types.h>
#include <linux/unwind_user_types.h>

/*
 * unwind_task_info::state, one word so that one cmpxchg changes all of it.
 *
 * It is changed by its task and by whatever interrupts that, NMIs included.
 * The one exception is retire_clients(), which clears bits of UNWIND_PENDING
 * in every task.
 */
#define UNWIND_CLIENTS		32
#define UNWIND_PENDING		GENMASK_ULL(31, 0)	/* who awaits an answer */
#define UNWIND_DEPTH		GENMASK_ULL(51, 32)	/* the most that was asked for */
#define UNWIND_COOKIE		BIT_ULL(52)	/* the cookie is this stay's */
#define UNWIND_STAY		BIT_ULL(53)	/* unwind_deferred_stay_begin() was called */
#define UNWIND_CACHED		BIT_ULL(54)	/* the cache has this stay's trace */
#define UNWIND_EXEC		BIT_ULL(55)	/* the mm is new, the registers are not */
#define UNWIND_BUSY		BIT_ULL(56)	/* the task is working on the cache */
#define UNWIND_QUEUED		BIT_ULL(57)	/* the task work is queued: outlives the stay */
#define UNWIND_LEAVING		BIT_ULL(58)	/* answered for the return: no more requests */
#define UNWIND_FAULTED		BIT_ULL(59)	/* a walk at a block failed: do not repeat it */
#define UNWIND_HANDED		BIT_ULL(60)	/* unwind_user_faultable() gave the cache away */

/* What a change of the user context does not end. */
#define UNWIND_KEPT		(UNWIND_QUEUED | UNWIND_HANDED)

#define UNWIND_DEPTH_MAX	((unsigned int)(UNWIND_DEPTH >> 32))

/**
 * struct unwind_cache - the trace of a stay
 * @older:	an earlier cache of the same stay that a caller of
 *		unwind_user_faultable() may still read
 * @ip:		user registers that the walk began from: the trace is of no use
 * @sp:		once the task has others
 * @fp:		see @sp
 * @size:	entries there is room for
 * @depth:	entries the walk was allowed
 * @nr:		entries it found
 * @entries:	the entries
 */
struct unwind_cache {
	struct unwind_cache	*older;
	unsigned long		ip;
	unsigned long		sp;
	unsigned long		fp;
	unsigned int		size;
	unsigned int		depth;
	unsigned int		nr;
	unsigned long		entries[] __counted_by(size);
};

enum unwind_reason {
	UNWIND_REASON_RETURN,
	UNWIND_REASON_BLOCK,
	UNWIND_REASON_EXEC,
	UNWIND_REASON_EXIT,
	UNWIND_REASON_DISABLE,
	UNWIND_NR_REASONS,
};

/* debugfs unwind/stats */
struct unwind_stats {
	unsigned long requests;
	unsigned long shared;
	unsigned long answered[UNWIND_NR_REASONS];
	unsigned long faulted;
	unsigned long empty;
	unsigned long table_walks;	/* with a table registered, of 64-bit code */
	unsigned long complete;		/* of these, up to the outermost frame */
};

DECLARE_PER_CPU(struct unwind_stats, unwind_stats);

#define unwind_stat_inc(field)	this_cpu_inc(unwind_stats.field)

/* A user stack that is there and will be there when the answer is due. */
static inline bool unwind_has_user_stack(struct task_struct *task)
{
	return is_user_task(task) && !(task->flags & PF_EXITING);
}

struct unwind_work;

/* state.c */
u64 unwind_cookie_make(unsigned int cpu, u32 *counter);
u64 unwind_state_request(struct unwind_task_info *info, unsigned int bit,
			 unsigned int depth, u64 *cookie);
u32 unwind_state_answer(struct unwind_task_info *info, u32 clients, u64 flags);
void unwind_state_reset(struct unwind_task_info *info);

/* answer.c */
int unwind_answer_reserve(unsigned int depth);
void unwind_answer_release(void);
unsigned int unwind_answer_room(void);
int unwind_answer_atomic(u32 mask, enum unwind_reason reason);
int unwind_answer_again(struct unwind_work *work);

/* deferred.c */
void unwind_clients_answer(struct unwind_task_info *info, u32 mask,
			   struct unwind_stacktrace *trace,
			   enum unwind_reason reason);
u32 unwind_clients_atomic(void);

#endif /* _KERNEL_UNWIND_INTERNAL_H */
