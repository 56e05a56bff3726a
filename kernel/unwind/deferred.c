// SPDX-License-Identifier: GPL-2.0
/*
 * Deferred unwinding of user stacks: a request in any context, one walk of the
 * stack for all requests of a stay in the kernel, an answer where the stack
 * can be read. Documentation/unwind-deferred.rst tells the whole story.
 */
#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/srcu.h>
#include <linux/task_work.h>
#include <linux/unwind_deferred.h>
#include <linux/workqueue.h>

#include "internal.h"

#define CREATE_TRACE_POINTS
#include <trace/events/unwind.h>

DEFINE_STATIC_KEY_FALSE(unwind_deferred_key);
DEFINE_PER_CPU(struct unwind_stats, unwind_stats);

static DEFINE_MUTEX(clients_mutex);	/* registering and cancelling */
DEFINE_STATIC_SRCU(clients_srcu);	/* held while callbacks run */
static struct unwind_work *clients[UNWIND_CLIENTS];
static unsigned long clients_used;	/* bits that a task may still have set */
static unsigned long clients_retired;	/* of these, the ones nobody can set any more */
static u32 clients_sleep;		/* UNWIND_CLIENT_SLEEPS */

static void call_clients(struct unwind_task_info *info, u32 mask,
			 struct unwind_stacktrace *trace, u64 cookie)
{
	struct unwind_work *work;
	unsigned long bits = mask;
	unsigned int bit;

	for_each_set_bit(bit, &bits, UNWIND_CLIENTS) {
		work = READ_ONCE(clients[bit]);
		if (work)
			READ_ONCE(work->func)(work, trace, cookie);
		WRITE_ONCE(info->answering, info->answering & ~BIT(bit));
	}
}

/**
 * unwind_clients_answer - answer what is pending
 * @info:	the current task's
 * @mask:	clients that may be answered
 * @trace:	the answer
 * @reason:	what it was time for
 *
 * The tracepoint comes before the requests are taken: an event on it that
 * makes a request of its own finds one pending, not a reason for another
 * answer. From the moment that requests are taken for the return to user space
 * or for exec, no more are accepted: an event on the way out, or in a callback,
 * would keep the task in the kernel for ever.
 *
 * Context: the task, or interrupts disabled.
 */
void unwind_clients_answer(struct unwind_task_info *info, u32 mask,
			   struct unwind_stacktrace *trace,
			   enum unwind_reason reason)
{
	bool leaving = reason == UNWIND_REASON_RETURN || reason == UNWIND_REASON_EXEC;
	u64 cookie = READ_ONCE(info->cookie);
	int idx;

	trace_unwind_deferred_answer(cookie, trace->nr, reason);

	idx = srcu_read_lock(&clients_srcu);
	WRITE_ONCE(info->answering, mask);
	mask = unwind_state_answer(info, mask, leaving ? UNWIND_LEAVING : 0);
	WRITE_ONCE(info->answering, mask);
	call_clients(info, mask, trace, cookie);
	srcu_read_unlock(&clients_srcu, idx);

	/* Unless an interrupt answered it all in the meantime. */
	if (mask) {
		unwind_stat_inc(answered[reason]);
		if (!trace->nr)
			unwind_stat_inc(empty);
	}
}

/**
 * unwind_clients_atomic - the clients whose callbacks do not sleep
 *
 * Context: any.
 */
u32 unwind_clients_atomic(void)
{
	return ~READ_ONCE(clients_sleep);
}

/*
 * The task may have looked for work the last time before it returns to user
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
 * unwind_deferred_request_depth - ask for the user stack of the current task
 * @work:	the client
 * @cookie:	set to what the answer will carry, 0 on error
 * @depth:	no more entries than this are wanted; the answer is as deep as
 *		the deepest request of the stay
 *
 * The client's callback is called at the first of: return to user space; the
 * task blocks, and its stack can be read without faults; exec; exit;
 * unwind_deferred_flush().
 *
 * Context: any, NMI included.
 * Return: 0 if the request was queued, 1 if one of this client and stay is
 * already pending, -EAGAIN if the task is leaving the kernel and the answer for
 * the return was given, or a signal is replacing its registers: the caller
 * walks at once (unwind_deferred_cached() may have the trace); -EINVAL if the
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
	if (!IS_ENABLED(CONFIG_ARCH_HAVE_NMI_SAFE_CMPXCHG) && in_nmi())
		return -EINVAL;

	/* Keeps the cookie's CPU, and unwind_deferred_cancel() waiting. */
	guard(preempt_notrace)();

	bit = READ_ONCE(work->bit);
	if (bit < 0 || READ_ONCE(clients[bit]) != work)
		return -EINVAL;

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
 * unwind_deferred_request - ask for the user stack of the current task
 * @work:	the client
 * @cookie:	set to what the answer will carry, 0 on error
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

/**
 * unwind_deferred_flush - answer the current task's requests here and now
 * @work:	the client whose requests are meant
 *
 * For a client that stops listening. Does nothing if the stack cannot be read
 * without faults: the requests stay for a later answer.
 *
 * Context: interrupts disabled, not NMI.
 * Return: 0 if nothing is pending any more, -EAGAIN if it still is.
 */
int unwind_deferred_flush(struct unwind_work *work)
{
	struct unwind_task_info *info = &current->unwind_info;
	int bit = READ_ONCE(work->bit);

	lockdep_assert_irqs_disabled();
	if (bit < 0 || READ_ONCE(clients[bit]) != work)
		return 0;
	if (atomic64_read(&info->state) & BIT_ULL(bit))
		return unwind_answer_atomic(BIT(bit), UNWIND_REASON_DISABLE);
	/*
	 * The task took the request but may not have come to the callback. For
	 * who does not listen any more when it does: answer twice.
	 */
	if (READ_ONCE(info->answering) & BIT(bit))
		return unwind_answer_again(work);
	return 0;
}
EXPORT_SYMBOL_GPL(unwind_deferred_flush);

/**
 * unwind_deferred_stay_begin - is this the first call of this stay?
 *
 * For clients that treat the first event of a stay in the kernel in another
 * way than the later ones.
 *
 * Context: any, NMI included. An NMI in user mode returns without ending the
 * stay: do not call from there.
 * Return: true at the first call since the current task came from user space.
 */
bool unwind_deferred_stay_begin(void)
{
	struct unwind_task_info *info = &current->unwind_info;

	return !(atomic64_fetch_or(UNWIND_STAY, &info->state) & UNWIND_STAY);
}
EXPORT_SYMBOL_GPL(unwind_deferred_stay_begin);

/**
 * unwind_deferred_regs_stale - is the current task between two images?
 *
 * Context: any, NMI included.
 * Return: true in execve(), from when the old mm goes until the registers are
 * the new program's.
 */
bool unwind_deferred_regs_stale(void)
{
	return atomic64_read(&current->unwind_info.state) & UNWIND_EXEC;
}
EXPORT_SYMBOL_GPL(unwind_deferred_regs_stale);

/* Makes the bits of clients that are gone fit for others. */
static void retire_clients(struct work_struct *unused)
{
	struct task_struct *g, *t;
	unsigned long bits;

	scoped_guard(mutex, &clients_mutex) {
		bits = clients_retired;
		clients_retired = 0;
	}
	if (!bits)
		return;

	/* The requests that still found the client. */
	synchronize_rcu();

	/* Nobody sets the bits any more: the next client must not inherit them. */
	rcu_read_lock();
	for_each_process_thread(g, t) {
		if (atomic64_read(&t->unwind_info.state) & bits)
			atomic64_andnot(bits, &t->unwind_info.state);
	}
	rcu_read_unlock();
	/*
	 * The callbacks that run; and the tasks that took a bit before it was
	 * cleared but have not looked for the client yet, which must not find
	 * the next one.
	 */
	synchronize_srcu(&clients_srcu);
	/* Who saw a bit that was pending, and walks with interrupts disabled. */
	synchronize_rcu();

	scoped_guard(mutex, &clients_mutex) {
		WRITE_ONCE(clients_sleep, clients_sleep & ~bits);
		clients_used &= ~bits;
		if (!clients_used)
			unwind_answer_release();
	}
	for (; bits; bits &= bits - 1)
		static_branch_dec(&unwind_deferred_key);
}
static DECLARE_WORK(retire_work, retire_clients);

static int add_client(struct unwind_work *work)
{
	unsigned int bit;

	guard(mutex)(&clients_mutex);

	bit = find_first_zero_bit(&clients_used, UNWIND_CLIENTS);
	if (bit == UNWIND_CLIENTS)
		return -EBUSY;
	if (unwind_answer_reserve(0))
		return -ENOMEM;

	__set_bit(bit, &clients_used);
	if (work->flags & UNWIND_CLIENT_SLEEPS)
		WRITE_ONCE(clients_sleep, clients_sleep | BIT(bit));
	/* Whoever finds the client finds it filled in, and the scratch too. */
	smp_store_release(&clients[bit], work);
	WRITE_ONCE(work->bit, bit);
	static_branch_inc(&unwind_deferred_key);
	return 0;
}

/**
 * unwind_deferred_init_flags - register a client
 * @work:	the client
 * @func:	its callback
 * @flags:	UNWIND_CLIENT_*
 *
 * Context: process context, may sleep.
 * Return: 0, -EBUSY if there are too many clients, -ENOMEM.
 */
int unwind_deferred_init_flags(struct unwind_work *work, unwind_callback_t func,
			       unsigned int flags)
{
	int err;

	/* Tasks may still look at a client that was retired. */
	WRITE_ONCE(work->bit, -EINVAL);
	WRITE_ONCE(work->func, func);
	work->flags = flags;

	err = add_client(work);
	if (err == -EBUSY) {
		/* There may be bits on their way back. */
		flush_work(&retire_work);
		err = add_client(work);
	}
	return err;
}
EXPORT_SYMBOL_GPL(unwind_deferred_init_flags);

/**
 * unwind_deferred_init - register a client that takes every kind of answer
 * @work:	the client
 * @func:	its callback, which must be fit for every context named at
 *		unwind_callback_t
 *
 * Context: process context, may sleep.
 * Return: 0, -EBUSY if there are too many clients, -ENOMEM.
 */
int unwind_deferred_init(struct unwind_work *work, unwind_callback_t func)
{
	return unwind_deferred_init_flags(work, func, 0);
}
EXPORT_SYMBOL_GPL(unwind_deferred_init);

/**
 * unwind_deferred_reserve - make room for deep stacks
 * @depth:	entries that requests will ask for
 *
 * Where the task blocks or an event is disabled, nothing can be allocated:
 * stacks deeper than 512 entries are answered there if their depth was
 * announced here. The room stays while any client is registered: register
 * first.
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int unwind_deferred_reserve(unsigned int depth)
{
	guard(mutex)(&clients_mutex);

	return unwind_answer_reserve(min(depth, UNWIND_DEPTH_MAX));
}
EXPORT_SYMBOL_GPL(unwind_deferred_reserve);

/**
 * unwind_deferred_retire - unregister a client without waiting
 * @work:	the client; nothing happens if it is not registered
 *
 * Requests are refused from here on, and what is pending is dropped. A callback
 * may still run for a while: @work must stay, and so must @func. It can be
 * registered again at once, with the same @func.
 *
 * Context: process context, may sleep, but does not wait for other tasks'
 * requests or callbacks.
 */
void unwind_deferred_retire(struct unwind_work *work)
{
	int bit;

	guard(mutex)(&clients_mutex);

	bit = work->bit;
	if (bit < 0 || clients[bit] != work)
		return;

	WRITE_ONCE(work->bit, -EINVAL);
	WRITE_ONCE(clients[bit], NULL);
	__set_bit(bit, &clients_retired);
	queue_work(system_unbound_wq, &retire_work);
}
EXPORT_SYMBOL_GPL(unwind_deferred_retire);

/**
 * unwind_deferred_cancel - unregister a client
 * @work:	the client; nothing happens if it is not registered
 *
 * Requests are refused from here on, and what is pending is dropped. No
 * callback runs when this returns, and @work can be freed.
 *
 * Context: process context, may sleep, not from a callback.
 */
void unwind_deferred_cancel(struct unwind_work *work)
{
	unwind_deferred_retire(work);
	flush_work(&retire_work);
}
EXPORT_SYMBOL_GPL(unwind_deferred_cancel);
