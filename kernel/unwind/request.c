// SPDX-License-Identifier: GPL-2.0
/*
 * Requests for the user stack of the current task, and the cookie that names
 * its entry to the kernel.
 *
 * Any context may call this, NMIs included: nothing is allocated and no lock is
 * taken. Whoever makes a request pending queues the task work, unless it is
 * queued: a request never waits for an entry's end without it.
 */
#include <linux/export.h>
#include <linux/sched.h>
#include <linux/task_work.h>
#include <linux/unwind_deferred.h>

#include "internal.h"

#define CREATE_TRACE_POINTS
#include <trace/events/unwind.h>

DEFINE_PER_CPU(struct unwind_stats, unwind_stats);

/**
 * unwind_deferred_cookie - the cookie of the current task's entry
 *
 * Names the time from an entry to the kernel to the next return to user space;
 * the same entry has another cookie after execve(), or a signal, changed the
 * user registers. Requests get this cookie.
 *
 * Context: any, NMI included. An NMI in user mode has no entry of its own: it
 * gets the cookie that the next one will have.
 * Return: the cookie, never 0.
 */
u64 unwind_deferred_cookie(void)
{
	guard(preempt_notrace)();

	return unwind_state_cookie(&current->unwind_info);
}

/*
 * The task may have looked for work for the last time before it returns to user
 * space: then an irq_work must interrupt it there, before its first
 * instruction. That is possible in an NMI, and where the task itself has
 * interrupts disabled and is not about to block.
 */
static int queue_task_work(struct unwind_task_info *info)
{
	bool late = in_nmi() || (irqs_disabled() && !in_hardirq() && task_is_running(current));

	return task_work_add(current, &info->work,
			     late ? TWA_NMI_CURRENT : (TWA_RESUME | TWAF_NO_ALLOC));
}

/**
 * unwind_deferred_request_depth - request the user stack of the current task
 * @work:	the client
 * @cookie:	set to what the callback will get, 0 on error
 * @depth:	no more entries than this are wanted; the trace is as deep as
 *		the deepest request of the entry
 *
 * The client's callback is called at the first of: return to user space; the
 * task blocks, and its stack can be read without faults; exec; exit;
 * unwind_deferred_flush().
 *
 * Context: any, NMI included.
 * Return: 0 if the request was queued, 1 if one of this client and entry is
 * already pending, -EAGAIN if requests were completed for the return to user
 * space, or a signal has just replaced the registers: the caller walks at once
 * (unwind_deferred_cached() may have the trace); -EINVAL if the
 * task has no user stack or is exiting, @work is not registered or is being
 * cancelled, or this architecture cannot do it in an NMI.
 */
int unwind_deferred_request_depth(struct unwind_work *work, u64 *cookie,
				  unsigned int depth)
{
	struct unwind_task_info *info = &current->unwind_info;
	u64 old;
	int bit;

	*cookie = 0;
	if (!unwind_has_user_stack(current))
		return -EINVAL;
	/* The sample's registers are new, what is still to be completed has the old ones. */
	if (unlikely(READ_ONCE(info->regs)) && unwind_user_regs() != unwind_request_regs())
		return -EAGAIN;
	if (!IS_ENABLED(CONFIG_ARCH_HAVE_NMI_SAFE_CMPXCHG) && in_nmi())
		return -EINVAL;

	/* Keeps the cookie's CPU, and unwind_deferred_cancel() waiting. */
	guard(preempt_notrace)();

	bit = unwind_client_bit(work);
	if (bit < 0)
		return bit;

	depth = clamp(depth, 1U, UNWIND_DEPTH_MAX);
	old = unwind_state_request(info, bit, depth, cookie);
	if (old & UNWIND_LEAVING)
		return -EAGAIN;
	if (!(old & UNWIND_QUEUED) && queue_task_work(info)) {
		atomic64_andnot(BIT_ULL(bit) | UNWIND_QUEUED, &info->state);
		*cookie = 0;
		return -EINVAL;
	}

	unwind_stat_inc(requests);
	if (old & BIT_ULL(bit))
		unwind_stat_inc(shared);
	trace_unwind_deferred_request(*cookie, old & BIT_ULL(bit));
	return !!(old & BIT_ULL(bit));
}
EXPORT_SYMBOL_GPL(unwind_deferred_request_depth);

/**
 * unwind_deferred_request - request the user stack of the current task
 * @work:	the client
 * @cookie:	set to what the callback will get, 0 on error
 *
 * unwind_deferred_request_depth() with the usual depth, UNWIND_USER_DEPTH.
 *
 * Context: any, NMI included.
 * Return: as unwind_deferred_request_depth().
 */
int unwind_deferred_request(struct unwind_work *work, u64 *cookie)
{
	return unwind_deferred_request_depth(work, cookie, UNWIND_USER_DEPTH);
}
EXPORT_SYMBOL_GPL(unwind_deferred_request);
