/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_UNWIND_TABLE_H
#define _LINUX_UNWIND_TABLE_H

#include <linux/errno.h>
#include <linux/jump_label.h>
#include <linux/list.h>

struct perf_callchain_entry_ctx;
struct pt_regs;

#ifdef CONFIG_UNWIND_USER_TABLE

int unwind_table_add_user(struct hlist_head *owned, const void __user *arg);
void unwind_table_release(struct hlist_head *owned);

unsigned int __unwind_plain(unsigned long *entries, unsigned int max, struct pt_regs *regs);
bool __perf_callchain_tables(struct perf_callchain_entry_ctx *ctx, struct pt_regs *regs);

DECLARE_STATIC_KEY_FALSE(unwind_table_key);

/* Is there any table? */
static __always_inline bool unwind_tables_used(void)
{
	return static_branch_unlikely(&unwind_table_key);
}

/**
 * unwind_plain - walk the current task's user stack by unwind tables, at once
 * @entries:	receives user addresses, innermost first
 * @max:	how many entries fit
 * @regs:	user registers to begin from
 *
 * Hook of a caller that walks by frame pointers. Costs nothing while no table is registered.
 *
 * Context: any, NMI included; not in a guest.
 * Return: number of entries; 0 if there is none, or the code is not 64-bit: walk by frame pointers.
 */
static __always_inline unsigned int unwind_plain(unsigned long *entries, unsigned int max,
						 struct pt_regs *regs)
{
	return unwind_tables_used() ? __unwind_plain(entries, max, regs) : 0;
}

/**
 * perf_callchain_tables - the same for the user part of a perf callchain
 * @ctx:	the callchain so far; extended
 * @regs:	user registers
 *
 * Context: any, NMI included.
 * Return: whether it was taken.
 */
static __always_inline bool perf_callchain_tables(struct perf_callchain_entry_ctx *ctx,
						  struct pt_regs *regs)
{
	return unwind_tables_used() && __perf_callchain_tables(ctx, regs);
}

#else

static inline int unwind_table_add_user(struct hlist_head *owned, const void __user *arg)
{
	return -ENOTTY;
}

static inline void unwind_table_release(struct hlist_head *owned) { }

static inline bool unwind_tables_used(void)
{
	return false;
}

static inline unsigned int unwind_plain(unsigned long *entries, unsigned int max,
					struct pt_regs *regs)
{
	return 0;
}

static inline bool perf_callchain_tables(struct perf_callchain_entry_ctx *ctx,
					 struct pt_regs *regs)
{
	return false;
}

#endif /* CONFIG_UNWIND_USER_TABLE */

#endif /* _LINUX_UNWIND_TABLE_H */
