/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_UNWIND_DEFERRED_H
#define _LINUX_UNWIND_DEFERRED_H

#include <linux/jump_label.h>
#include <linux/sched.h>
#include <linux/unwind_deferred_types.h>
#include <linux/unwind_user.h>

struct unwind_work;

/**
 * typedef unwind_callback_t - answers a client's requests
 * @work:	the client
 * @trace:	the user stack; @nr may be 0. Valid during the call only.
 * @cookie:	what the requests of this stay were given
 *
 * Context: of the task that the request was made in. Without
 * UNWIND_CLIENT_SLEEPS possibly with a runqueue lock held and interrupts
 * disabled: it must not sleep, wake anything up, or take a lock that is ever
 * held across a wake-up.
 */
typedef void (*unwind_callback_t)(struct unwind_work *work,
				  struct unwind_stacktrace *trace, u64 cookie);

/*
 * The callback may sleep. Such a client is answered at return to user space,
 * exec and exit, not when the task blocks.
 */
#define UNWIND_CLIENT_SLEEPS	0x1

/**
 * struct unwind_work - a client of deferred unwinding
 * @func:	its callback
 * @bit:	its bit in the tasks' state, negative when not registered
 * @flags:	UNWIND_CLIENT_*
 */
struct unwind_work {
	unwind_callback_t	func;
	int			bit;
	unsigned int		flags;
};

#ifdef CONFIG_UNWIND_USER

DECLARE_STATIC_KEY_FALSE(unwind_deferred_key);

int unwind_deferred_init(struct unwind_work *work, unwind_callback_t func);
int unwind_deferred_init_flags(struct unwind_work *work, unwind_callback_t func,
			       unsigned int flags);
int unwind_deferred_reserve(unsigned int depth);
int unwind_deferred_request(struct unwind_work *work, u64 *cookie);
int unwind_deferred_request_depth(struct unwind_work *work, u64 *cookie,
				  unsigned int depth);
void unwind_deferred_cancel(struct unwind_work *work);
int unwind_deferred_flush(struct unwind_work *work);
bool unwind_deferred_stay_begin(void);
bool unwind_deferred_regs_stale(void);

/* Hooks, for the places that they are named after. */
void unwind_deferred_fork(struct task_struct *child);
void unwind_deferred_exec(void);
void unwind_deferred_exec_done(void);
void unwind_deferred_exit(void);
void __unwind_deferred_reset(void);
void __unwind_deferred_block(void);

/**
 * unwind_deferred_reset - the task is about to be in user space
 *
 * What was cached about its user stack ends here, and its cookie.
 *
 * Context: last thing before user mode, interrupts disabled.
 */
static __always_inline void unwind_deferred_reset(void)
{
	if (unlikely(atomic64_read(&current->unwind_info.state)))
		__unwind_deferred_reset();
}

/**
 * unwind_deferred_sched_out - current is switched out
 * @preempt:	it was preempted, it did not ask to
 * @state:	its task state as the scheduler saw it: 0 is runnable
 *
 * Context: __schedule(), runqueue lock held, interrupts disabled.
 */
static __always_inline void unwind_deferred_sched_out(bool preempt,
						      unsigned long state)
{
	if (static_branch_unlikely(&unwind_deferred_key) && !preempt && state &&
	    atomic64_read(&current->unwind_info.state))
		__unwind_deferred_block();
}

#else /* !CONFIG_UNWIND_USER */

static inline int unwind_deferred_init(struct unwind_work *work,
				       unwind_callback_t func)
{
	return -EOPNOTSUPP;
}

static inline int unwind_deferred_reserve(unsigned int depth)
{
	return -EOPNOTSUPP;
}

static inline int unwind_deferred_request(struct unwind_work *work, u64 *cookie)
{
	return -EOPNOTSUPP;
}

static inline void unwind_deferred_cancel(struct unwind_work *work) { }
static inline void unwind_deferred_fork(struct task_struct *child) { }
static inline void unwind_deferred_exec(void) { }
static inline void unwind_deferred_exec_done(void) { }
static inline void unwind_deferred_exit(void) { }
static __always_inline void unwind_deferred_reset(void) { }
static __always_inline void unwind_deferred_sched_out(bool preempt,
						      unsigned long state) { }

#endif /* CONFIG_UNWIND_USER */

#endif /* _LINUX_UNWIND_DEFERRED_H */
