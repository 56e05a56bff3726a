// SPDX-License-Identifier: GPL-2.0
/*
 * The state of a task's requests: what may change in an NMI, by cmpxchg only.
 *
 * All of this runs in the task that owns the state, or in an interrupt on top
 * of it. What a function must be ready for is thus that all of another one
 * happens between two of its own instructions, never that they run side by
 * side; and that unwind_deferred_cancel() clears a client's bit at any time.
 */
#include <linux/atomic.h>
#include <linux/bitfield.h>
#include <linux/jiffies.h>
#include <linux/smp.h>
#include <linux/unwind_deferred.h>

#include "internal.h"

/* Always odd: a cookie is never 0. It comes round after 2^31 cookies. */
DEFINE_PER_CPU(u32, unwind_counter) = U32_MAX;

/* The CPU + 1 in the low half, its counter in the high half. */
static u64 make_cookie(void)
{
	return (u64)this_cpu_add_return(unwind_counter, 2) << 32 | (smp_processor_id() + 1);
}

/*
 * The task completed its requests for the return, and will be in user space soon: unless the
 * task work ran before a virtual CPU enters its guest, or in io_uring. So requests are refused
 * for one to two seconds. If each pass on the way out makes one, there is one more pass in that
 * time. In execve() requests are refused from where the task may get another id.
 */
static bool is_refusing(u64 state)
{
	u64 passed = UNWIND_LEAVING_AT(jiffies) - (state & (UNWIND_LEAVING | UNWIND_LEFT));

	return state & UNWIND_REFUSED ||
	       (state & UNWIND_LEAVING && FIELD_GET(UNWIND_LEFT, passed) < 2);
}

/**
 * unwind_state_request - note a request
 * @info:	the current task's
 * @set:	the client's bit and UNWIND_QUEUED; 0 if there only is to be a cookie
 * @depth:	how many entries are wanted, at most UNWIND_DEPTH_MAX
 * @cookie:	set to the entry's cookie, which is made if there is none; left
 *		alone if the request is refused
 *
 * Context: any, NMI included, preemption disabled.
 * Return: the state before; UNWIND_LEAVING if the request is refused and
 * nothing has changed. Else the caller must queue the task work if it lacks
 * UNWIND_QUEUED.
 */
u64 unwind_state_request(struct unwind_task_info *info, u64 set, unsigned int depth, u64 *cookie)
{
	u64 stale, state, want, fresh = 0;

	for (;;) {
		stale = READ_ONCE(info->cookie);
		/* An NMI that makes a cookie between the two changes both. */
		barrier();
		state = atomic64_read(&info->state);

		if (set && is_refusing(state))
			return UNWIND_LEAVING;
		if (state & UNWIND_COOKIE) {
			*cookie = READ_ONCE(info->cookie);
		} else {
			fresh = fresh ?: make_cookie();
			if (!try_cmpxchg(&info->cookie, &stale, fresh))
				continue;
			*cookie = fresh;
		}

		want = max_t(u64, FIELD_PREP(UNWIND_DEPTH, depth), state & UNWIND_DEPTH) |
		       (state & ~UNWIND_DEPTH) | set | UNWIND_COOKIE;
		if (set)
			want &= ~(UNWIND_LEAVING | UNWIND_LEFT);
		/*
		 * This is what makes the cookie count. An NMI that came in
		 * before has set UNWIND_COOKIE with a cookie of its own.
		 */
		if (atomic64_cmpxchg(&info->state, state, want) == state)
			return state & ~UNWIND_LEAVING;
	}
}

/**
 * unwind_deferred_cookie - the cookie of the current task's entry
 *
 * Names the time from an entry to the kernel to the next return to user space; execve()
 * begins another one. Requests get this cookie.
 *
 * Context: any, NMI included. An NMI in user mode has no entry of its own: it
 * gets the cookie that the next one will have.
 * Return: the cookie, never 0.
 */
u64 unwind_deferred_cookie(void)
{
	struct unwind_task_info *info = &current->unwind_info;
	u64 cookie;

	guard(preempt_notrace)();

	if (atomic64_read(&info->state) & UNWIND_COOKIE)
		return READ_ONCE(info->cookie);
	unwind_state_request(info, 0, 0, &cookie);
	return cookie;
}

/**
 * unwind_state_take - take the requests that are about to be completed
 * @info:	the current task's
 * @clients:	whose requests may be taken
 * @leaving:	flags to set at the same moment: UNWIND_LEAVING_AT(jiffies), or 0
 *
 * A request that comes in later is not among them: it is refused if @leaving, else it is
 * pending again, with the same cookie.
 *
 * Context: any, NMI included.
 * Return: whose requests were taken.
 */
u32 unwind_state_take(struct unwind_task_info *info, u32 clients, u64 leaving)
{
	s64 state = atomic64_read(&info->state);
	u64 taken, clear;

	do {
		taken = (u64)state & clients;
		/* What faulted was walked now: a later request's walk at a block may do. */
		clear = taken | UNWIND_FAULTED | (leaving ? UNWIND_LEFT : 0);
	} while (!atomic64_try_cmpxchg(&info->state, &state, (state & ~clear) | leaving));

	return taken;
}

/**
 * unwind_state_reset - forget an entry
 * @info:	the current task's
 *
 * Does nothing while a request is pending: it was made after the task had looked
 * for work for the last time, by an NMI or with interrupts disabled, and is
 * completed by the task work that its irq_work brings on, before user space runs
 * on.
 *
 * Context: interrupts disabled, not instrumentable.
 */
noinstr void unwind_state_reset(struct unwind_task_info *info)
{
	s64 state = raw_atomic64_read(&info->state);

	while (!(state & UNWIND_PENDING) && state & ~UNWIND_QUEUED &&
	       !raw_atomic64_try_cmpxchg(&info->state, &state, state & UNWIND_QUEUED))
		;
}
