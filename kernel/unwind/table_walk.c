// SPDX-License-Identifier: GPL-2.0
/*
 * Walks the current task's 64-bit user stack by unwind tables, and by frame
 * pointers where no table describes the code.
 *
 * A walk is a number of steps of one kind: from the ip, stack pointer and frame
 * pointer of a frame to those of its caller. Each step looks up the frame's ip
 * and takes the rule of its row. Mixed chains work by themselves: code that was
 * compiled while the program runs keeps a frame pointer, and libraries do not.
 *
 * The stack and the tables belong to user space, which may say anything in them.
 * User memory is read by functions that check, each step adds an entry, and the
 * number of entries is bounded: so a walk ends, whatever it finds.
 */
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/unwind_table.h>
#include <linux/unwind_user.h>

#include "internal.h"
#include "table.h"
#include "user.h"

#define WORD		sizeof(u64)

#define DWARF_FP	ARCH_UNWIND_USER_FP
#define DWARF_SP	ARCH_UNWIND_USER_SP
#define DWARF_IP	ARCH_UNWIND_USER_IP
/*
 * The return address is anywhere in the frame, which may be empty. A frame record, where no
 * table describes the code, does not tell where the frame ends.
 */
#define LINK_REGISTER	ARCH_UNWIND_USER_LINK_REGISTER

/**
 * struct frame - one frame of the walk
 * @ip:		where it is, or where its callee returns to
 * @sp:		its stack pointer
 * @fp:		its frame pointer; 0 if that is not known
 * @regs:	all its registers, NULL if these are not known
 * @saved:	the struct ucontext in user memory that has all its registers, or 0
 * @exact:	@ip is where it stopped: not behind a call
 * @above:	its stack pointer is not known, but not below @sp
 */
struct frame {
	unsigned long		ip;
	unsigned long		sp;
	unsigned long		fp;
	const struct pt_regs	*regs;
	unsigned long		saved;
	bool			exact;
	bool			above;
};

/* An address in the frame's code: a call may be the last instruction of its function. */
static __always_inline unsigned long code_of(const struct frame *f)
{
	return f->ip - !f->exact;
}

/* What became of a step. */
enum step {
	STEP_CALLER,		/* the frame is its caller's */
	STEP_OUTERMOST,		/* there is no caller */
	STEP_CUT,		/* the caller cannot be found */
	STEP_UNKNOWN,		/* no rule that can be used: try the frame pointer */
	STEP_FAULT,		/* user memory could not be read */
};

/* Beyond user space there is nothing to wait for: such a walk is cut, and does not fault. */
static __always_inline bool is_user(unsigned long at)
{
	return at < TASK_SIZE_MAX - 2 * WORD;
}

static __always_inline bool read_user(unsigned long at, unsigned long *val)
{
	return read_words(WORD, at, val, 0, NULL);
}

/*
 * A register. Where it is not known the walk ends: the frame pointer is that of a frame further
 * out, and a step by it would leave out the caller.
 */
static enum step frame_reg(const struct frame *f, unsigned int reg, unsigned long *val)
{
	if (reg == DWARF_SP || reg == DWARF_FP) {
		*val = reg == DWARF_SP ? f->sp : f->fp;
		return *val ? STEP_CALLER : STEP_CUT;
	}
	if (f->regs) {
		*val = arch_unwind_user_reg(f->regs, reg);
		return STEP_CALLER;
	}
	if (!f->saved)
		return STEP_CUT;
	return read_user(f->saved + arch_unwind_user_saved(reg), val) ? STEP_CALLER : STEP_FAULT;
}

/* The frame that a signal interrupted: all its registers are in the struct ucontext. */
static noinline enum step step_signal(struct frame *f, unsigned long ucontext)
{
	unsigned long ip, sp, fp;

	if (!is_user(ucontext))
		return STEP_CUT;
	if (!read_user(ucontext + arch_unwind_user_saved(DWARF_IP), &ip) ||
	    !read_user(ucontext + arch_unwind_user_saved(DWARF_SP), &sp) ||
	    !read_user(ucontext + arch_unwind_user_saved(DWARF_FP), &fp))
		return STEP_FAULT;
	*f = (struct frame){ .ip = ip, .sp = sp, .fp = fp, .saved = ucontext, .exact = true };
	return STEP_CALLER;
}

/*
 * Where the caller's frame pointer is saved, 0 if it is not. gcc's rule of a function that
 * realigns the stack goes on behind its "leave": there the frame pointer is the caller's
 * already, and what it points to is not in the frame.
 */
static __always_inline unsigned long fp_place(const struct unwind_table_rule *r,
					      const struct frame *f, unsigned long cfa)
{
	unsigned long at;

	switch (r->fp) {
	case UNWIND_TABLE_FP_CFA:
		return cfa + r->fp_off;
	case UNWIND_TABLE_FP_FP:
		at = f->fp + r->fp_off;
		return at >= f->sp && at < cfa ? at : 0;
	case UNWIND_TABLE_FP_SP:
		return f->sp + r->fp_off;
	}
	return 0;
}

/* Where the return address is on the stack, or would be if it was not in a register. */
static __always_inline unsigned long ra_place(const struct unwind_table_rule *r, unsigned long cfa)
{
	return LINK_REGISTER && !r->ra ? cfa + r->arg : cfa - WORD;
}

/*
 * Nearly all rules: the CFA counts from the stack pointer or the frame pointer, and the
 * caller's frame pointer is the same or below the CFA.
 */
static __always_inline bool rule_is_common(const struct unwind_table_rule *r)
{
	u32 what;

	/* kind, reg, fp, ra at once: ra is 0, and reg and fp differ in one bit. */
	BUILD_BUG_ON(offsetof(struct unwind_table_rule, off) != sizeof(what));
	BUILD_BUG_ON(hweight32(DWARF_FP ^ DWARF_SP) != 1);
	BUILD_BUG_ON((UNWIND_TABLE_FP_SAME | 1) != UNWIND_TABLE_FP_CFA);
	memcpy(&what, r, sizeof(what));
	return (what & ~(0x10000 | (DWARF_FP ^ DWARF_SP) << 8)) ==
	       (UNWIND_TABLE_CFA | (DWARF_FP & DWARF_SP) << 8);
}

/*
 * Nearly all steps: frames in the code of one mapping, with common rules. Only ip,
 * sp and fp are kept, in registers. The first frame whose step is another, fails, or
 * ends the walk is left as it is: the caller makes that step. Return: whether there
 * was a step.
 */
static noinline bool walk_common(struct unwind_stacktrace *trace, unsigned int max,
				 const struct unwind_table_map *map, struct frame *f,
				 const struct unwind_user_state *s)
{
	const unsigned long start = map->start, size = map->size, offset = map->offset - start;
	const unsigned long limit = s->limit, tramp = s->tramp;
	const struct unwind_table *table = map->table;
	unsigned long at = code_of(f), sp = f->sp, fp = f->fp, *entries = trace->entries;
	unsigned int nr = trace->nr;

	while (nr < max && at - start < size) {
		const struct unwind_table_rule *r = unwind_table_rule(table, at + offset);
		unsigned long cfa, ra, caller_fp = fp;

		if (unlikely(!r || !rule_is_common(r)))
			break;
		cfa = r->reg == DWARF_SP ? sp : fp;
		if (unlikely(!cfa))
			break;
		cfa += r->off;
		if (unlikely(cfa <= sp || cfa & (WORD - 1)))
			break;
		if (!(r->fp ? read_words(WORD, ra_place(r, cfa), &ra, cfa + r->fp_off, &caller_fp) :
			      read_user(ra_place(r, cfa), &ra)))
			break;
		ra = arch_unwind_user_ra(ra);
		/* The outermost frame's is 0. */
		if (unlikely(ra - 1 >= limit - 1 || ra == tramp))
			break;
		entries[nr++] = ra;
		at = ra - 1;
		sp = cfa;
		fp = caller_fp;
	}
	if (nr == trace->nr)
		return false;
	trace->nr = nr;
	*f = (struct frame){ .ip = at + 1, .sp = sp, .fp = fp };
	return true;
}

static noinline enum step step_rule(struct frame *f, const struct unwind_table_rule *r,
				    const struct unwind_user_state *s)
{
	unsigned long cfa, fp_at, ra_at, ra, fp = f->fp;
	enum step step;

	if (r->kind == UNWIND_TABLE_UNKNOWN)
		return STEP_UNKNOWN;
	if (r->kind == UNWIND_TABLE_OUTERMOST)
		return STEP_OUTERMOST;

	if (LINK_REGISTER && f->above && r->reg == DWARF_SP) {
		/* Behind a call the frame pointer leads to the record that the rule describes. */
		if (r->fp != UNWIND_TABLE_FP_CFA || r->ra || r->arg != r->fp_off + (s32)WORD)
			return STEP_CUT;
		cfa = f->fp - r->fp_off;
	} else {
		step = frame_reg(f, r->reg, &cfa);
		if (step != STEP_CALLER)
			return step;
		cfa += r->off;
	}
	switch (r->kind) {
	case UNWIND_TABLE_SIGNAL:
		return step_signal(f, cfa);
	case UNWIND_TABLE_DEREF:
		if (!is_user(cfa))
			return STEP_CUT;
		if (!read_user(cfa, &cfa))
			return STEP_FAULT;
		cfa += r->arg;
		break;
	case UNWIND_TABLE_PLT:
		if ((f->ip & 15) >= r->arg)
			cfa += WORD;
		break;
	}
	fp_at = fp_place(r, f, cfa);
	ra_at = ra_place(r, cfa);
	/* A caller's frame is above its callee's. */
	if (cfa < f->sp + !(LINK_REGISTER && f->exact) || cfa & (WORD - 1) ||
	    !is_user(cfa) || !is_user(fp_at) || !is_user(ra_at))
		return STEP_CUT;

	if (r->fp == UNWIND_TABLE_FP_LOST)
		fp = 0;
	if (unlikely(r->ra)) {
		step = frame_reg(f, r->arg, &ra);
		if (step != STEP_CALLER)
			return step;
		if (fp_at && !read_user(fp_at, &fp))
			return STEP_FAULT;
	} else if (!(fp_at ? read_words(WORD, ra_at, &ra, fp_at, &fp) : read_user(ra_at, &ra))) {
		return STEP_FAULT;
	}
	*f = (struct frame){ .ip = unwind_return(s, ra_at, ra), .sp = cfa, .fp = fp };
	return STEP_CALLER;
}

/* Code that no table describes, and that keeps a frame pointer or ends the walk here. */
static enum step step_frame_pointer(struct frame *f, const struct unwind_user_state *s)
{
	unsigned long fp = f->fp, next, ra;

	/* The outermost frame's is 0, as the ABI wants it; so may be data in the register. */
	if (fp < f->sp || fp < PAGE_SIZE || fp & (WORD - 1) || !is_user(fp))
		return STEP_CUT;
	if (!read_words(WORD, fp + WORD, &ra, fp, &next))
		return STEP_FAULT;
	ra = unwind_return(s, fp + WORD, ra);
	*f = (struct frame){ .ip = ra, .sp = fp + 2 * WORD, .fp = next, .above = LINK_REGISTER };
	return STEP_CALLER;
}

/*
 * The innermost frame, where no table describes the code: at the edge of a
 * function the frame pointer is not, or no longer, its own.
 */
static enum step step_innermost(struct frame *f, const struct unwind_user_state *s,
				unsigned long *reported)
{
	unsigned long ra, sp;

	if (unwind_find_edge(s, &ra, &sp, reported))
		return STEP_FAULT;
	if (!ra)
		return step_frame_pointer(f, s);
	*f = (struct frame){ .ip = ra, .sp = sp, .fp = f->fp, .above = LINK_REGISTER };
	return STEP_CALLER;
}

/*
 * The mapping of a frame's code in @map, NULL if it has no table. Return: false if there is no
 * code: what was taken for a frame pointer, or for a return address, was data.
 */
static __always_inline bool find_map(struct unwind_table_cursor *cursor, const struct frame *f,
				     const struct unwind_table_map **map)
{
	const struct unwind_table_map *found = unwind_table_map(cursor, code_of(f));

	*map = found && found->table ? found : NULL;
	return found && found->is_code;
}

static int walk(struct unwind_stacktrace *trace, unsigned int max,
		const struct unwind_user_state *s, struct frame *f,
		struct unwind_table_cursor *cursor)
{
	/* Without an ip in user space there is no code to look at. */
	bool innermost = trace->nr;
	/* The kernel may have carried out a probed push meanwhile. */
	const bool late = s->faultable && has_uprobes();
	enum step step;

	for (;;) {
		const struct unwind_table_rule *rule = NULL;
		const struct unwind_table_map *map;
		bool is_code = find_map(cursor, f, &map);
		unsigned long ra, sp;

		if (map && likely(!innermost || !late) && !f->above &&
		    walk_common(trace, max, map, f, s)) {
			innermost = false;
			is_code = find_map(cursor, f, &map);
		}
		/* No call stored it. Only the sample's own ip may be elsewhere. */
		if (!is_code && !f->regs) {
			trace->nr--;
			return 0;
		}
		if (trace->nr == max)
			return 0;
		if (map)
			rule = unwind_table_rule(map->table,
						 code_of(f) - map->start + map->offset);
		step = rule ? step_rule(f, rule, s) : STEP_UNKNOWN;
		/*
		 * A return address that is the start of a function, with padding in front:
		 * makecontext() stores such a one, and nothing called what will run then.
		 */
		if (step == STEP_UNKNOWN && map && !f->exact) {
			rule = unwind_table_rule(map->table, f->ip - map->start + map->offset);
			if (rule && rule->kind != UNWIND_TABLE_UNKNOWN)
				step = STEP_OUTERMOST;
		}
		if (step == STEP_UNKNOWN)
			step = innermost ? step_innermost(f, s, &trace->entries[0]) :
					   step_frame_pointer(f, s);
		else if (unlikely(innermost && late))
			unwind_find_edge(s, &ra, &sp, &trace->entries[0]);
		innermost = false;

		if (step == STEP_FAULT)
			return -EFAULT;
		if (step == STEP_OUTERMOST || (step == STEP_CALLER && !f->ip)) {
			unwind_stat_inc(UNWIND_COMPLETE);
			trace->whole = true;
			return 0;
		}
		/* Not code, nor an address that a tool could take for a marker. */
		if (step == STEP_CUT || f->ip >= s->limit)
			return 0;
		trace->entries[trace->nr++] = f->ip;
	}
}

/**
 * unwind_walk_tables - walk the current task's user stack by tables
 * @trace:	what was found so far: the ip, unless it is no user address
 * @max:	how many entries fit
 * @s:		where the walk begins, in 64-bit code
 *
 * Context: that of unwind_user_walk().
 * Return: 0 if the walk came to its end or to @max, -EFAULT if user memory could
 * not be read.
 */
int unwind_walk_tables(struct unwind_stacktrace *trace, unsigned int max,
		       const struct unwind_user_state *s)
{
	struct frame f = {
		.ip = trace->nr ? s->ip : 0,
		.sp = s->sp,
		.fp = s->fp,
		.regs = s->regs,
		.exact = true,
	};
	struct unwind_table_cursor cursor = { .faultable = s->faultable };
	int ret;

	unwind_stat_inc(UNWIND_TABLE_WALKS);

	if (s->faultable) {
		ret = walk(trace, max, s, &f, &cursor);
		unwind_table_put_maps(&cursor);
	} else {
		rcu_read_lock();
		ret = walk(trace, max, s, &f, &cursor);
		rcu_read_unlock();
	}
	return ret;
}

/**
 * __unwind_plain - walk the current task's user stack by tables, at once
 * @entries:	receives user addresses, innermost first
 * @max:	how many entries fit
 * @regs:	user registers to begin from
 *
 * For what is never deferred: plain callchains, BPF and ftrace. Code that is not 64-bit is left
 * to the caller, which walks as it does without tables.
 *
 * Context: any, NMI included; not in a guest.
 * Return: number of entries; 0 if the caller is to walk.
 */
unsigned int __unwind_plain(unsigned long *entries, unsigned int max, struct pt_regs *regs)
{
	struct unwind_stacktrace trace = { .entries = entries };
	struct unwind_user_state state;

	if (!current->mm || !arch_unwind_user_start(&state, regs) || state.word != sizeof(u64))
		return 0;
	unwind_user_walk(&trace, max, regs, UNWIND_WALK_ATOMIC);
	return trace.nr;
}
