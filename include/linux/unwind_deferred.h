/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_UNWIND_DEFERRED_H
#define _LINUX_UNWIND_DEFERRED_H

#include <linux/cleanup.h>
#include <linux/jump_label.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
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
 * Context: of the task that the request was made in, possibly with a runqueue
 * lock held and interrupts disabled: it must not sleep, wake anything up, or
 * take a lock that is ever held across a wake-up.
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
 * Exported, with unwind_user_faultable(): the modular client in the tree is
 * tools/testing/modules/unwind_test.c.
 */
int unwind_deferred_init(struct unwind_work *work, unwind_callback_t func);
int unwind_deferred_request(struct unwind_work *work, u64 *cookie);
int unwind_deferred_request_depth(struct unwind_work *work, u64 *cookie,
				  unsigned int depth);
void unwind_deferred_cancel(struct unwind_work *work);

/* For built-in clients. */
int unwind_deferred_reserve(unsigned int depth);
void unwind_deferred_retire(struct unwind_work *work);
int unwind_deferred_flush(struct unwind_work *work);
u64 unwind_deferred_cookie(void);
bool unwind_deferred_cached(struct unwind_stacktrace *trace, unsigned int max);
struct pt_regs *unwind_user_regs(void);

/* Hooks, for the places that they are named after. */
void unwind_deferred_fork(struct task_struct *child);
void unwind_deferred_exec(void);
void unwind_deferred_exec_done(void);
void unwind_deferred_exit(void);
void __unwind_deferred_reset(void);
void __unwind_deferred_block(void);
void __unwind_user_regs_change(struct pt_regs *old, const struct pt_regs *regs);
void __unwind_user_regs_changed(void);

/**
 * unwind_deferred_reset - the task is about to be in user space
 *
 * What was cached about its user stack ends here, and its cookie.
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
		__unwind_deferred_reset();
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

static __always_inline void unwind_user_regs_begin(struct pt_regs *old, const struct pt_regs *regs)
{
	if (static_branch_unlikely(&unwind_deferred_key))
		__unwind_user_regs_change(old, regs);
}

static __always_inline void unwind_user_regs_end(struct pt_regs *old)
{
	if (unlikely(current->unwind_info.regs == old))
		__unwind_user_regs_changed();
}

/**
 * unwind_user_regs_change - the rest of this function replaces user registers
 * @regs:	the current task's
 *
 * For signal delivery and sigreturn. Stands behind the declarations of a
 * function; the change is over at unwind_user_regs_changed(), or when the function
 * returns. Without a client the copy of the registers is not even initialized, as
 * CONFIG_INIT_STACK_ALL_ZERO would do.
 *
 * Context: process context, may sleep.
 */
#define unwind_user_regs_change(regs)						\
	struct pt_regs unwind_old_regs						\
		__uninitialized __cleanup(unwind_user_regs_end);		\
	unwind_user_regs_begin(&unwind_old_regs, regs)

/**
 * unwind_user_regs_changed - the user registers are replaced
 *
 * For a function that goes on after that.
 *
 * Context: as unwind_user_regs_change().
 */
#define unwind_user_regs_changed()	unwind_user_regs_end(&unwind_old_regs)

#else /* !CONFIG_UNWIND_USER */

static inline int unwind_deferred_init(struct unwind_work *work,
				       unwind_callback_t func)
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
static __always_inline void unwind_deferred_sched_out(void) { }
static inline void unwind_user_regs_change(const struct pt_regs *regs) { }
static inline void unwind_user_regs_changed(void) { }

#endif /* CONFIG_UNWIND_USER */

#endif /* _LINUX_UNWIND_DEFERRED_H */
