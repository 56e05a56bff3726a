// SPDX-License-Identifier: GPL-2.0
/*
 * The walk of a stack copy of arm64. It is given the registers and the copy, and owns nothing. Each step
 * applies the rule that the file's unwind table has for the ip (Documentation/unwind-tables.rst,
 * "AArch64"); without one it follows the frame record at x29.
 *
 * Three things differ from x86. A return address is in the link register until a function has stored it:
 * the innermost frame may have no frame of its own. A frame record does not tell where the caller's stack
 * pointer is: it is unknown (.sp is its lower limit) until a rule that counts from x29 gives it. And a return
 * address may be signed.
 */
#include <linux/perf_event.h>

#include "cfi/table.h"
#include "unwind/cfi_cache.h"
#include "unwind/stack_walk.h"

#define PERF_REG_ARM64_PC	32
#define ALL_KNOWN		0xffffffffU

#define BIT_OF(reg)		(1U << (reg))

static bool knows(const struct stack_walk *w, u32 reg)
{
	return w->known >> reg & 1;
}

/*
 * A code address without its signature (pointer authentication). The signature is in the bits between the size of
 * the address space and bit 55, which is 0 in user addresses. A recording does not tell that size (52, 48, 42 or 39
 * bits, by the kernel's configuration): it is the largest that leads to code. The unsigned address is as it was.
 */
static u64 strip(struct stack_walk *w, u64 addr)
{
	static const u8 sizes[] = { 52, 48, 47, 42, 39, 36 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		if (walk_is_code(w, (addr & ((1ULL << sizes[i]) - 1)) - 1))
			return addr & ((1ULL << sizes[i]) - 1);
	return addr & ((1ULL << 48) - 1);
}

static bool start(struct stack_walk *w, const struct regs_dump *r)
{
	u32 i, nr = 0;

	if (r->abi != PERF_SAMPLE_REGS_ABI_64 || !(r->mask >> PERF_REG_ARM64_PC & 1))
		return false;
	for (i = 0; i < PERF_REG_ARM64_PC; i++)
		if (r->mask >> i & 1)
			w->regs[i] = r->regs[nr++];
	w->known = r->mask;
	w->ip = r->regs[nr];
	w->sp = w->regs[ARM64_SP];
	w->exact = true;
	w->va_bits = 52;
	w->stack_addr = w->sp;
	return true;
}

/* The caller's ip, x29 and, if @sp_known, stack pointer. Return: whether this is a caller. */
static bool go_on(struct stack_walk *w, u64 ip, u64 fp, bool fp_known, u64 sp, bool sp_known)
{
	bool has_moved = sp > w->sp || (w->exact && sp == w->sp && ip != w->ip);

	w->ip = ip;
	w->sp = sp;
	w->regs[ARM64_FP] = fp;
	w->regs[ARM64_SP] = sp;
	w->known = (fp_known ? BIT_OF(ARM64_FP) : 0) | (sp_known ? BIT_OF(ARM64_SP) : 0);
	w->exact = false;
	if (!ip)
		return walk_ends(w, WALK_OUTERMOST);
	if (ip < FIRST_PAGE || !has_moved)
		return walk_ends(w, WALK_BAD_FRAME);
	return true;
}

/* End a walk without rule or valid frame record. At the start of a stack x29 is 0 (AAPCS64, 6.4.6). */
static bool ends_without_rule(struct stack_walk *w)
{
	return walk_ends_without_rule(w, ARM64_FP, 8, !w->exact);
}

/* Step to the caller by the frame record at x29: the caller's x29, then the return address. */
static bool step_frame_record(struct stack_walk *w)
{
	u64 at = w->regs[ARM64_FP], next, ret;
	const struct map *here = w->map;

	if (!knows(w, ARM64_FP) || at < w->sp || at % 8 || !walk_read(w, at, 8, &next) || !walk_read(w, at + 8, 8, &ret))
		return ends_without_rule(w);
	ret = strip(w, ret);
	if (ret && !walk_is_code(w, ret - 1)) {
		w->map = here;
		return ends_without_rule(w);
	}
	w->by_pointer = true;
	return go_on(w, ret, next, true, at + 16, false);
}

/* Step to the interrupted code. @context: its struct ucontext */
static bool step_signal(struct stack_walk *w, u64 context)
{
	u64 regs[ARM64_SP + 2], old_ip = w->ip, old_sp = w->sp;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(regs); i++)
		if (!walk_read(w, context + ARM64_UC_REGS + 8 * i, 8, &regs[i]))
			return walk_ends_missing(w);
	memcpy(w->regs, regs, sizeof(w->regs));
	w->known = ALL_KNOWN;
	w->sp = regs[ARM64_SP];
	w->ip = regs[ARM64_SP + 1];
	w->exact = true;
	w->by_pointer = false;
	return w->sp > old_sp || w->ip != old_ip || walk_ends(w, WALK_BAD_FRAME);
}

static bool step_rule(struct stack_walk *w, const struct unwind_table_rule *r)
{
	u64 cfa = w->regs[r->reg] + (s64)r->off, fp = w->regs[ARM64_FP], ip;
	bool fp_known = knows(w, ARM64_FP);

	if (!knows(w, r->reg) || (r->ra == UNWIND_TABLE_RA_REG && !knows(w, r->arg)))
		return step_frame_record(w);
	w->missing = 0;
	w->by_pointer = false;
	if (r->ra == UNWIND_TABLE_RA_REG)
		ip = w->regs[r->arg];
	else if (!walk_read(w, cfa + (s64)r->arg, 8, &ip))
		return walk_ends_missing(w);
	if (r->fp == UNWIND_TABLE_FP_CFA)
		fp_known = walk_read(w, cfa + (s64)r->fp_off, 8, &fp);
	else if (r->fp == UNWIND_TABLE_FP_LOST)
		fp_known = false;
	return go_on(w, ip ? strip(w, ip) : 0, fp, fp_known, cfa, true);
}

static bool in_map(const struct map *m, u64 ip)
{
	return ip >= m->start && ip < m->end;
}

/*
 * Nothing describes the vDSO's code. A return address in it is that of a signal handler: its functions call nothing
 * outside. Such a function is a leaf, or has stored its return address in a frame record and still has it in x30.
 * While the trampoline itself runs, x30 is its address.
 */
static bool step_vdso(struct stack_walk *w, u64 *shown)
{
	const struct map *vdso = w->map;
	u64 context = w->sp + ARM64_UCONTEXT, ret, at = w->regs[ARM64_FP];

	if (!w->exact) {
		*shown = w->ip;
		return knows(w, ARM64_SP) ? step_signal(w, context) : step_frame_record(w);
	}
	if (!knows(w, ARM64_LR))
		return step_frame_record(w);
	ret = strip(w, w->regs[ARM64_LR]);
	if (in_map(vdso, ret)) {
		w->map = vdso;
		return w->ip - ret <= 4 ? step_signal(w, context) : step_frame_record(w);
	}
	if (knows(w, ARM64_FP) && at >= w->sp && walk_read(w, at + 8, 8, &at) && strip(w, at) == ret)
		return step_frame_record(w);
	if (!walk_is_code(w, ret - 1)) {
		w->map = vdso;
		return ends_without_rule(w);
	}
	return go_on(w, ret, w->regs[ARM64_FP], knows(w, ARM64_FP), w->sp, true);
}

/* A call through a wild pointer: nothing is mapped here, but x30 has the caller. */
static bool step_wild_call(struct stack_walk *w)
{
	u64 ret;

	if (!knows(w, ARM64_LR))
		return false;
	ret = strip(w, w->regs[ARM64_LR]);
	return walk_is_code(w, ret - 1) && go_on(w, ret, w->regs[ARM64_FP], knows(w, ARM64_FP), w->sp, true);
}

/* Step to the caller. @shown: the frame's address, which is exact for a signal trampoline */
static bool step(struct stack_walk *w, bool first, u64 *shown)
{
	const struct unwind_table_rule *r = NULL;
	u64 ip = w->exact ? w->ip : w->ip - 1;
	const struct map *m;

	if (!walk_is_code(w, ip))
		return (first && step_wild_call(w)) ||
		       walk_ends(w, walk_is_mapped(w, ip) ? WALK_BAD_FRAME : WALK_UNMAPPED);
	m = w->map;
	if (m->dso && m->dso->kind == DSO_VDSO)
		return step_vdso(w, shown);
	if (m->dso && m->dso->kind == DSO_USER)
		r = cfi_cache_rule(w->cfi, m->dso, ip - m->start + m->pgoff - m->dso->base);
	if (!r || r->kind == UNWIND_TABLE_UNKNOWN)
		return step_frame_record(w);
	if (r->kind == UNWIND_TABLE_OUTERMOST)
		return walk_ends(w, WALK_OUTERMOST);
	if (r->kind == UNWIND_TABLE_CFA)
		return step_rule(w, r);
	*shown = w->ip;
	return knows(w, ARM64_SP) ? step_signal(w, w->sp + (s64)r->off) : step_frame_record(w);
}

u32 arm64_unwind(struct stack_walk *w, const struct regs_dump *r, u64 *ips, u32 max)
{
	u32 nr = 0;

	if (!start(w, r))
		return 0;
	do {
		ips[nr++] = w->exact ? w->ip : w->ip - 1;
	} while (nr < max && step(w, nr == 1, &ips[nr - 1]));
	return nr;
}
