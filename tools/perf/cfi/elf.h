/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The unwind table of an ELF file.
 */
#ifndef PERF_CFI_ELF_H
#define PERF_CFI_ELF_H

#include "base/digest.h"
#include "cfi/rows.h"

#define UNWIND_ELF_KEY	(2 * DIGEST_SIZE + 1)

struct unwind_elf;

/* One more with each change of what is made of a file: the cache then has it made anew. */
#define UNWIND_ELF_MAKER 4

/**
 * unwind_elf_open() - open a file whose table is wanted
 * @path: a program, shared library or image of the vDSO, of x86-64 or AArch64
 * @elf: where to; unwind_elf_close() it, also after an error
 * @why: set to the reason
 *
 * Return: 0; -errno when it cannot be opened; -ENOEXEC when it is no such file; -ENODATA when it
 * has no code. Nothing is printed.
 */
int unwind_elf_open(const char *path, struct unwind_elf **elf, const char **why);
void unwind_elf_close(struct unwind_elf *elf);

/*
 * unwind_elf_key - the name of a file's table in the cache; @key: set to the digest of all that the
 * table is made from, in hexadecimal; of no build-id, which anyone can copy
 */
void unwind_elf_key(struct unwind_elf *elf, char key[UNWIND_ELF_KEY]);

/**
 * unwind_elf_make() - make the table
 * @made: where to
 * @why: set to the reason if there is no table; else to NULL or to the damage found
 *
 * .eh_frame counts before .debug_frame, which fills its gaps, as do .sframe and Go's table.
 * Everything in the file is checked: memory is within some ten times the sizes of these sections.
 *
 * Return: 0; -ENODATA when nothing in it describes its code. Nothing is printed.
 */
int unwind_elf_make(struct unwind_elf *elf, struct unwind_made *made, const char **why);

/**
 * unwind_file_rule() - the rule at one place of a file
 * @off: file offset
 * @rule: set to the rule; of kind UNWIND_TABLE_UNKNOWN when nothing describes the place
 *
 * The sorted .eh_frame_hdr finds the function.
 *
 * Return: 0; -ENOENT when there is none; or an error of unwind_elf_open(). Nothing is printed.
 */
int unwind_file_rule(const char *path, u64 off, struct unwind_table_rule *rule);

/**
 * unwind_file() - unwind_elf_open(), unwind_elf_make() and unwind_elf_close() in one
 * @made: where to
 * @why: as those
 *
 * Return: as those.
 * Context: thread-safe.
 */
int unwind_file(const char *path, struct unwind_made *made, const char **why);

/* The code of a function, or a part of it that the compiler moved elsewhere. */
struct unwind_range {
	u64 off, size;		/* in the file */
};

/**
 * unwind_ranges() - where a file's functions are, by its call frame information
 * @v: set to them, sorted; they do not overlap; free() it
 *
 * Return: how many; 0 when the file is none of those above, or nothing describes its code.
 * Context: thread-safe.
 */
u32 unwind_ranges(const char *path, struct unwind_range **v);

#endif /* PERF_CFI_ELF_H */
