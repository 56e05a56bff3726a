/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Debug information of one dso: source lines (srcline.c) and inlined calls
 * (inlines.c), both by libdw, both read a compilation unit when the
 * first address of it is looked up.
 */
#ifndef PERF_SYMBOL_SRCLINE_H
#define PERF_SYMBOL_SRCLINE_H

#include <elfutils/libdw.h>

#include "symbol/private.h"

/* The addresses of one function's DIE. */
struct func {
	u64 start, end;
	Dwarf_Off die;
	u32 outer;		/* index of the range around this one, or SYM_NO_OUTER */
};

/* One compilation unit. */
struct unit {
	Dwarf_Off die;		/* of the unit */
	bool split;		/* @sub is that of a .dwo file */
	Dwarf_Die sub;
	struct func *funcs;	/* sorted by start; inlines.c */
	u32 nr_funcs;
	bool funcs_read;
};

struct unit_range {
	u64 start, end;
	u32 unit;
};

struct lines {
	Elf *elf;
	Dwarf *dwarf;
	bool split_told;	/* that units lie in files that can't be opened */
	struct unit *units;
	u32 nr_units, cap_units;
	struct unit_range *ranges;	/* sorted by start */
	u32 nr_ranges, cap_ranges;
	bool ranges_told;		/* that it has more of them */
	u64 ranges_left;		/* how many more ranges of units and functions the file can have */
	struct hash answers;		/* (addr, what) -> answer; what: ANSWER_* */
	struct hash strings;		/* (hash, 0) -> interned string */
	struct hash inline_syms;	/* (hash of the name, start) -> struct symbol * */
	struct arena arena;
};

enum { ANSWER_LINE, ANSWER_LINE_FULL, ANSWER_INLINES, ANSWER_CALLS };

/**
 * lines_get() - the dso's debug information, opened at the first call
 * @f: the dso, its lines_lock held
 *
 * Return: NULL when it has none.
 */
struct lines *lines_get(struct dso_file *f);

/* lines_destroy - free it; NULL is fine */
void lines_destroy(struct lines *l);

/**
 * lines_unit() - the compilation unit that holds an address
 * @l: the debug information
 * @addr: the address
 * @cu: set to its DIE
 *
 * Return: NULL when none does.
 */
struct unit *lines_unit(struct lines *l, u64 addr, Dwarf_Die *cu);

/**
 * lines_text() - "FILE:LINE", interned
 * @l: the debug information
 * @file: path; NULL: unknown
 * @line: 0: unknown
 * @full_path: not only the last component
 *
 * Return: the text, or NULL when either is unknown.
 */
const char *lines_text(struct lines *l, const char *file, int line, bool full_path);

#endif /* PERF_SYMBOL_SRCLINE_H */
