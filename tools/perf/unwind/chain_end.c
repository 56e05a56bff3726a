// SPDX-License-Identifier: GPL-2.0
/*
 * Why a callchain ends. perf's own walk reports it; for the kernel's, the rule at the outermost
 * entry tells whether there is a caller. Rules of a file's most frequent ends are looked up one by
 * one; for more its unwind table is made. Its struct end_file, by the dso's number, is owned here.
 */
#include "base/arena.h"
#include "base/hash.h"
#include "base/text.h"
#include "cfi/elf.h"
#include "cfi/go_stack.h"
#include "symbol/dso.h"
#include "unwind/cfi_cache.h"
#include "unwind/chain_end.h"

/* Maximum number of addresses of a file that are looked up without its table. */
#define MAX_PLACES	64

struct end_file {
	u32 nr_places;
	bool is_made;		/* the table was made, or there is none */
	void *data;		/* NULL: no table */
	struct unwind_table t;
};

struct chain_ends {
	struct hash by_dso;	/* a struct end_file * */
	struct hash by_place;	/* by the file's number and the offset: a kind of rule + 1 */
};

struct chain_ends *chain_ends_create(void)
{
	return xcalloc(1, sizeof(struct chain_ends));
}

void chain_ends_destroy(struct chain_ends *e)
{
	struct end_file *f;
	size_t i;

	for (i = 0; e->by_dso.nr && i <= e->by_dso.mask; i++) {
		if (!e->by_dso.slots[i].used)
			continue;
		f = (struct end_file *)(uintptr_t)e->by_dso.slots[i].value;
		free(f->data);
		free(f);
	}
	hash_deinit(&e->by_dso);
	hash_deinit(&e->by_place);
	free(e);
}

static struct end_file *file_of(struct chain_ends *e, const struct dso *d)
{
	u64 *slot = hash_insert(&e->by_dso, d->id, 0, NULL);

	if (!*slot)
		*slot = (uintptr_t)xcalloc(1, sizeof(struct end_file));
	return (struct end_file *)(uintptr_t)*slot;
}

static void make_table(struct end_file *f, struct dso *d)
{
	if (!f->is_made)
		f->data = unwind_table_of(d, &f->t);
	f->is_made = true;
}

static u8 kind_of_rule(struct chain_ends *e, struct dso *d, u64 off)
{
	struct end_file *f = file_of(e, d);
	struct unwind_table_rule rule;
	u64 *kind;

	if (!f->is_made) {
		kind = hash_insert(&e->by_place, d->id, off, NULL);
		if (*kind)
			return *kind - 1;
		if (f->nr_places++ < MAX_PLACES && dso_elf_path(d) &&
		    !unwind_file_rule(dso_elf_path(d), off, &rule)) {
			*kind = rule.kind + 1;
			return rule.kind;
		}
		make_table(f, d);
	}
	return f->data ? unwind_table_find(&f->t, off)->kind : UNWIND_TABLE_UNKNOWN;
}

static bool describes_code(struct chain_ends *e, struct dso *d)
{
	struct end_file *f = file_of(e, d);

	make_table(f, d);
	return f->data;
}

/* Compare a name without suffixes: ".abi0", ".constprop.0", "@@GLIBC_2.34". */
static bool is_called(const struct symbol *sym, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(sym->name, name, len) && (!sym->name[len] || strchr(".@", sym->name[len]));
}

static bool is_one_of(const struct symbol *sym, const char *const *names, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (is_called(sym, names[i]))
			return true;
	return false;
}

/* Is this a file of the C library? Before 2.34 threads were in a separate file. */
static bool is_libc(const struct dso *d)
{
	return has_prefix(d->short_name, "libc.so") || has_prefix(d->short_name, "libc-2.") ||
	       has_prefix(d->short_name, "libpthread") || has_prefix(d->short_name, "ld-musl-") ||
	       has_prefix(d->short_name, "libc.musl-");
}

/* Is this a function that begins a stack, whatever its unwind rule? */
static bool begins_stack(const struct symbol *sym, const struct walk_end *w)
{
	static const char *const begins[] = {
		"_start", "_dl_start_user", "_rt0_amd64_linux", "_rt0_arm64_linux", "runtime.rt0_go", "runtime.goexit", "runtime.mstart",
	};
	/* While innermost, these may still run on their caller's stack. */
	static const char *const threads[] = { "__clone", "__clone3", "clone3", "__start_context" };

	return is_one_of(sym, begins, ARRAY_SIZE(begins)) ||
	       (!w->single && (is_one_of(sym, threads, ARRAY_SIZE(threads)) ||
			       go_stack_switches(sym->name) ||
			       (is_libc(w->dso) && is_called(sym, "clone"))));
}

/* Does the C library's code here call main() or a thread's function? Stripped, it has no symbol. */
static bool calls_main(const struct symbol *sym, const struct walk_end *w)
{
	static const char *const callers[] = { "generic_start_main", "start_thread", "libc_start_main_stage2" };

	if (w->single)
		return false;
	if (!sym)
		return is_libc(w->dso);
	return has_prefix(sym->name, "__libc_start_") || is_one_of(sym, callers, ARRAY_SIZE(callers));
}

static bool is_start(const struct walk_end *w)
{
	bool by_pointer = w->stop == WALK_UNTOLD || w->stop == WALK_ASTRAY || w->stop == WALK_NO_RULE;
	const struct symbol *sym;

	if (w->dso->kind != DSO_USER)
		return false;
	/* A call may be the last instruction of its function. */
	sym = dso_find_symbol(w->dso, dso_map_ip(w->dso, w->off - !w->single, 0, 0));
	return (sym && begins_stack(sym, w)) || (by_pointer && calls_main(sym, w));
}

/* The kernel's walk ended in code that is in a file. */
static enum chain_end end_of_kernel(struct chain_ends *e, const struct walk_end *w)
{
	struct dso *d = w->dso;

	if (d->kind == DSO_VDSO || d->kind == DSO_ANON)
		return CHAIN_CUT_KERNEL;
	if (d->kind != DSO_USER)
		return CHAIN_WHOLE;
	switch (kind_of_rule(e, d, w->off - d->base - !w->single)) {
	case UNWIND_TABLE_OUTERMOST:
		return CHAIN_WHOLE;
	case UNWIND_TABLE_UNKNOWN:
		/* If other code is described, an undescribed function still has a caller. */
		if (!w->single || !describes_code(e, d))
			return CHAIN_WHOLE;
	}
	/* Symbols are read last, as that is slow. */
	return is_start(w) ? CHAIN_WHOLE : CHAIN_CUT_KERNEL;
}

static enum chain_end end_without_rule(struct chain_ends *e, const struct walk_end *w)
{
	if (w->dso->kind != DSO_USER)
		return CHAIN_CUT_NO_CFI;
	if (!dso_elf_path(w->dso))
		return CHAIN_CUT_NO_FILE;
	/* Only the ELF header describes a program's entry point. */
	return kind_of_rule(e, w->dso, w->off - w->dso->base - !w->single) == UNWIND_TABLE_OUTERMOST ? CHAIN_WHOLE : CHAIN_CUT_NO_CFI;
}

/* Walked by call frame information: if the last rule has a caller, the copy was too small. */
static enum chain_end end_of_earlier(struct chain_ends *e, const struct walk_end *w)
{
	if (w->dso->kind == DSO_VDSO)
		return CHAIN_CUT_FAR;
	if (w->dso->kind != DSO_USER)
		return CHAIN_CUT_NO_CFI;
	if (!dso_elf_path(w->dso))
		return CHAIN_WHOLE;
	switch (kind_of_rule(e, w->dso, w->off - w->dso->base - !w->single)) {
	case UNWIND_TABLE_OUTERMOST:
		return CHAIN_WHOLE;
	case UNWIND_TABLE_UNKNOWN:
		return is_start(w) ? CHAIN_WHOLE : CHAIN_CUT_NO_CFI;
	}
	return is_start(w) ? CHAIN_WHOLE : CHAIN_CUT_FAR;
}

enum chain_end chain_end(struct chain_ends *e, const struct walk_end *w)
{
	if (w->stop == WALK_LIMIT)
		return CHAIN_CUT_LIMIT;
	if (w->stop == WALK_OUTERMOST)
		return CHAIN_WHOLE;
	if (!w->dso)
		return CHAIN_CUT_UNMAPPED;
	if (w->stop == WALK_UNTOLD || w->stop == WALK_ASTRAY)
		return end_of_kernel(e, w);
	if (w->stop == WALK_EARLIER)
		return end_of_earlier(e, w);
	if (is_start(w))
		return CHAIN_WHOLE;
	switch (w->stop) {
	case WALK_COPY_END:
		return CHAIN_CUT_COPY;
	case WALK_FAR:
		return CHAIN_CUT_FAR;
	case WALK_NO_RULE:
		return end_without_rule(e, w);
	case WALK_UNMAPPED:
		return CHAIN_CUT_UNMAPPED;
	case WALK_BRANCHES:
		return CHAIN_CUT_BRANCHES;
	default:
		return CHAIN_CUT_BAD_FRAME;
	}
}
