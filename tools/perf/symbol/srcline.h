/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Debug information of one dso: source lines (srcline.c) and inlined calls (inlines.c, and scopes.c
 * within a function), both by libdw. A compilation unit is read at the first look-up in it.
 */
#ifndef PERF_SYMBOL_SRCLINE_H
#define PERF_SYMBOL_SRCLINE_H

#include <elfutils/libdw.h>

#include "symbol/dies.h"
#include "symbol/symbol_private.h"

/* The addresses of one function's DIE. */
struct func {
	u64 start, end;
	const u8 *die;		/* Dwarf_Die.addr */
	u32 outer;		/* index of the range around this one, or SYM_NO_OUTER */
};

struct scopes;			/* of one function; scopes.c */

/* Limit of nested DIEs: deeper than in any compiler's output. Damaged files may exceed it. */
#define SCOPES_MAX_DEPTH 128

/* One compilation unit. */
struct unit {
	Dwarf_Off die;		/* of the unit */
	bool split;		/* @sub is the DIE in the .dwo file */
	Dwarf_Die sub;
	struct dies dies;	/* of the unit, or of its .dwo file; set with @funcs */
	struct func *funcs;	/* sorted by start; inlines.c */
	u32 nr_funcs;
	bool funcs_read;
};

struct unit_range {
	u64 start, end;
	u32 unit;
};

struct lines {
	struct dso_file *file;	/* the owner */
	Elf *elf;
	Dwarf *dwarf;
	Dwarf *line_dwarf;	/* with .debug_line; NULL: not needed yet, or it cannot be read */
	Elf_Scn *line_section;	/* .debug_line, left out of @dwarf; NULL: it is in @line_dwarf */
	bool compressed;	/* .debug_line was */
	Elf *alt_elf;		/* dwz's supplementary file; NULL: libdw looks for it */
	Dwarf *alt;
	struct elf_images images;	/* of @elf and @alt_elf */
	bool split_told;	/* warned that files of split units cannot be opened */
	struct unit *units;
	u32 nr_units, cap_units;
	struct unit_range *ranges;	/* sorted by start */
	u32 nr_ranges, cap_ranges;
	bool ranges_told;		/* warned that it has more ranges than the limit */
	u64 ranges_left;		/* remaining limit on ranges of units and functions */
	u64 scope_ranges_left;		/* remaining limit on ranges of scopes within functions */
	struct hash line_programs;	/* (offset, 0) -> 1 if it was counted; dwarf_fit.c */
	u64 line_bytes;			/* total size of counted line programs */
	bool lines_told;		/* warned that the limit is exceeded */
	struct hash scopes;		/* (DIE of a function, 0) -> struct scopes * */
	struct hash names;		/* (DIE of an inlined function, 0) -> twice its name; bit 0: it is mangled */
	struct hash index_calls;	/* (DIE of an inlined call, 0) -> its number in @file->inlines */
	struct hash indexed;		/* (start of a range that was added to it, 0) */
	struct arena arena;
};

/* lines_get - the dso's debug information, opened once, or NULL; @f: its lines_lock is held */
struct lines *lines_get(struct dso_file *f);

/* lines_destroy - free the debug information; NULL is allowed */
void lines_destroy(struct lines *l);

/*
 * lines_range - set @range to the addresses of a compilation unit around an address, or to those
 * between two units. Return: false: no unit holds the address.
 */
bool lines_range(const struct lines *l, u64 addr, struct unit_range *range);

/* lines_unit - the compilation unit that holds an address, or NULL; @cu: set to its DIE */
struct unit *lines_unit(struct lines *l, u64 addr, Dwarf_Die *cu);

/* scopes_read - the scopes of a function's DIE, as long as @l; NULL: nothing is inlined */
const struct scopes *scopes_read(struct lines *l, struct dies *d, const u8 *func);

/*
 * scopes_calls - set @dies, SCOPES_MAX_DEPTH of them, to the DIEs (Dwarf_Die.addr) of the inlined
 * calls around an address of the function, innermost first. Return: their number.
 */
u32 scopes_calls(const struct scopes *s, u64 addr, const u8 **dies);

/* scopes_starts - the sorted addresses between which scopes_calls() does not change. Return: their number. */
u32 scopes_starts(const struct scopes *s, const u64 **starts);

/*
 * lines_of_unit - may the lines of a unit be read? @cu: set to its DIE, for dwarf_getsrclines() and
 * dwarf_getsrcfiles(). Return: false if there are none or, reported once, too many
 * (dwarf_lines_fit()).
 */
bool lines_of_unit(struct lines *l, const struct unit *u, Dwarf_Die *cu);

/* lines_find - the line of an address */
struct source_line lines_find(struct lines *l, u64 addr);

#endif /* PERF_SYMBOL_SRCLINE_H */
