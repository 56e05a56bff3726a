/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of functions that Go's runtime has in each program, stripped or not: names, lines,
 * sizes of frames (Go 1.18 and later, little-endian).
 */
#ifndef PERF_ELF_GOPCLNTAB_H
#define PERF_ELF_GOPCLNTAB_H

#include <libelf.h>

#include "base/types.h"

/* The section that all files of Go have. */
#define GO_SECTION ".go.buildinfo"

struct gopclntab {
	const u8 *data;
	u64 size;		/* up to the end of its section */
	u64 strings_end;	/* offset of the last 0 */
	u64 text;		/* address of the code */
	u64 names, units, files, values, funcs;	/* offsets of its parts */
	u32 nr;			/* functions; 0: there is no table */
	u32 quantum;		/* bytes: sizes of code are multiples */
	bool has_line;		/* an entry has the function's first line, since Go 1.20 */
};

struct go_func {
	u64 start, size;
	const char *name;	/* in the table */
	u64 at;			/* offset of its entry */
	bool outermost;		/* it has no caller */
};

/* A run of instructions with one value. All zeroes: the one before the first. */
struct go_run {
	u64 start, end;		/* bytes after the function's start */
	s32 value;
	u64 at;			/* offset of the next run */
};

/* The values that a function has: offsets in its entry. */
enum go_values { GO_FRAME_SIZES = 16, GO_FILES = 20, GO_LINES = 24 };

/**
 * gopclntab_find() - find the table of a file
 * @elf: the file; the table refers to it
 * @t: set to the table; .nr is 0 if there is none
 */
void gopclntab_find(Elf *elf, struct gopclntab *t);

/* gopclntab_func - read entry @i, less than @t->nr. Return: false: it is damaged. */
bool gopclntab_func(const struct gopclntab *t, u32 i, struct go_func *f);

/* gopclntab_run - advance to the next run of a function's values. Return: false: there is none. */
bool gopclntab_run(const struct gopclntab *t, const struct go_func *f, enum go_values which,
		   struct go_run *r);

/* gopclntab_line - the source file and line of an address; NULL: not known */
const char *gopclntab_line(const struct gopclntab *t, u64 addr, s32 *line);

#endif /* PERF_ELF_GOPCLNTAB_H */
