/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_UNWIND_USER_H
#define _LINUX_UNWIND_USER_H

#include <linux/unwind_user_types.h>

struct pt_regs;

/* The depth of a trace unless a request has another one. */
#define UNWIND_USER_DEPTH	127

#ifdef CONFIG_UNWIND_USER

int unwind_user_walk(struct unwind_stacktrace *trace, unsigned int max,
		     struct pt_regs *regs, enum unwind_walk how);

#else

static inline int unwind_user_walk(struct unwind_stacktrace *trace,
				   unsigned int max, struct pt_regs *regs,
				   enum unwind_walk how)
{
	return -EINVAL;
}

#endif /* CONFIG_UNWIND_USER */

#endif /* _LINUX_UNWIND_USER_H */
