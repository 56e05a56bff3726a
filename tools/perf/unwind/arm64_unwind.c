// SPDX-License-Identifier: GPL-2.0
/*
 * The walk of a stack copy of arm64. It is given the registers and the copy, and owns nothing. Each
 * step applies the unwind table's rule for the ip (Documentation/unwind-tables.rst, "AArch64"), or
 * follows the frame record at x29.
 *
 * Unlike on x86, a return address is in the link register until a function has stored it, and may
 * be signed; a frame record does not tell the caller's stack pointer: it is unknown (.sp is its
 * lower limit) until a rule that counts from x29 gives it.
 */
#include <linux/perf_event.h>

#include "cfi/table.h"
#include "unwind/cfi_cache.h"
#include "unwind/stack_walk.h"

#define PERF_REG_ARM64_PC	32
#define ALL_KNOWN		0xffffffffU

#define FPSIMD_MAGIC		0x46508001U	/* of the first record of each signal frame */
#define ARM64_UC_RECORDS	464		/* its place in the ucontext */

#define BIT_OF(reg)		(1U << (reg))

static bool knows(const struct stack_walk *w, u32 reg)
{
	return w->known >> reg & 1;
}

/*
 * A code address without its signature, which is between the size of the address space and bit 55.
 * No recording tells that size (52, 48, 42 or 39 bits): it is the largest that leads to code.
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

/* Step to the interrupted code. @context: its struct ucontext, if sp is known */
static bool step_signal(struct stack_walk *w, u64 context)
{
	u64 regs[ARM64_SP + 2], old_ip = w->ip, old_sp = w->sp;
	u32 i;

	if (!knows(w, ARM64_SP))
		return walk_ends(w, WALK_NO_RULE);
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

/* Does the rule describe a frame record? Behind a call x29 is its address. */
static bool has_record(const struct unwind_table_rule *r)
{
	return r->fp == UNWIND_TABLE_FP_CFA && r->ra == UNWIND_TABLE_RA_CFA &&
	       r->arg == r->fp_off + 8;
}

static bool step_rule(struct stack_walk *w, const struct unwind_table_rule *r)
{
	u64 cfa = w->regs[r->reg] + (s64)r->off, fp = w->regs[ARM64_FP], ip;
	bool fp_known = knows(w, ARM64_FP);

	if (!knows(w, r->reg) && r->reg == ARM64_SP && fp_known && fp >= w->sp && has_record(r))
		cfa = fp - (s64)r->fp_off;
	else if (!knows(w, r->reg) || (r->ra == UNWIND_TABLE_RA_REG && !knows(w, r->arg)))
		return walk_ends(w, WALK_NO_RULE);
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

/*
 * Is this the vDSO's trampoline, which nothing describes? A return address in the vDSO is a signal
 * handler's: its functions call nothing outside. While it runs, sp is the signal frame's.
 */
static bool is_trampoline(struct stack_walk *w)
{
	u64 at = w->sp + ARM64_UCONTEXT + ARM64_UC_RECORDS, magic;

	if (!w->map->dso || w->map->dso->kind != DSO_VDSO)
		return false;
	return !w->exact || (walk_read(w, at, 4, &magic) && magic == FPSIMD_MAGIC);
}

/*
 * Step to the caller in code that nothing describes: the return address is in x30 until the
 * function calls another; it may be in a frame record already.
 */
static bool step_undescribed(struct stack_walk *w)
{
	bool fp_known = knows(w, ARM64_FP), is_caller;
	u64 ret, at, fp = w->regs[ARM64_FP];
	const struct map *here = w->map;

	if (!w->exact || !knows(w, ARM64_LR))
		return step_frame_record(w);
	ret = strip(w, w->regs[ARM64_LR]);
	is_caller = walk_is_code(w, ret - 1) && w->map != here;
	if (fp_known && fp >= w->sp && walk_read(w, fp + 8, 8, &at) && strip(w, at) == ret)
		is_caller = false;
	w->map = here;
	return is_caller ? go_on(w, ret, fp, fp_known, w->sp, false) : step_frame_record(w);
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

static const struct unwind_table_rule *find_rule(const struct stack_walk *w, const struct map *m,
						 u64 ip)
{
	const struct unwind_table_rule *r = NULL;

	if (m->dso && m->dso->kind == DSO_USER)
		r = cfi_cache_rule(w->cfi, m->dso, ip - m->start + m->pgoff - m->dso->base);
	return r && r->kind != UNWIND_TABLE_UNKNOWN ? r : NULL;
}

/* Step to the caller. @shown: as in dwarf_unwind.c */
static bool step(struct stack_walk *w, bool first, u64 *shown)
{
	const struct unwind_table_rule *r;
	u64 ip = w->exact ? w->ip : w->ip - 1;
	const struct map *m;

	if (!walk_is_code(w, ip))
		return (first && step_wild_call(w)) ||
		       walk_ends(w, walk_is_mapped(w, ip) ? WALK_BAD_FRAME : WALK_UNMAPPED);
	m = w->map;
	if (is_trampoline(w)) {
		*shown = w->ip;
		return step_signal(w, w->sp + ARM64_UCONTEXT);
	}
	r = find_rule(w, m, ip);
	if (!r && !w->exact && ip + 1 < m->end && find_rule(w, m, ip + 1)) {
		*shown = w->ip;
		return walk_ends(w, WALK_OUTERMOST);
	}
	if (!r)
		return step_undescribed(w);
	if (r->kind == UNWIND_TABLE_OUTERMOST)
		return walk_ends(w, WALK_OUTERMOST);
	if (r->kind == UNWIND_TABLE_CFA)
		return step_rule(w, r);
	*shown = w->ip;
	return step_signal(w, w->sp + (s64)r->off);
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
