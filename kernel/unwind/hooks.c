// SPDX-License-Identifier: GPL-2.0
/*
 * The hooks: what other parts of the kernel call where requests are completed,
 * where a task begins or ends, and where its user registers change.
 *
 * Each is one call. None keeps a task in the kernel: after requests were
 * completed for the return or for exec, more are refused until the entry ends.
 */
#include <linux/atomic.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/task_work.h>
#include <linux/unwind_deferred.h>

#include "internal.h"

static void unwind_task_work(struct callback_head *head)
{
	/* First: a request from here on has to queue the work again. */
	u64 state = atomic64_fetch_andnot(UNWIND_QUEUED,
					  &current->unwind_info.state);

	/* In the middle of exec: unwind_deferred_exec_done() queues it again. */
	if (!(state & UNWIND_EXEC))
		unwind_complete_faultable(UNWIND_REASON_RETURN);
}

/**
 * unwind_deferred_fork - a new task has no entry, no cache and no request yet
 * @child:	a copy of current
 *
 * Context: process context, the child is not visible yet.
 */
void unwind_deferred_fork(struct task_struct *child)
{
	memset(&child->unwind_info, 0, sizeof(child->unwind_info));
	init_task_work(&child->unwind_info.work, unwind_task_work);
}

/**
 * __unwind_deferred_reset - unwind_deferred_reset() with something to reset
 *
 * Context: last thing before user mode, interrupts disabled, not
 * instrumentable.
 */
noinstr void __unwind_deferred_reset(void)
{
	unwind_state_reset(&current->unwind_info);
}

/**
 * __unwind_deferred_block - unwind_deferred_sched_out() with something to do
 *
 * What perf does for a sched_switch event in the same place, this does: read
 * user memory with page faults disabled, and write records.
 *
 * Context: __schedule(), runqueue lock held, interrupts disabled.
 */
void __unwind_deferred_block(void)
{
	u64 state = atomic64_read(&current->unwind_info.state);

	/* Busy: it waits for its stack's pages, and will complete them itself. */
	if (state & UNWIND_PENDING && !(state & UNWIND_BUSY))
		unwind_complete_atomic(state & UNWIND_PENDING, UNWIND_REASON_BLOCK);
}

/**
 * unwind_deferred_exec - the old image is about to go
 *
 * Completes pending requests from it. Those made from here on belong to the new
 * image and get another cookie.
 *
 * Context: process context, may sleep.
 */
void unwind_deferred_exec(void)
{
	struct unwind_task_info *info = &current->unwind_info;
	u64 state;

	do {
		unwind_complete_faultable(UNWIND_REASON_EXEC);
		state = atomic64_read(&info->state);
		/*
		 * An interrupt made a request when nothing was pending: that is
		 * the old image's, too. After a completion all are refused.
		 */
	} while (state & UNWIND_PENDING ||
		 atomic64_cmpxchg(&info->state, state,
				  UNWIND_EXEC | (state & UNWIND_KEPT)) != state);
}

/**
 * unwind_deferred_exec_done - the registers are the new image's
 *
 * If exec fails after the old image went this is not called: the requests are
 * completed at exit, with an empty trace.
 *
 * Context: process context.
 */
void unwind_deferred_exec_done(void)
{
	struct unwind_task_info *info = &current->unwind_info;
	u64 state = atomic64_fetch_andnot(UNWIND_EXEC, &info->state);

	/* The work ran too early, and left it for now. */
	while (state & UNWIND_PENDING && !(state & UNWIND_QUEUED)) {
		u64 old = state & ~UNWIND_EXEC;

		state = atomic64_cmpxchg(&info->state, old, old | UNWIND_QUEUED);
		if (state == old) {
			task_work_add(current, &info->work, TWA_RESUME);
			break;
		}
	}
}

/**
 * unwind_deferred_exit - the task exits
 *
 * Completes pending requests while the mm and the task's events are there.
 *
 * Context: do_exit(), PF_EXITING is set, so that more requests are refused.
 */
void unwind_deferred_exit(void)
{
	struct unwind_task_info *info = &current->unwind_info;

	unwind_complete_faultable(UNWIND_REASON_EXIT);
	/* The work may still be queued: it finds nothing to do. */
	atomic64_and(UNWIND_QUEUED, &info->state);
	unwind_cache_free(info);
}

/**
 * __unwind_user_regs_change - unwind_user_regs_change() with a client
 * @old:	filled in with what @regs are now
 * @regs:	the current task's user registers
 *
 * Completes the requests so far. Until the change is done, walks begin from what
 * unwind_user_regs() returns, as @regs may be half old, half new. More requests belong
 * to the old registers until the new ones are whole, and are refused from then on.
 *
 * Context: process context, may sleep.
 */
void __unwind_user_regs_change(struct pt_regs *old, const struct pt_regs *regs)
{
	*old = *regs;
	unwind_complete_faultable(UNWIND_REASON_RETURN);
	WRITE_ONCE(current->unwind_info.regs, old);
}

/* Nothing is pending: requests are refused. Return: whether that is so. */
static bool refuse_requests(struct unwind_task_info *info)
{
	u64 state = atomic64_read(&info->state);

	return !(state & UNWIND_PENDING) &&
	       atomic64_cmpxchg(&info->state, state, state | UNWIND_LEAVING) == state;
}

/**
 * __unwind_user_regs_changed - the registers are all new
 *
 * Completes the requests that belong to the old ones, whose stack a signal's
 * frame leaves alone. Requests from here on get another cookie and another walk.
 *
 * A task that is preempted meanwhile may be sampled in switch_mm(), where its stack is
 * out of reach and a request is refused. So interrupts are disabled if there is a choice.
 *
 * Context: process context, may sleep.
 */
void __unwind_user_regs_changed(void)
{
	struct unwind_task_info *info = &current->unwind_info;
	unsigned long flags;

	local_irq_save(flags);
	while (!refuse_requests(info)) {
		/* An interrupt may have made a request when nothing was pending. */
		if (!(atomic64_read(&info->state) & UNWIND_PENDING) ||
		    !unwind_complete_atomic(UNWIND_PENDING, UNWIND_REASON_RETURN))
			continue;
		local_irq_restore(flags);
		unwind_complete_faultable(UNWIND_REASON_RETURN);
		local_irq_save(flags);
	}

	/* Before requests are accepted again, and walks are made for them. */
	WRITE_ONCE(info->regs, NULL);
	barrier();
	atomic64_and(UNWIND_KEPT, &info->state);
	local_irq_restore(flags);
}
