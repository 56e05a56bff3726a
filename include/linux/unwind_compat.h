/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of deferred unwinding, unwind tables and perf's client use of 6.12 and
 * an older kernel lacks, or has under another name.
 */
#ifndef _LINUX_UNWIND_COMPAT_H
#define _LINUX_UNWIND_COMPAT_H

#include <linux/version.h>

/* Until 6.12.111 the size, type and flags are the caller's to set. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 112)
#define perf_event_header__init(header, data, header_type, header_misc, header_size, event)	\
	do {											\
		(header)->type = (header_type);							\
		(header)->misc = (header_misc);							\
		(header)->size = (header_size);							\
		perf_event_header__init_id(header, data, event);				\
	} while (0)
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)

#define UNWIND_SYSCTL_END

#else

#include <linux/atomic.h>
#include <linux/sched.h>

#define raw_atomic64_read		arch_atomic64_read
#define raw_atomic64_try_cmpxchg	arch_atomic64_try_cmpxchg

/* The end of a table of sysctls, whose length nobody counts. */
#define UNWIND_SYSCTL_END		{ }

static inline bool is_user_task(struct task_struct *task)
{
	return task->mm && !(task->flags & (PF_KTHREAD | PF_IO_WORKER));
}

#endif

#endif /* _LINUX_UNWIND_COMPAT_H */
