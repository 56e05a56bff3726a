/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_UNWIND_DEFERRED_H
#define _LINUX_UNWIND_DEFERRED_H

#include <linux/jump_label.h>
#include <linux/sched.h>
#include <linux/unwind_compat.h>
#include <linux/unwind_deferred_types.h>
#include <linux/unwind_user.h>

struct unwind_work;

/**
 * typedef unwind_callback_t - completes a client's requests
 * @work:	the client
 * @trace:	the user stack; @nr may be 0. Valid during the call only.
 * @cookie:	what the requests of this entry were given
 *
 * Context: of the task that the request was made in, interrupts disabled, possibly with a
 * runqueue lock held: it must not sleep, wake anything up, or take a lock that is ever held
 * across a wake-up.
 */
typedef void (*unwind_callback_t)(struct unwind_work *work,
				  struct unwind_stacktrace *trace, u64 cookie);

/**
 * struct unwind_work - a client of deferred unwinding
 * @func:	its callback
 * @bit:	its bit in the tasks' state, negative when not registered
 */
struct unwind_work {
	unwind_callback_t	func;
	int			bit;
};

#ifdef CONFIG_UNWIND_USER

DECLARE_STATIC_KEY_FALSE(unwind_deferred_key);

/*
 * Exported: the modular client in the tree is tools/testing/modules/unwind_test.c.
 */
int unwind_deferred_init(struct unwind_work *work, unwind_callback_t func);
int unwind_deferred_request(struct unwind_work *work, u64 *cookie, unsigned int depth);
void unwind_deferred_cancel(struct unwind_work *work);

/* For built-in clients. */
int unwind_deferred_reserve(unsigned int depth);
void unwind_deferred_flush(struct unwind_work *work);
u64 unwind_deferred_cookie(void);

/* Hooks, for the places that they are named after. */
void unwind_deferred_fork(struct task_struct *child);
void unwind_deferred_exec(void);
void unwind_deferred_exec_done(void);
void unwind_deferred_exit(void);
void unwind_state_reset(struct unwind_task_info *info);
void __unwind_deferred_block(void);
void __unwind_deferred_signal(void);

/**
 * unwind_deferred_reset - the task is about to be in user space
 *
 * Its entry's cookie ends here.
 *
 * Nothing that can be traced may come between this and user mode: a request
 * there would be taken for one of the next entry.
 *
 * Context: last thing before user mode, interrupts disabled, not
 * instrumentable.
 */
static __always_inline void unwind_deferred_reset(void)
{
	if (unlikely(raw_atomic64_read(&current->unwind_info.state)))
		unwind_state_reset(&current->unwind_info);
}

/**
 * unwind_deferred_sched_out - current is switched out
 *
 * Behind the tracepoint and perf's software events of a switch. What samples
 * later, in the switch itself (x86_fpu_regs_deactivated), leaves its request
 * pending until the return. Requests of a task that is preempted on its way to
 * sleep are completed, too: it does no harm.
 *
 * Context: __schedule(), runqueue lock held, interrupts disabled.
 */
static __always_inline void unwind_deferred_sched_out(void)
{
	if (static_branch_unlikely(&unwind_deferred_key) &&
	    !task_is_running(current) &&
	    atomic64_read(&current->unwind_info.state))
		__unwind_deferred_block();
}

/**
 * unwind_deferred_signal - a signal's frame or sigreturn is about to replace the user registers
 *
 * Completes the requests so far. Samples from here on have another cookie: theirs is completed
 * on the way to user space, when the registers are all there.
 *
 * Context: process context, may sleep.
 */
static __always_inline void unwind_deferred_signal(void)
{
	if (static_branch_unlikely(&unwind_deferred_key))
		__unwind_deferred_signal();
}

#else /* !CONFIG_UNWIND_USER */

static inline void unwind_deferred_fork(struct task_struct *child) { }
static inline void unwind_deferred_exec(void) { }
static inline void unwind_deferred_exec_done(void) { }
static inline void unwind_deferred_exit(void) { }
static __always_inline void unwind_deferred_reset(void) { }
static __always_inline void unwind_deferred_sched_out(void) { }
static inline void unwind_deferred_signal(void) { }

#endif /* CONFIG_UNWIND_USER */

#endif /* _LINUX_UNWIND_DEFERRED_H */
