// SPDX-License-Identifier: GPL-2.0
/*
 * Names for the stubs of the procedure linkage table, which are in no symbol table. A stub
 * jumps through a slot of the global offset table, and the relocation of the slot has the name.
 * (System V ABI, x86-64 and i386 supplements, "Procedure Linkage Table".)
 */
#include <gelf.h>
#include <stdio.h>

#include "elf/open.h"
#include "symbol/symbol_private.h"

#define IFUNC "*ABS*+"

struct plt_reader {
	struct dso_file *f;
	struct elf_file *ef;
	struct hash by_slot;		/* (address of the slot, 0) -> name */
	const char **lazy;		/* by index in .rela.plt */
	u32 nr_lazy, cap_lazy;
	u64 got;			/* the value of %ebx in i386 code */
};

/* Relocations of slots: the linker's, of ifuncs, and of the compiler's. */
enum slot { SLOT_NONE, SLOT_JUMP, SLOT_IFUNC, SLOT_DATA };

static enum slot slot_of(int machine, u32 type)
{
	static const u32 types[][2] = {
		[SLOT_JUMP] = { R_X86_64_JUMP_SLOT, R_386_JMP_SLOT },
		[SLOT_IFUNC] = { R_X86_64_IRELATIVE, R_386_IRELATIVE },
		[SLOT_DATA] = { R_X86_64_GLOB_DAT, R_386_GLOB_DAT },
	};
	u32 i = ARRAY_SIZE(types) - 1;

	while (i && types[i][machine == EM_386] != type)
		i--;
	return i;
}

static void read_relocations(struct plt_reader *r, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Scn *symscn = elf_getscn(r->ef->elf, sh->sh_link);
	Elf_Data *data = elf_getdata(scn, NULL), *syms;
	GElf_Shdr symsh;
	GElf_Sym sym;
	size_t i, nr;

	if (!data || !data->d_buf || !sh->sh_entsize)
		return;
	/* A static program has no dynamic symbols, but may have ifuncs. */
	if (!symscn || !gelf_getshdr(symscn, &symsh) || symsh.sh_type != SHT_DYNSYM)
		syms = NULL;
	else
		syms = elf_getdata(symscn, NULL);
	nr = min(data->d_size / sh->sh_entsize, (size_t)1 << 24);
	for (i = 0; i < nr; i++) {
		enum slot slot;
		const char *name;
		GElf_Rela rel = { 0 };
		char buf[32];

		/* (a GElf_Rel is the beginning of a GElf_Rela) */
		if (sh->sh_type == SHT_RELA ? !gelf_getrela(data, i, &rel) :
					      !gelf_getrel(data, i, (GElf_Rel *)&rel))
			return;
		slot = slot_of(r->ef->machine, GELF_R_TYPE(rel.r_info));
		if (!slot)
			continue;
		name = syms && gelf_getsym(syms, GELF_R_SYM(rel.r_info), &sym) ?
			elf_strptr(r->ef->elf, symsh.sh_link, sym.st_name) : NULL;
		/* The target is chosen at program start: objdump's name until elf_name_ifuncs(). */
		if (slot == SLOT_IFUNC && rel.r_addend) {
			snprintf(buf, sizeof(buf), IFUNC "%#llx", (u64)rel.r_addend);
			name = arena_strndup(&r->f->arena, buf, sizeof(buf));
		}
		if (slot != SLOT_DATA) {
			GROW(r->lazy, r->nr_lazy, r->cap_lazy);
			r->lazy[r->nr_lazy++] = name;
		}
		if (name && *name)
			*hash_insert(&r->by_slot, rel.r_offset, 0, NULL) = (uintptr_t)name;
	}
}

/* The name of the target of the stub of @size bytes at @p, which runs at @addr; NULL: none. */
static const char *stub_name(struct plt_reader *r, const u8 *p, u64 addr, u32 size)
{
	bool x86_64 = r->ef->machine == EM_X86_64;
	u64 *name = NULL;
	u32 i = 0;

	/* endbr64, endbr32, and the bnd prefix */
	if (size >= 10 && le32_at(p) == (x86_64 ? 0xfa1e0ff3 : 0xfb1e0ff3))
		i = 4;
	if (p[i] == 0x68 && i + 5 <= size) {
		/* push $index: the lazy half of a pair of stubs */
		u32 idx = le32_at(p + i + 1);

		if (!x86_64)
			idx /= sizeof(Elf32_Rel);
		return idx < r->nr_lazy ? r->lazy[idx] : NULL;
	}
	if (p[i] == 0xf2)
		i++;
	if (i + 6 > size || p[i] != 0xff)
		return NULL;
	if (p[i + 1] == 0x25 && x86_64)
		name = hash_find(&r->by_slot, addr + i + 6 + (s32)le32_at(p + i + 2), 0);
	else if (p[i + 1] == 0x25)
		name = hash_find(&r->by_slot, le32_at(p + i + 2), 0);
	else if (p[i + 1] == 0xa3 && !x86_64)
		name = hash_find(&r->by_slot, (u32)(r->got + le32_at(p + i + 2)), 0);
	return name ? (const char *)(uintptr_t)*name : NULL;
}

static void read_stubs(struct plt_reader *r, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	/* Stubs of a static program are a single jump, and their section has no entry size. */
	u64 size = sh->sh_entsize == 8 || (!sh->sh_entsize && sh->sh_addralign == 8) ? 8 : 16, off;
	const char *name;
	const u8 *p;
	size_t len;
	char *text;

	if (!data || !data->d_buf)
		return;
	for (off = 0; off + size <= data->d_size; off += size) {
		p = (u8 *)data->d_buf + off;
		/* the end of all lazy stubs: push the link map, jump to the dynamic linker */
		if (!off && size == 16 && p[0] == 0xff && (p[1] == 0x35 || p[1] == 0xb3)) {
			symtab_add(&r->f->tab, sh->sh_addr, sh->sh_addr + size, ".plt", STB_GLOBAL);
			continue;
		}
		name = stub_name(r, p, sh->sh_addr + off, size);
		if (!name || !*name)
			continue;
		len = strlen(name) + sizeof("@plt");
		text = arena_alloc(&r->f->arena, len);
		snprintf(text, len, "%s@plt", name);
		symtab_add(&r->f->tab, sh->sh_addr + off, sh->sh_addr + off + size, text,
			   STB_GLOBAL);
	}
}

void elf_read_plt(struct dso_file *f, struct elf_file *ef)
{
	struct plt_reader r = { .f = f, .ef = ef };
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr sh;

	if (ef->machine != EM_X86_64 && ef->machine != EM_386)
		return;
	while ((scn = elf_next_section(ef->elf, scn, &sh, &name))) {
		if ((sh.sh_type == SHT_RELA || sh.sh_type == SHT_REL) && (sh.sh_flags & SHF_ALLOC))
			read_relocations(&r, scn, &sh);
		else if (!strcmp(name, ".got.plt"))
			r.got = sh.sh_addr;
		else if (!strcmp(name, ".got") && !r.got)
			r.got = sh.sh_addr;
	}
	/* Second walk: in the file the stubs come before the table of slots. */
	while (r.by_slot.nr && (scn = elf_next_section(ef->elf, scn, &sh, &name)))
		if (sh.sh_type == SHT_PROGBITS && sh.sh_flags & SHF_EXECINSTR &&
		    !strncmp(name, ".plt", 4))
			read_stubs(&r, scn, &sh);
	free(r.lazy);
	hash_deinit(&r.by_slot);
}

static bool is_stub(const struct symbol *sym)
{
	size_t len = strlen(sym->name), suffix = strlen("@plt");

	return !strncmp(sym->name, IFUNC, strlen(IFUNC)) ||
	       (len > suffix && !strcmp(sym->name + len - suffix, "@plt"));
}

void elf_name_ifuncs(struct dso_file *f)
{
	u32 i;

	for (i = 0; i < f->tab.nr; i++) {
		struct symbol *stub = &f->tab.syms[i], *chooser;
		char *text;
		u64 addr;
		size_t len;

		if (!stub->name || strncmp(stub->name, IFUNC, strlen(IFUNC)))
			continue;
		addr = strtoull(stub->name + strlen(IFUNC), NULL, 16);
		chooser = symtab_find(&f->tab, addr);
		/* In a damaged file the resolver may be another stub, already renamed. */
		if (!chooser || chooser->start != addr || is_stub(chooser))
			continue;
		len = strlen(chooser->name) + sizeof("@plt");
		text = arena_alloc(&f->arena, len);
		snprintf(text, len, "%s@plt", chooser->name);
		stub->name = text;
	}
}
