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
#include "cfi/go_stack.h"
#include "elf/gopclntab.h"
#include "elf/open.h"
#include "elf/unpack.h"

/* More than this no section that describes code has. */
#define MAX_SECTION (1ULL << 30)

/* Larger ones Go has not. */
#define MAX_FRAME (1 << 30)

/* Programs have one or two. */
#define MAX_SEGMENTS 64

enum { EH, EH_HDR, DEBUG, ZDEBUG, SFRAME, PLT, NR_SECTIONS };

struct unwind_elf {
	Elf *elf;
	struct elf_images images;
	struct unwind_segment *segs;
	u32 nr_segs;
	u64 text, entry, file_size;
	u16 arch;
	bool code_absent;	/* executable sections without bytes: a debug file */
	Elf_Scn *scn[NR_SECTIONS];
	struct gopclntab go;
	GElf_Shdr sh[NR_SECTIONS];
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
	e->file_size = st.st_size;
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
	size_t nr, i, file_size = e->file_size;
	struct unwind_segment *s;
	GElf_Phdr ph;

	e->why = "its program headers are damaged";
	if (elf_getphdrnum(e->elf, &nr))
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
	const char *name;
	u64 text = 0;
	GElf_Shdr sh;
	u32 i;

	while ((scn = elf_next_section(e->elf, scn, &sh, &name))) {
		if (sh.sh_flags & SHF_EXECINSTR && sh.sh_flags & SHF_ALLOC) {
			if (sh.sh_type == SHT_NOBITS)
				e->code_absent = true;
			else
				text += sh.sh_size;
		}
		for (i = 0; i < NR_SECTIONS; i++) {
			if (!strcmp(name, names[i])) {
				e->scn[i] = scn;
				e->sh[i] = sh;
			}
		}
	}
	gopclntab_find(e->elf, &e->go);
	/* Segments hold tables and headers besides. */
	if (text && text < e->text)
		e->text = text;
}

/*
 * The instructions of arm64's return from a signal handler: mov x8, #__NR_rt_sigreturn; svc #0. Nothing
 * describes them: since Linux 5.8 unwinders are expected to recognise them.
 */
static const u8 trampoline[8] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };

/* They are in the vDSO and in small C libraries (musl). */
#define MAX_TRAMPOLINE_FILE (1ULL << 20)

static bool has_trampolines(const struct unwind_elf *e)
{
	return e->arch == EM_AARCH64 && e->text <= MAX_TRAMPOLINE_FILE;
}

static void add_trampoline(struct unwind_rows *rows, const struct unwind_segment *s, u64 at)
{
	const struct unwind_table_rule rule = {
		.kind = UNWIND_TABLE_SIGNAL, .reg = ARM64_SP, .off = ARM64_UCONTEXT,
	};
	/* Its address is looked up as a return address, one byte lower. */
	u32 before = at >= 4 && !unwind_rows_described(rows, s->off + at - 4) ? 4 : 0;
	/* Within the system call the ip is behind it. */
	u32 behind = !unwind_rows_described(rows, s->off + at + sizeof(trampoline)) ? 4 : 0;

	if (unwind_rows_described(rows, s->off + at) ||
	    !unwind_func_begin(rows, s->vaddr + at - before, before + sizeof(trampoline) + behind))
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

/* One of Go's functions that call on another stack. */
struct go_function {
	const char *name;
	u64 vaddr;
	Elf_Data *code;
};

/* Four, with and without ".abi0". A damaged file may have millions of such names. */
#define GO_FUNCTIONS 8

static Elf_Data *code_at(struct unwind_elf *e, u64 vaddr, u64 size)
{
	const struct unwind_segment *s;

	for (s = e->segs; s < e->segs + e->nr_segs; s++)
		if (vaddr - s->vaddr < s->size && size <= s->size - (vaddr - s->vaddr))
			return elf_getdata_rawchunk(e->elf, s->off + vaddr - s->vaddr, size,
						    ELF_T_BYTE);
	return NULL;
}

/* "runtime.asmcgocall" without ".abi0" only calls the other. */
static bool does_switch(const struct go_function *f)
{
	u64 at = 0, size = f->code->d_size;

	while (at < size && go_stack_at(f->name, f->code->d_buf, size, at) == GO_STACK_OWN)
		at++;
	return at < size;
}

/* Find them. Return: their number. */
static u32 find_go_functions(struct unwind_elf *e, struct go_function *v)
{
	struct go_func f;
	u32 nr = 0, tried = 0, i;

	for (i = 0; e->arch == EM_X86_64 && tried < GO_FUNCTIONS && i < e->go.nr; i++) {
		if (!gopclntab_func(&e->go, i, &f) || f.size > GO_STACK_MAX ||
		    !go_stack_switches(f.name))
			continue;
		tried++;
		v[nr].name = f.name;
		v[nr].vaddr = f.start;
		v[nr].code = code_at(e, f.start, f.size);
		nr += v[nr].code && does_switch(&v[nr]);
	}
	return nr;
}

static void add_go_function(struct unwind_rows *rows, const struct go_function *f)
{
	/* FP_FP, as no compiler has it there: the frame pointer leads to another stack. */
	static const struct unwind_table_rule rules[] = {
		[GO_STACK_OWN] = { .kind = UNWIND_TABLE_CFA, .reg = REG_SP, .off = 8 },
		[GO_STACK_WAITS] = {
			.kind = UNWIND_TABLE_CFA, .reg = REG_FP, .off = 16,
			.fp = UNWIND_TABLE_FP_FP,
		},
		[GO_STACK_LEFT] = { .kind = UNWIND_TABLE_OUTERMOST },
	};
	enum go_stack stack, before = GO_STACK_OWN;
	u64 at, size = f->code->d_size;

	if (!unwind_func_begin(rows, f->vaddr, size))
		return;
	for (at = 0; at < size; at++) {
		stack = go_stack_at(f->name, f->code->d_buf, size, at);
		if (!at || stack != before)
			unwind_func_row(rows, at, unwind_rule(rows, &rules[stack]));
		before = stack;
	}
	unwind_func_end(rows);
}

static void add_go_functions(struct unwind_elf *e, struct unwind_rows *rows)
{
	struct go_function v[GO_FUNCTIONS];
	u32 nr = find_go_functions(e, v), i;

	for (i = 0; i < nr; i++)
		add_go_function(rows, &v[i]);
	unwind_rows_rank(rows);
}

/* @size: of the frame. The return address is behind it on x86, and at its start on arm64. */
static u32 go_rule(struct unwind_rows *rows, const struct go_func *f, s32 size)
{
	struct unwind_table_rule r = { .kind = UNWIND_TABLE_CFA, .reg = REG_SP, .off = size + 8 };

	if (f->outermost)
		r = (struct unwind_table_rule){ .kind = UNWIND_TABLE_OUTERMOST };
	else if (size < 0 || size > MAX_FRAME)
		return unwind_rule_unknown(rows, UNWIND_WHY_RANGE);
	else if (rows->arch == EM_X86_64)
		r.fp = size >= 8 ? UNWIND_TABLE_FP_FP : UNWIND_TABLE_FP_SAME;
	else
		r = (struct unwind_table_rule){
			.kind = UNWIND_TABLE_CFA, .reg = ARM64_SP, .off = size,
			.ra = size ? UNWIND_TABLE_RA_CFA : UNWIND_TABLE_RA_REG,
			.arg = size ? -size : ARM64_LR,
		};
	return unwind_rule(rows, &r);
}

static void add_go_frames(struct unwind_elf *e, struct unwind_rows *rows)
{
	struct go_func f;
	u32 i;

	for (i = 0; i < e->go.nr; i++) {
		struct go_run r = { 0 };

		if (!gopclntab_func(&e->go, i, &f) || !unwind_func_begin(rows, f.start, f.size))
			continue;
		unwind_func_row(rows, 0, unwind_rule_unknown(rows, UNWIND_WHY_NOTHING));
		while (gopclntab_run(&e->go, &f, GO_FRAME_SIZES, &r))
			unwind_func_row(rows, r.start, go_rule(rows, &f, r.value));
		unwind_func_end(rows);
	}
	unwind_rows_rank(rows);
}

/* What is wrong with the first of the sections that has something wrong. */
static const char *read_all(struct unwind_elf *e, struct unwind_rows *rows)
{
	struct unwind_section s;
	const char *first = NULL, *why;

	add_go_functions(e, rows);
	s = section(e, EH);
	if (s.size)
		first = unwind_cfi_read(&s, true, rows);
	unwind_rows_rank(rows);
	s = e->scn[DEBUG] ? section(e, DEBUG) : zdebug(e);
	if (s.size) {
		rows->keeps_fp = elf_has_section(e->elf, &GO_SECTION[1]);
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
	add_go_frames(e, rows);
	if (e->entry)
		unwind_rows_entry(rows, e->entry);
	if (e->arch == EM_AARCH64 && e->entry)
		unwind_rows_start(rows, e->entry);
	if (e->arch == EM_AARCH64)
		add_plt(e, rows);
	if (has_trampolines(e))
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

void unwind_elf_key(struct unwind_elf *e, char key[UNWIND_ELF_KEY])
{
	struct go_function go[GO_FUNCTIONS];
	const struct unwind_segment *s;
	const GElf_Shdr *sh;
	struct digest d;
	Elf_Data *data;
	u32 i, nr;

	digest_init(&d);
	digest_add(&d, &(u64[]){ UNWIND_ELF_MAKER, e->arch, e->entry, e->text, e->nr_segs }, 5 * sizeof(u64));
	digest_add(&d, e->segs, e->nr_segs * sizeof(*e->segs));
	for (i = 0; i < NR_SECTIONS; i++) {
		sh = &e->sh[i];
		data = e->scn[i] && i != EH_HDR && sh->sh_type != SHT_NOBITS ?
		       elf_rawdata(e->scn[i], NULL) : NULL;
		digest_add(&d, &(u64[]){ sh->sh_addr, sh->sh_flags & SHF_COMPRESSED,
					 data ? data->d_size : 0 }, 3 * sizeof(u64));
		if (data)
			digest_add(&d, data->d_buf, data->d_size);
	}
	/* Those that find_trampolines() reads. */
	for (s = e->segs; has_trampolines(e) && s < e->segs + e->nr_segs; s++) {
		data = elf_getdata_rawchunk(e->elf, s->off, s->size, ELF_T_BYTE);
		if (data)
			digest_add(&d, data->d_buf, data->d_size);
	}
	digest_add(&d, &(u64[]){ e->go.text, e->go.size, elf_has_section(e->elf, &GO_SECTION[1]) },
		   3 * sizeof(u64));
	if (e->go.nr)
		digest_add(&d, e->go.data, e->go.size);
	for (i = 0, nr = find_go_functions(e, go); i < nr; i++) {
		digest_add(&d, &go[i].vaddr, sizeof(go[i].vaddr));
		digest_add(&d, go[i].code->d_buf, go[i].code->d_size);
	}
	digest_hex(&d, key);
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
