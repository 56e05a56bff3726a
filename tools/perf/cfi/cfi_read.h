/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call frame information: DWARF 5, section 6.4 (.debug_frame), and Linux Standard
 * Base 5.0, "Exception Frames" (.eh_frame). x86-64 and AArch64, little-endian.
 */
#ifndef PERF_CFI_CFI_READ_H
#define PERF_CFI_CFI_READ_H

#include "base/types.h"
#include "cfi/rows.h"

enum unwind_expr_kind {
	EXPR_OTHER,		/* none of these */
	EXPR_REG,		/* register .reg + .off */
	EXPR_DEREF,		/* (word at register .reg + .off) + .add */
	EXPR_CFA,		/* CFA + .off */
	EXPR_CONST,		/* .off */
	EXPR_PLT,		/* register .reg + .off, 8 more if (ip & 15) >= .add */
};

struct unwind_expr {
	u8 kind, reg;
	s64 off, add;
};

/**
 * unwind_expr_read() - evaluate an expression symbolically
 * @size: bytes of them
 * @has_cfa: the CFA is on the stack when it begins (of registers, not of the CFA)
 *
 * Return: the top of the stack at its end.
 */
struct unwind_expr unwind_expr_read(const u8 *p, size_t size, bool has_cfa);

/* A section that describes code. */
struct unwind_section {
	const u8 *data;
	u64 size;
	u64 vaddr;		/* base of relative addresses in it */
};

/**
 * unwind_cfi_read() - the functions that a section describes
 * @is_eh: .eh_frame, not .debug_frame
 * @r: where to
 *
 * A description that cannot be read to its end counts as damaged, and what it says up to
 * there is used; so are the descriptions that follow, as long as their sizes can be
 * followed. CIEs are read when an FDE names them, each once.
 *
 * Return: NULL, or why the section was not read to its end.
 */
const char *unwind_cfi_read(const struct unwind_section *s, bool is_eh, struct unwind_rows *r);

/**
 * unwind_cfi_read_at() - the function that .eh_frame has for an address
 * @s: .eh_frame
 * @hdr: .eh_frame_hdr, which has the FDEs sorted by address (Linux Standard Base 5.0)
 * @r: where to
 *
 * Return: false if it finds none; another section, or .eh_frame itself, may have one then.
 */
bool unwind_cfi_read_at(const struct unwind_section *s, const struct unwind_section *hdr, u64 addr,
			struct unwind_rows *r);

/*
 * unwind_cfi_next - where the next function begins; @hdr: .eh_frame_hdr. Return: the start of the
 * first function after @addr; -1: there is none, or no sorted table.
 */
u64 unwind_cfi_next(const struct unwind_section *hdr, u64 addr);

/*
 * unwind_sframe_read - the functions that a section describes; @r: where to. Return: NULL, or why
 * the section is unreadable; single damaged functions are counted.
 */
const char *unwind_sframe_read(const struct unwind_section *s, struct unwind_rows *r);

#endif /* PERF_CFI_CFI_READ_H */
