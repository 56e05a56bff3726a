// SPDX-License-Identifier: GPL-2.0
/*
 * The scopes of a function by address: inlined calls and blocks. It is given the DIE of a function,
 * reads the DIEs below it once, and makes a sorted list of addresses with the innermost scope at
 * each. A look-up is one binary search. Context: the dso's lines_lock is held.
 */
#include <dwarf.h>

#include "base/sort.h"
#include "symbol/srcline.h"

/* Index of the function itself. */
#define NO_SCOPE UINT32_MAX

struct scope {
	const u8 *die;
	u32 parent;		/* index, or NO_SCOPE */
	bool inlined;		/* a call; else a block */
};

struct scopes {
	struct scope *scopes;	/* each after its parent */
	u64 *starts;		/* sorted */
	u32 *innermost;		/* from each of @starts to the next one: index in @scopes, or NO_SCOPE */
	u32 nr_starts;
};

struct range {
	u64 start, end;
	u32 scope;
};

struct scope_reader {
	struct scope *scopes;
	u32 nr_scopes, cap_scopes;
	struct range *ranges;	/* by scope: a parent's ranges come before its children's */
	u32 nr_ranges, cap_ranges;
	u32 nr_inlined;
	u64 *ranges_left;
	struct dies *dies;
};

static bool is_scope(int tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt;
}

/* Return: its index */
static u32 add_scope(struct scope_reader *r, const struct die *die, bool inlined, u32 parent)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t off = 0;

	GROW(r->scopes, r->nr_scopes, r->cap_scopes);
	r->scopes[r->nr_scopes] = (struct scope){ die->at, parent, inlined };
	r->nr_inlined += inlined;
	while (*r->ranges_left && (off = dies_ranges(r->dies, die, off, &base, &start, &end)) > 0) {
		--*r->ranges_left;
		if (start >= end)
			continue;
		GROW(r->ranges, r->nr_ranges, r->cap_ranges);
		r->ranges[r->nr_ranges++] = (struct range){ start, end, r->nr_scopes };
	}
	return r->nr_scopes++;
}

/* Read a list of siblings. Return: the position after it; NULL: the rest of the unit is not read. */
static const u8 *find_scopes(struct scope_reader *r, const u8 *p, u32 parent, u32 depth)
{
	struct die die;
	bool inlined;
	u32 scope;

	while (*r->ranges_left && depth < SCOPES_MAX_DEPTH && dies_read(r->dies, &p, &die)) {
		inlined = die.tag == DW_TAG_inlined_subroutine;
		scope = parent;
		/* A block without addresses (variables in registers) may have inlined calls. */
		if (inlined || (is_scope(die.tag) && die.has_code))
			scope = add_scope(r, &die, inlined, parent);
		if (die.has_children)
			p = is_scope(die.tag) ? find_scopes(r, p, scope, depth + 1) : dies_skip(r->dies, &die, p);
	}
	return *r->ranges_left && depth < SCOPES_MAX_DEPTH ? p : NULL;
}

/* Set the addresses at which the innermost scope may change. */
static void set_starts(struct lines *l, const struct scope_reader *r, struct scopes *s)
{
	size_t nr = 2 * (size_t)r->nr_ranges, i;

	s->starts = arena_alloc(&l->arena, nr * sizeof(*s->starts));
	for (i = 0; i < r->nr_ranges; i++) {
		s->starts[2 * i] = r->ranges[i].start;
		s->starts[2 * i + 1] = r->ranges[i].end;
	}
	sort_u64(s->starts, nr);
	for (i = 0; i < nr; i++) {
		if (!s->nr_starts || s->starts[s->nr_starts - 1] != s->starts[i])
			s->starts[s->nr_starts++] = s->starts[i];
	}
}

/*
 * Set the innermost scope at each start. A scope overrides only its parent: ranges outside the
 * parent are ignored, and if siblings overlap the first one wins. Scopes of one depth overlap only
 * in a damaged file; the limit bounds the work for it.
 */
static void set_innermost(struct lines *l, const struct scope_reader *r, struct scopes *s)
{
	u64 left = (u64)s->nr_starts * SCOPES_MAX_DEPTH;
	const struct range *range;
	u32 i;

	s->innermost = arena_alloc(&l->arena, s->nr_starts * sizeof(*s->innermost));
	for (i = 0; i < s->nr_starts; i++)
		s->innermost[i] = NO_SCOPE;
	for (range = r->ranges; range < r->ranges + r->nr_ranges; range++) {
		i = LOWER_BOUND(0, s->nr_starts, at, s->starts[at] < range->start);
		for (; s->starts[i] < range->end && left; i++, left--) {
			if (s->innermost[i] == r->scopes[range->scope].parent)
				s->innermost[i] = range->scope;
		}
	}
}

const struct scopes *scopes_read(struct lines *l, struct dies *d, const u8 *func)
{
	struct scope_reader r = { .ranges_left = &l->scope_ranges_left, .dies = d };
	struct scopes *s = NULL;
	struct die die;

	if (dies_read(d, &func, &die) && die.has_children)
		find_scopes(&r, func, NO_SCOPE, 0);
	if (r.nr_inlined && r.nr_ranges) {
		s = arena_alloc(&l->arena, sizeof(*s));
		s->scopes = arena_alloc(&l->arena, r.nr_scopes * sizeof(*s->scopes));
		s->nr_starts = 0;
		memcpy(s->scopes, r.scopes, r.nr_scopes * sizeof(*s->scopes));
		set_starts(l, &r, s);
		set_innermost(l, &r, s);
	}
	free(r.scopes);
	free(r.ranges);
	return s;
}

u32 scopes_starts(const struct scopes *s, const u64 **starts)
{
	*starts = s->starts;
	return s->nr_starts;
}

u32 scopes_calls(const struct scopes *s, u64 addr, const u8 **dies)
{
	u32 behind = LOWER_BOUND(0, s->nr_starts, at, s->starts[at] <= addr), scope, nr = 0;

	scope = behind ? s->innermost[behind - 1] : NO_SCOPE;
	for (; scope != NO_SCOPE; scope = s->scopes[scope].parent) {
		if (s->scopes[scope].inlined)
			dies[nr++] = s->scopes[scope].die;
	}
	return nr;
}
