/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_ARM64_UNWIND_USER_H
#define _ASM_ARM64_UNWIND_USER_H

#include <linux/compat.h>
#include <linux/elf.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>
#include <linux/unwind_user_types.h>
#include <linux/uprobes.h>
#include <asm/debug-monitors.h>
#include <asm/pointer_auth.h>
#include <asm/ucontext.h>
#include <asm/vdso.h>

/* For unwind tables: the machine, and DWARF's numbers of registers; the ip has none. */
#define ARCH_UNWIND_USER_EM		EM_AARCH64
#define ARCH_UNWIND_USER_FP		29
#define ARCH_UNWIND_USER_SP		31
#define ARCH_UNWIND_USER_IP		32
#define ARCH_UNWIND_USER_REGS		32

/* A call leaves the return address in a register, and a leaf needs no stack. */
#define ARCH_UNWIND_USER_LINK_REGISTER	1

/**
 * arch_unwind_user_ra - a return address without its signature
 * @ra:	what a stack or register has
 *
 * Functions sign it with pointer authentication. Bit 55 tells user space from the kernel
 * and is not part of the signature.
 *
 * Context: any.
 */
static __always_inline unsigned long arch_unwind_user_ra(unsigned long ra)
{
	return ra & ~ptrauth_user_pac_mask();
}

/**
 * arch_unwind_user_start - set up a walk of the current task's user stack
 * @state:	where the walk begins, filled in
 * @regs:	user registers
 *
 * Context: any, NMI included.
 * Return: false if this is no stack that can be walked.
 */
static inline bool arch_unwind_user_start(struct unwind_user_state *state,
					  struct pt_regs *regs)
{
	if (compat_user_mode(regs))
		return false;

	*state = (struct unwind_user_state){
		.ip = regs->pc,
		.sp = regs->sp,
		.fp = regs->regs[29],
		.lr = arch_unwind_user_ra(regs->regs[30]),
		.word = sizeof(u64),
	};
	return true;
}

/**
 * arch_unwind_user_supports - can the current task's user stack be walked at all?
 *
 * Not those of 32-bit tasks.
 *
 * Context: any, NMI included.
 */
static inline bool arch_unwind_user_supports(void)
{
	return !is_compat_task();
}

/**
 * arch_unwind_user_regs_unsaved - was this NMI too early for task_pt_regs()?
 * @regs:	kernel registers that an NMI interrupted
 *
 * NMIs are masked until the entry code has saved the registers.
 *
 * Context: NMI.
 */
static inline bool arch_unwind_user_regs_unsaved(struct pt_regs *regs)
{
	return false;
}

/**
 * arch_unwind_user_vdso - where the current task has the 64-bit vDSO
 * @size:	set to its size in bytes, 0 if it has none
 *
 * Context: any, NMI included. The current task has an mm.
 * Return: the address.
 */
static inline unsigned long arch_unwind_user_vdso(unsigned long *size)
{
	unsigned long vdso = (unsigned long)READ_ONCE(current->mm->context.vdso);

	*size = vdso && !is_compat_task() ? vdso_end - vdso_start : 0;
	return vdso;
}

/**
 * arch_unwind_user_reg - a user register by its DWARF number
 * @regs:	all user registers
 * @reg:	0 to 31
 *
 * Context: any.
 */
static inline unsigned long arch_unwind_user_reg(const struct pt_regs *regs, unsigned int reg)
{
	BUILD_BUG_ON(offsetof(struct pt_regs, sp) != ARCH_UNWIND_USER_SP * sizeof(u64));

	return ((const u64 *)regs)[reg & 31];
}

/**
 * arch_unwind_user_saved - where a signal frame has a register
 * @reg:	its DWARF number, 0 to 31, or 32 for the ip
 *
 * Return: the offset in struct ucontext.
 */
static inline unsigned int arch_unwind_user_saved(unsigned int reg)
{
	BUILD_BUG_ON(offsetof(struct sigcontext, sp) !=
		     offsetof(struct sigcontext, regs) + ARCH_UNWIND_USER_SP * sizeof(u64));
	BUILD_BUG_ON(offsetof(struct sigcontext, pc) !=
		     offsetof(struct sigcontext, regs) + ARCH_UNWIND_USER_IP * sizeof(u64));

	return offsetof(struct ucontext, uc_mcontext.regs) + min(reg, 32U) * sizeof(u64);
}

/**
 * arch_unwind_user_is_return - does a uretprobe's instance belong to a frame?
 * @stack:	the stack pointer when the probed function was entered
 * @slot:	the address of the frame's return address, or of the word below the stack
 *		pointer of a leaf
 *
 * Where in its frame a function stores the return address is its own choice. The first
 * instance for which this is true, of the innermost one on, is that of the frame.
 */
static inline bool arch_unwind_user_is_return(unsigned long stack, unsigned long slot)
{
	return stack > slot;
}

/* How many instructions are looked at, at most, to tell a leaf from other functions. */
#define ARM64_UNWIND_USER_SCAN	64

/* A load (stp: store) of a pair of registers, one of them lr, by sp. */
static inline bool arm64_insn_is_pair_of_lr(u32 insn, bool load)
{
	return (insn & 0xfe0003e0) == 0xa80003e0 && !!(insn & BIT(22)) == load &&
	       ((insn & 31) == 30 || (insn >> 10 & 31) == 30);
}

static inline bool arm64_insn_stores_lr(u32 insn)
{
	return arm64_insn_is_pair_of_lr(insn, false) ||
	       (insn & 0xffe00fff) == 0xf8000ffe ||	/* str x30, [sp, #imm]! */
	       (insn & 0xffc003ff) == 0xf90003fe;	/* str x30, [sp, #imm] */
}

static inline bool arm64_insn_loads_lr(u32 insn)
{
	return arm64_insn_is_pair_of_lr(insn, true) ||
	       (insn & 0xffe00fff) == 0xf84007fe ||	/* ldr x30, [sp], #imm */
	       (insn & 0xffc003ff) == 0xf94003fe;	/* ldr x30, [sp, #imm] */
}

static __always_inline bool arm64_read_word(unsigned long at, u32 *insn)
{
	__le32 __user *p = (__le32 __user *)at;
	__le32 val;

	if (!user_read_access_begin(p, sizeof(val)))
		return false;
	unsafe_get_user(val, p, fault);
	user_read_access_end();
	*insn = le32_to_cpu(val);
	return true;
fault:
	user_read_access_end();
	return false;
}

/* The instruction at @at; one that a uprobe's breakpoint stands for. */
static __always_inline bool arm64_read_insn(const struct unwind_user_state *s, unsigned long at,
					    u32 *insn)
{
	if (!arm64_read_word(at, insn))
		return false;
#ifdef CONFIG_UPROBES
	/* While its handlers run, and while a copy is executed out of line. */
	if (unlikely(*insn == BRK64_OPCODE_UPROBES && at == s->ip && current->utask)) {
		struct arch_uprobe *auprobe = READ_ONCE(current->utask->auprobe);

		if (auprobe)
			*insn = le32_to_cpu(auprobe->insn);
		else if (s->xol)
			return arm64_read_word(s->xol, insn);
	}
#endif
	return true;
}

/**
 * arch_unwind_user_edge - is the caller's return address still, or again, in lr?
 * @s:		where the walk begins
 * @record:	set to where on the stack lr has just been stored with the frame pointer, before
 *		that points there: UNWIND_EDGE_FP_PUSHED
 *
 * Compilers keep a frame pointer in all functions but leaves. The code ahead tells: a leaf
 * returns without a call and without loading lr; in a prologue lr will be stored; and in a
 * tail call lr is the caller's in the next function, too. A loop, or a function that is longer
 * than what is looked at, is taken for one with a frame.
 *
 * Context: that of the walk.
 * Return: where the return address is.
 */
static inline enum unwind_user_edge
arch_unwind_user_edge(const struct unwind_user_state *s, unsigned long *record)
{
	unsigned long at = s->ip;
	unsigned int i;
	u32 insn;

	for (i = 0; i < ARM64_UNWIND_USER_SCAN; i++, at += sizeof(insn)) {
		if (!arm64_read_insn(s, at, &insn))
			return UNWIND_EDGE_NONE;
		if ((insn & 0x1c000000) == 0x14000000) {		/* branches */
			if (insn == 0xd65f03c0 ||			/* ret */
			    (insn & 0xfffffbff) == 0xd65f0bff ||	/* retaa, retab */
			    (insn & 0xffffffdf) == 0xd61f0200)		/* br x16, br x17 */
				return UNWIND_EDGE_RA_IN_LR;
			if ((insn & 0xfc000000) == 0x94000000 ||	/* bl */
			    (insn & 0xfeff0000) == 0xd63f0000 ||	/* blr */
			    (insn & 0xfeff0000) == 0xd61f0000 ||	/* br */
			    (insn & 0xffe0001f) == 0xd4200000)		/* brk */
				return UNWIND_EDGE_NONE;
			if ((insn & 0xfc000000) == 0x14000000)		/* b */
				at += sign_extend64(insn & 0x3ffffff, 25) * sizeof(insn) -
				      sizeof(insn);
		} else if ((insn & 0x0a0003e0) == 0x080003e0) {		/* memory, by sp */
			if (arm64_insn_stores_lr(insn))
				return UNWIND_EDGE_RA_IN_LR;
			if (arm64_insn_loads_lr(insn))
				return UNWIND_EDGE_NONE;
		} else if ((insn & 0xffc003ff) == 0x910003fd) {		/* add x29, sp, #imm */
			*record = s->sp + (insn >> 10 & 0xfff);
			return UNWIND_EDGE_FP_PUSHED;
		} else if (!(insn >> 16)) {				/* udf */
			return UNWIND_EDGE_NONE;
		}
	}
	return UNWIND_EDGE_NONE;
}

#endif /* _ASM_ARM64_UNWIND_USER_H */
