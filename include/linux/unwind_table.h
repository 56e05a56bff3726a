/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_UNWIND_TABLE_H
#define _LINUX_UNWIND_TABLE_H

#include <linux/errno.h>
#include <linux/list.h>

struct cred;

#ifdef CONFIG_UNWIND_USER_TABLE

int unwind_table_add_user(struct hlist_head *owned, const struct cred *cred,
			  bool all_tasks, const void __user *arg);
void unwind_table_release(struct hlist_head *owned);

#else

static inline int unwind_table_add_user(struct hlist_head *owned, const struct cred *cred,
					bool all_tasks, const void __user *arg)
{
	return -ENOTTY;
}

static inline void unwind_table_release(struct hlist_head *owned) { }

#endif /* CONFIG_UNWIND_USER_TABLE */

#endif /* _LINUX_UNWIND_TABLE_H */
