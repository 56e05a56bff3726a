// SPDX-License-Identifier: GPL-2.0
/*
 * Walks the current task's user stack by frame pointers, where there is no unwind
 * table for the code (table_walk.c).
 *
 * The stack belongs to user space, which may put anything there and change it
 * while it is walked. The first frame must not lie below the stack pointer, and
 * each other one above the one before, so that a walk ends whatever it finds.
 * Code without frame pointers uses the register for data: a walk that began
 * below the stack pointer would read, and fault in, memory of other purposes.
 *
 * All that is stored is addresses of user space, so that a reader can tell them
 * from what the kernel adds, such as perf's context markers.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/unwind_user.h>
#include <linux/uprobes.h>

#include <asm/tlb.h>

#include "internal.h"
#include "table.h"
#include "user.h"

/* Begin where the program is, in place of what uprobes made of it. */
static void leave_uprobes(struct unwind_user_state *s)
{
#ifdef CONFIG_UPROBES
	struct uprobe_task *utask = current->utask;

	if (likely(!utask))
		return;
	/* A copy of the probed instruction is executed, in a page of the kernel's making. */
	if (utask->active_uprobe && utask->xol_vaddr == s->ip) {
		s->xol = s->ip;
		s->ip = utask->vaddr;
	}
	if (!READ_ONCE(utask->return_instances))
		return;
	s->tramp = uprobe_get_trampoline_vaddr();
	/* It just returned to the trampoline: its slot is right below. */
	if (s->ip == s->tramp)
		s->ip = uretprobe_address(s->sp - s->word, s->ip);
#endif
}

#if !ARCH_UNWIND_USER_LINK_REGISTER

/* Code at @ip and the byte in front; 0 in place of what is beyond the edge of its mapping. */
static void read_code(unsigned long ip, u64 *code, u8 *prev)
{
	u8 __user *p = (u8 __user *)ip;

	*code = *prev = 0;
	if (!access_ok(p - 1, 1 + sizeof(*code)))
		return;
	/* A copy stops at the first byte that cannot be read. */
	if (__copy_from_user_inatomic(prev, p - 1, 1))
		*prev = 0;
	if (__copy_from_user_inatomic(code, p, sizeof(*code)) == sizeof(*code))
		*code = 0;
}

/* The return address, and where on the stack it is: 0 if the frame pointer leads to it. */
static int find_return(const struct unwind_user_state *s, unsigned long *slot,
		       unsigned long *ra, unsigned long *ip)
{
	enum unwind_user_edge edge = UNWIND_EDGE_RA_AT_SP;
	unsigned long saved;
	bool probed = false, syscall;
	u8 prev, before;
	u64 code;

	*slot = 0;
	if (!s->edge) {
		read_code(s->ip, &code, &prev);
		edge = arch_unwind_user_edge(code, prev, s->word);
		/* No prologue is behind a system call instruction. A signal may have left it. */
		syscall = s->syscall && arch_unwind_user_ends_syscall(prev);
		if (syscall && !arch_unwind_user_is_ret(code))
			return 0;
		/* A breakpoint covers what a uprobe is on; the copy shows it. */
		if (!syscall && edge == UNWIND_EDGE_NONE && s->xol) {
			read_code(s->xol, &code, &before);
			if (arch_unwind_user_is_ret(code))
				edge = UNWIND_EDGE_RA_AT_SP;
		}
		/*
		 * The kernel does a push with a uprobe on it in the task's stead, on
		 * the way back to user space. What the task was stopped at is the push,
		 * whatever comes behind it.
		 */
		probed = !syscall && s->faultable && arch_unwind_user_is_probe(prev);
	}
	if (edge == UNWIND_EDGE_RA_AT_SP) {
		*slot = s->sp;
	} else if (edge == UNWIND_EDGE_FP_PUSHED || probed) {
		if (!read_stack(s, s->sp, &saved))
			return -EFAULT;
		if (saved != s->fp)
			return 0;
		*slot = s->sp + s->word;
		if (probed)
			(*ip)--;
	}
	return *slot && !read_stack(s, *slot, ra) ? -EFAULT : 0;
}

#else

/* A leaf stores nothing: its word below the stack pointer stands for the slot. */
static int find_return(const struct unwind_user_state *s, unsigned long *slot,
		       unsigned long *ra, unsigned long *ip)
{
	unsigned long record, fp;

	*slot = 0;
	switch (arch_unwind_user_edge(s, &record)) {
	case UNWIND_EDGE_RA_IN_LR:
		*slot = s->sp - s->word;
		*ra = s->lr;
		break;
	case UNWIND_EDGE_FP_PUSHED:
		if (!read_words(s->word, record, &fp, record + s->word, ra))
			return -EFAULT;
		if (fp == s->fp)
			*slot = record + s->word;
		break;
	default:
		break;
	}
	return 0;
}

#endif

/**
 * unwind_find_edge - did the task stop at the edge of a function?
 * @s:		where the walk begins
 * @ra:		set to the return address, 0 if the frame pointer leads to it
 * @sp:		set to an address that the caller's frame is not below
 * @ip:		the ip to be reported, which changes if a uprobe's instruction was
 *		carried out meanwhile
 *
 * At a function's first instructions and at its last one the frame pointer
 * still is, or again is, the caller's: the walk would miss the caller. It does
 * so all through a function that uses no frame pointer, of which only the last
 * instruction can be recognized; on machines with a link register, all of a leaf.
 *
 * Context: that of the walk.
 * Return: 0, -EFAULT if the stack could not be read.
 */
int unwind_find_edge(const struct unwind_user_state *s, unsigned long *ra, unsigned long *sp,
		     unsigned long *ip)
{
	unsigned long slot, val;

	*ra = 0;
	*sp = s->sp;
	if (find_return(s, &slot, &val, ip))
		return -EFAULT;
	if (!slot)
		return 0;
	*sp = slot + s->word;
	val = linear(s->word, s->cs_base, unwind_return(s, slot, val));
	/* An address that is none: the code only looked like an edge. */
	if (val < s->limit)
		*ra = val;
	return 0;
}

/* @word is @s->word: once for each size, so that the loop has no branches for it. */
static __always_inline int walk_frames(struct unwind_stacktrace *trace, unsigned int max,
				       const struct unwind_user_state *s,
				       const unsigned int word)
{
	unsigned long low = s->sp, fp = s->fp, frame, next, ra = 0;

	/* Without an ip in user space there is no code to look at. */
	if (trace->nr && unwind_find_edge(s, &ra, &low, &trace->entries[0]))
		return -EFAULT;
	if (ra && trace->nr < max)
		trace->entries[trace->nr++] = ra;

	while (trace->nr < max) {
		/* the outermost frame's is 0, as the ABI wants it */
		if (fp < PAGE_SIZE)
			return 0;
		/* misaligned, downward, a loop: no frame */
		if (fp < low || fp & (word - 1))
			return 0;
		/* the caller's frame pointer, then the return address; nothing beyond user space */
		frame = linear(word, s->ss_base, fp);
		if (!read_words(word, frame, &next, frame + word, &ra))
			return access_ok((void __user *)frame, 2 * word) ? -EFAULT : 0;
		ra = unwind_return(s, fp + word, ra);
		if (!ra)
			return 0;
		/* not code, nor an address that a tool could take for a marker */
		ra = linear(word, s->cs_base, ra);
		if (ra >= s->limit)
			return 0;

		trace->entries[trace->nr++] = ra;
		low = fp + 2 * word;
		fp = next;
	}
	return 0;
}

/*
 * Behind the system call of a uretprobe's trampoline: the walk begins at the caller
 * of the probed function, to which the trampoline's last instructions lead.
 */
static int leave_trampoline(struct unwind_stacktrace *trace, struct unwind_user_state *s)
{
#if defined(CONFIG_UPROBES) && defined(ARCH_UNWIND_USER_TRAMPOLINE_WORDS)
	const unsigned int below = ARCH_UNWIND_USER_TRAMPOLINE_WORDS * sizeof(u64);
	unsigned long ra;
	u64 code;
	u8 prev;

	if (s->word != sizeof(u64) ||
	    s->ip - uprobe_get_trampoline_vaddr() >= UPROBE_XOL_SLOT_BYTES)
		return 0;
	read_code(s->ip, &code, &prev);
	if (!arch_unwind_user_leaves_trampoline(code))
		return 0;
	if (!read_stack(s, s->sp + below, &ra))
		return -EFAULT;
	if (ra >= s->limit)
		return 0;
	s->sp += below + sizeof(u64);
	s->ip = ra;
	trace->entries[0] = ra;
#endif
	return 0;
}

static int walk(struct unwind_stacktrace *trace, unsigned int max, struct unwind_user_state *s)
{
	if (unlikely(has_uprobes()) && leave_trampoline(trace, s))
		return -EFAULT;
	if (s->word == sizeof(u32))
		return walk_frames(trace, max, s, sizeof(u32));
	if (unwind_tables_used())
		return unwind_walk_tables(trace, max, s);
	return walk_frames(trace, max, s, sizeof(u64));
}

/**
 * unwind_user_walk - walk the current task's user stack
 * @trace:	@entries is where to store to, the others are set. An ip that is no
 *		address of user space is left out.
 * @max:	how many entries fit
 * @regs:	user registers to begin from
 * @how:	what the walk may do
 *
 * Context: any, NMI included; with UNWIND_WALK_FAULTABLE process context that may
 * sleep and holds no mmap_lock.
 * Return: 0 if the walk came to its end or to @max; -EFAULT if a frame could
 * not be read (@trace then has the frames below it), or if the registers are not those of the
 * stack: in execve() between the two images, while a signal changes them (@trace is empty);
 * -EINVAL if this is no stack that can be walked (@trace is empty).
 */
int unwind_user_walk(struct unwind_stacktrace *trace, unsigned int max,
		     struct pt_regs *regs, enum unwind_walk how)
{
	struct unwind_user_state s;
	int ret;

	trace->nr = 0;
	trace->whole = false;
	if (!max || !current->mm || !arch_unwind_user_start(&s, regs))
		return -EINVAL;
	if (atomic64_read(&current->unwind_info.state) & (UNWIND_EXEC | UNWIND_SIGNAL))
		return -EFAULT;

	s.faultable = how == UNWIND_WALK_FAULTABLE;
	s.regs = regs;
	s.limit = TASK_SIZE;
	s.tramp = 0;
	s.xol = 0;
	leave_uprobes(&s);
	/* A program can jump, or return, out of user space. */
	if (likely(s.ip < s.limit))
		trace->entries[trace->nr++] = s.ip;

	if (s.faultable) {
		might_fault();
		return walk(trace, max, &s);
	}

	/* In the middle of a change of mm the task's memory is out of reach. */
	if (!nmi_uaccess_okay())
		return -EFAULT;

	pagefault_disable();
	ret = walk(trace, max, &s);
	pagefault_enable();
	if (ret)
		unwind_stat_inc(UNWIND_FAULTS);
	return ret;
}
