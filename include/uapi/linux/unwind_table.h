/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The unwind table of a file: for each offset in its code, how the caller's
 * registers are found. Documentation/unwind-tables.rst describes the layout,
 * what a checker verifies and how a look-up works.
 *
 * All parts follow each other without gaps, in the machine's byte order:
 *
 *	struct unwind_table_head
 *	struct unwind_table_rule	[nr_rules]
 *	__u32				[nr_pages + 1]	first row of each page
 *	struct unwind_table_row		[nr_rows]
 */
#ifndef _UAPI_LINUX_UNWIND_TABLE_H
#define _UAPI_LINUX_UNWIND_TABLE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define UNWIND_TABLE_MAGIC		0x62547755	/* "UwTb" in little-endian files */
#define UNWIND_TABLE_VERSION		1

#define UNWIND_TABLE_MIN_SHIFT		8
#define UNWIND_TABLE_MAX_SHIFT		16
#define UNWIND_TABLE_MAX_RULES		65536

struct unwind_table_head {
	__u32	magic;
	__u16	version;
	__u16	arch;		/* EM_*: says what registers and kinds mean */
	__u64	size;		/* of the whole table in bytes */
	__u64	first;		/* file offset of the first page, a multiple of its size */
	__u32	nr_pages;
	__u32	nr_rows;
	__u32	nr_rules;
	__u16	head_size;	/* sizeof(struct unwind_table_head) */
	__u8	page_shift;	/* a page is 1 << page_shift bytes of the file */
	__u8	reserved;	/* 0 */
	__u64	reserved2[3];	/* 0 */
};

/*
 * From this offset on, up to the next row, wherever that is: rule number @rule.
 * The first row of a table is at offset 0 of its first page.
 */
struct unwind_table_row {
	__u16	off;		/* in the page */
	__u16	rule;
};

/*
 * @kind: how the CFA, which is the caller's stack pointer, is found. The fields that a
 * kind does not name are 0.
 */
enum unwind_table_kind {
	UNWIND_TABLE_UNKNOWN	= 0,	/* the table does not know */
	UNWIND_TABLE_OUTERMOST	= 1,	/* there is no caller */
	UNWIND_TABLE_CFA	= 2,	/* CFA = reg + off */
	UNWIND_TABLE_DEREF	= 3,	/* CFA = (word at reg + off) + arg */
	UNWIND_TABLE_PLT	= 4,	/* CFA = reg + off, 8 more if (ip & 15) >= arg */
	UNWIND_TABLE_SIGNAL	= 5,	/* struct ucontext at reg + off has all registers */
};

/* @fp: where the caller's frame pointer is */
enum unwind_table_fp {
	UNWIND_TABLE_FP_SAME	= 0,	/* unchanged */
	UNWIND_TABLE_FP_CFA	= 1,	/* the word at CFA + fp_off */
	UNWIND_TABLE_FP_FP	= 2,	/* the word at fp + fp_off if it is in the frame, else unchanged */
	UNWIND_TABLE_FP_SP	= 3,	/* the word at sp + fp_off */
	UNWIND_TABLE_FP_LOST	= 4,	/* the table does not know */
};

/* @ra: where the return address is */
enum unwind_table_ra {
	UNWIND_TABLE_RA_CFA	= 0,	/* x86-64: the word at CFA - 8; AArch64: at CFA + arg */
	UNWIND_TABLE_RA_REG	= 1,	/* in register number arg; kind UNWIND_TABLE_CFA only */
};

/*
 * Registers have their DWARF numbers; x86-64: 0 to 15, fp is 6, sp is 7; AArch64: 0 to 31, fp is
 * 29, the link register 30, sp 31. Others than fp and sp are only known where all registers are:
 * in the innermost frame, and in one that a signal interrupted. Elsewhere a walk ends at a rule
 * with such a register.
 *
 * AArch64 has the kinds UNKNOWN, OUTERMOST, CFA and SIGNAL, and not FP_FP and FP_SP. Return
 * addresses may be signed: a walk removes the signature of each.
 */
struct unwind_table_rule {
	__u8	kind;		/* enum unwind_table_kind */
	__u8	reg;
	__u8	fp;		/* enum unwind_table_fp */
	__u8	ra;		/* enum unwind_table_ra */
	__s32	off;
	__s32	fp_off;
	__s32	arg;
};

/*
 * The argument of PERF_EVENT_IOC_UNWIND_TABLE, an ioctl of a perf event: take a copy of
 * the table at @addr for the file that @fd has open. The kernel keeps it until the event
 * is closed. It serves the tasks of every user that have the file mapped: the event's opener
 * needs CAP_PERFMON.
 */
struct unwind_table_add {
	__u32	size;		/* sizeof(struct unwind_table_add) */
	__u32	flags;		/* UNWIND_TABLE_ADD_* */
	__s32	fd;		/* the file whose code it describes; -1 with ..._VDSO */
	__u32	reserved;	/* 0 */
	__u64	addr;		/* of the table in user memory */
	__u64	bytes;		/* its size */
};

#define UNWIND_TABLE_ADD_VDSO		(1U << 0)	/* of the 64-bit vDSO, not of a file */

#define PERF_EVENT_IOC_UNWIND_TABLE	_IOW('$', 64, struct unwind_table_add)

#endif /* _UAPI_LINUX_UNWIND_TABLE_H */
