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

/* The words at two linear addresses; @b_val may be NULL. */
static __always_inline bool read_words(unsigned int word, unsigned long a, unsigned long *a_val,
				       unsigned long b, unsigned long *b_val)
{
	void __user *p = (void __user *)a, *q = (void __user *)b;
	u32 a32, b32;

	if ((b_val && !access_ok(q, word)) || !user_read_access_begin(p, word))
		return false;
	if (word == sizeof(u32)) {
		unsafe_get_user(a32, (u32 __user *)p, fault);
		*a_val = a32;
		if (b_val) {
			unsafe_get_user(b32, (u32 __user *)q, fault);
			*b_val = b32;
		}
	} else {
		unsafe_get_user(*a_val, (unsigned long __user *)p, fault);
		if (b_val)
			unsafe_get_user(*b_val, (unsigned long __user *)q, fault);
	}
	user_read_access_end();
	return true;
fault:
	user_read_access_end();
	return false;
}

/* A word of the stack. */
static __always_inline bool read_stack(const struct unwind_user_state *s, unsigned long at,
				       unsigned long *val)
{
	return read_words(s->word, linear(s->word, s->ss_base, at), val, 0, NULL);
}

/* The return address that the program knows, of @ra at @slot. */
static __always_inline unsigned long unwind_return(const struct unwind_user_state *s,
						    unsigned long slot, unsigned long ra)
{
	ra = arch_unwind_user_ra(ra);
	return unlikely(s->tramp && ra == s->tramp) ? uretprobe_address(slot, ra) : ra;
}

/* user.c */
int unwind_find_edge(const struct unwind_user_state *s, unsigned long *ra, unsigned long *sp,
		     unsigned long *ip);

/* table_walk.c */
int unwind_walk_tables(struct unwind_stacktrace *trace, unsigned int max,
		       const struct unwind_user_state *s);

#endif /* _KERNEL_UNWIND_USER_H */
