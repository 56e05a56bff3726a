// SPDX-License-Identifier: GPL-2.0
/*
 * Source lines of addresses. It is given a dso, and owns its debug information (struct lines):
 * an index of the addresses of compilation units, made at the first look-up. Units are read when
 * needed. Context: the dso's lines_lock is held.
 */
#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/sort.h"
#include "elf/open.h"
#include "symbol/dwarf_fit.h"
#include "symbol/find_file.h"
#include "symbol/srcline.h"
#include "symbol/symbol_private.h"

/*
 * Units and functions can share a range list, so that a few bytes describe many ranges. Compilers
 * write a separate list for each. Limit: one range for each RANGE_BYTES bytes of the file; a
 * function with its code takes more.
 */
#define RANGE_BYTES 8

void lines_destroy(struct lines *l)
{
	u32 i;

	if (!l)
		return;
	for (i = 0; i < l->nr_units; i++) {
		dies_deinit(&l->units[i].dies);
		free(l->units[i].funcs);
	}
	free(l->units);
	free(l->ranges);
	hash_deinit(&l->line_programs);
	hash_deinit(&l->scopes);
	hash_deinit(&l->names);
	hash_deinit(&l->index_calls);
	hash_deinit(&l->indexed);
	arena_deinit(&l->arena);
	if (l->line_dwarf != l->dwarf)
		dwarf_end(l->line_dwarf);
	dwarf_end(l->dwarf);
	dwarf_end(l->alt);
	elf_end(l->elf);
	elf_end(l->alt_elf);
	elf_images_free(&l->images);
	free(l);
}

/* Is this a file that libdw must not open, such as a FIFO, on which it would block? */
static bool is_unfit(const char *path)
{
	struct stat st;
	Elf *elf;
	_cleanup_close_ int fd = elf_file_open(path, &elf, &st);
	bool unfit;

	if (fd < 0)
		return !stat(path, &st);
	unfit = !dwarf_unpacked_fits(elf);
	elf_end(elf);
	return unfit;
}

/* Is a name in a file the path of such a file, as it is or below one of the folders? */
static bool names_unfit(const char *name, const char *const *folders, u32 nr)
{
	char path[PATH_MAX];
	u32 i;

	if (*name == '/')
		return is_unfit(name);
	for (i = 0; i < nr; i++) {
		if (folders[i] && snprintf(path, sizeof(path), "%s/%s", folders[i], name) < (int)sizeof(path) &&
		    is_unfit(path))
			return true;
	}
	return false;
}

static const char *string_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, name, &attr) ? dwarf_formstring(&attr) : NULL;
}

/* The unit's DIE in its .dwo file or in the program's .dwp file, which libdw opens. */
static bool find_split(Dwarf_CU *cu, Dwarf_Die *die, const char *program, Dwarf_Die *sub)
{
	const char *folders[] = { dirname(strdupa(program)), string_of(die, DW_AT_comp_dir) };
	const char *name = string_of(die, DW_AT_dwo_name) ?: string_of(die, DW_AT_GNU_dwo_name);

	return !(name && names_unfit(name, folders, ARRAY_SIZE(folders))) &&
	       !dwarf_cu_info(cu, NULL, NULL, NULL, sub, NULL, NULL, NULL) &&
	       dwarf_tag(sub) != DW_TAG_invalid;
}

static void add_range(struct lines *l, u64 start, u64 end, u32 unit)
{
	l->ranges_left--;
	/* Ranges of sections discarded by the linker start at 0. */
	if (!start || start >= end)
		return;
	GROW(l->ranges, l->nr_ranges, l->cap_ranges);
	l->ranges[l->nr_ranges++] = (struct unit_range){ start, end, unit };
}

/* The index of a unit in @l->units. @index: (its DIE, 0) -> index; @added: set if it is new */
static u32 unit_of(struct lines *l, struct hash *index, Dwarf_Off die, bool *added)
{
	u64 *v = hash_insert(index, die, 0, added);

	if (*added) {
		GROW(l->units, l->nr_units, l->cap_units);
		*v = l->nr_units++;
		l->units[*v] = (struct unit){ .die = die };
	}
	return *v;
}

/* The ranges of the units that .debug_aranges lists, which are then not read for them. */
static void read_aranges(struct lines *l, struct hash *index)
{
	Dwarf_Aranges *all;
	Dwarf_Word length;
	Dwarf_Addr start;
	Dwarf_Off die;
	size_t nr, i;
	bool added;

	if (dwarf_getaranges(l->dwarf, &all, &nr))
		return;
	for (i = 0; i < nr && l->ranges_left; i++)
		if (!dwarf_getarangeinfo(dwarf_onearange(all, i), &start, &length, &die))
			add_range(l, start, start + length, unit_of(l, index, die, &added));
}

/* Read the ranges of all units. @program: its path without symbolic links. */
static void read_units(struct lines *l, const char *program)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	Dwarf_Addr base, start, end;
	char dwp[PATH_MAX + sizeof(".dwp")];
	_cleanup_hash_ struct hash index = { 0 };
	bool can_split, added;
	struct unit *u;
	uint8_t type;
	ptrdiff_t off;
	u32 unit;

	snprintf(dwp, sizeof(dwp), "%s.dwp", program);
	can_split = !is_unfit(dwp);
	read_aranges(l, &index);
	while (!dwarf_get_units(l->dwarf, cu, &cu, NULL, &type, &die, NULL)) {
		if (type != DW_UT_compile && type != DW_UT_partial && type != DW_UT_skeleton)
			continue;
		unit = unit_of(l, &index, dwarf_dieoffset(&die), &added);
		u = &l->units[unit];
		u->split = type == DW_UT_skeleton && can_split && find_split(cu, &die, program, &u->sub);
		off = 0;
		while (added && l->ranges_left && (off = dwarf_ranges(&die, off, &base, &start, &end)) > 0)
			add_range(l, start, end, unit);
	}
	if (l->nr_ranges)
		qsort(l->ranges, l->nr_ranges, sizeof(*l->ranges), by_first_u64);
}

/*
 * libdw unpacks all debug sections when it opens a file, which is most of the time that a short
 * report takes. Make the sections appear empty that have neither lines nor inlined calls, and
 * .debug_line until its lines are asked for.
 */
static void leave_out_sections(struct lines *l, Elf *elf)
{
	static const char *const unused[] = {
		".debug_frame", ".debug_loc", ".debug_loclists", ".debug_macinfo",
		".debug_macro", ".debug_pubnames", ".debug_pubtypes",
	};
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr shdr;
	u32 i;

	while ((scn = elf_next_section(elf, scn, &shdr, &name))) {
		if (!(shdr.sh_flags & SHF_COMPRESSED))
			continue;
		for (i = 0; i < ARRAY_SIZE(unused); i++)
			if (!strcmp(name, unused[i]))
				elf_leave_out(scn);
		if (!strcmp(name, ".debug_line")) {
			elf_leave_out(scn);
			l->line_section = scn;
			l->compressed = true;
		}
	}
}

/* Is the supplementary file, which libdw opens, unfit? */
static bool alt_is_unfit(Dwarf *dwarf, const char *program)
{
	const char *name, *folders[] = { dirname(strdupa(program)) };
	const void *id;

	return dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) > 0 &&
	       names_unfit(name, folders, ARRAY_SIZE(folders));
}

/* Open a supplementary file if it has the build id @id. */
static bool alt_open(struct lines *l, const char *path, const void *id, ssize_t size)
{
	const void *found;
	struct stat st;
	Elf *elf;
	int fd = elf_file_open(path, &elf, &st);

	if (fd < 0)
		return false;
	if (dwelf_elf_gnu_build_id(elf, &found) == size && !memcmp(found, id, size) && dwarf_unpacked_fits(elf)) {
		elf_unpack_zstd(elf, &l->images);
		l->alt = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	}
	elf_file_done(elf, fd);
	if (l->alt)
		l->alt_elf = elf;
	else
		elf_end(elf);
	return l->alt;
}

/* libdw would find it, but elfutils up to 0.188 cannot read zstd-compressed sections. */
static void find_alt(struct lines *l, const char *program)
{
	char hex[ELF_BUILD_ID_HEX], path[PATH_MAX];
	const char *name;
	const void *id;
	ssize_t size = dwelf_dwarf_gnu_debugaltlink(l->dwarf, &name, &id);

	if (size <= 0)
		return;
	snprintf(path, sizeof(path), "%s/%s", dirname(strdupa(program)), name);
	if (!alt_open(l, *name == '/' ? name : path, id, size) && size > 1 && size <= ELF_BUILD_ID_MAX) {
		build_id_hex(id, size, hex);
		snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2);
		alt_open(l, path, id, size);
	}
	if (l->alt)
		dwarf_setalt(l->dwarf, l->alt);
}

/* Do the abbreviations of the file and of its supplementary file fit? */
static bool abbrevs_fit(Dwarf *dwarf, const char *path)
{
	Dwarf *alt = dwarf_getalt(dwarf);

	if (dwarf_abbrevs_fit(dwarf) && (!alt || dwarf_abbrevs_fit(alt)))
		return true;
	diag_warn("%s: its debug information has too many abbreviations for its size: "
		  "source lines and inlined functions are not shown", path);
	return false;
}

/* The path used to find related files. A removed file's former path does not exist. */
static char *path_for_others(struct dso_file *f, const char *path)
{
	return path == f->elf_path && f->fd >= 0 ? xstrdup(f->file) : realpath(path, NULL);
}

static struct lines *lines_open(struct dso_file *f, const char *path)
{
	_cleanup_free_ char *real = path ? path_for_others(f, path) : NULL;
	bool fits = false;
	struct lines *l;
	struct stat st;
	Elf *elf;
	int fd = real ? elf_file_open(path, &elf, &st) : -1;

	if (fd < 0)
		return NULL;
	l = xcalloc(1, sizeof(*l));
	l->file = f;
	l->elf = elf;
	leave_out_sections(l, elf);
	/* libdw finds the path of this file, and the split files next to it, by the descriptor. */
	if (dwarf_unpacked_fits(elf)) {
		elf_unpack_zstd(elf, &l->images);
		l->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	}
	if (l->dwarf && !alt_is_unfit(l->dwarf, real)) {
		find_alt(l, real);
		fits = abbrevs_fit(l->dwarf, path);
	}
	elf_file_done(elf, fd);
	if (!fits) {
		lines_destroy(l);
		return NULL;
	}
	if (!l->line_section)
		l->line_dwarf = l->dwarf;
	l->ranges_left = st.st_size / RANGE_BYTES;
	l->scope_ranges_left = l->ranges_left;
	read_units(l, real);
	if (!l->nr_units) {
		lines_destroy(l);
		return NULL;
	}
	return l;
}

static const char *find_debug_path(struct dso_file *f)
{
	struct elf_file run, dbg;
	const char *path;

	if (!f->elf_path || f->elf_path != f->sym_path || elf_open(f->elf_path, &run))
		return NULL;
	pthread_mutex_lock(&f->lock);
	path = find_file_debug(f, &run, &dbg);
	pthread_mutex_unlock(&f->lock);
	if (path)
		elf_close(&dbg);
	elf_close(&run);
	return path;
}

struct lines *lines_get(struct dso_file *f)
{
	if (f->lines_tried)
		return f->lines;
	f->lines_tried = true;
	/* A module's debug information is not relocated. */
	if (f->dso.kind == DSO_MODULE)
		return NULL;
	f->lines = lines_open(f, f->sym_path);
	/* A program with .symtab may still have its debug information elsewhere. */
	if (!f->lines && f->dso.kind == DSO_USER)
		f->lines = lines_open(f, find_debug_path(f));
	if (!f->lines && f->go.nr) {
		f->lines = xcalloc(1, sizeof(*f->lines));
		f->lines->file = f;
	}
	return f->lines;
}

bool lines_range(const struct lines *l, u64 addr, struct unit_range *range)
{
	u32 behind = LOWER_BOUND(0, l->nr_ranges, at, l->ranges[at].start <= addr), i;
	u64 next = behind < l->nr_ranges ? l->ranges[behind].start : UINT64_MAX;

	*range = (struct unit_range){ 0, next, 0 };
	/* Few units overlap: examine some. */
	for (i = behind; i > 0 && behind - i < 8; i--) {
		const struct unit_range *r = &l->ranges[i - 1];

		if (addr < r->end) {
			range->start = max(r->start, range->start);
			range->end = min(r->end, next);
			range->unit = r->unit;
			return true;
		}
		range->start = max(range->start, r->end);
	}
	return false;
}

struct unit *lines_unit(struct lines *l, u64 addr, Dwarf_Die *cu)
{
	struct unit_range r;

	return lines_range(l, addr, &r) && dwarf_offdie(l->dwarf, l->units[r.unit].die, cu) ? &l->units[r.unit] : NULL;
}

/* libdw reads the sections of a file once, so that .debug_line takes another handle of the file. */
static Dwarf *dwarf_with_lines(struct lines *l)
{
	if (l->line_section) {
		elf_take_back(l->line_section);
		l->line_section = NULL;
		if (dwarf_unpacked_fits(l->elf)) {
			elf_unpack_zstd(l->elf, &l->images);
			l->line_dwarf = dwarf_begin_elf(l->elf, DWARF_C_READ, NULL);
		}
		if (l->line_dwarf && l->alt)
			dwarf_setalt(l->line_dwarf, l->alt);
	}
	return l->line_dwarf;
}

bool lines_of_unit(struct lines *l, const struct unit *u, Dwarf_Die *cu)
{
	Dwarf *dwarf = dwarf_with_lines(l);

	if (!dwarf || !dwarf_offdie(dwarf, u->die, cu))
		return false;
	if (dwarf_lines_fit(l, cu))
		return true;
	if (!l->lines_told)
		diag_warn("%s: its debug information has too many lines for its size: "
			  "those of some units are not shown", l->file->dso.name);
	l->lines_told = true;
	return false;
}

struct source_line lines_find(struct lines *l, u64 addr)
{
	const struct source_line unknown = { 0 };
	const char *file = NULL;
	struct unit *u;
	Dwarf_Line *line;
	Dwarf_Die cu;
	int no;

	u = lines_unit(l, addr, &cu);
	if (!u && l->file->go.nr) {
		file = gopclntab_line(&l->file->go, addr, &no);
	} else if (u && lines_of_unit(l, u, &cu)) {
		line = dwarf_getsrc_die(&cu, addr);
		/* Line 0: the compiler assigns the code to no line. */
		if (line && !dwarf_lineno(line, &no))
			file = dwarf_linesrc(line, NULL, NULL);
	}
	return file && no >= 0 ? (struct source_line){ file, no } : unknown;
}
