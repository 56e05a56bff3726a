// SPDX-License-Identifier: GPL-2.0
/*
 * unstrip.c - writes a stripped program and the symbols of its debug file into one file, by
 * libelf
 *
 * It is given a dso and owns nothing when it returns. The file has the program's sections under
 * their numbers; only code, symbols and relocations have their bytes, all other sections
 * addresses and sizes only. A symbol of the debug file is assigned to the program's section at
 * the same address.
 */
#include <gelf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "annotate/annotate.h"
#include "annotate/unstrip.h"
#include "base/cleanup.h"
#include "elf/open.h"

struct unstripping {
	Elf *run, *out;
	Elf_Data *syms;			/* of @out; has room for all */
	size_t nr_syms;
	struct outbuf strings;		/* of these symbols */
	u64 bias;			/* program address minus symbol file address */
};

/* Add the raw bytes of a section. */
static void add_data(Elf_Scn *to, void *bytes, size_t size, u64 align)
{
	Elf_Data *d = elf_newdata(to);

	if (!d)
		return;
	d->d_buf = bytes;
	d->d_size = size;
	d->d_align = max(align, 1ULL);
	d->d_type = ELF_T_BYTE;
	d->d_version = EV_CURRENT;
}

static bool is_needed(const GElf_Shdr *sh)
{
	return (sh->sh_flags & SHF_ALLOC) && sh->sh_type != SHT_NOBITS &&
	       (sh->sh_type != SHT_PROGBITS || (sh->sh_flags & SHF_EXECINSTR));
}

/* Copy a section with its number and address, with or without its bytes. */
static bool copy_section(struct unstripping *u, Elf_Scn *from)
{
	Elf_Scn *to = elf_newscn(u->out);
	Elf_Data *raw = NULL;
	GElf_Shdr sh;

	if (!to || !gelf_getshdr(from, &sh))
		return false;
	if (is_needed(&sh))
		raw = elf_rawdata(from, NULL);
	if (!raw || !raw->d_buf) {
		sh.sh_type = SHT_NOBITS;
		add_data(to, NULL, sh.sh_size, sh.sh_addralign);
	} else {
		add_data(to, raw->d_buf, raw->d_size, sh.sh_addralign);
	}
	return gelf_update_shdr(to, &sh);
}

/* The number of the program's section that corresponds to one of the symbol file; 0: none. */
static size_t section_like(struct unstripping *u, const GElf_Shdr *like)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(u->run, scn)))
		if (gelf_getshdr(scn, &sh) && (sh.sh_flags & SHF_ALLOC) && sh.sh_addr == like->sh_addr + u->bias &&
		    sh.sh_size == like->sh_size && !((sh.sh_flags ^ like->sh_flags) & (SHF_EXECINSTR | SHF_TLS)))
			return elf_ndxscn(scn);
	return 0;
}

/* Map section numbers of the symbol file to those of the program. */
static size_t *map_sections(struct unstripping *u, Elf *elf, size_t *nr)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t *map;

	if (elf_getshdrnum(elf, nr))
		return NULL;
	map = xcalloc(*nr + 1, sizeof(*map));
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && (sh.sh_flags & SHF_ALLOC))
			map[elf_ndxscn(scn)] = section_like(u, &sh);
	return map;
}

static Elf_Scn *symbol_table(Elf *elf, u32 type, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, sh) && sh->sh_type == type)
			return scn;
	return NULL;
}

static size_t count_symbols(Elf *elf, u32 type)
{
	GElf_Shdr sh;
	Elf_Scn *scn = symbol_table(elf, type, &sh);
	Elf_Data *d = scn ? elf_getdata(scn, NULL) : NULL;

	return d ? d->d_size / gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT) : 0;
}

static void add_symbols(struct unstripping *u, Elf *elf, u32 type, u64 bias)
{
	_cleanup_free_ size_t *map = NULL;
	size_t nr = count_symbols(elf, type), nr_map, i;
	const char *name;
	Elf_Data *d;
	GElf_Shdr sh;
	GElf_Sym sym;

	if (!nr)
		return;
	d = elf_getdata(symbol_table(elf, type, &sh), NULL);
	u->bias = bias;
	map = map_sections(u, elf, &nr_map);
	for (i = 1; map && i < nr && gelf_getsym(d, i, &sym); i++) {
		if (sym.st_shndx >= nr_map || !map[sym.st_shndx] || map[sym.st_shndx] >= SHN_LORESERVE)
			continue;
		name = elf_strptr(elf, sh.sh_link, sym.st_name);
		if (!name || !*name)
			continue;
		sym.st_shndx = map[sym.st_shndx];
		sym.st_value += bias;
		sym.st_name = outbuf_len(&u->strings);
		outbuf_write(&u->strings, name, strlen(name) + 1);
		if (!gelf_update_sym(u->syms, u->nr_syms++, &sym))
			return;
	}
}

/* Add one of the two new sections (symbols and strings). Return: the section, or NULL. */
static Elf_Scn *add_section(struct unstripping *u, u32 type, const char *name)
{
	Elf_Scn *scn = elf_newscn(u->out);
	GElf_Shdr sh = { .sh_type = type, .sh_name = outbuf_len(&u->strings), .sh_addralign = 1 };

	outbuf_write(&u->strings, name, strlen(name) + 1);
	if (type == SHT_SYMTAB) {
		sh.sh_entsize = gelf_fsize(u->out, ELF_T_SYM, 1, EV_CURRENT);
		sh.sh_addralign = 8;
		sh.sh_info = 1;
		sh.sh_link = scn ? elf_ndxscn(scn) + 1 : 0;
	}
	return scn && gelf_update_shdr(scn, &sh) ? scn : NULL;
}

static bool begin_file(struct unstripping *u)
{
	GElf_Ehdr eh, from;
	Elf_Scn *scn = NULL;
	size_t shstrndx;
	Elf_Data *names;

	if (!gelf_getehdr(u->run, &from) || !gelf_newehdr(u->out, gelf_getclass(u->run)) || !gelf_getehdr(u->out, &eh) ||
	    elf_getshdrstrndx(u->run, &shstrndx))
		return false;
	eh.e_ident[EI_DATA] = from.e_ident[EI_DATA];
	eh.e_type = from.e_type;
	eh.e_machine = from.e_machine;
	eh.e_flags = from.e_flags;
	names = elf_rawdata(elf_getscn(u->run, shstrndx), NULL);
	if (!names || !names->d_buf || !gelf_update_ehdr(u->out, &eh))
		return false;
	/* The string table has the names of sections, unchanged, followed by those of symbols. */
	outbuf_write(&u->strings, names->d_buf, names->d_size);
	outbuf_write(&u->strings, "", 1);
	while ((scn = elf_nextscn(u->run, scn)))
		if (!copy_section(u, scn))
			return false;
	return true;
}

static bool end_file(struct unstripping *u, Elf_Scn *strtab)
{
	GElf_Ehdr eh;

	if (!gelf_getehdr(u->out, &eh))
		return false;
	add_data(strtab, u->strings.base, outbuf_len(&u->strings), 1);
	eh.e_shstrndx = elf_ndxscn(strtab);
	return gelf_update_ehdr(u->out, &eh) && elf_update(u->out, ELF_C_WRITE) >= 0;
}

static bool unstrip(struct unstripping *u, const struct dso_symbols_file *from)
{
	size_t most = 1 + count_symbols(from->elf, SHT_SYMTAB), size;
	_cleanup_free_ void *room = NULL;
	Elf_Scn *symtab, *strtab;

	if (from->rest_in_dynsym)
		most += count_symbols(u->run, SHT_DYNSYM);
	if (!begin_file(u))
		return false;
	symtab = add_section(u, SHT_SYMTAB, ".symtab");
	strtab = add_section(u, SHT_STRTAB, ".strtab");
	u->syms = symtab && strtab ? elf_newdata(symtab) : NULL;
	if (!u->syms)
		return false;
	size = gelf_fsize(u->out, ELF_T_SYM, 1, EV_CURRENT);
	room = xcalloc(most, size);
	*u->syms = (Elf_Data){ .d_buf = room, .d_type = ELF_T_SYM, .d_size = most * size, .d_align = 8,
			       .d_version = EV_CURRENT };
	u->nr_syms = 1;
	add_symbols(u, from->elf, SHT_SYMTAB, from->bias);
	if (from->rest_in_dynsym)
		add_symbols(u, u->run, SHT_DYNSYM, 0);
	u->syms->d_size = u->nr_syms * size;
	return end_file(u, strtab);
}

int unstripped_file(struct dso *d)
{
	const char *path = dso_elf_path(d);
	struct dso_symbols_file from;
	struct unstripping u = { 0 };
	bool done = false;
	struct stat st;
	int fd, run;

	if (!path || !dso_symbols_file(d, &from))
		return -ENODATA;
	fd = memfd_create("perf-annotate", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	outbuf_init(&u.strings, -1);
	run = elf_file_open(path, &u.run, &st);
	if (run >= 0) {
		u.out = elf_begin(fd, ELF_C_WRITE, NULL);
		done = u.out && unstrip(&u, &from);
		elf_end(u.out);
		elf_file_done(u.run, run);
		elf_end(u.run);
	}
	outbuf_deinit(&u.strings);
	if (done)
		return fd;
	close(fd);
	return run < 0 ? run : -EBADMSG;
}
