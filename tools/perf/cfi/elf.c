// SPDX-License-Identifier: GPL-2.0
/*
 * Opens files and finds sections by libelf; cfi_read.c and sframe.c read the sections.
 */
#include <gelf.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/hash.h"
#include "cfi/cfi_read.h"
#include "cfi/elf.h"
#include "cfi/sframe.h"
#include "elf/inflate.h"
#include "elf/open.h"
#include "elf/unpack.h"

/* More than this no section that describes code has. */
#define MAX_SECTION (1ULL << 30)

/* Programs have one or two. */
#define MAX_SEGMENTS 64

/* One more with each change of what is made of a file: the cache then has it made anew. */
#define MAKER 2

enum { EH, EH_HDR, DEBUG, ZDEBUG, SFRAME, PLT, NR_SECTIONS };

struct unwind_elf {
	Elf *elf;
	struct elf_images images;
	struct unwind_segment *segs;
	u32 nr_segs;
	u64 text, entry;
	u16 arch;
	bool code_absent;	/* executable sections without bytes: a debug file */
	Elf_Scn *scn[NR_SECTIONS];
	GElf_Shdr sh[NR_SECTIONS];
	u8 build_id[20];
	u8 build_id_size;	/* 0: none */
	u64 long_id;		/* made of all of one that is longer; 0: it is not */
	const char *why;
};

void unwind_elf_close(struct unwind_elf *e)
{
	free(e->segs);
	elf_end(e->elf);
	elf_images_free(&e->images);
	free(e);
}

static int open_elf(const char *path, struct unwind_elf *e)
{
	struct stat st;
	const char *id;
	GElf_Ehdr eh;
	int fd;

	e->why = "it is not an ELF file";
	fd = elf_file_open(path, &e->elf, &st);
	if (fd < 0) {
		if (fd != -ENOEXEC)
			e->why = NULL;
		return fd;
	}
	elf_file_done(e->elf, fd);
	if (elf_kind(e->elf) != ELF_K_ELF || !gelf_getehdr(e->elf, &eh))
		return -ENOEXEC;
	id = elf_getident(e->elf, NULL);
	e->why = "it is not a program of 64-bit x86 or arm64: its user stacks are walked by frame pointer";
	if ((eh.e_machine != EM_X86_64 && eh.e_machine != EM_AARCH64) || id[EI_CLASS] != ELFCLASS64 || id[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	e->why = "it is not a program or shared library, which alone are mapped as they are";
	if (eh.e_type != ET_EXEC && eh.e_type != ET_DYN)
		return -ENOEXEC;
	e->entry = eh.e_entry;
	e->arch = eh.e_machine;
	return 0;
}

static int read_segments(struct unwind_elf *e)
{
	size_t nr, i, file_size = 0;
	struct unwind_segment *s;
	GElf_Phdr ph;

	e->why = "its program headers are damaged";
	if (elf_getphdrnum(e->elf, &nr) || !elf_rawfile(e->elf, &file_size))
		return -ENOEXEC;
	e->segs = xcalloc(MAX_SEGMENTS, sizeof(*e->segs));
	for (i = 0; i < nr && gelf_getphdr(e->elf, i, &ph); i++) {
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X) || ph.p_offset >= file_size)
			continue;
		if (e->nr_segs == MAX_SEGMENTS)
			return -ENOEXEC;
		s = &e->segs[e->nr_segs];
		s->vaddr = ph.p_vaddr;
		s->off = ph.p_offset;
		s->size = min(ph.p_filesz, file_size - ph.p_offset);
		if (!s->size || s->vaddr + s->size < s->vaddr)
			continue;
		e->text += s->size;
		e->nr_segs++;
	}
	e->why = "it has no code";
	return e->nr_segs ? 0 : -ENODATA;
}

/* The bytes of a section; .size 0: none that can be used. */
static struct unwind_section section(struct unwind_elf *e, u32 which)
{
	const GElf_Shdr *sh = &e->sh[which];
	struct unwind_section s = { .vaddr = sh->sh_addr };
	Elf_Scn *scn = e->scn[which];
	Elf_Data *d;

	if (!scn || sh->sh_type == SHT_NOBITS || !sh->sh_size)
		return s;
	if (elf_unpack(e->elf, scn, &e->images)) {
		e->why = "a compressed section cannot be unpacked";
		return s;
	}
	d = elf_getdata(scn, NULL);
	if (!d || !d->d_buf || d->d_size > MAX_SECTION) {
		e->why = "a section that describes code is not in the file";
		return s;
	}
	s.data = d->d_buf;
	s.size = d->d_size;
	return s;
}

/* .zdebug_frame, as old linkers compressed: "ZLIB", then the size, big-endian. */
static struct unwind_section zdebug(struct unwind_elf *e)
{
	struct unwind_section s = { .vaddr = 0 };
	Elf_Scn *scn = e->scn[ZDEBUG];
	Elf_Data *d = scn ? elf_rawdata(scn, NULL) : NULL;
	u64 size;

	if (!d || !d->d_buf || d->d_size < 12 || memcmp(d->d_buf, "ZLIB", 4))
		return s;
	memcpy(&size, (u8 *)d->d_buf + 4, 8);
	size = __builtin_bswap64(size);
	if (size > INFLATE_MAX || size > inflate_most(d->d_size) || elf_compress_gnu(scn, 0, 0) < 0) {
		e->why = "a compressed section cannot be unpacked";
		return s;
	}
	gelf_getshdr(scn, &e->sh[ZDEBUG]);
	return section(e, ZDEBUG);
}

static void read_sections(struct unwind_elf *e)
{
	static const char *const names[NR_SECTIONS] = {
		[EH] = ".eh_frame", [EH_HDR] = ".eh_frame_hdr", [DEBUG] = ".debug_frame", [ZDEBUG] = ".zdebug_frame",
		[SFRAME] = ".sframe", [PLT] = ".plt",
	};
	Elf_Scn *scn = NULL;
	size_t shstrndx;
	const char *name;
	u64 text = 0;
	GElf_Shdr sh;
	u32 i;

	if (elf_getshdrstrndx(e->elf, &shstrndx))
		return;
	while ((scn = elf_nextscn(e->elf, scn))) {
		if (!gelf_getshdr(scn, &sh))
			continue;
		if (sh.sh_flags & SHF_EXECINSTR && sh.sh_flags & SHF_ALLOC) {
			if (sh.sh_type == SHT_NOBITS)
				e->code_absent = true;
			else
				text += sh.sh_size;
		}
		name = elf_strptr(e->elf, shstrndx, sh.sh_name);
		if (!name)
			continue;
		for (i = 0; i < NR_SECTIONS; i++) {
			if (!strcmp(name, names[i])) {
				e->scn[i] = scn;
				e->sh[i] = sh;
			}
		}
	}
	/* Segments hold tables and headers besides. */
	if (text && text < e->text)
		e->text = text;
}

#define NOTE_GNU_BUILD_ID 3

static void read_build_id(struct unwind_elf *e)
{
	size_t i, nr, off, name, desc;
	GElf_Phdr ph;
	GElf_Nhdr n;
	Elf_Data *d;

	if (elf_getphdrnum(e->elf, &nr))
		return;
	for (i = 0; i < nr && gelf_getphdr(e->elf, i, &ph) && !e->build_id_size; i++) {
		if (ph.p_type != PT_NOTE || ph.p_filesz > 65536)
			continue;
		d = elf_getdata_rawchunk(e->elf, ph.p_offset, ph.p_filesz,
					 ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		for (off = 0; d && (off = gelf_getnote(d, off, &n, &name, &desc)) > 0; ) {
			if (n.n_type != NOTE_GNU_BUILD_ID || n.n_namesz != 4 || n.n_descsz < 8 ||
			    memcmp((char *)d->d_buf + name, "GNU", 4))
				continue;
			e->build_id_size = min(n.n_descsz, (u32)sizeof(e->build_id));
			memcpy(e->build_id, (char *)d->d_buf + desc, e->build_id_size);
			if (n.n_descsz > sizeof(e->build_id))
				e->long_id = hash_bytes((char *)d->d_buf + desc, n.n_descsz);
			break;
		}
	}
}

bool unwind_elf_key(struct unwind_elf *e, char key[64])
{
	u64 shape = hash_mix(hash_bytes(e->segs, e->nr_segs * sizeof(*e->segs)), MAKER);
	u32 i;

	read_build_id(e);
	if (e->long_id)
		shape = hash_mix(shape, e->long_id);
	for (i = 0; i < NR_SECTIONS; i++) {
		shape = hash_mix(shape, e->sh[i].sh_addr);
		shape = hash_mix(shape, e->sh[i].sh_offset);
		shape = hash_mix(shape, e->sh[i].sh_size);
		shape = hash_mix(shape, e->sh[i].sh_type);
	}
	for (i = 0; i < e->build_id_size; i++)
		sprintf(key + 2 * i, "%02x", e->build_id[i]);
	sprintf(key + 2 * i, "-%016llx", shape);
	return e->build_id_size;
}

/*
 * The instructions of arm64's return from a signal handler: mov x8, #__NR_rt_sigreturn; svc #0. Nothing
 * describes them: since Linux 5.8 unwinders are expected to recognise them.
 */
static const u8 trampoline[8] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };

/* They are in the vDSO and in small C libraries (musl). */
#define MAX_TRAMPOLINE_FILE (1ULL << 20)

static void add_trampoline(struct unwind_rows *rows, const struct unwind_segment *s, u64 at)
{
	const struct unwind_table_rule rule = {
		.kind = UNWIND_TABLE_SIGNAL, .reg = ARM64_SP, .off = ARM64_UCONTEXT,
	};
	/* Its address is looked up as a return address, one byte lower. */
	u32 before = at >= 4 && !unwind_rows_described(rows, s->off + at - 4) ? 4 : 0;

	if (unwind_rows_described(rows, s->off + at) ||
	    !unwind_func_begin(rows, s->vaddr + at - before, before + sizeof(trampoline)))
		return;
	unwind_func_row(rows, 0, unwind_rule(rows, &rule));
	unwind_func_end(rows);
	unwind_rows_rank(rows);
}

static void find_trampolines(struct unwind_elf *e, struct unwind_rows *rows)
{
	const struct unwind_segment *s;
	Elf_Data *d;
	u64 at;

	for (s = e->segs; s < e->segs + e->nr_segs; s++) {
		d = elf_getdata_rawchunk(e->elf, s->off, s->size, ELF_T_BYTE);
		for (at = 0; d && at + sizeof(trampoline) <= d->d_size; at += 4)
			if (!memcmp((u8 *)d->d_buf + at, trampoline, sizeof(trampoline)))
				add_trampoline(rows, s, at);
	}
}

/* stp x16, x30, [sp, #-16]!: its first entry leaves two words on the stack for the loader's resolver. */
static const u8 plt_push[4] = { 0xf0, 0x7b, 0xbf, 0xa9 };
#define PLT_FIRST 32		/* bytes of that entry */

/* The procedure linkage table, which linkers for arm64 do not describe. The caller is in the link register. */
static void add_plt(struct unwind_elf *e, struct unwind_rows *rows)
{
	struct unwind_table_rule rule = {
		.kind = UNWIND_TABLE_CFA, .reg = ARM64_SP, .ra = UNWIND_TABLE_RA_REG, .arg = ARM64_LR,
	};
	struct unwind_section s = section(e, PLT);
	u32 at, entry = unwind_rule(rows, &rule);

	if (s.size < PLT_FIRST || !unwind_func_begin(rows, s.vaddr, s.size))
		return;
	unwind_func_row(rows, 0, entry);
	/* With BTI there is an instruction before it. */
	at = !memcmp(s.data, plt_push, sizeof(plt_push)) ? 4 : !memcmp(s.data + 4, plt_push, sizeof(plt_push)) ? 8 : 0;
	if (at) {
		rule.off = 16;
		unwind_func_row(rows, at, unwind_rule(rows, &rule));
		unwind_func_row(rows, PLT_FIRST, entry);
	}
	unwind_func_end(rows);
	unwind_rows_rank(rows);
}

/* What is wrong with the first of the sections that has something wrong. */
static const char *read_all(struct unwind_elf *e, struct unwind_rows *rows)
{
	struct unwind_section s;
	const char *first = NULL, *why;

	s = section(e, EH);
	if (s.size)
		first = unwind_cfi_read(&s, true, rows);
	unwind_rows_rank(rows);
	s = e->scn[DEBUG] ? section(e, DEBUG) : zdebug(e);
	if (s.size) {
		why = unwind_cfi_read(&s, false, rows);
		first = first ? first : why;
		unwind_rows_rank(rows);
	}
	s = section(e, SFRAME);
	if (s.size) {
		why = unwind_sframe_read(&s, rows);
		/* A version that is not known takes nothing from what others describe. */
		if (!rows->nr_funcs)
			first = first ? first : why;
		unwind_rows_rank(rows);
	}
	if (e->entry)
		unwind_rows_entry(rows, e->entry);
	if (e->arch == EM_AARCH64 && e->entry)
		unwind_rows_start(rows, e->entry);
	if (e->arch == EM_AARCH64)
		add_plt(e, rows);
	if (e->arch == EM_AARCH64 && e->text <= MAX_TRAMPOLINE_FILE)
		find_trampolines(e, rows);
	return first;
}

/* The function at one offset alone, if it is easily found. */
static bool read_at(struct unwind_elf *e, u64 off, struct unwind_rows *rows)
{
	struct unwind_section eh = section(e, EH), hdr = section(e, EH_HDR);
	const struct unwind_segment *s;
	const struct unwind_func *f;

	for (s = e->segs; s < e->segs + e->nr_segs; s++)
		if (off - s->off < s->size)
			break;
	if (!eh.size || !hdr.size || s == e->segs + e->nr_segs ||
	    !unwind_cfi_read_at(&eh, &hdr, off - s->off + s->vaddr, rows))
		return false;
	f = &rows->funcs[rows->nr_funcs - 1];
	if (off - f->start >= f->size) {
		/* It ends before. */
		rows->nr_funcs--;
		return false;
	}
	unwind_rows_rank(rows);
	return true;
}

/* The table of the whole file, or with @only of what is near that offset. */
static int make(struct unwind_elf *e, const u64 *only, struct unwind_made *made, const char **why)
{
	struct unwind_rows rows;
	const char *damaged = NULL, *none;

	unwind_rows_init(&rows, e->arch, e->segs, e->nr_segs);
	if (only) {
		rows.has_only = true;
		rows.only = *only;
	}
	e->why = NULL;
	if (!only || !read_at(e, *only, &rows))
		damaged = read_all(e, &rows);
	made->text = e->text;
	none = unwind_rows_make(&rows, made);
	unwind_rows_deinit(&rows);
	*why = damaged ? damaged : e->why ? e->why : none;
	return none ? -ENODATA : 0;
}

int unwind_elf_make(struct unwind_elf *e, struct unwind_made *made, const char **why)
{
	return make(e, NULL, made, why);
}

int unwind_elf_open(const char *path, struct unwind_elf **elf, const char **why)
{
	struct unwind_elf *e = xcalloc(1, sizeof(*e));
	int err;

	*elf = e;
	err = open_elf(path, e);
	if (!err)
		err = read_segments(e);
	if (!err || err == -ENODATA) {
		/* In a file of debug information the segments have no bytes. */
		read_sections(e);
		if (e->code_absent && (!e->scn[EH] || e->sh[EH].sh_type == SHT_NOBITS)) {
			e->why = "it holds debug information only: name the program itself";
			err = -ENODATA;
		}
	}
	*why = !err ? NULL : e->why ? e->why : strerror(-err);
	return err;
}

int unwind_file(const char *path, struct unwind_made *made, const char **why)
{
	struct unwind_elf *e;
	int err;

	memset(made, 0, sizeof(*made));
	err = unwind_elf_open(path, &e, why);
	if (!err)
		err = unwind_elf_make(e, made, why);
	unwind_elf_close(e);
	return err;
}

int unwind_file_rule(const char *path, u64 off, struct unwind_table_rule *rule)
{
	struct unwind_made made = { 0 };
	struct unwind_table table;
	struct unwind_elf *e;
	const char *why;
	int err;

	*rule = (struct unwind_table_rule){ 0 };
	err = unwind_elf_open(path, &e, &why);
	if (!err && !(e->scn[EH] && e->scn[EH_HDR]))
		err = -ENOENT;
	if (!err)
		make(e, &off, &made, &why);
	unwind_elf_close(e);
	if (err)
		return err;
	if (made.data && !unwind_table_check(made.data, made.size, &table))
		*rule = *unwind_table_find(&table, off);
	free(made.data);
	return 0;
}

u32 unwind_ranges(const char *path, struct unwind_range **v)
{
	struct unwind_rows rows;
	struct unwind_elf *e;
	const char *why;
	u32 i, nr = 0;

	*v = NULL;
	if (unwind_elf_open(path, &e, &why))
		goto out;
	unwind_rows_init(&rows, e->arch, e->segs, e->nr_segs);
	read_all(e, &rows);
	*v = xcalloc(rows.nr_funcs + 1, sizeof(**v));
	for (nr = 0, i = 0; i < rows.nr_funcs; i++)
		if (rows.funcs[i].size)
			(*v)[nr++] = (struct unwind_range){ rows.funcs[i].start, rows.funcs[i].size };
	unwind_rows_deinit(&rows);
out:
	unwind_elf_close(e);
	return nr;
}
