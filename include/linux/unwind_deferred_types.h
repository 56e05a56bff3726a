/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_UNWIND_DEFERRED_TYPES_H
#define _LINUX_UNWIND_DEFERRED_TYPES_H

#include <linux/types.h>

struct unwind_cache;

/**
 * struct unwind_task_info - a task's part of deferred unwinding
 * @state:	everything that may change from an NMI, in one word: see
 *		kernel/unwind/internal.h. Zero when there was no request since
 *		the task came in from user space.
 * @cookie:	names this entry to the kernel; means something only while
 *		UNWIND_COOKIE is set in @state
 * @cache:	memory for walks with page faults, which the task keeps
 *		until it exits
 * @work:	completes requests before the task returns to user space
 */
struct unwind_task_info {
	atomic64_t		state;
	u64			cookie;
	struct unwind_cache	*cache;
	struct callback_head	work;
};

#endif /* _LINUX_UNWIND_DEFERRED_TYPES_H */
