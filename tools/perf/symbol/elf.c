// SPDX-License-Identifier: GPL-2.0
/*
 * Symbols of ELF files, by libelf. Nothing in a file is trusted: indices and offsets are
 * checked here where libelf does not check them.
 */
#include <endian.h>
#include <gelf.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "cfi/cfi_read.h"
#include "elf/open.h"
#include "symbol/symbol_private.h"

#define NOTE_GNU_BUILD_ID 3
#define NOTES_MAX 65536		/* limit of a note segment, in bytes */
#define NAME_MAX_SIZE 65536	/* limit of a symbol's name, with NUL: names may overlap */

void build_id_hex(const u8 *id, u8 size, char *out)
{
	u32 i;

	out[0] = 0;
	for (i = 0; i < size && i < ELF_BUILD_ID_MAX; i++)
		sprintf(out + 2 * i, "%02x", id[i]);
}

/* The string at an offset of a string table; NULL: not within the table. */
static const char *str_at(const Elf_Data *strs, u64 off)
{
	if (!strs || !strs->d_buf || off >= strs->d_size)
		return NULL;
	if (!memchr((char *)strs->d_buf + off, 0, strs->d_size - off))
		return NULL;
	return (char *)strs->d_buf + off;
}

/* The data of a section, unpacked if it is compressed. */
static Elf_Data *unpacked_data(struct dso_file *f, Elf *elf, Elf_Scn *scn)
{
	return scn && !elf_unpack(elf, scn, &f->images) ? elf_getdata(scn, NULL) : NULL;
}

static void find_build_id(Elf_Data *data, struct elf_file *ef)
{
	size_t off = 0, name, desc;
	GElf_Nhdr n;

	while (data && (off = gelf_getnote(data, off, &n, &name, &desc)) > 0) {
		if (n.n_type != NOTE_GNU_BUILD_ID || n.n_namesz != 4 || !n.n_descsz ||
		    memcmp((char *)data->d_buf + name, "GNU", 4))
			continue;
		ef->build_id_size = min(n.n_descsz, (u32)ELF_BUILD_ID_MAX);
		memcpy(ef->build_id, (char *)data->d_buf + desc, ef->build_id_size);
		return;
	}
}

static void read_debuglink(Elf_Scn *scn, struct elf_file *ef)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t crc;

	ef->debuglink = str_at(data, 0);
	if (!ef->debuglink)
		return;
	crc = ALIGN_UP(strlen(ef->debuglink) + 1, (size_t)4);
	if (crc + 4 > data->d_size || strchr(ef->debuglink, '/') || !*ef->debuglink) {
		ef->debuglink = NULL;
		return;
	}
	memcpy(&ef->debuglink_crc, (char *)data->d_buf + crc, 4);
}

static int elf_look(struct elf_file *ef)
{
	size_t i, nr_phdrs;
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Ehdr eh;
	GElf_Phdr ph;
	GElf_Shdr sh;

	if (elf_kind(ef->elf) != ELF_K_ELF || !gelf_getehdr(ef->elf, &eh))
		return -ENOEXEC;
	ef->machine = eh.e_machine;
	ef->type = eh.e_type;
	while ((scn = elf_next_section(ef->elf, scn, &sh, &name))) {
		if (sh.sh_type == SHT_SYMTAB)
			ef->has_symtab = true;
		else if (sh.sh_type == SHT_NOTE && !ef->build_id_size)
			find_build_id(elf_getdata(scn, NULL), ef);
		else if (sh.sh_type == SHT_PROGBITS && (sh.sh_flags & SHF_EXECINSTR))
			ef->has_code = true;
		else if (!strcmp(name, ".gnu_debuglink"))
			read_debuglink(scn, ef);
		else if (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info"))
			ef->has_debug_info = true;
	}
	if (!ef->build_id_size && !elf_getphdrnum(ef->elf, &nr_phdrs)) {
		for (i = 0; i < nr_phdrs && gelf_getphdr(ef->elf, i, &ph); i++)
			if (ph.p_type == PT_NOTE && !ef->build_id_size)
				find_build_id(elf_getdata_rawchunk(ef->elf, ph.p_offset,
								   min(ph.p_filesz, (u64)NOTES_MAX),
								   ph.p_align == 8 ? ELF_T_NHDR8 :
								   ELF_T_NHDR), ef);
	}
	return 0;
}

int elf_open(const char *path, struct elf_file *ef)
{
	struct stat st;
	int err, fd;

	memset(ef, 0, sizeof(*ef));
	fd = elf_file_open(path, &ef->elf, &st);
	if (fd < 0)
		return fd;
	err = elf_look(ef);
	elf_file_done(ef->elf, fd);
	if (err)
		elf_close(ef);
	return err;
}

int elf_open_memory(void *image, size_t size, struct elf_file *ef)
{
	int err;

	memset(ef, 0, sizeof(*ef));
	elf_version(EV_CURRENT);
	ef->elf = elf_memory(image, size);
	err = ef->elf ? elf_look(ef) : -ENOEXEC;
	if (err)
		elf_close(ef);
	return err;
}

void elf_close(struct elf_file *ef)
{
	elf_end(ef->elf);
	memset(ef, 0, sizeof(*ef));
}

/* Programs have about ten segments, and the search is linear. */
#define MAX_SEGMENTS 4096

void elf_read_segments(struct dso_file *f, struct elf_file *ef)
{
	size_t i, nr;
	GElf_Phdr ph;

	if (elf_getphdrnum(ef->elf, &nr))
		return;
	f->map.segs = arena_alloc(&f->arena, min(nr, (size_t)MAX_SEGMENTS) * sizeof(*f->map.segs));
	for (i = 0; i < nr && f->map.nr_segs < MAX_SEGMENTS && gelf_getphdr(ef->elf, i, &ph); i++) {
		if (ph.p_type != PT_LOAD)
			continue;
		f->map.segs[f->map.nr_segs++] = (struct elf_segment){
			.offset = ph.p_offset, .filesz = ph.p_filesz, .vaddr = ph.p_vaddr,
			.memsz = ph.p_memsz, .exec = ph.p_flags & PF_X,
		};
	}
}

/* Data of a section that its symbols need. */
struct loaded_section {
	u64 addr, size, add;
	bool code, data;
	Elf_Data *descriptors;	/* if it is a section of function descriptors */
};

/* The kernel places a .ko's code sections in the order of headers, those of .init elsewhere. */
static void place_module_sections(Elf *elf, struct loaded_section *secs)
{
	Elf_Scn *scn = NULL;
	const char *name;
	u64 pos = 0;
	GElf_Shdr sh;
	size_t i;

	while ((scn = elf_next_section(elf, scn, &sh, &name))) {
		i = elf_ndxscn(scn);
		secs[i].code &= !!strncmp(name, ".init", 5);
		if (!secs[i].code)
			continue;
		if (sh.sh_addralign && !(sh.sh_addralign & (sh.sh_addralign - 1)) &&
		    sh.sh_addralign <= (1 << 20))
			pos = ALIGN_UP(pos, sh.sh_addralign);
		secs[i].addr = secs[i].add = pos;
		pos += sh.sh_size;
	}
}

static struct loaded_section *read_sections(struct elf_file *ef, size_t *nr)
{
	struct loaded_section *secs;
	GElf_Shdr sh;
	size_t i;

	if (elf_getshdrnum(ef->elf, nr) || !*nr)
		return NULL;
	secs = xcalloc(*nr, sizeof(*secs));
	for (i = 1; i < *nr; i++) {
		Elf_Scn *scn = elf_getscn(ef->elf, i);

		if (!scn || !gelf_getshdr(scn, &sh))
			continue;
		secs[i].addr = sh.sh_addr;
		secs[i].size = sh.sh_size;
		secs[i].code = (sh.sh_flags & SHF_ALLOC) && (sh.sh_flags & SHF_EXECINSTR);
		secs[i].data = (sh.sh_flags & SHF_ALLOC) && !(sh.sh_flags & (SHF_EXECINSTR | SHF_TLS));
	}
	if (ef->type == ET_REL)
		place_module_sections(ef->elf, secs);
	return secs;
}

static bool names_code(const GElf_Sym *sym, const char *name)
{
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return *name;
	case STT_NOTYPE:
		/* Mapping symbols of ARM and RISC-V mark code and data; they are not names. */
		if (name[0] == '$' && name[1] && strchr("adtx", name[1]))
			return false;
		return *name && strncmp(name, ".L", 2);
	}
	return false;
}

static Elf_Scn *find_section(Elf *elf, const char *name)
{
	Elf_Scn *scn = NULL;
	const char *s;
	GElf_Shdr sh;

	while ((scn = elf_next_section(elf, scn, &sh, &s)))
		if (!strcmp(s, name))
			break;
	return scn;
}

/* The first symbol table section of a type. */
static Elf_Scn *find_symbols(Elf *elf, u32 type, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, sh) && sh->sh_type == type)
			return scn;
	return NULL;
}

/*
 * .opd of the first 64-bit ABI of PowerPC (64-bit PowerPC ELF ABI Supplement 1.9, 3.2.5): a function's symbol
 * has the address of its descriptor, which begins with that of its code.
 */
static void find_descriptors(struct elf_file *ef, struct loaded_section *secs)
{
	Elf_Scn *scn = ef->machine == EM_PPC64 && ef->type != ET_REL ? find_section(ef->elf, ".opd") : NULL;

	if (scn)
		secs[elf_ndxscn(scn)].descriptors = elf_getdata(scn, NULL);
}

/* Follow a descriptor. Return: the section of the code, or NULL. */
static const struct loaded_section *find_code(struct elf_file *ef, const struct loaded_section *secs, size_t nr,
					      const struct loaded_section *opd, GElf_Addr *addr)
{
	u64 off = *addr - opd->addr;
	size_t i;

	if (opd->descriptors->d_size < sizeof(*addr) || off > opd->descriptors->d_size - sizeof(*addr))
		return NULL;
	memcpy(addr, (char *)opd->descriptors->d_buf + off, sizeof(*addr));
	*addr = elf_getident(ef->elf, NULL)[EI_DATA] == ELFDATA2MSB ? be64toh(*addr) : le64toh(*addr);
	for (i = 0; i < nr; i++)
		if (secs[i].code && *addr - secs[i].addr < secs[i].size)
			return &secs[i];
	return NULL;
}

/* SHT_SYMTAB_SHNDX of the symbol table with this index, or NULL. */
static Elf_Data *find_shndx(struct dso_file *f, Elf *elf, size_t symtab)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB_SHNDX &&
		    sh.sh_link == symtab)
			return unpacked_data(f, elf, scn);
	return NULL;
}

static int read_table(struct dso_file *f, struct elf_file *ef, Elf_Scn *scn, const GElf_Shdr *sh,
		      const struct loaded_section *secs, size_t nr_secs, u64 bias)
{
	bool elf64 = gelf_getclass(ef->elf) == ELFCLASS64;
	size_t size = elf64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym), nr, i, strsz;
	Elf_Data *data = unpacked_data(f, ef->elf, scn), *shndx = NULL;
	Elf_Data *strs = unpacked_data(f, ef->elf, elf_getscn(ef->elf, sh->sh_link));
	const char *str, *end, *name;

	if (!data || !data->d_buf || !strs || !strs->d_buf)
		return -EBADMSG;
	nr = min(data->d_size / size, (size_t)INT32_MAX);
	if (nr_secs >= SHN_LORESERVE)
		shndx = find_shndx(f, ef->elf, elf_ndxscn(scn));
	str = strs->d_buf;
	/* A name that starts before the last NUL is terminated within the table. */
	end = memrchr(str, 0, strs->d_size);
	strsz = end ? end - str + 1 : 0;
	for (i = 1; i < nr; i++) {
		const struct loaded_section *in;
		u64 start, len;
		u32 sec;
		GElf_Sym sym;

		if (elf64) {
			memcpy(&sym, (Elf64_Sym *)data->d_buf + i, sizeof(sym));
		} else {
			const Elf32_Sym *small = (Elf32_Sym *)data->d_buf + i;

			sym = (GElf_Sym){ .st_name = small->st_name, .st_info = small->st_info,
				.st_other = small->st_other, .st_shndx = small->st_shndx,
				.st_value = small->st_value, .st_size = small->st_size };
		}
		sec = sym.st_shndx;
		if (sec == SHN_XINDEX && shndx && shndx->d_size / 4 > i)
			memcpy(&sec, (u32 *)shndx->d_buf + i, 4);
		else if (sec >= SHN_LORESERVE)
			continue;
		if (!sec || sec >= nr_secs || sym.st_name >= strsz)
			continue;
		name = str + sym.st_name;
		in = &secs[sec];
		if (in->descriptors && GELF_ST_TYPE(sym.st_info) == STT_FUNC)
			in = find_code(ef, secs, nr_secs, in, &sym.st_value);
		if (!in || (!(in->code && names_code(&sym, name)) &&
			    !(f->table->cfg.data && in->data && sym.st_size && *name &&
			      GELF_ST_TYPE(sym.st_info) == STT_OBJECT)) ||
		    !memchr(name, 0, min(strsz - sym.st_name, (size_t)NAME_MAX_SIZE)))
			continue;
		start = sym.st_value + in->add;
		if (ef->machine == EM_ARM)
			start &= ~1ULL;
		len = sym.st_size;
		/* A label at the end of its section is outside of it. */
		if (!len && start >= in->addr + in->size)
			continue;
		if (start + len < start)
			len = 0;
		symtab_add(&f->tab, start + bias, start + len + bias, name,
			   GELF_ST_BIND(sym.st_info) |
			   (GELF_ST_TYPE(sym.st_info) == STT_NOTYPE ? SYMTAB_LABEL : 0));
	}
	return 0;
}

struct code_ranges {
	struct code_range *v;
	u32 nr, cap;
};

static void add_range(struct code_ranges *code, u64 start, u64 end)
{
	GROW(code->v, code->nr, code->cap);
	code->v[code->nr++] = (struct code_range){ start, end };
}

/* Add a section's code ranges, split at the function starts in call frame information. */
static void add_functions(struct code_ranges *code, const struct unwind_section *hdr, u64 start, u64 end)
{
	u64 next;

	while ((next = unwind_cfi_next(hdr, start)) > start && next < end) {
		add_range(code, start, next);
		start = next;
	}
	add_range(code, start, end);
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HOST_ORDER ELFDATA2LSB
#else
#define HOST_ORDER ELFDATA2MSB
#endif

/* The program's .eh_frame_hdr; empty if it has the other byte order. */
static struct unwind_section function_starts(struct dso_file *f)
{
	struct unwind_section hdr = { 0 };
	GElf_Shdr sh;
	Elf_Data *d;
	Elf_Scn *scn;
	const char *ident = f->elfs[0] ? elf_getident(f->elfs[0], NULL) : NULL;

	if (!ident || ident[EI_DATA] != HOST_ORDER)
		return hdr;
	scn = find_section(f->elfs[0], ".eh_frame_hdr");
	d = scn && gelf_getshdr(scn, &sh) ? elf_rawdata(scn, NULL) : NULL;
	if (d && d->d_buf)
		hdr = (struct unwind_section){ .data = d->d_buf, .size = d->d_size, .vaddr = sh.sh_addr };
	return hdr;
}

static bool has_sizeless(const struct symtab *tab)
{
	u32 i;

	for (i = 0; i < tab->nr; i++)
		if (tab->syms[i].end == tab->syms[i].start)
			return true;
	return false;
}

static void finish(struct dso_file *f, const struct loaded_section *secs, size_t nr_secs, u64 bias)
{
	struct unwind_section hdr = { 0 };
	struct code_ranges code = { 0 };
	size_t i;

	if (has_sizeless(&f->tab))
		hdr = function_starts(f);
	for (i = 1; i < nr_secs; i++)
		if (secs[i].code)
			add_functions(&code, &hdr, secs[i].addr + bias, secs[i].addr + secs[i].size + bias);
	if (code.nr)
		qsort(code.v, code.nr, sizeof(*code.v), by_first_u64);
	symtab_finish(&f->tab, CHOOSE_ELF, code.v, code.nr);
	free(code.v);
	elf_name_ifuncs(f);
}

Elf_Data *elf_section(struct dso_file *f, Elf *elf, const char *name)
{
	return unpacked_data(f, elf, find_section(elf, name));
}

u64 elf_symbol_address(struct dso_file *f, struct elf_file *ef, const char *name)
{
	Elf_Data *data, *strs;
	const char *s;
	GElf_Shdr sh;
	GElf_Sym sym;
	Elf_Scn *scn = find_symbols(ef->elf, SHT_SYMTAB, &sh);
	int i;

	data = unpacked_data(f, ef->elf, scn);
	strs = scn ? unpacked_data(f, ef->elf, elf_getscn(ef->elf, sh.sh_link)) : NULL;
	for (i = 1; data && gelf_getsym(data, i, &sym); i++) {
		s = str_at(strs, sym.st_name);
		if (s && !strcmp(s, name))
			return sym.st_value;
	}
	return 0;
}

static void read_go(struct dso_file *f, struct elf_file *ef, u64 bias)
{
	struct go_func func;
	u32 i;

	gopclntab_find(ef->elf, &f->go);
	for (i = 0; i < f->go.nr; i++)
		if (gopclntab_func(&f->go, i, &func))
			symtab_add(&f->tab, func.start + bias, func.start + func.size + bias,
				   func.name, STB_LOCAL);
}

int elf_read_symbols(struct dso_file *f, struct elf_file *ef, u64 bias, const char *path, bool more)
{
	_cleanup_free_ struct loaded_section *secs = NULL;
	size_t nr_secs = 0;
	GElf_Shdr sh;
	Elf_Scn *scn;
	int err = 0;

	secs = read_sections(ef, &nr_secs);
	scn = find_symbols(ef->elf, ef->has_symtab ? SHT_SYMTAB : SHT_DYNSYM, &sh);
	if (!secs)
		return 0;
	find_descriptors(ef, secs);
	if (scn)
		err = read_table(f, ef, scn, &sh, secs, nr_secs, bias);
	if (err)
		diag_warn("%s: damaged symbol table at file offset %#llx: its symbols are not shown",
			  path, (u64)sh.sh_offset);
	if (!ef->has_symtab)
		read_go(f, ef, bias);
	if (!more)
		finish(f, secs, nr_secs, bias);
	return err;
}
