/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_X86_UNWIND_USER_H
#define _ASM_X86_UNWIND_USER_H

#include <linux/elf.h>
#include <linux/irqflags.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <linux/unwind_user_types.h>
#include <linux/uprobes.h>
#include <asm/cpu_entry_area.h>
#include <asm/perf_event.h>
#include <asm/processor-flags.h>
#include <asm/sections.h>
#include <asm/sigframe.h>
#include <asm/stacktrace.h>
#include <asm/vdso.h>
#ifdef CONFIG_X86_FRED
#include <asm/fred.h>
#endif

/* For unwind tables: the machine, and DWARF's numbers of registers. */
#define ARCH_UNWIND_USER_EM		EM_X86_64
#define ARCH_UNWIND_USER_FP		6
#define ARCH_UNWIND_USER_SP		7
#define ARCH_UNWIND_USER_IP		16
#define ARCH_UNWIND_USER_REGS		16

/* A call pushes the return address. */
#define ARCH_UNWIND_USER_LINK_REGISTER	0

/**
 * arch_unwind_user_ra - a return address without its signature, which there is not
 * @ra:	what the stack has
 *
 * Context: any.
 */
static __always_inline unsigned long arch_unwind_user_ra(unsigned long ra)
{
	return ra;
}

/**
 * arch_unwind_user_supports - can the current task's user stack be walked at all?
 *
 * Context: any, NMI included.
 */
static inline bool arch_unwind_user_supports(void)
{
	return true;
}

/**
 * arch_unwind_user_is_return - does a uretprobe's instance belong to a frame?
 * @stack:	the stack pointer when the probed function was entered
 * @slot:	the address of the frame's return address
 */
static inline bool arch_unwind_user_is_return(unsigned long stack, unsigned long slot)
{
	return stack == slot;
}

/**
 * arch_unwind_user_is_ret - is this a near return?
 * @code:	the code bytes at the ip, the first one lowest
 *
 * With an operand or without. repz ret and bnd ret are a prefix and a ret.
 */
static inline bool arch_unwind_user_is_ret(u64 code)
{
	if ((u8)code == 0xf3 || (u8)code == 0xf2)
		code >>= 8;
	return (u8)code == 0xc3 || (u8)code == 0xc2;
}

/* The handlers of a uprobe run, and the probed instruction is a ret. */
static inline bool x86_uprobe_at_ret(void)
{
#ifdef CONFIG_UPROBES
	struct uprobe_task *utask = current->utask;
	u64 code;

	if (utask && utask->auprobe) {
		memcpy(&code, utask->auprobe->insn, sizeof(code));
		return arch_unwind_user_is_ret(code);
	}
#endif
	return false;
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
	unsigned long flags;

	/* vm86: 16-bit code */
	if (regs->flags & (X86_VM_MASK | PERF_EFLAGS_VM))
		return false;

	state->ip = regs->ip;
	state->sp = regs->sp;
	state->fp = regs->bp;
	state->cs_base = 0;
	state->ss_base = 0;
	state->word = sizeof(u64);

	if (!user_64bit_mode(regs)) {
		/* A local descriptor table may go when interrupts are enabled. */
		local_irq_save(flags);
		state->cs_base = perf_segment_base(regs->cs);
		state->ss_base = perf_segment_base(regs->ss);
		local_irq_restore(flags);
		/* 64-bit code, sigreturn and ptrace() may leave more there. */
		state->ip = (u32)(state->cs_base + regs->ip);
		state->sp = (u32)regs->sp;
		state->fp = (u32)regs->bp;
		state->word = sizeof(u32);
	}

	state->edge = perf_uprobe_at_func_entry(regs) || x86_uprobe_at_ret();
	state->syscall = (long)regs->orig_ax >= 0;
	return true;
}

/*
 * FRED's entry from user mode: the processor stores ip and sp, the code here pushes the other
 * registers. It is in no section of its own; the entry from kernel mode follows.
 */
static inline bool x86_ip_in_fred_entry(unsigned long ip)
{
#ifdef CONFIG_X86_FRED
	return ip >= (unsigned long)asm_fred_entrypoint_user &&
	       ip < (unsigned long)asm_fred_entrypoint_kernel;
#else
	return false;
#endif
}

/* The stacks of #DB, #MC and #VC, which follow that of NMIs. From user mode nothing stays there. */
static inline bool x86_on_exception_stack(unsigned long sp)
{
	return sp - __this_cpu_ist_bottom_va(DB) <
	       sizeof(struct cea_exception_stacks) - CEA_ESTACK_OFFS(DB);
}

/**
 * arch_unwind_user_regs_unsaved - was this NMI too early for task_pt_regs()?
 * @regs:	kernel registers that an NMI interrupted
 *
 * At the beginning of the entry code the user registers are not where
 * task_pt_regs() looks for them yet: what is there is of an earlier entry. An
 * exception from user mode begins on the entry stack, or on one of its own, and
 * copies them (C code, so the ip alone does not tell); a system call stores them
 * on the task's stack, in entry text. The end of the way out is entry text, too,
 * and is taken for the same.
 *
 * Context: NMI.
 */
static inline bool arch_unwind_user_regs_unsaved(struct pt_regs *regs)
{
	struct stack_info info;

	return (regs->ip >= (unsigned long)__entry_text_start &&
		regs->ip < (unsigned long)__entry_text_end) ||
	       x86_ip_in_fred_entry(regs->ip) ||
	       in_entry_stack((unsigned long *)regs->sp, &info) ||
	       x86_on_exception_stack(regs->sp);
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
	const struct vdso_image *image = READ_ONCE(current->mm->context.vdso_image);
	unsigned long vdso = (unsigned long)READ_ONCE(current->mm->context.vdso);

	*size = vdso && image == &vdso_image_64 ? image->size : 0;
	return vdso;
}

/**
 * arch_unwind_user_reg - a user register by its DWARF number
 * @regs:	all user registers
 * @reg:	0 to 15
 *
 * Context: any.
 */
static inline unsigned long arch_unwind_user_reg(const struct pt_regs *regs, unsigned int reg)
{
	static const u8 offsets[] = {
		offsetof(struct pt_regs, ax), offsetof(struct pt_regs, dx),
		offsetof(struct pt_regs, cx), offsetof(struct pt_regs, bx),
		offsetof(struct pt_regs, si), offsetof(struct pt_regs, di),
		offsetof(struct pt_regs, bp), offsetof(struct pt_regs, sp),
		offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9),
		offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r11),
		offsetof(struct pt_regs, r12), offsetof(struct pt_regs, r13),
		offsetof(struct pt_regs, r14), offsetof(struct pt_regs, r15),
	};

	return *(const unsigned long *)((const char *)regs + offsets[reg & 15]);
}

/**
 * arch_unwind_user_saved - where a signal frame has a register
 * @reg:	its DWARF number, 0 to 15, or 16 for the ip
 *
 * Return: the offset in struct ucontext.
 */
static inline unsigned int arch_unwind_user_saved(unsigned int reg)
{
	static const u8 offsets[] = {
		offsetof(struct sigcontext_64, ax), offsetof(struct sigcontext_64, dx),
		offsetof(struct sigcontext_64, cx), offsetof(struct sigcontext_64, bx),
		offsetof(struct sigcontext_64, si), offsetof(struct sigcontext_64, di),
		offsetof(struct sigcontext_64, bp), offsetof(struct sigcontext_64, sp),
		offsetof(struct sigcontext_64, r8), offsetof(struct sigcontext_64, r9),
		offsetof(struct sigcontext_64, r10), offsetof(struct sigcontext_64, r11),
		offsetof(struct sigcontext_64, r12), offsetof(struct sigcontext_64, r13),
		offsetof(struct sigcontext_64, r14), offsetof(struct sigcontext_64, r15),
		offsetof(struct sigcontext_64, ip),
	};

	return offsetof(struct ucontext, uc_mcontext) + offsets[min(reg, 16U)];
}

/* Words on the stack below the return address at the end of a uretprobe's trampoline. */
#define ARCH_UNWIND_USER_TRAMPOLINE_WORDS	2

/**
 * arch_unwind_user_leaves_trampoline - is this the end of a uretprobe's trampoline?
 * @code:	the code bytes at the ip, in the trampoline's slot
 *
 * The 64-bit trampoline enters the kernel by a system call. When it returns,
 * pop %r11; pop %rcx; ret lead to the probed function's caller.
 */
static inline bool arch_unwind_user_leaves_trampoline(u64 code)
{
	return (u32)code == 0xc3595b41;
}

/* mov %rsp,%rbp or mov %esp,%ebp, in both encodings */
static inline bool x86_code_is_mov_sp_bp(u64 code, unsigned int word)
{
	if (word == sizeof(u32))
		return (u16)code == 0xe589 || (u16)code == 0xec8b;
	code &= 0xffffff;
	return code == 0xe58948 || code == 0xec8b48;
}

/* int3, as uprobes and debuggers write it over an instruction's first byte */
static inline bool arch_unwind_user_is_probe(u8 byte)
{
	return byte == 0xcc;
}

/* The last byte of syscall, or of int $0x80, which follows sysenter, too. */
static inline bool arch_unwind_user_ends_syscall(u8 byte)
{
	return byte == 0x05 || byte == 0x80;
}

/* @byte of an instruction, or the breakpoint that a probe put there */
static inline bool x86_code_is(u64 code, u8 byte)
{
	return (u8)code == byte || arch_unwind_user_is_probe(code);
}

/**
 * arch_unwind_user_edge - is this a function's prologue or epilogue?
 * @code:	the eight code bytes at the ip, the first one lowest
 * @prev:	the byte before them
 * @word:	size of a stack word
 *
 * Looks for [endbr] push %rbp; mov %rsp,%rbp at the beginning and for a ret at
 * the end: whatever it comes behind, it takes its address from the top of the
 * stack. A breakpoint may stand for any first byte: it is where a probe or a
 * debugger stopped the task. That it stands for a ret is known from a pop %rbp
 * or leave before it.
 *
 * Return: where the return address is.
 */
static inline enum unwind_user_edge
arch_unwind_user_edge(u64 code, u8 prev, unsigned int word)
{
	u32 endbr = word == sizeof(u32) ? 0xfb1e0f : 0xfa1e0f;

	if (x86_code_is(code, 0x55) && x86_code_is_mov_sp_bp(code >> 8, word))
		return UNWIND_EDGE_RA_AT_SP;

	if (x86_code_is(code, 0xf3) && ((code >> 8) & 0xffffff) == endbr &&
	    x86_code_is(code >> 32, 0x55) &&
	    x86_code_is_mov_sp_bp(code >> 40, word))
		return UNWIND_EDGE_RA_AT_SP;

	if (x86_code_is(prev, 0x55) && x86_code_is_mov_sp_bp(code, word))
		return UNWIND_EDGE_FP_PUSHED;

	if (arch_unwind_user_is_ret(code))
		return UNWIND_EDGE_RA_AT_SP;

	if (arch_unwind_user_is_probe(code) &&
	    (x86_code_is(prev, 0x5d) || x86_code_is(prev, 0xc9)))
		return UNWIND_EDGE_RA_AT_SP;

	return UNWIND_EDGE_NONE;
}

#endif /* _ASM_X86_UNWIND_USER_H */
