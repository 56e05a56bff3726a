// SPDX-License-Identifier: GPL-2.0
/*
 * The clients of deferred unwinding: registers them, calls them back, and takes
 * them out of the table again.
 *
 * Owns the table. A client's index is its bit in each task's state; it is given
 * to another client only when no task has the bit set and no callback of the
 * one before can run.
 */
#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/srcu.h>
#include <linux/unwind_deferred.h>
#include <linux/workqueue.h>

#include "internal.h"

DEFINE_STATIC_KEY_FALSE(unwind_deferred_key);

static DEFINE_MUTEX(clients_mutex);	/* registering and cancelling */
DEFINE_STATIC_SRCU(clients_srcu);	/* held while callbacks run */
static struct unwind_work *clients[UNWIND_CLIENTS];
static unsigned long clients_used;	/* bits that a task may still have set */
static unsigned long clients_retired;	/* of these, the ones that no request sets any more */

/**
 * unwind_client_bit - a client's bit in the tasks' state
 * @work:	the client
 *
 * Context: any, NMI included.
 * Return: the bit, -EINVAL if @work is not registered.
 */
int unwind_client_bit(struct unwind_work *work)
{
	int bit = READ_ONCE(work->bit);

	return bit >= 0 && READ_ONCE(clients[bit]) == work ? bit : -EINVAL;
}

/**
 * unwind_clients_call - take pending requests and call their clients back
 * @info:	the current task's
 * @mask:	clients that may be called
 * @flags:	UNWIND_LEAVING, set at the moment that the requests are taken, or 0
 * @trace:	the user stack
 * @cookie:	the entry's cookie
 *
 * Context: the task, or interrupts disabled.
 * Return: the clients that had a request pending.
 */
u32 unwind_clients_call(struct unwind_task_info *info, u32 mask, u64 flags,
			struct unwind_stacktrace *trace, u64 cookie)
{
	struct unwind_work *work;
	unsigned long bits;
	unsigned int bit;
	int idx;

	/* Before requests are taken: retire_clients() waits for both. */
	idx = srcu_read_lock(&clients_srcu);
	WRITE_ONCE(info->completing, mask);
	mask = unwind_state_take(info, mask, flags);
	WRITE_ONCE(info->completing, mask);

	bits = mask;
	for_each_set_bit(bit, &bits, UNWIND_CLIENTS) {
		work = READ_ONCE(clients[bit]);
		if (work)
			READ_ONCE(work->func)(work, trace, cookie);
		WRITE_ONCE(info->completing, info->completing & ~BIT(bit));
	}
	srcu_read_unlock(&clients_srcu, idx);
	return mask;
}

/* Make the bits of clients that are gone fit for others. */
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

	/* No request sets the bits any more: the next client must not inherit them. */
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
	/* Walks into the scratch, for a bit that was pending, with interrupts disabled. */
	synchronize_rcu();

	scoped_guard(mutex, &clients_mutex) {
		clients_used &= ~bits;
		if (!clients_used)
			unwind_scratch_free();
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
	if (unwind_scratch_reserve(0))
		return -ENOMEM;

	__set_bit(bit, &clients_used);
	/* Whoever finds the client finds it filled in, and the scratch too. */
	smp_store_release(&clients[bit], work);
	WRITE_ONCE(work->bit, bit);
	static_branch_inc(&unwind_deferred_key);
	return 0;
}

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
	int err;

	/* Tasks may still look at a client that was retired. */
	WRITE_ONCE(work->bit, -EINVAL);
	WRITE_ONCE(work->func, func);

	err = add_client(work);
	if (err == -EBUSY) {
		/* There may be bits on their way back. */
		flush_work(&retire_work);
		err = add_client(work);
	}
	return err;
}
EXPORT_SYMBOL_GPL(unwind_deferred_init);

/**
 * unwind_deferred_reserve - make room for deep stacks
 * @depth:	the deepest that requests will be
 *
 * Where the task blocks or an event is disabled, nothing can be allocated:
 * requests of more than 512 entries are completed there if their depth was
 * reserved here. The room is kept while any client is registered: register
 * first.
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int unwind_deferred_reserve(unsigned int depth)
{
	guard(mutex)(&clients_mutex);

	return unwind_scratch_reserve(min(depth, UNWIND_DEPTH_MAX));
}

/**
 * unwind_deferred_retire - unregister a client without waiting
 * @work:	the client; nothing happens if it is not registered
 *
 * Requests are refused from here on, and what is pending is dropped. A callback
 * may still run for a while: @work and @func must remain. It can be
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
