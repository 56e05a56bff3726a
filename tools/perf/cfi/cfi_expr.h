/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DWARF expressions in call frame information (DWARF 5, sections 2.5 and 6.4.2): recognises
 * those that a table's rule can express.
 */
#ifndef PERF_CFI_CFI_EXPR_H
#define PERF_CFI_CFI_EXPR_H

#include "base/types.h"

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
 * @p: its operations
 * @size: bytes of them
 * @has_cfa: the CFA is on the stack when it begins (of registers, not of the CFA)
 *
 * Return: the top of the stack at its end.
 */
struct unwind_expr unwind_expr_read(const u8 *p, size_t size, bool has_cfa);

#endif /* PERF_CFI_CFI_EXPR_H */
