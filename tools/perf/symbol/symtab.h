/* SPDX-License-Identifier: GPL-2.0 */
/* A sorted array of symbols, found by address. */
#ifndef PERF_SYMBOL_SYMTAB_H
#define PERF_SYMBOL_SYMTAB_H

#include "symbol/dso.h"

/* struct symbol .state: is the name final? */
enum {
	SYM_RAW,		/* .name is the symbol table's */
	SYM_READY,		/* .name is final */
	SYM_START,		/* final, and made from the function's start */
};

#define SYM_NO_OUTER ((u32)-1)

/* Nested symbols that a look-up visits: more than in any program but a hostile one. */
#define SYM_MAX_NESTED 64

#define SYMTAB_LABEL 0x80

struct symtab {
	struct symbol *syms;
	u32 nr, cap;
};

/* A run of addresses that holds code. */
struct code_range {
	u64 start, end;
};

/* How symtab_finish() chooses between symbols at one address. */
enum symtab_choice {
	CHOOSE_ELF,	/* a size, strong, global, fewer leading underscores, longer, first */
	CHOOSE_LAST,	/* the last one added, as mainline does for kallsyms */
	CHOOSE_NEWEST,	/* of the symbols that cover an address, the last one added */
};

/**
 * symtab_finish() - make the table ready for symtab_find()
 * @choice: between symbols with one start
 * @code: limits of symbols of unknown size: sections or functions, sorted; may be NULL
 * @nr_code: ranges in @code
 *
 * A symbol of unknown size extends to the next symbol, but not out of its range of code
 * nor out of a symbol that encloses it; the last one to the end of its page. A label of
 * unknown size within a function is not kept.
 */
void symtab_finish(struct symtab *tab, enum symtab_choice choice, const struct code_range *code,
		   u32 nr_code);

/* symtab_find - the innermost symbol around an address, of SYM_MAX_NESTED at most, or NULL */
struct symbol *symtab_find(const struct symtab *tab, u64 addr);

/* symbol_better_name - is @b the better name of two at one address, all else being equal? */
bool symbol_better_name(const char *a, const char *b);

/* symtab_deinit - free the table (not the names) */
void symtab_deinit(struct symtab *tab);

/* symtab_grow - the slow path of symtab_add() */
void symtab_grow(struct symtab *tab);

/**
 * symtab_add() - append a symbol, in any order
 * @tab: the table; all zeroes is an empty one
 * @end: first address after it; == @start if its size is unknown
 * @name: must be valid as long as the table; NULL (not CHOOSE_ELF): only ends the symbol before it
 * @bind: STB_*; SYMTAB_LABEL or'ed: a label in assembler code, not a function
 */
static inline void symtab_add(struct symtab *tab, u64 start, u64 end, const char *name, u8 bind)
{
	if (tab->nr == tab->cap)
		symtab_grow(tab);
	tab->syms[tab->nr++] = (struct symbol){
		.start = start, .end = end, .name = name, .bind = bind, .outer = SYM_NO_OUTER,
	};
}

#endif /* PERF_SYMBOL_SYMTAB_H */
