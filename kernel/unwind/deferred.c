// SPDX-License-Identifier: GPL-2.0
/*
 * Deferred unwinding: clients request the user stack of the current task, and hooks
 * complete the requests where the stack can be read.
 *
 * A request is made in any context, NMI included: nothing is allocated and no lock is
 * taken. Whoever makes one pending queues the task work, unless it is queued: a request
 * never waits for an entry's end without it. A completion walks the stack and calls the
 * clients back. The task itself walks with page faults; an interrupt, and the scheduler,
 * without.
 *
 * Owns the table of clients. A client's index is its bit in each task's state. Requests run
 * with preemption disabled and callbacks with interrupts disabled: a grace period of RCU waits
 * for both.
 */
#include <linux/bitfield.h>
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/unwind_deferred.h>

#include "internal.h"

#define CREATE_TRACE_POINTS
#include <trace/events/unwind.h>

DEFINE_STATIC_KEY_FALSE(unwind_deferred_key);
DEFINE_PER_CPU(unsigned long [UNWIND_NR_STATS], unwind_stats);

static DEFINE_MUTEX(clients_mutex);
static struct unwind_work *clients[UNWIND_CLIENTS];

/**
 * unwind_deferred_init - register a client
 * @work:	the client
 * @func:	its callback
 *
 * Context: process context, may sleep.
 * Return: 0, -EBUSY if there are too many clients, -ENOMEM.
 */
int unwind_deferred_init(struct unwind_work *work, unwind_callback_t func)
{
	unsigned int bit;

	guard(mutex)(&clients_mutex);

	work->bit = -EINVAL;
	work->func = func;
	for (bit = 0; bit < UNWIND_CLIENTS && clients[bit]; bit++)
		;
	if (bit == UNWIND_CLIENTS)
		return -EBUSY;
	if (unwind_deferred_reserve(0))
		return -ENOMEM;

	WRITE_ONCE(clients[bit], work);
	/* A request that finds the bit finds the client, and the scratch. */
	smp_store_release(&work->bit, bit);
	static_branch_enable(&unwind_deferred_key);
	return 0;
}
EXPORT_SYMBOL_GPL(unwind_deferred_init);

/**
 * unwind_deferred_cancel - unregister a client
 * @work:	the client; nothing happens if it is not registered
 *
 * Requests are refused from here on, and what is pending is dropped. No
 * callback runs when this returns, and @work can be freed.
 *
 * Context: process context, may sleep.
 */
void unwind_deferred_cancel(struct unwind_work *work)
{
	struct task_struct *g, *t;
	int bit;

	guard(mutex)(&clients_mutex);

	bit = work->bit;
	if (bit < 0)
		return;

	WRITE_ONCE(work->bit, -EINVAL);
	/* The requests that still found the bit. */
	synchronize_rcu();
	rcu_read_lock();
	for_each_process_thread(g, t)
		atomic64_andnot(BIT_ULL(bit), &t->unwind_info.state);
	rcu_read_unlock();
	/* The callbacks for bits that were taken before. */
	synchronize_rcu();
	WRITE_ONCE(clients[bit], NULL);
}
EXPORT_SYMBOL_GPL(unwind_deferred_cancel);

/*
 * The task may have looked for work for the last time before it returns to user
 * space: then an irq_work must interrupt it there, before its first
 * instruction. That is possible in an NMI, and where the task itself has
 * interrupts disabled and is not about to block. This cannot fail: who exits was refused.
 */
static void queue_task_work(struct unwind_task_info *info)
{
	bool late = in_nmi() || (irqs_disabled() && !in_hardirq() && task_is_running(current));

	task_work_add(current, &info->work, late ? TWA_NMI_CURRENT : (TWA_RESUME | TWAF_NO_ALLOC));
}

/**
 * unwind_deferred_request - request the user stack of the current task
 * @work:	the client
 * @cookie:	set to what the callback will get, 0 on error
 * @depth:	no more entries than this are wanted; the trace is as deep as
 *		the deepest request of the entry
 *
 * The client's callback is called at the first of: return to user space; the
 * task blocks, and its stack can be read without faults; exec; exit; a signal's frame or
 * sigreturn replaces the user registers; unwind_deferred_flush().
 *
 * Context: any, NMI included.
 * Return: 0 if the request was queued, 1 if one of this client and entry is
 * already pending, -EAGAIN if requests were completed for the return to user
 * space: the caller walks at once;
 * -EINVAL if the task has no user stack or is exiting, or @work is not registered.
 */
int unwind_deferred_request(struct unwind_work *work, u64 *cookie, unsigned int depth)
{
	struct unwind_task_info *info = &current->unwind_info;
	u64 old;
	int bit;

	*cookie = 0;
	if (!unwind_has_user_stack(current))
		return -EINVAL;

	/* Keeps the cookie's CPU, and unwind_deferred_cancel() waiting. */
	guard(preempt_notrace)();

	bit = READ_ONCE(work->bit);
	if (bit < 0)
		return -EINVAL;

	old = unwind_state_request(info, BIT_ULL(bit) | UNWIND_QUEUED,
				   clamp(depth, 1U, UNWIND_DEPTH_MAX), cookie);
	if (old & UNWIND_LEAVING)
		return -EAGAIN;
	if (!(old & UNWIND_QUEUED))
		queue_task_work(info);

	unwind_stat_inc(UNWIND_REQUESTS);
	if (old & BIT_ULL(bit))
		unwind_stat_inc(UNWIND_SHARED);
	if (in_nmi())
		unwind_stat_inc(UNWIND_NMI);
	trace_unwind_deferred_request(*cookie, old & BIT_ULL(bit));
	return !!(old & BIT_ULL(bit));
}
EXPORT_SYMBOL_GPL(unwind_deferred_request);

/*
 * Call back the clients in @mask that have a request pending.
 *
 * The tracepoint comes before the requests are taken: an event on it that makes
 * a request of its own finds one pending, not a reason for another completion.
 * From the moment that requests are taken for the return to user space or for
 * exec, no more are accepted: an event on the way out, or in a callback, would
 * keep the task in the kernel for ever.
 */
static void complete_requests(u32 mask, struct unwind_stacktrace *trace, enum unwind_reason reason)
{
	struct unwind_task_info *info = &current->unwind_info;
	bool leaving = reason == UNWIND_REASON_RETURN || reason == UNWIND_REASON_EXEC;
	u64 cookie = READ_ONCE(info->cookie);
	struct unwind_work *work;
	unsigned long flags, bits;
	unsigned int bit;

	trace_unwind_deferred_answer(cookie, trace->nr, reason);
	/* An interrupt that disables an event comes before this or behind it. */
	local_irq_save(flags);
	bits = unwind_state_take(info, mask, leaving ? UNWIND_LEAVING_AT(jiffies) : 0);
	for_each_set_bit(bit, &bits, UNWIND_CLIENTS) {
		work = READ_ONCE(clients[bit]);
		work->func(work, trace, cookie);
	}
	local_irq_restore(flags);

	/* Unless an interrupt completed them all in the meantime. */
	if (bits)
		unwind_stat_inc(UNWIND_COMPLETED + reason);
}

/*
 * Complete requests of the clients in @mask, one of which is pending, without page faults;
 * interrupts are disabled. Return: whether the stack could be read; if not, nothing is
 * completed unless it may be @partial.
 */
static bool complete_atomic(u32 mask, enum unwind_reason reason, bool partial)
{
	u64 state = atomic64_read(&current->unwind_info.state);
	struct unwind_stacktrace trace;

	if (unwind_scratch_walk(FIELD_GET(UNWIND_DEPTH, state), &trace) && !partial)
		return false;
	complete_requests(mask, &trace, reason);
	return true;
}

/*
 * Complete the current task's requests, with page faults. Does nothing if there is none.
 * Process context that may sleep and holds no mmap_lock; not inside a walk.
 */
static void complete_faultable(enum unwind_reason reason)
{
	u64 state = atomic64_read(&current->unwind_info.state);
	struct unwind_stacktrace trace;
	unsigned long flags;

	if (!(state & UNWIND_PENDING))
		return;

	if (unwind_cache_walk(FIELD_GET(UNWIND_DEPTH, state), &trace)) {
		complete_requests(UNWIND_PENDING, &trace, reason);
	} else {
		/* No memory: as much as can be read without faults. */
		local_irq_save(flags);
		complete_atomic(UNWIND_PENDING, reason, true);
		local_irq_restore(flags);
	}
}

/**
 * unwind_deferred_flush - complete the current task's requests here and now
 * @work:	the client whose requests are meant
 *
 * For a client that stops listening. Does nothing if the stack cannot be read
 * without faults: the requests remain pending.
 *
 * Context: interrupts disabled, not NMI.
 */
void unwind_deferred_flush(struct unwind_work *work)
{
	int bit = READ_ONCE(work->bit);

	if (bit >= 0 && atomic64_read(&current->unwind_info.state) & BIT_ULL(bit))
		complete_atomic(BIT(bit), UNWIND_REASON_DISABLE, false);
}

/* The hooks: each is one call, and none keeps a task in the kernel. */

static void unwind_task_work(struct callback_head *head)
{
	/* First: a request from here on has to queue the work again. */
	u64 state = atomic64_fetch_andnot(UNWIND_QUEUED | UNWIND_SIGNAL,
					  &current->unwind_info.state);

	/* In the middle of exec: unwind_deferred_exec_done() queues it again. */
	if (!(state & UNWIND_EXEC))
		complete_faultable(UNWIND_REASON_RETURN);
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
 * __unwind_deferred_block - unwind_deferred_sched_out() with something to do
 *
 * What perf does for a sched_switch event in the same place, this does: read
 * user memory with page faults disabled, and write records.
 *
 * Context: __schedule(), runqueue lock held, interrupts disabled.
 */
void __unwind_deferred_block(void)
{
	struct unwind_task_info *info = &current->unwind_info;
	u64 state = atomic64_read(&info->state);

	/* A walk that failed at an earlier block is not tried again: nothing has changed since. */
	if (state & UNWIND_PENDING && !(state & UNWIND_FAULTED) &&
	    !complete_atomic(state & UNWIND_PENDING, UNWIND_REASON_BLOCK, false))
		atomic64_or(UNWIND_FAULTED, &info->state);
}

/*
 * Complete what is pending, then make the state @want and what it was in @keep. An interrupt
 * may make a request when nothing was pending: it is completed, too.
 */
static void complete_and_set(enum unwind_reason reason, u64 want, u64 keep)
{
	struct unwind_task_info *info = &current->unwind_info;
	u64 state;

	do {
		complete_faultable(reason);
		state = atomic64_read(&info->state);
	} while (state & UNWIND_PENDING ||
		 atomic64_cmpxchg(&info->state, state, want | (state & keep)) != state);
}

/**
 * unwind_deferred_exec - execve() is beyond its point of no return
 *
 * Called twice. Before de_thread(), in which the task may get another id: completes pending requests
 * from the old image, as a record has the id of the samples that it completes, and accepts no
 * more. Before the old image goes: requests from here on belong to the new one, and get another
 * cookie.
 *
 * Context: process context, may sleep.
 */
void unwind_deferred_exec(void)
{
	bool again = atomic64_read(&current->unwind_info.state) & UNWIND_REFUSED;

	complete_and_set(UNWIND_REASON_EXEC, again ? UNWIND_EXEC : UNWIND_REFUSED, UNWIND_QUEUED);
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

	/* The work ran too early, and left it for now. */
	if (atomic64_fetch_andnot(UNWIND_EXEC, &info->state) & UNWIND_PENDING &&
	    !(atomic64_fetch_or(UNWIND_QUEUED, &info->state) & UNWIND_QUEUED))
		task_work_add(current, &info->work, TWA_RESUME);
}

/**
 * __unwind_deferred_signal - unwind_deferred_signal() with a client
 *
 * Context: process context, may sleep.
 */
void __unwind_deferred_signal(void)
{
	/* The registers of a signal before this one are there. */
	atomic64_andnot(UNWIND_SIGNAL, &current->unwind_info.state);
	complete_and_set(UNWIND_REASON_RETURN, UNWIND_SIGNAL, UNWIND_QUEUED);
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
	complete_faultable(UNWIND_REASON_EXIT);
	/* The work may still be queued: it finds nothing to do. */
	kvfree(current->unwind_info.cache);
}
