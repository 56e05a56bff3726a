// SPDX-License-Identifier: GPL-2.0
/*
 * The rule at the outermost entry of a callchain says whether there is a caller. Most chains
 * of a file end at a few places, whose rules are looked up one by one; for more the
 * file's unwind table is made.
 *
 * A file has one struct end_file, by the number of its struct dso; it is owned here, and its
 * table was checked.
 */
#include "base/arena.h"
#include "base/hash.h"
#include "cmd/chain_end.h"
#include "symbol/dso.h"
#include "unwind/elf.h"

/* Places of a file whose rules are looked up without its table. */
#define MAX_PLACES	64

struct end_file {
	u32 nr_places;
	bool is_made;		/* the table, if there is any */
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

static void make_table(struct end_file *f, const char *path)
{
	struct unwind_made made;
	const char *why;

	f->is_made = true;
	if (!path || unwind_file(path, &made, &why))
		return;
	if (unwind_table_check(made.data, made.size, &f->t))
		free(made.data);
	else
		f->data = made.data;
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
		make_table(f, dso_elf_path(d));
	}
	return f->data ? unwind_table_find(&f->t, off)->kind : UNWIND_TABLE_UNKNOWN;
}

enum chain_end chain_end(struct chain_ends *e, struct dso *d, u64 off, bool returns)
{
	if (!d)
		return CHAIN_NOWHERE;
	if (d->kind == DSO_VDSO)
		return CHAIN_CUT;
	if (d->kind != DSO_USER)
		return CHAIN_UNKNOWN;
	/* A call may be the last instruction of its function. */
	switch (kind_of_rule(e, d, off - returns)) {
	case UNWIND_TABLE_UNKNOWN:
		return CHAIN_UNKNOWN;
	case UNWIND_TABLE_OUTERMOST:
		return CHAIN_WHOLE;
	}
	return CHAIN_CUT;
}

static bool has_prefix(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* The C library as a file of its own; its threads were in another one before 2.34. */
static bool is_libc(const struct dso *d)
{
	return has_prefix(d->short_name, "libc.so") || has_prefix(d->short_name, "libc-2.") || has_prefix(d->short_name, "libpthread");
}

bool chain_end_is_start(struct dso *d, u64 off, bool in_programs)
{
	/* The first NR_ANYWHERE name functions of the C library in any program, the others may be a program's own. */
	static const char *const starts[] = {
		"__libc_start", "generic_start_main", "start_thread", "__clone", "clone", "__start_context",
	};
	enum { NR_ANYWHERE = 4 };
	const struct symbol *sym;
	bool libc;
	u32 i;

	if (!d)
		return false;
	libc = is_libc(d);
	if (!libc && (!in_programs || d->kind != DSO_USER))
		return false;
	/* The function that calls main() is mostly not exported, and has no name. */
	sym = dso_find_symbol(d, dso_map_ip(d, off - 1, 0, 0));
	for (i = 0; sym && i < (libc ? ARRAY_SIZE(starts) : NR_ANYWHERE); i++)
		if (has_prefix(sym->name, starts[i]))
			return true;
	return libc && !sym;
}
