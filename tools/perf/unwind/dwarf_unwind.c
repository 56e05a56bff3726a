// SPDX-License-Identifier: GPL-2.0
/*
 * The walk of x86's stack copies: find the ip's mapping, look up a row in its dso's tables, compute
 * the caller's registers. Without a row (JIT code) by frame pointer, if that leads to code.
 */
#include <linux/perf_event.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/plain_frame.h"
#include "cfi/go_stack.h"
#include "host/host.h"
#include "unwind/cfi_cache.h"
#include "unwind/dwarf_expr.h"
#include "unwind/dwarf_unwind.h"
#include "unwind/stack_walk.h"

struct dwarf_unwinder {
	struct cfi_cache *cfi;
	bool live;
	struct hash code;		/* (address, PID) -> code read there, for tasks that exit */
	struct hash unread;		/* (space, PID) -> errno why its memory is not read */
	struct arena arena;
};

#define MAX_READ	65536		/* addresses in .code */

/* PERF_REG_X86_* of <asm/perf_regs.h>, by DWARF number (System V ABI, both supplements). */
static const u8 perf_reg64[CFI_REGS] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 };
static const u8 perf_reg32[CFI_RA32 + 1] = { 0, 2, 3, 1, 7, 6, 4, 5, 8 };

struct dwarf_unwinder *dwarf_unwinder_create(bool live)
{
	struct dwarf_unwinder *u = xcalloc(1, sizeof(*u));

	u->live = live;
	u->cfi = cfi_cache_create();
	return u;
}

void dwarf_unwinder_destroy(struct dwarf_unwinder *u)
{
	if (!u)
		return;
	cfi_cache_destroy(u->cfi);
	hash_deinit(&u->code);
	hash_deinit(&u->unread);
	arena_deinit(&u->arena);
	free(u);
}

static bool read_word(struct stack_walk *w, u64 addr, u64 *v)
{
	return walk_read(w, addr, w->is32 ? 4 : 8, v);
}

static u64 cut(const struct stack_walk *w, u64 v)
{
	return w->is32 ? (u32)v : v;
}

static void set_reg(struct stack_walk *w, u32 reg, u64 v)
{
	w->regs[reg] = cut(w, v);
	w->known |= 1u << reg;
}

static bool start(struct stack_walk *w, const struct regs_dump *r)
{
	const u8 *order = w->is32 ? perf_reg32 : perf_reg64;
	u32 nr = w->is32 ? ARRAY_SIZE(perf_reg32) : ARRAY_SIZE(perf_reg64), i;
	u32 sp = w->is32 ? CFI_ESP : CFI_RSP, ra = w->is32 ? CFI_RA32 : CFI_RA64;

	for (i = 0; i < nr; i++)
		if (r->mask >> order[i] & 1)
			set_reg(w, i, r->regs[__builtin_popcountll(r->mask &
						((1ULL << order[i]) - 1))]);
	if (!(w->known >> sp & 1) || !(w->known >> ra & 1))
		return false;
	w->ip = w->regs[ra];
	w->sp = w->regs[sp];
	w->exact = true;
	return true;
}

static bool eval(struct stack_walk *w, const struct cfi_rule *r, u64 cfa, bool has_cfa, u64 *v)
{
	struct dwarf_expr_context x = {
		.regs = w->regs, .known = w->known, .cfa = cfa, .has_cfa = has_cfa,
		.word = w->is32 ? 4 : 8, .read = walk_read, .ctx = w,
	};

	return dwarf_expr_eval(cfi_cache_expr(w->cfi, r->off), &x, v);
}

static bool find_cfa(struct stack_walk *w, const struct cfi_row *row, u64 *cfa)
{
	if (row->cfa.kind == CFI_REGISTER) {
		*cfa = cut(w, w->regs[row->cfa.reg] + (s64)row->cfa.off);
		return w->known >> row->cfa.reg & 1;
	}
	return eval(w, &row->cfa, 0, false, cfa);
}

/* The caller's value of a register with a rule to compute it. */
static bool find_reg(struct stack_walk *w, const struct cfi_rule *r, u32 reg, u64 cfa, u64 *v)
{
	u64 at;

	switch (r->kind) {
	case CFI_OFFSET:
		at = cut(w, cfa + (s64)r->off);
		if (read_word(w, at, v))
			return true;
		/*
		 * Below the stack pointer: an epilogue has restored it, though the row still has
		 * the slot (rustc and clang, after "pop %rbp").
		 */
		*v = w->regs[reg];
		return at < w->sp && w->known >> reg & 1;
	case CFI_VAL_OFFSET:
		*v = cfa + (s64)r->off;
		return true;
	case CFI_IN_FRAME:
		*v = w->regs[reg];
		if (*v >= w->sp && *v < cfa && !read_word(w, *v, v))
			return false;
		return w->known >> reg & 1;
	case CFI_REGISTER:
		*v = w->regs[r->reg] + (s64)r->off;
		return w->known >> r->reg & 1;
	case CFI_EXPR:
		return eval(w, r, cfa, true, &at) && read_word(w, cut(w, at), v);
	case CFI_VAL_EXPR:
		return eval(w, r, cfa, true, v);
	}
	return false;
}

/* Step to the caller by a row. Return: true if a caller was found. */
static bool step_row(struct stack_walk *w, const struct cfi_row *row)
{
	const u32 sp = w->is32 ? CFI_ESP : CFI_RSP;
	u64 regs[CFI_REGS], cfa, old_sp = w->sp, old_ip = w->ip;
	bool innermost = w->exact;
	u32 found = 0, left, i;

	w->missing = 0;
	w->by_pointer = false;
	if (!find_cfa(w, row, &cfa))
		return walk_ends_missing(w);
	for (left = row->computed; left; left &= left - 1) {
		i = __builtin_ctz(left);
		if (find_reg(w, &row->regs[i], i, cfa, &regs[i]))
			found |= 1u << i;
	}
	if (row->regs[row->ra].kind == CFI_UNDEFINED)
		return walk_ends(w, WALK_OUTERMOST);
	w->known = (w->known & row->same) | found;
	for (left = found; left; left &= left - 1) {
		i = __builtin_ctz(left);
		w->regs[i] = cut(w, regs[i]);
	}
	/* Without a rule of its own the stack pointer is the CFA, by definition. */
	if (!(row->computed >> sp & 1))
		set_reg(w, sp, cfa);
	if (!(w->known >> row->ra & 1) || !(w->known >> sp & 1))
		return walk_ends_missing(w);
	w->known &= ~(1u << row->ra);
	w->ip = w->regs[row->ra];
	w->sp = w->regs[sp];
	w->exact = row->signal;
	/*
	 * The caller's frame is higher, but for a signal handler on its own stack, and an innermost
	 * function with its return address in a register (vfork).
	 */
	if (!w->ip)
		return walk_ends(w, WALK_OUTERMOST);
	/* The first page is never mapped, but a signal may come there, after a wild jump. */
	if (w->ip < FIRST_PAGE && !row->signal)
		return walk_ends(w, WALK_BAD_FRAME);
	return w->sp > old_sp || (row->signal && w->ip != old_ip) ||
	       (innermost && w->sp == old_sp && w->ip != old_ip) || walk_ends(w, WALK_BAD_FRAME);
}

/* Is the stack pointer at the start of a program's stack: at argc, followed by argv? */
static bool is_initial_stack(struct stack_walk *w)
{
	u32 word = w->is32 ? 4 : 8;
	u64 argc, end;

	return read_word(w, w->sp, &argc) && argc < DWARF_MAX_COPY / word &&
	       read_word(w, w->sp + (argc + 1) * word, &end) && !end;
}

/* Step to the caller by the frame pointer, in code without a table, if it is valid. */
static bool step_frame_pointer(struct stack_walk *w)
{
	u32 fp = w->is32 ? CFI_EBP : CFI_RBP, sp = w->is32 ? CFI_ESP : CFI_RSP;
	u32 word = w->is32 ? 4 : 8;
	u64 at = w->regs[fp], next, ret;

	if (!(w->known >> fp & 1) || at < w->sp || at % word ||
	    !read_word(w, at, &next) || !read_word(w, at + word, &ret) || !walk_is_code(w, ret))
		/* (System V ABI, 3.4.1) */
		return walk_ends_without_rule(w, fp, word, !w->exact || is_initial_stack(w));
	w->known = 0;
	set_reg(w, fp, next);
	set_reg(w, sp, at + 2 * word);
	w->sp = w->regs[sp];
	w->ip = ret;
	w->exact = false;
	w->by_pointer = true;
	return true;
}

/* Read the memory of a running task. Live walks are made by one thread. */
static bool read_memory(struct dwarf_unwinder *u, const struct stack_walk *w, u8 code[PLAIN_CODE])
{
	u64 *why = hash_insert(&u->unread, w->space->id, w->space->pid, NULL), *slot;
	int err = *why ? -(int)*why : host_read_code(w->space->pid, w->ip, code);

	/* Other addresses may be readable; another user's process, or one that exited, has none. */
	*why = err == -EFAULT ? 0 : -err;
	if (err == -EPERM)
		return false;
	if (err) {
		slot = hash_find(&u->code, w->ip, w->space->pid);
		if (slot)
			memcpy(code, (void *)(uintptr_t)*slot, PLAIN_CODE);
		return slot;
	}
	slot = u->code.nr < MAX_READ ? hash_insert(&u->code, w->ip, w->space->pid, NULL) :
				       hash_find(&u->code, w->ip, w->space->pid);
	if (slot && !*slot)
		*slot = (uintptr_t)arena_alloc(&u->arena, PLAIN_CODE);
	if (slot)
		memcpy((void *)(uintptr_t)*slot, code, PLAIN_CODE);
	return true;
}

/* The code from an address on. */
static bool read_code(struct dwarf_unwinder *u, const struct stack_walk *w, u8 code[PLAIN_CODE])
{
	const struct map *m = w->map;

	if (!m->dso)
		return false;
	if (u->live && m->dso->kind == DSO_ANON)
		return read_memory(u, w, code);
	return dso_read_code(m->dso, dso_map_ip(m->dso, w->ip, m->start, m->pgoff), code,
			     PLAIN_CODE);
}

/*
 * Step to the caller in code without a table, if its instructions tell where it is: of i386 only a
 * return, which glibc 2.36 has behind the described part of makecontext().
 */
static bool step_plain(struct dwarf_unwinder *u, struct stack_walk *w)
{
	/* by callees: rbx, r12 to r15; ebx, esi, edi */
	const u32 saved = w->is32 ? 0xc8 : 0xf008, fp_reg = w->is32 ? CFI_EBP : CFI_RBP;
	struct plain_frame f = { .size = 0 };
	u64 ret, fp = w->regs[fp_reg];

	if (!read_code(u, w, f.code) ||
	    (w->is32 ? !w->exact || f.code[0] != 0xc3 : !plain_frame_walk(&f)) ||
	    !read_word(w, w->sp + f.size, &ret) ||
	    (f.pops_fp && !read_word(w, w->sp + f.fp_at, &fp)) || !walk_is_code(w, ret - 1))
		return false;
	w->known &= (saved & ~f.popped) | 1u << fp_reg;
	if (f.pops_fp)
		set_reg(w, fp_reg, fp);
	w->sp += f.size + (w->is32 ? 4 : 8);
	set_reg(w, w->is32 ? CFI_ESP : CFI_RSP, w->sp);
	w->ip = ret;
	w->exact = w->by_pointer = false;
	return true;
}

/* A call through a wild pointer: nothing is mapped here, but the return address was pushed. */
static bool step_wild_call(struct stack_walk *w)
{
	u32 sp = w->is32 ? CFI_ESP : CFI_RSP;
	u64 ret;

	if (!read_word(w, w->sp, &ret) || !walk_is_code(w, ret))
		return false;
	w->sp += w->is32 ? 4 : 8;
	set_reg(w, sp, w->sp);
	w->ip = ret;
	w->exact = false;
	return true;
}

static const struct cfi_row *find_row(const struct stack_walk *w, const struct map *m, u64 ip)
{
	u64 off = ip - m->start + m->pgoff;

	if (!m->dso)
		return NULL;
	return cfi_cache_find(w->cfi, m->dso, dso_map_ip(m->dso, ip, m->start, m->pgoff),
			      off - m->dso->base, w->is32);
}

/*
 * Step to the caller. @shown: set to the frame's address, exact if it made no call: a signal
 * trampoline, or a function's start stored by makecontext(), in front of which is padding
 */
static bool step(struct dwarf_unwinder *u, struct stack_walk *w, bool first, u64 *shown)
{
	const struct cfi_row *row;
	const struct map *m;
	u64 ip = w->exact ? w->ip : w->ip - 1;

	if (!walk_is_code(w, ip))
		return (first && step_wild_call(w)) || walk_ends(w, walk_is_mapped(w, ip) ? WALK_BAD_FRAME : WALK_UNMAPPED);
	m = w->map;
	row = find_row(w, m, ip);
	if (!row && !w->exact && ip + 1 < m->end && find_row(w, m, ip + 1)) {
		*shown = w->ip;
		return walk_ends(w, WALK_OUTERMOST);
	}
	/* Code of a vDSO that is not here has no frame pointers. */
	if (!row && m->dso && m->dso->kind == DSO_VDSO)
		return walk_ends(w, WALK_NO_RULE);
	if (!row)
		return step_plain(u, w) || step_frame_pointer(w);
	if (row->signal)
		*shown = w->ip;
	return step_row(w, row);
}

/*
 * The walk ended where Go's runtime.systemstack() calls on another stack, not in the copy: the
 * callers are in the callchain by frame pointers, if that has the same frame. Return: all ips.
 */
static u32 go_callers(struct stack_walk *w, const struct sample *s, u64 *ips, u64 *sps, u32 nr,
		      u32 max)
{
	const u64 *v, *end;
	u64 ip = ips[nr - 1];
	const struct map *m;
	const struct symbol *sym;

	if (!s->callchain || w->stop != WALK_FAR || w->is32 || !walk_is_code(w, ip) || !w->map->dso)
		return nr;
	m = w->map;
	sym = dso_find_symbol(m->dso, dso_map_ip(m->dso, ip, m->start, m->pgoff));
	if (!sym || !go_stack_switches(sym->name))
		return nr;
	v = s->callchain + sample_user_half(s);
	end = s->callchain + s->callchain_nr;
	while (v < end && *v != w->ip)
		v++;
	while (nr < max && end - v > 1 && walk_is_code(w, *++v - 1) && w->map->dso == m->dso) {
		if (sps)
			sps[nr] = w->sp;
		ips[nr++] = *v - 1;
		w->stop = WALK_OUTERMOST;
	}
	return nr;
}

u32 dwarf_unwind(struct dwarf_unwinder *u, struct timeline *tl, const struct thread *t,
		 const struct sample *s, u64 time, u64 *ips, u64 *sps, u32 max,
		 enum walk_stop *stop)
{
	struct stack_walk w = {
		.cfi = u->cfi, .tl = tl, .time = time, .va_bits = 47,
		.is32 = s->user_regs.abi == PERF_SAMPLE_REGS_ABI_32,
		.stack = s->user_stack, .stack_size = s->user_stack_size,
		.copy_is_full = s->user_stack_size >= s->user_stack_full, .stop = WALK_LIMIT,
	};
	u32 nr = 0;

	if (!max || !s->user_stack || !s->user_stack_size || !s->user_regs.regs ||
	    s->user_regs.abi == PERF_SAMPLE_REGS_ABI_NONE)
		return 0;
	w.space = thread_space(tl, t, time);
	if (arm64_has_regs(&s->user_regs)) {
		nr = arm64_unwind(&w, &s->user_regs, ips, max);
		*stop = w.stop;
		return nr;
	}
	if (!start(&w, &s->user_regs))
		return 0;
	w.stack_addr = w.sp;
	do {
		if (sps)
			sps[nr] = w.sp;
		ips[nr++] = w.exact ? w.ip : w.ip - 1;
	} while (nr < max && step(u, &w, nr == 1, &ips[nr - 1]));
	nr = go_callers(&w, s, ips, sps, nr, max);
	*stop = w.stop;
	return nr;
}
