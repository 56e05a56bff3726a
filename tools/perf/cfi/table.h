/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwind tables in the kernel's layout (linux/unwind_table.h): making, checking, look-ups.
 */
#ifndef PERF_CFI_TABLE_H
#define PERF_CFI_TABLE_H

#include <linux/unwind_table.h>

#include "base/types.h"

/* Registers by their DWARF numbers: of x86-64. */
#define REG_FP	6
#define REG_SP	7

/* Of AArch64. */
#define ARM64_FP	29
#define ARM64_LR	30
#define ARM64_SP	31

/* Of a struct rt_sigframe of arm64 (asm/ucontext.h, asm/sigcontext.h): siginfo, then the ucontext. */
#define ARM64_UCONTEXT	128
#define ARM64_UC_REGS	184	/* in the ucontext: x0 to x30, sp, pc */

/* A table in memory, and where its parts are. */
struct unwind_table {
	const struct unwind_table_head *head;
	const struct unwind_table_rule *rules;
	const u32 *pages;
	const struct unwind_table_row *rows;
};

/**
 * unwind_table_check() - verify a table once, so that look-ups need no check
 * @data: the table, aligned to 8 bytes
 * @t: set to where its parts are
 *
 * Return: NULL, or the reason.
 */
const char *unwind_table_check(const void *data, size_t size, struct unwind_table *t);

/**
 * unwind_table_find() - the rule at a file offset
 * @t: a table that was checked
 * @off: offset in the file
 *
 * Return: the rule; one of kind UNWIND_TABLE_UNKNOWN where the table has nothing.
 */
const struct unwind_table_rule *unwind_table_find(const struct unwind_table *t, u64 off);

/* unwind_table_row_offset - where row number @row begins; @page: the page that holds it */
static inline u64 unwind_table_row_offset(const struct unwind_table *t, u32 page, u32 row)
{
	return t->head->first + ((u64)page << t->head->page_shift) + t->rows[row].off;
}

/**
 * unwind_rule_text() - a rule as a person reads it
 * @arch: of its table: EM_*
 * @buf: where to
 * @size: bytes there; 96 are enough
 *
 * Return: @buf.
 */
char *unwind_rule_text(const struct unwind_table_rule *r, u16 arch, char *buf, size_t size);

#endif /* PERF_CFI_TABLE_H */
