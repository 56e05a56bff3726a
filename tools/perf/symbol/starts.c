// SPDX-License-Identifier: GPL-2.0
/*
 * Names for the functions of stripped files, from call frame information, which is not
 * stripped. A function at address 0x8850 of /usr/bin/sort is called sort+0x8850, as objdump
 * counts. Fills the dso's table .starts, which is used where the file has no symbol; the names
 * are in the dso's arena.
 */
#include <elf.h>
#include <stdio.h>

#include "cfi/elf.h"
#include "symbol/symbol_private.h"

/* The address of a file offset; -1: not mapped. */
static u64 address_of(const struct dso_file *f, u64 off)
{
	u32 i;

	for (i = 0; i < f->map.nr_segs; i++)
		if (f->map.segs[i].exec && off >= f->map.segs[i].offset &&
		    off - f->map.segs[i].offset < f->map.segs[i].filesz)
			return off - f->map.segs[i].offset + f->map.segs[i].vaddr;
	return -1;
}

bool symbol_is_start(const struct symbol *sym)
{
	return __atomic_load_n(&sym->state, __ATOMIC_RELAXED) == SYM_START;
}

void starts_load(struct dso_file *f)
{
	struct unwind_range *v;
	char name[320];
	u64 addr;
	u32 i, nr;
	int n;

	if (f->dso.kind != DSO_USER || !f->elf_path)
		return;
	nr = unwind_ranges(f->elf_path, &v);
	for (i = 0; i < nr; i++) {
		addr = address_of(f, v[i].off);
		if (addr == (u64)-1)
			continue;
		n = snprintf(name, sizeof(name), "%.280s+0x%llx", f->dso.short_name, addr);
		symtab_add(&f->starts, addr, addr + v[i].size, arena_strndup(&f->arena, name, n),
			   STB_LOCAL);
		f->starts.syms[f->starts.nr - 1].state = SYM_START;
	}
	free(v);
	symtab_finish(&f->starts, CHOOSE_LAST, NULL, 0);
}
