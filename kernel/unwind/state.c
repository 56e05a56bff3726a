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

static DEFINE_PER_CPU(u32, unwind_counter);

/**
 * unwind_cookie_make - a cookie that no other request has
 * @cpu:	the CPU this runs on
 * @counter:	that CPU's counter; its values in use are odd
 *
 * Context: any, NMI included, preemption disabled.
 * Return: @cpu + 1 in the low half, the counter's next value in the high half:
 * never 0. The counter comes round after 2^31 cookies.
 */
u64 unwind_cookie_make(unsigned int cpu, u32 *counter)
{
	u32 old = READ_ONCE(*counter), new;

	do {
		new = (old + 1) | 1;
	} while (!try_cmpxchg(counter, &old, new));

	return (u64)new << 32 | (cpu + 1);
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

	if (state & UNWIND_REFUSED)
		return true;
	return state & UNWIND_LEAVING && FIELD_GET(UNWIND_LEFT, passed) < 2;
}

/*
 * Set @set, and UNWIND_COOKIE with a cookie if there is none; the depth is at
 * least @depth then. Return: the state before; UNWIND_LEAVING if requests in @set are
 * refused and nothing has changed.
 */
static u64 set_with_cookie(struct unwind_task_info *info, u64 set, unsigned int depth,
			   u64 *cookie)
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
			if (!fresh)
				fresh = unwind_cookie_make(smp_processor_id(),
							   this_cpu_ptr(&unwind_counter));
			if (!try_cmpxchg(&info->cookie, &stale, fresh))
				continue;
			*cookie = fresh;
		}

		want = max_t(u64, depth, FIELD_GET(UNWIND_DEPTH, state));
		want = (state & ~UNWIND_DEPTH) | FIELD_PREP(UNWIND_DEPTH, want) |
		       set | UNWIND_COOKIE;
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
 * unwind_state_cookie - the cookie of an entry, which is made if there is none
 * @info:	the current task's
 *
 * Context: any, NMI included, preemption disabled.
 * Return: the cookie.
 */
u64 unwind_state_cookie(struct unwind_task_info *info)
{
	u64 cookie;

	if (atomic64_read(&info->state) & UNWIND_COOKIE)
		return READ_ONCE(info->cookie);
	set_with_cookie(info, 0, 0, &cookie);
	return cookie;
}

/**
 * unwind_state_request - note a request
 * @info:	the current task's
 * @bit:	the client's
 * @depth:	how many entries are wanted, at most UNWIND_DEPTH_MAX
 * @cookie:	set to the entry's cookie, which is made if there is none; left
 *		alone if the request is refused
 *
 * Context: any, NMI included, preemption disabled.
 * Return: the state before; UNWIND_LEAVING if the request is refused and
 * nothing has changed. Else the caller must queue the task work if it lacks
 * UNWIND_QUEUED.
 */
u64 unwind_state_request(struct unwind_task_info *info, unsigned int bit,
			 unsigned int depth, u64 *cookie)
{
	return set_with_cookie(info, BIT_ULL(bit) | UNWIND_QUEUED, depth, cookie);
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
		clear = taken | UNWIND_FAULTED;
		if (leaving)
			clear |= UNWIND_LEFT;
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
