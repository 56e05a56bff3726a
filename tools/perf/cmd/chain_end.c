// SPDX-License-Identifier: GPL-2.0
/*
 * The unwind tables of the files in which callchains end, made when they are needed: the rule
 * at the outermost entry says whether there is a caller.
 *
 * A file has one struct end_file, by the number of its struct dso; it is owned here, and its
 * table was checked.
 */
#include "base/arena.h"
#include "base/hash.h"
#include "cmd/chain_end.h"
#include "symbol/dso.h"
#include "unwind/elf.h"

struct end_file {
	void *data;		/* NULL: no table */
	struct unwind_table t;
};

struct chain_ends {
	struct hash by_dso;	/* a struct end_file * */
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
	free(e);
}

static const struct end_file *file_of(struct chain_ends *e, struct dso *d)
{
	u64 *slot = hash_insert(&e->by_dso, d->id, 0, NULL);
	struct unwind_made made;
	struct end_file *f;
	const char *path, *why;

	if (*slot)
		return (const struct end_file *)(uintptr_t)*slot;
	f = xcalloc(1, sizeof(*f));
	*slot = (uintptr_t)f;
	path = dso_elf_path(d);
	if (path && !unwind_file(path, &made, &why)) {
		if (unwind_table_check(made.data, made.size, &f->t))
			free(made.data);
		else
			f->data = made.data;
	}
	return f;
}

enum chain_end chain_end(struct chain_ends *e, struct dso *d, u64 off, bool returns)
{
	const struct end_file *f;

	if (!d)
		return CHAIN_NOWHERE;
	if (d->kind == DSO_VDSO)
		return CHAIN_CUT;
	if (d->kind != DSO_USER)
		return CHAIN_UNKNOWN;
	f = file_of(e, d);
	/* A call may be the last instruction of its function. */
	switch (f->data ? unwind_table_find(&f->t, off - returns)->kind : UNWIND_TABLE_UNKNOWN) {
	case UNWIND_TABLE_UNKNOWN:
		return CHAIN_UNKNOWN;
	case UNWIND_TABLE_OUTERMOST:
		return CHAIN_WHOLE;
	}
	return CHAIN_CUT;
}

bool chain_end_is_start(const struct dso *d)
{
	return d && (!strncmp(d->short_name, "libc.so", 7) || !strncmp(d->short_name, "libc-2.", 7) ||
		     !strncmp(d->short_name, "libpthread", 10));
}
