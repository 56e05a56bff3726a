/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A sorted array of symbols, found by address.
 */
#ifndef PERF_SYMBOL_SYMTAB_H
#define PERF_SYMBOL_SYMTAB_H

#include "symbol/dso.h"

/* struct symbol .state: how far the name is on its way to be shown */
enum {
	SYM_RAW,		/* .name is the symbol table's */
	SYM_READY,		/* .name is final */
	SYM_START,		/* likewise, and made of where the function begins */
};

#define SYM_NO_OUTER ((u32)-1)

/* No program nests symbols as deep. In a hostile file a look-up could go through all of them. */
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

/**
 * symtab_add() - append a symbol, in any order
 * @tab: the table; all zeroes is an empty one
 * @start: its address
 * @end: first address after it; == @start when its size is not known
 * @name: lives as long as the table; NULL (not CHOOSE_ELF): nothing to show, but the
 *	  symbol before it ends here
 * @bind: STB_*; SYMTAB_LABEL or'ed: a label in assembler code, not a function
 */
static inline void symtab_add(struct symtab *tab, u64 start, u64 end, const char *name, u8 bind);

/* How symtab_finish() chooses between symbols at one address. */
enum symtab_choice {
	CHOOSE_ELF,	/* a size, strong, global, fewer leading underscores, longer, first */
	CHOOSE_LAST,	/* the one that was added last, as perf does for kallsyms */
	CHOOSE_NEWEST,	/* of the symbols that cover an address, the last one added */
};

/**
 * symtab_finish() - make the table ready for symtab_find()
 * @tab: the table
 * @choice: between symbols with one start
 * @code: where symbols of unknown size may extend to: the end of their section or function; sorted; may be NULL
 * @nr_code: ranges in @code
 *
 * A symbol of unknown size extends to the next symbol, but not out of its range of code
 * nor out of a symbol that encloses it; the last one to the end of its page. A label of
 * unknown size within a function is not kept.
 */
void symtab_finish(struct symtab *tab, enum symtab_choice choice, const struct code_range *code,
		   u32 nr_code);

/**
 * symtab_find() - the innermost symbol around an address
 * @tab: a finished table
 * @addr: the address
 *
 * Return: the symbol, or NULL if there is none, or none among the SYM_MAX_NESTED innermost
 * symbols that begin at or before @addr.
 */
struct symbol *symtab_find(const struct symtab *tab, u64 addr);

/**
 * symbol_better_name() - which of two names at one address is shown, all else being equal
 * @a: the one that came first
 * @b: the other
 *
 * Return: whether @b is.
 */
bool symbol_better_name(const char *a, const char *b);

/* symtab_deinit - free the table (not the names) */
void symtab_deinit(struct symtab *tab);

/* symtab_grow - the slow path of symtab_add() */
void symtab_grow(struct symtab *tab);

static inline void symtab_add(struct symtab *tab, u64 start, u64 end, const char *name, u8 bind)
{
	struct symbol *sym;

	if (tab->nr == tab->cap)
		symtab_grow(tab);
	sym = &tab->syms[tab->nr++];
	sym->start = start;
	sym->end = end;
	sym->name = name;
	sym->bind = bind;
	sym->inlined = 0;
	sym->state = SYM_RAW;
	sym->rivals = 0;
	sym->outer = SYM_NO_OUTER;
}

#endif /* PERF_SYMBOL_SYMTAB_H */
