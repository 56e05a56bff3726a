/* SPDX-License-Identifier: GPL-2.0 */
/* Call frame information (DWARF 5, 6.4; LSB 5.0, "Exception Frames"), a cached row per address. */
#ifndef PERF_UNWIND_CFI_CACHE_H
#define PERF_UNWIND_CFI_CACHE_H

#include <elfutils/libdw.h>

#include "symbol/dso.h"

struct unwind_table;
struct unwind_table_rule;

/* unwind_table_of - make a dso's unwind table. Return: its memory, to be freed; NULL: none */
void *unwind_table_of(struct dso *d, struct unwind_table *table);

/* Registers by DWARF number: x86-64 rax..r15 and the return address 16; i386 eax..edi and 8. */
#define CFI_REGS	17
#define CFI_RBX		3
#define CFI_RSP		7
#define CFI_RBP		6
#define CFI_RA64	16
#define CFI_ESP		4
#define CFI_EBP		5
#define CFI_RA32	8

enum cfi_kind {
	CFI_UNDEFINED,
	CFI_SAME,
	CFI_OFFSET,	/* saved at CFA + .off */
	CFI_VAL_OFFSET,	/* is CFA + .off */
	CFI_REGISTER,	/* is register .reg + .off */
	CFI_IN_FRAME,	/* saved where it points to, if that is in the frame, else unchanged */
	CFI_EXPR,	/* saved at the address given by expression .off */
	CFI_VAL_EXPR,	/* is the value of expression .off */
};

struct cfi_rule {
	u8 kind, reg;
	s32 off;
};

struct cfi_expr {
	const Dwarf_Op *ops;
	size_t nr;
};

struct cfi_row {
	struct cfi_rule cfa;		/* CFI_REGISTER or CFI_VAL_EXPR */
	u32 same, computed;	/* bits of registers: CFI_SAME, or with a value to compute */
	u8 ra;				/* register of the return address */
	u8 signal;			/* a signal handler's frame: the caller's ip is exact */
	struct cfi_rule regs[CFI_REGS];
};

struct cfi_cache;

struct cfi_cache *cfi_cache_create(void);
/* cfi_cache_destroy - call it before the dsos are destroyed */
void cfi_cache_destroy(struct cfi_cache *c);

/*
 * cfi_cache_find - the unwind row of an address, of dso_map_ip(), at offset @off in the dso's ELF
 * file; @is32: of i386 code. Return: valid as long as the cache; NULL: no table covers it, or it is
 * damaged. Context: any thread; no lock is taken for a known address.
 */
const struct cfi_row *cfi_cache_find(struct cfi_cache *c, struct dso *d, u64 addr, u64 off,
				     bool is32);

/*
 * cfi_cache_rule - the rule at offset @off in the dso's ELF file, of arm64. Return: NULL: it cannot
 * be read, or is of another architecture. As cfi_cache_find() else.
 */
const struct unwind_table_rule *cfi_cache_rule(struct cfi_cache *c, struct dso *d, u64 off);
/* cfi_cache_expr - expression number @n of the cache's rows */
const struct cfi_expr *cfi_cache_expr(struct cfi_cache *c, u32 n);

#endif /* PERF_UNWIND_CFI_CACHE_H */
