// SPDX-License-Identifier: GPL-2.0
/*
 * Completes the current task's requests: takes the trace of the entry from the
 * cache, or walks the stack, and calls the clients that have a request pending.
 *
 * The task itself walks with page faults; what interrupts it, or must not sleep,
 * without. UNWIND_BUSY is set while the task does so: an interrupt then leaves
 * the task's cache alone.
 */
#include <linux/bitfield.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include <linux/unwind_deferred.h>

#include "internal.h"

#include <trace/events/unwind.h>

/*
 * Call back the clients in @mask that have a request pending.
 *
 * The tracepoint comes before the requests are taken: an event on it that makes
 * a request of its own finds one pending, not a reason for another completion.
 * From the moment that requests are taken for the return to user space or for
 * exec, no more are accepted: an event on the way out, or in a callback, would
 * keep the task in the kernel for ever.
 */
static void complete_requests(struct unwind_task_info *info, u32 mask,
			      struct unwind_stacktrace *trace, enum unwind_reason reason)
{
	bool leaving = reason == UNWIND_REASON_RETURN || reason == UNWIND_REASON_EXEC;
	u64 cookie = READ_ONCE(info->cookie);

	trace_unwind_deferred_answer(cookie, trace->nr, reason);
	mask = unwind_clients_call(info, mask, leaving ? UNWIND_LEAVING : 0, trace, cookie);

	/* Unless an interrupt completed them all in the meantime. */
	if (mask) {
		unwind_stat_inc(completed[reason]);
		if (!trace->nr)
			unwind_stat_inc(empty);
	}
}

/*
 * There is no memory for a cache: walk into this CPU's buffer, and as no later walk
 * follows, by frame pointers if it cannot use tables. Return: 0, -EAGAIN.
 */
static int complete_in_scratch(struct unwind_task_info *info, unsigned int depth,
			       enum unwind_reason reason)
{
	struct unwind_stacktrace trace;
	int err = -EAGAIN;
	unsigned long flags;
	u32 mask;

	local_irq_save(flags);
	/* The buffers are there as long as a request is pending, or interrupts are disabled since. */
	mask = atomic64_read(&info->state) & UNWIND_PENDING;
	if (mask)
		err = unwind_scratch_walk(&trace, depth, UNWIND_WALK_LAST);
	if (!err)
		complete_requests(info, mask, &trace, reason);
	local_irq_restore(flags);
	return err;
}

/**
 * unwind_complete_faultable - complete the current task's requests
 * @reason:	why now
 *
 * Context: process context that may sleep and holds no mmap_lock.
 * Return: false if none was pending, or the task is busy with this already.
 */
bool unwind_complete_faultable(enum unwind_reason reason)
{
	struct unwind_task_info *info = &current->unwind_info;
	struct unwind_stacktrace trace = {};
	u64 state = atomic64_read(&info->state);
	unsigned int depth;
	bool done = false;

	if (!(state & UNWIND_PENDING) || state & UNWIND_BUSY)
		return false;

	atomic64_or(UNWIND_BUSY, &info->state);
	depth = FIELD_GET(UNWIND_DEPTH, state);
	/* Between two images the registers lead nowhere. */
	if (!(state & UNWIND_EXEC) && current->mm &&
	    !unwind_cache_get(info, state, depth, &trace) &&
	    !unwind_cache_walk(info, depth, &trace))
		done = !complete_in_scratch(info, depth, reason);
	if (!done)
		complete_requests(info, UNWIND_PENDING, &trace, reason);
	atomic64_andnot(UNWIND_BUSY, &info->state);
	return true;
}

/**
 * unwind_complete_atomic - complete requests without page faults
 * @mask:	the clients meant; one at least has a request pending
 * @reason:	why now
 *
 * Context: interrupts disabled.
 * Return: 0, -EAGAIN if the stack could not be read.
 */
int unwind_complete_atomic(u32 mask, enum unwind_reason reason)
{
	struct unwind_task_info *info = &current->unwind_info;
	u64 state = atomic64_read(&info->state);
	struct unwind_stacktrace trace = {};
	unsigned int depth;
	u32 completing;

	if (state & UNWIND_EXEC)
		return -EAGAIN;

	depth = FIELD_GET(UNWIND_DEPTH, state);
	if (state & UNWIND_BUSY || !unwind_cache_get(info, state, depth, &trace)) {
		/* It was tried at an earlier block, and nothing has changed since. */
		if (reason == UNWIND_REASON_BLOCK && state & UNWIND_FAULTED)
			return -EAGAIN;
		if (unwind_scratch_walk(&trace, depth, UNWIND_WALK_ATOMIC)) {
			if (reason == UNWIND_REASON_BLOCK)
				atomic64_or(UNWIND_FAULTED, &info->state);
			return -EAGAIN;
		}
		unwind_cache_keep(info, depth, &trace);
	}
	/* The task was interrupted while it completes: it must not notice. */
	completing = READ_ONCE(info->completing);
	complete_requests(info, mask, &trace, reason);
	WRITE_ONCE(info->completing, completing);
	return 0;
}

/**
 * unwind_deferred_flush - complete the current task's requests here and now
 * @work:	the client whose requests are meant
 *
 * For a client that stops listening. Does nothing if the stack cannot be read
 * without faults: the requests remain pending.
 *
 * Context: interrupts disabled, not NMI.
 * Return: 0 if nothing is pending any more, -EAGAIN if it still is.
 */
int unwind_deferred_flush(struct unwind_work *work)
{
	struct unwind_task_info *info = &current->unwind_info;
	int bit = unwind_client_bit(work);
	struct unwind_stacktrace trace;
	u64 state;

	lockdep_assert_irqs_disabled();
	if (bit < 0)
		return 0;
	state = atomic64_read(&info->state);
	if (state & BIT_ULL(bit))
		return unwind_complete_atomic(BIT(bit), UNWIND_REASON_DISABLE);
	/*
	 * The task took the request but may not have come to the callback, and
	 * when it does, the client listens no more: call back twice.
	 */
	if (READ_ONCE(info->completing) & BIT(bit)) {
		if (unwind_scratch_walk(&trace, FIELD_GET(UNWIND_DEPTH, state), UNWIND_WALK_ATOMIC))
			return -EAGAIN;
		READ_ONCE(work->func)(work, &trace, READ_ONCE(info->cookie));
	}
	return 0;
}

/**
 * unwind_user_faultable - the user stack of the current task, now
 * @trace:	set to the trace, which may be empty; its entries do not
 *		change until the task returns to user space, whatever else walks
 *		the stack in the meantime
 *
 * The entry's requests and later calls share the walk.
 *
 * Context: process context that may sleep and holds no mmap_lock, not a
 * callback.
 * Return: 0, -EINVAL if the task has no user stack, -EBUSY in a callback.
 */
int unwind_user_faultable(struct unwind_stacktrace *trace)
{
	struct unwind_task_info *info = &current->unwind_info;
	u64 state = atomic64_read(&info->state);
	unsigned int depth;

	trace->nr = 0;
	trace->entries = NULL;
	if (!unwind_has_user_stack(current) || state & UNWIND_EXEC)
		return -EINVAL;
	if (state & UNWIND_BUSY)
		return -EBUSY;

	atomic64_or(UNWIND_BUSY, &info->state);
	depth = max_t(unsigned int, FIELD_GET(UNWIND_DEPTH, state), UNWIND_USER_DEPTH);
	if (!unwind_cache_get(info, state, depth, trace))
		unwind_cache_walk(info, depth, trace);
	atomic64_or(UNWIND_HANDED, &info->state);
	atomic64_andnot(UNWIND_BUSY, &info->state);
	return 0;
}
EXPORT_SYMBOL_GPL(unwind_user_faultable);
