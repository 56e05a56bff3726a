/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_UNWIND_DWARF_EXPR_H
#define PERF_UNWIND_DWARF_EXPR_H

#include "unwind/cfi_cache.h"

/* The input of an expression. */
struct dwarf_expr_context {
	const u64 *regs;		/* by DWARF number */
	u32 known;			/* bit per register; @regs has those of set bits */
	u64 cfa;
	bool has_cfa;
	u32 word;			/* bytes of an address: 4 or 8 */
	/* Read @size bytes at @addr; false: not in the copy. */
	bool (*read)(void *ctx, u64 addr, u32 size, u64 *v);
	void *ctx;
};

/* dwarf_expr_eval - evaluate a DWARF expression (DWARF 5, section 2.5); false: no result */
bool dwarf_expr_eval(const struct cfi_expr *e, const struct dwarf_expr_context *x, u64 *v);

#endif /* PERF_UNWIND_DWARF_EXPR_H */
