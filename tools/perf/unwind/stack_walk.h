/* SPDX-License-Identifier: GPL-2.0 */
/* The state of a walk of a stack copy. Private to this folder. */
#ifndef PERF_UNWIND_STACK_WALK_H
#define PERF_UNWIND_STACK_WALK_H

#include <sys/mman.h>

#include "symbol/dso.h"
#include "unwind/dwarf_unwind.h"

struct cfi_cache;

/* /proc/sys/vm/mmap_min_addr is at least this, except on systems that emulate DOS. */
#define FIRST_PAGE 4096

#define WALK_REGS 32

/* One walk. */
struct stack_walk {
	struct cfi_cache *cfi;
	struct timeline *tl;
	const struct space *space;
	u64 time;
	bool is32;
	u8 va_bits;			/* size of user addresses */
	u64 regs[WALK_REGS];		/* by DWARF number */
	u32 known;			/* bit per register */
	u64 ip, sp;
	bool exact;			/* ip is the current address, not a return address */
	bool by_pointer;		/* found by frame pointer: this frame may have one, too */
	const u8 *stack;
	u64 stack_addr, stack_size;
	const struct map *map;		/* of the last ip */
	enum walk_stop stop;
	bool copy_is_full;		/* the stack may extend beyond it */
	u64 missing;			/* address that the last step would have read */
};

/* arm64_has_regs - are these registers of arm64? Bit 31 is sp there; on x86 it is reserved. */
static inline bool arm64_has_regs(const struct regs_dump *r)
{
	return r->mask >> 31 & 1;
}

/*
 * arm64_unwind - walk a stack copy of arm64; @w: .cfi, .tl, .space, .time and the copy are set; @r:
 * by PERF_REG_ARM64_*; @ips: as by dwarf_unwind(). Return: 0: no pc or sp, or a 32-bit task.
 */
u32 arm64_unwind(struct stack_walk *w, const struct regs_dump *r, u64 *ips, u32 max);

/* walk_read - read @size bytes at @addr of the copy; false: they are not there, and .missing is set */
static inline bool walk_read(void *ctx, u64 addr, u32 size, u64 *v)
{
	struct stack_walk *w = ctx;
	u64 off = addr - w->stack_addr;

	if (addr < w->stack_addr || off >= w->stack_size || w->stack_size - off < size) {
		w->missing = addr;
		return false;
	}
	*v = 0;
	memcpy(v, w->stack + off, size);
	return true;
}

/* walk_ends - end the walk. Return: false */
static inline bool walk_ends(struct stack_walk *w, enum walk_stop why)
{
	w->stop = why;
	return false;
}

/* Would the largest possible stack copy contain this address? */
static inline bool larger_copy_has(const struct stack_walk *w, u64 addr)
{
	u64 off = addr - w->stack_addr;

	return w->copy_is_full && off + sizeof(u64) > w->stack_size && off <= DWARF_MAX_COPY - sizeof(u64);
}

/* walk_ends_missing - end a walk that needed memory outside the copy, at .missing. Return: false */
static inline bool walk_ends_missing(struct stack_walk *w)
{
	if (larger_copy_has(w, w->missing))
		return walk_ends(w, WALK_COPY_END);
	/* If the copy reaches the end of the stack, the address is wrong. */
	if (!w->missing || w->missing >> w->va_bits || w->missing % (w->is32 ? 4 : 8) ||
	    (w->missing >= w->stack_addr && w->missing - w->stack_addr < DWARF_MAX_COPY))
		return walk_ends(w, WALK_BAD_FRAME);
	return walk_ends(w, WALK_FAR);
}

/*
 * walk_ends_without_rule - end a walk without rule or valid frame pointer; @fp: the latter's DWARF
 * number; @word: its size; @at_start: a program's stack may start here, where the ABI has 0 for it
 */
static inline bool walk_ends_without_rule(struct stack_walk *w, u32 fp, u32 word, bool at_start)
{
	if (!(w->known >> fp & 1))
		return walk_ends(w, WALK_NO_RULE);
	if (!w->regs[fp] && at_start && w->map->dso && w->map->dso->kind == DSO_USER)
		return walk_ends(w, WALK_OUTERMOST);
	w->missing = w->regs[fp] + word;
	walk_ends_missing(w);
	if (w->stop == WALK_COPY_END || (w->stop == WALK_FAR && w->by_pointer))
		return false;
	return walk_ends(w, WALK_NO_RULE);
}

/* walk_is_mapped - is anything mapped at an address? */
static inline bool walk_is_mapped(const struct stack_walk *w, u64 ip)
{
	return space_find(w->tl, w->space, ip, w->time, NULL);
}

/* walk_is_code - is code mapped at an address? Then .map is its mapping. */
static inline bool walk_is_code(struct stack_walk *w, u64 ip)
{
	const struct map *m = w->map;

	/* Most calls are within one file. */
	if (!m || ip < m->start || ip >= m->end || w->time < m->from)
		m = space_find(w->tl, w->space, ip, w->time, NULL);
	if (!m)
		return false;
	w->map = m;
	/* MMAP records (unlike MMAP2) have no protection: they are of code only. */
	return !m->prot || (m->prot & PROT_EXEC);
}

#endif /* PERF_UNWIND_STACK_WALK_H */
