// SPDX-License-Identifier: GPL-2.0
/*
 * code.c - disassembles a range of a file by objdump
 *
 * It is given a function and owns its lines. objdump runs without a shell, and can be stopped
 * (base/child.h); its errors go to /dev/null. Only lines that begin with an address of the
 * function are used, in ascending order; unprintable bytes are removed.
 */
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "annotate/annotate.h"
#include "base/child.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "elf/open.h"
#include "event/records.h"

/*
 * A stripped program and the symbols of its debug file in one file. The file has the program's
 * sections under their numbers; only code, symbols and relocations have their bytes, all other
 * sections addresses and sizes only. A symbol of the debug file is assigned to the program's
 * section at the same address.
 */
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
		if (gelf_getshdr(scn, &sh) && (sh.sh_flags & SHF_ALLOC) &&
		    sh.sh_addr == like->sh_addr + u->bias && sh.sh_size == like->sh_size &&
		    !((sh.sh_flags ^ like->sh_flags) & (SHF_EXECINSTR | SHF_TLS)))
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
		if (sym.st_shndx >= nr_map || !map[sym.st_shndx] ||
		    map[sym.st_shndx] >= SHN_LORESERVE)
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

	if (!gelf_getehdr(u->run, &from) || !gelf_newehdr(u->out, gelf_getclass(u->run)) ||
	    !gelf_getehdr(u->out, &eh) ||
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
	*u->syms = (Elf_Data){ .d_buf = room, .d_type = ELF_T_SYM, .d_size = most * size,
			       .d_align = 8, .d_version = EV_CURRENT };
	u->nr_syms = 1;
	add_symbols(u, from->elf, SHT_SYMTAB, from->bias);
	if (from->rest_in_dynsym)
		add_symbols(u, u->run, SHT_DYNSYM, 0);
	u->syms->d_size = u->nr_syms * size;
	return end_file(u, strtab);
}

/*
 * Make a file for objdump with the program's code and all symbols. @d: the program. objdump uses
 * only the symbols of the file that it disassembles. In a stripped program it would name jump
 * targets and data by the preceding exported symbol. Return: a descriptor of a file in memory;
 * -ENODATA: there are no other symbols than the program's; or another -errno.
 */
static int unstripped_file(struct dso *d)
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

#define MOST (1u << 20)		/* limit: bytes of a function */

struct code_reading {
	struct code *c;
	const struct annotate_func *f;
};

/* "    1139:\tpush   %rbp" */
static void take_line(void *ctx, char *line)
{
	const struct annotate_func *f = ((struct code_reading *)ctx)->f;
	struct code *c = ((struct code_reading *)ctx)->c;
	char *end, *text;
	u64 addr = strtoull(line, &end, 16);

	if (end == line || *end != ':' || end[1] != '\t' || addr < f->sym->start ||
	    addr >= f->sym->end || (c->nr && addr <= c->lines[c->nr - 1].addr))
		return;
	text = end + 2;
	for (end = text; *end; end++)
		if (*end == '\t')
			*end = ' ';
	while (end > text && end[-1] == ' ')
		*--end = 0;
	GROW(c->lines, c->nr, c->cap);
	c->lines[c->nr++] = (struct code_line){
		addr, printable_copy(&c->arena, arena_strndup(&c->arena, text, strlen(text))),
	};
}

/* Return: as child_run(). */
static int read_lines(struct code *c, const struct annotate_func *f,
		      const struct annotate_style *style, const char *path)
{
	const char *program = style->objdump ? style->objdump : "objdump", *argv[14];
	_cleanup_close_ int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct code_reading r = { c, f };
	char start[40], stop[40];
	int n = 0;

	snprintf(start, sizeof(start), "--start-address=0x%llx", f->sym->start);
	snprintf(stop, sizeof(stop), "--stop-address=0x%llx", f->sym->end);
	argv[n++] = program;
	argv[n++] = "-d";
	argv[n++] = start;
	argv[n++] = stop;
	if (!style->raw)
		argv[n++] = "--no-show-raw-insn";
	if (!style->no_demangle)
		argv[n++] = "-C";
	if (style->syntax) {
		argv[n++] = "-M";
		argv[n++] = style->syntax;
	}
	argv[n++] = "--";
	argv[n++] = path;
	argv[n] = NULL;
	return child_run(&(struct child){
		.program = program, .argv = (char *const *)argv, .out = CHILD_READ, .err = null,
		.plain_locale = true, .what = "objdump", .line = take_line, .ctx = &r,
	});
}

/* A function of Python has an address for no line, and for each line, which are four bytes each. */
static void python_source(struct code *c, const struct annotate_func *f)
{
	u64 addr;

	c->is_source = true;
	for (addr = f->sym->start + 2; addr < f->sym->end; addr += 4) {
		GROW(c->lines, c->nr, c->cap);
		c->lines[c->nr++] = (struct code_line){ addr, NULL };
	}
}

static bool has_size(struct code *c, const struct annotate_func *f)
{
	u64 size = f->sym->end - f->sym->start;

	if (size && size <= MOST)
		return true;
	snprintf(c->why, sizeof(c->why), "%llu bytes are no function's size", size);
	return false;
}

void code_read(struct code *c, const struct annotate_func *f, const struct annotate_style *style)
{
	const char *path = NULL;
	char unstripped[64];
	int status, fd;

	memset(c, 0, sizeof(*c));
	if (!strcmp(f->dso->name, PYTHON_MAPPING)) {
		if (has_size(c, f))
			python_source(c, f);
		return;
	}
	if (f->dso->kind == DSO_USER)
		path = dso_elf_path(f->dso);
	else if (f->dso->kind == DSO_KERNEL)
		path = dso_debug_path(f->dso);	/* vmlinux; kallsyms has no code */
	if (f->dso->kind == DSO_KERNEL && !path)
		snprintf(c->why, sizeof(c->why), "it is the kernel's, which is in a vmlinux: -k vmlinux");
	else if (f->dso->kind == DSO_MODULE)
		snprintf(c->why, sizeof(c->why), "code of modules is placed when they are loaded");
	else if (f->dso->kind != DSO_USER && f->dso->kind != DSO_KERNEL)
		snprintf(c->why, sizeof(c->why), "its code is in no file");
	else if (!path)
		snprintf(c->why, sizeof(c->why), "%s", dso_why_no_symbols(f->dso) ?: "it has no code here");
	else if (has_size(c, f) && elf_file_is_hole(path))
		snprintf(c->why, sizeof(c->why), "its file has only holes");
	if (*c->why)
		return;
	fd = f->dso->kind == DSO_USER ? unstripped_file(f->dso) : -ENODATA;
	if (fd >= 0) {
		snprintf(unstripped, sizeof(unstripped), "/proc/%d/fd/%d", getpid(), fd);
		path = unstripped;
	}
	status = read_lines(c, f, style, path);
	if (fd >= 0)
		close(fd);
	/* After ^C the lines are incomplete. */
	if (status == -EINTR)
		c->nr = 0;
	if (c->nr)
		return;
	if (status == -EINTR)
		snprintf(c->why, sizeof(c->why), "objdump was interrupted");
	else if (status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127)
		snprintf(c->why, sizeof(c->why), "%s cannot be run: --objdump PATH (Debian: binutils)",
			 style->objdump ? style->objdump : "objdump");
	else
		snprintf(c->why, sizeof(c->why), "objdump shows no code there");
}
