/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_UNWIND_USER_H
#define _KERNEL_UNWIND_USER_H

#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/unwind_user_types.h>
#include <linux/uprobes.h>

#include <asm/unwind_user.h>

/* Has the current task met a uprobe? */
static inline bool has_uprobes(void)
{
#ifdef CONFIG_UPROBES
	return current->utask;
#else
	return false;
#endif
}

/*
 * The address that a uretprobe took away from the frame with its return address at
 * @slot. Chained instances share a slot and an address; instances that longjmp() left
 * behind are below it.
 */
static inline unsigned long uretprobe_address(unsigned long slot, unsigned long ra)
{
#ifdef CONFIG_UPROBES
	struct return_instance *ri;

	for (ri = READ_ONCE(current->utask->return_instances); ri; ri = ri->next) {
		if (arch_unwind_user_is_return(ri->stack, slot))
			return ri->orig_ret_vaddr;
	}
#endif
	return ra;
}

/* 32-bit code adds segment bases modulo 2^32; in 64-bit code they are 0. */
static __always_inline unsigned long linear(unsigned int word, unsigned long base,
					    unsigned long offset)
{
	return word == sizeof(u32) ? (u32)(base + offset) : offset;
}

/* A word of the stack. */
static __always_inline int read_word(const struct unwind_user_state *s,
				     unsigned long at, unsigned long *val)
{
	void __user *p = (void __user *)linear(s->word, s->ss_base, at);
	unsigned long v64;
	u32 v32;

	if (!user_read_access_begin(p, s->word))
		return -EFAULT;
	if (s->word == sizeof(u32)) {
		unsafe_get_user(v32, (u32 __user *)p, fault);
		v64 = v32;
	} else {
		unsafe_get_user(v64, (unsigned long __user *)p, fault);
	}
	user_read_access_end();
	*val = v64;
	return 0;
fault:
	user_read_access_end();
	return -EFAULT;
}

struct pt_regs;

/* user.c */
int unwind_find_edge(const struct unwind_user_state *s, unsigned long tramp, unsigned long limit,
		     unsigned long *ra, unsigned long *sp, unsigned long *ip);

/* table_walk.c */
int unwind_walk_tables(struct unwind_stacktrace *trace, unsigned int max,
		       const struct unwind_user_state *s, const struct pt_regs *regs,
		       unsigned long tramp, unsigned long limit, bool faultable);

#endif /* _KERNEL_UNWIND_USER_H */
