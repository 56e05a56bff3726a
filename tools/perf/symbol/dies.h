/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tree of DIEs of one compilation unit, several times as fast as libdw walks it. Each abbreviation
 * is translated once, at its first DIE, into the steps that lead over a DIE with it. libdw reads the
 * attributes of the few DIEs that matter.
 */
#ifndef PERF_SYMBOL_DIES_H
#define PERF_SYMBOL_DIES_H

#include <elfutils/libdw.h>

#include "base/hash.h"
#include "base/types.h"

struct die_step;
struct die_shape;

struct dies {
	Dwarf_CU *cu;
	const u8 *unit, *end;		/* the unit's header, and the first byte after the unit */
	u8 addr_size, offset_size;
	Dwarf_Half version;
	bool big;			/* most significant byte first */
	struct die_shape *shapes;	/* by abbreviation code */
	u32 nr_shapes;
	struct die_shape *rare;		/* those with a code too high for the array */
	u32 nr_rare, cap_rare;
	struct hash by_code;		/* code -> index in .rare */
	struct die_step *steps;		/* of all shapes */
	u32 nr_steps, cap_steps;
};

struct die {
	const u8 *at;			/* its bytes; Dwarf_Die.addr */
	int tag;
	bool has_children;
	bool has_code;			/* DW_AT_low_pc or DW_AT_ranges */
	bool is_plain;			/* @low and @high are its addresses */
	u64 low, high;
	const u8 *sibling;		/* the DIE after its children; NULL: not given */
};

/* dies_init - prepare for reading a unit by its DIE; false: it cannot be. dies_deinit() anyway */
bool dies_init(struct dies *d, Dwarf_Die *unit);
void dies_deinit(struct dies *d);

/*
 * dies_read - read the next DIE of a list of siblings; @p: advanced to its first child or, without
 * children, to the next DIE; after the last one, to the DIE after the list; NULL: the unit is
 * damaged. Positions only increase. Return: false after the last DIE.
 */
bool dies_read(struct dies *d, const u8 **p, struct die *die);

/*
 * dies_skip - skip the children of a DIE; @p: the position of its first child. Return: the position
 * of the next DIE; NULL: the unit is damaged.
 */
const u8 *dies_skip(struct dies *d, const struct die *die, const u8 *p);

/*
 * dies_ranges - the next range of addresses of a DIE, as dwarf_ranges(); @offset: 0, then the last
 * result; @base: state between calls. Return: 0 or less after the last one.
 */
ptrdiff_t dies_ranges(const struct dies *d, const struct die *die, ptrdiff_t offset, Dwarf_Addr *base,
		      Dwarf_Addr *start, Dwarf_Addr *end);

#endif /* PERF_SYMBOL_DIES_H */
