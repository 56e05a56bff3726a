// SPDX-License-Identifier: GPL-2.0
/*
 * The inlined calls that contain an address. A unit's functions are indexed once, and the
 * scopes of a function when its first address is looked up.
 */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/sort.h"
#include "base/text.h"
#include "symbol/find_file.h"
#include "symbol/srcline.h"
#include "symbol/symbol_private.h"

static int func_cmp(const void *a, const void *b)
{
	const struct func *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	/* The wider range first, as it is the outer one. */
	return x->end > y->end ? -1 : x->end < y->end;
}

struct func_reader {
	struct lines *l;
	struct unit *u;
	u32 cap;
};

static void add_func(struct func_reader *r, const struct die *die)
{
	struct unit *u = r->u;
	Dwarf_Addr base, start, end;
	ptrdiff_t off = 0;

	while (r->l->ranges_left && (off = dies_ranges(&u->dies, die, off, &base, &start, &end)) > 0) {
		r->l->ranges_left--;
		if (!start || start >= end)
			continue;
		GROW(u->funcs, u->nr_funcs, r->cap);
		u->funcs[u->nr_funcs++] = (struct func){ start, end, die->at, 0 };
	}
}

/* May a DIE have functions below it? Ada, Pascal and GNU C have functions in functions. */
static bool has_funcs(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_namespace || tag == DW_TAG_module ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_lexical_block;
}

/* Read a list of siblings. Return: the position after it; NULL: the rest of the unit is not read. */
static const u8 *find_funcs(struct func_reader *r, const u8 *p, u32 depth)
{
	struct die die;

	while (r->l->ranges_left && depth < SCOPES_MAX_DEPTH && dies_read(&r->u->dies, &p, &die)) {
		if (die.tag == DW_TAG_subprogram)
			add_func(r, &die);
		if (die.has_children)
			p = has_funcs(die.tag) ? find_funcs(r, p, depth + 1) : dies_skip(&r->u->dies, &die, p);
	}
	return r->l->ranges_left && depth < SCOPES_MAX_DEPTH ? p : NULL;
}

static void read_funcs(struct lines *l, struct unit *u, Dwarf_Die *cu)
{
	struct func_reader r = { .l = l, .u = u };
	const u8 *p = cu->addr;
	struct die die;
	u32 i, o;

	u->funcs_read = true;
	if (dies_init(&u->dies, cu) && dies_read(&u->dies, &p, &die) && die.has_children)
		find_funcs(&r, p, 0);
	if (u->nr_funcs)
		qsort(u->funcs, u->nr_funcs, sizeof(*u->funcs), func_cmp);
	for (i = 0; i < u->nr_funcs; i++) {
		o = i ? i - 1 : SYM_NO_OUTER;
		while (o != SYM_NO_OUTER && u->funcs[o].end <= u->funcs[i].end)
			o = u->funcs[o].outer;
		u->funcs[i].outer = o;
	}
}

static const struct func *find_func(const struct unit *u, u64 addr)
{
	u32 behind = LOWER_BOUND(0, u->nr_funcs, at, u->funcs[at].start <= addr), i, depth = 0;

	for (i = behind - 1; i != SYM_NO_OUTER && depth++ < SYM_MAX_NESTED; i = u->funcs[i].outer)
		if (addr < u->funcs[i].end)
			return &u->funcs[i];
	return NULL;
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		return dwarf_formstring(&attr);
	return NULL;
}

/* The linker's name of an inlined function, or its own, looked up once for all calls; or NULL. */
static const char *name_of(struct lines *l, Dwarf_Die *call, bool *mangled)
{
	Dwarf_Attribute attr;
	Dwarf_Die func;
	const char *name;
	bool added;
	u64 *v;

	if (!dwarf_attr(call, DW_AT_abstract_origin, &attr) || !dwarf_formref_die(&attr, &func))
		func = *call;
	v = hash_insert(&l->names, (uintptr_t)func.addr, 0, &added);
	if (added) {
		name = linkage_name(&func);
		*v = 2 * (u64)(uintptr_t)(name ?: dwarf_diename(&func)) | !!name;
	}
	*mangled = *v & 1;
	return (const char *)(uintptr_t)(*v / 2);
}

/* The symbol of an inlined function, one for each within @base. @raw: maybe @mangled, or NULL. */
static const struct symbol *inline_symbol(struct dso_file *f, const char *raw, bool mangled,
					  const struct symbol *base, u64 addr)
{
	const struct symbol_config *cfg = &f->table->cfg;
	char *nice = mangled && !cfg->no_demangle && !cfg->linker_names ? demangle(raw) : NULL;
	const char *name = nice ?: raw ?: "[unknown]";
	u64 start = base ? base->start : addr, *v;
	struct arena *a = &f->inline_arena;
	struct symbol *sym;
	bool added;

	v = hash_insert(&f->inline_syms, hash_bytes(name, strlen(name)), start, &added);
	if (added) {
		sym = arena_alloc(a, sizeof(*sym));
		*sym = (struct symbol){
			.start = start, .end = base ? base->end : addr + 1,
			.bind = base ? base->bind : 0, .inlined = 1,
			.state = SYM_READY, .outer = SYM_NO_OUTER,
			.name = printable_copy(a, arena_strndup(a, name, strlen(name))),
		};
		if (nice && cfg->linkage)
			*hash_insert(&f->inline_linkage, (uintptr_t)sym->name, 0, NULL) =
				(uintptr_t)printable_copy(a, arena_strndup(a, raw, strlen(raw)));
		*v = (uintptr_t)sym;
	}
	free(nice);
	return (const struct symbol *)(uintptr_t)*v;
}

/* The functions inlined at an address. */
struct inlined {
	u32 nr;
	struct inline_frame frames[];
};

/* Warn that a split unit's file is missing: the skeleton has lines, but no functions. */
static void tell_split(const struct dso_file *f, struct lines *l, Dwarf_Die *cu)
{
	Dwarf_Attribute attr;
	const char *name;

	if (l->split_told || (!dwarf_attr(cu, DW_AT_dwo_name, &attr) &&
			      !dwarf_attr(cu, DW_AT_GNU_dwo_name, &attr)))
		return;
	l->split_told = true;
	name = dwarf_formstring(&attr);
	diag_warn("%s: inlined functions are not shown: they are in %s, which can't be opened "
		  "(libdw reads .dwp files from 0.191 on, this is %s)", f->dso.name,
		  name ?: "a split file", dwfl_version(NULL));
}

static void tell_ranges(const struct dso_file *f, struct lines *l)
{
	if ((l->ranges_left && l->scope_ranges_left) || l->ranges_told)
		return;
	l->ranges_told = true;
	diag_warn("%s: its debug information has too many ranges of code for its size: "
		  "inlined functions of the rest are not shown", f->dso.name);
}

static const struct scopes *get_scopes(struct lines *l, struct unit *u, const struct func *fn)
{
	bool added;
	u64 *v = hash_insert(&l->scopes, (uintptr_t)fn->die, 0, &added);

	if (added)
		*v = (uintptr_t)scopes_read(l, &u->dies, fn->die);
	return (const struct scopes *)(uintptr_t)*v;
}

/* The DIEs of the inlined calls at an address of a unit, innermost first. */
static u32 calls_in_unit(struct lines *l, struct unit *u, u64 addr, const u8 **calls)
{
	const struct func *fn = find_func(u, addr);
	const struct scopes *scopes = fn ? get_scopes(l, u, fn) : NULL;

	return scopes ? scopes_calls(scopes, addr, calls) : 0;
}

/* The unit of an address, with its functions, and its DIE. Return: NULL if there is none. */
static struct unit *unit_with_funcs(struct dso_file *f, struct lines *l, u64 addr, Dwarf_Die *top)
{
	struct unit *u = lines_unit(l, addr, top);

	if (!u)
		return NULL;
	if (u->split)
		*top = u->sub;
	else
		tell_split(f, l, top);
	if (!u->funcs_read)
		read_funcs(l, u, top);
	return u;
}

/* The inlined calls at an address, innermost first, and their unit. */
static u32 find_calls(struct dso_file *f, struct lines *l, u64 addr, struct unit **unit, Dwarf_Die *dies)
{
	const u8 *calls[SCOPES_MAX_DEPTH];
	Dwarf_Die top;
	u32 i, nr;

	*unit = unit_with_funcs(f, l, addr, &top);
	nr = *unit ? calls_in_unit(l, *unit, addr, calls) : 0;
	for (i = 0; i < nr; i++)
		dies[i] = (Dwarf_Die){ .addr = (void *)calls[i], .cu = top.cu };
	tell_ranges(f, l);
	return nr;
}

/* Add @nr calls to the index. Return: the innermost one's number; UINT32_MAX: one has no name. */
static u32 index_calls(struct lines *l, Dwarf_CU *cu, const u8 **calls, u32 nr)
{
	u32 call = 0;
	const char *name;
	bool added, mangled;
	u64 *v;

	while (nr--) {
		Dwarf_Die die = { .addr = (void *)calls[nr], .cu = cu };

		v = hash_insert(&l->index_calls, (uintptr_t)die.addr, 0, &added);
		if (added) {
			name = name_of(l, &die, &mangled);
			*v = name ? inline_index_add_call(l->file->inlines, call, name, mangled) : UINT32_MAX;
		}
		if (*v == UINT32_MAX)
			return *v;
		call = *v;
	}
	return call;
}

struct starts {
	u64 *v;
	u32 nr, cap;
};

static void add_start(struct starts *s, u64 start)
{
	GROW(s->v, s->nr, s->cap);
	s->v[s->nr++] = start;
}

/* The addresses of a function at which the innermost call may change. */
static void add_func_starts(struct starts *s, struct lines *l, struct unit *u,
			    const struct func *fn)
{
	const struct scopes *scopes = get_scopes(l, u, fn);
	u32 nr, i;
	const u64 *v;

	add_start(s, fn->start);
	add_start(s, fn->end);
	nr = scopes ? scopes_starts(scopes, &v) : 0;
	for (i = 0; i < nr; i++)
		add_start(s, v[i]);
}

/* Add addresses of a unit to the index. */
static void index_range(struct lines *l, struct unit *u, Dwarf_CU *cu, u64 start, u64 end)
{
	struct inline_index *x = l->file->inlines;
	u32 i = LOWER_BOUND(0, u->nr_funcs, at, u->funcs[at].start <= start), o, call, last = UINT32_MAX;
	const u8 *calls[SCOPES_MAX_DEPTH];
	struct starts s = { 0 };

	add_start(&s, start);
	for (o = i - 1; o != SYM_NO_OUTER; o = u->funcs[o].outer)
		add_func_starts(&s, l, u, &u->funcs[o]);
	for (; i < u->nr_funcs && u->funcs[i].start < end; i++)
		add_func_starts(&s, l, u, &u->funcs[i]);
	sort_u64(s.v, s.nr);
	for (i = 0; i < s.nr; i++) {
		if (s.v[i] < start || s.v[i] >= end || (i && s.v[i] == s.v[i - 1]))
			continue;
		call = index_calls(l, cu, calls, calls_in_unit(l, u, s.v[i], calls));
		if (call == UINT32_MAX)
			break;
		if (call != last)
			inline_index_add_piece(x, s.v[i], call);
		last = call;
	}
	/* Incomplete debug information is not kept: the rest may be found later. */
	if (i == s.nr && l->ranges_left && l->scope_ranges_left && !l->split_told)
		inline_index_add_range(x, start, end);
	free(s.v);
}

/* Code whose inlined calls are indexed at once, in bytes. Of larger ranges a function is. */
#define INDEXED_AT_ONCE (16 << 10)

/* Add an address and those around it to the index. @whole: also of a large range all */
static void index_around(struct dso_file *f, struct lines *l, u64 addr, bool whole)
{
	struct unit_range r;
	const struct func *fn;
	struct unit *u;
	Dwarf_Die top;
	bool added;
	u32 next;

	u = lines_range(l, addr, &r) ? unit_with_funcs(f, l, addr, &top) : NULL;
	if (u && !whole && r.end - r.start > INDEXED_AT_ONCE) {
		next = LOWER_BOUND(0, u->nr_funcs, at, u->funcs[at].start <= addr);
		fn = find_func(u, addr);
		if (next < u->nr_funcs)
			r.end = min(r.end, u->funcs[next].start);
		if (next)
			r.start = fn ? fn->start : u->funcs[next - 1].end;
		if (fn)
			r.end = fn->end;
	}
	hash_insert(&l->indexed, r.start, 0, &added);
	if (!added)
		return;
	if (u) {
		index_range(l, u, top.cu, r.start, r.end);
	} else {
		inline_index_add_piece(f->inlines, r.start, 0);
		inline_index_add_range(f->inlines, r.start, r.end);
	}
}

/*
 * Code of a file with compressed debug information that is indexed as a whole, in bytes: libc has
 * 1.4 million. To unpack it for a few more addresses takes as long.
 */
#define INDEXED_AS_A_WHOLE (2 << 20)

/* Add at least an address to the index. */
static void index_more(struct dso_file *f, struct lines *l, u64 addr)
{
	bool whole = !l->indexed.nr && l->compressed && inline_index_is_empty(f->inlines);
	u64 code = 0;
	u32 i;

	for (i = 0; whole && i < l->nr_ranges; i++)
		code += l->ranges[i].end - l->ranges[i].start;
	whole &= code <= INDEXED_AS_A_WHOLE;
	index_around(f, l, addr, whole);
	for (i = 0; whole && i < l->nr_ranges; i++) {
		index_around(f, l, l->ranges[i].start, true);
		index_around(f, l, l->ranges[i].end, true);
	}
}

/* The index of a file whose build-id is known, so that it is the recorded one; NULL: none. */
static struct inline_index *get_index(struct dso_file *f)
{
	struct stat st;

	if (f->inlines_path)
		return f->inlines;
	f->inlines_path = "";
	if (f->dso.kind != DSO_USER || f->dso.build_id_size < 2 || f->dso.base ||
	    f->table->cfg.symfs || !f->sym_path || stat(f->sym_path, &st))
		return NULL;
	f->inlines_path = find_file_cached(f, f->dso.build_id, f->dso.build_id_size, "inlines");
	f->inlines = inline_index_open(f->inlines_path, &st);
	return f->inlines;
}

/* Set the symbols of the inlined calls at an address, innermost first. Return: their number. */
static u32 find_inlines(struct dso_file *f, u64 addr, const struct symbol *base,
			const struct symbol **syms)
{
	struct inline_index *x;
	Dwarf_Die dies[SCOPES_MAX_DEPTH];
	const char *name;
	struct lines *l;
	struct unit *u;
	u32 nr = 0, call, i;
	bool mangled;

	dso_load(f);
	x = get_index(f);
	if (x && inline_index_find(x, addr, &call)) {
		while (call && nr < SCOPES_MAX_DEPTH) {
			name = inline_index_name(x, &call, &mangled);
			syms[nr++] = inline_symbol(f, name, mangled, base, addr);
		}
		return nr;
	}
	l = lines_get(f);
	if (!l || !l->nr_units)
		return 0;
	nr = find_calls(f, l, addr, &u, dies);
	for (i = 0; i < nr; i++) {
		name = name_of(l, &dies[i], &mangled);
		syms[i] = inline_symbol(f, name, mangled, base, addr);
	}
	if (x)
		index_more(f, l, addr);
	return nr;
}

static struct inlined *make_inlined(struct dso_file *f, u64 addr, const struct symbol *base)
{
	const struct symbol *syms[SCOPES_MAX_DEPTH];
	const char *const *names;
	u32 nr_named = f->names ? names_inlines(f, addr, &names) : 0, nr = nr_named, i;
	struct inlined *a;

	if (!nr && dso_asks_file(f))
		nr = find_inlines(f, addr, base, syms);
	if (!nr)
		return NULL;
	a = arena_alloc(&f->inline_arena, sizeof(*a) + nr * sizeof(*a->frames));
	a->nr = nr;
	for (i = 0; i < nr; i++)
		a->frames[i].sym = nr_named ? inline_symbol(f, names[i], true, base, addr) :
					      syms[i];
	return a;
}

u32 dso_inlines(struct dso *d, u64 addr, const struct inline_frame **frames)
{
	struct dso_file *f = dso_file(d);
	const struct symbol *base = dso_find_symbol(d, addr);
	const struct inlined *a;
	bool added;
	u64 *v;

	pthread_mutex_lock(&f->lines_lock);
	v = hash_insert(&f->inlines_of, addr, 0, &added);
	if (added)
		*v = (uintptr_t)make_inlined(f, addr, base);
	a = (const struct inlined *)(uintptr_t)*v;
	pthread_mutex_unlock(&f->lines_lock);
	*frames = a ? a->frames : NULL;
	return a ? a->nr : 0;
}

/* The line of the call of the inlined function with this index. */
static struct source_line call_line(struct dso_file *f, struct lines *l, u64 addr, u32 nr)
{
	const struct source_line unknown = { 0 };
	Dwarf_Die cu, dies[SCOPES_MAX_DEPTH];
	Dwarf_Attribute attr;
	Dwarf_Word file, line;
	Dwarf_Files *files;
	size_t nr_files;
	struct unit *u;

	if (!l->nr_units || nr >= find_calls(f, l, addr, &u, dies) || !lines_of_unit(l, u, &cu) ||
	    dwarf_getsrcfiles(&cu, &files, &nr_files) ||
	    dwarf_formudata(dwarf_attr(&dies[nr], DW_AT_call_file, &attr), &file) ||
	    dwarf_formudata(dwarf_attr(&dies[nr], DW_AT_call_line, &attr), &line) ||
	    line > INT32_MAX)
		return unknown;
	return (struct source_line){ dwarf_filesrc(files, file, NULL, NULL), line };
}

static struct source_line find_line(struct dso_file *f, u64 addr, u32 nr)
{
	struct source_line line = f->names ? names_line(f, addr, nr) : (struct source_line){ 0 };
	struct lines *l;

	if (line.file || !dso_asks_file(f))
		return line;
	dso_load(f);
	l = lines_get(f);
	if (f->nr_jit_lines && !nr)
		return jitdump_line(f, addr);
	if (!l)
		return line;
	return nr ? call_line(f, l, addr, nr - 1) : lines_find(l, addr);
}

/* "FILE:LINE", interned; NULL: unknown. @full_path: not only the last component */
static const char *line_text(struct dso_file *f, struct source_line line, bool full_path)
{
	const char *slash = line.file && !full_path ? strrchr(line.file, '/') : NULL;
	char buf[4352];
	bool added;
	u64 *v;
	int n;

	if (!line.file)
		return NULL;
	n = snprintf(buf, sizeof(buf), "%s:%u", slash ? slash + 1 : line.file, line.line);
	if ((size_t)n >= sizeof(buf))
		return NULL;
	v = hash_insert(&f->texts, hash_bytes(buf, n), n, &added);
	if (added)
		*v = (uintptr_t)printable_copy(&f->inline_arena,
					       arena_strndup(&f->inline_arena, buf, n));
	return (const char *)(uintptr_t)*v;
}

/* @nr: 0: the line of the address; else the line of the call of inlined function @nr - 1 */
static const char *line_of(struct dso *d, u64 addr, u32 nr, bool full_path)
{
	struct dso_file *f = dso_file(d);
	const char *text;
	bool added;
	u64 *v;

	names_of_dso(f);
	pthread_mutex_lock(&f->lines_lock);
	v = hash_insert(&f->answers, addr, 2 * (u64)nr + full_path, &added);
	if (added)
		*v = (uintptr_t)line_text(f, find_line(f, addr, nr), full_path);
	text = (const char *)(uintptr_t)*v;
	pthread_mutex_unlock(&f->lines_lock);
	return text;
}

const char *dso_srcline(struct dso *d, u64 addr, bool full_path)
{
	return line_of(d, addr, 0, full_path);
}

const char *dso_inline_line(struct dso *d, u64 addr, u32 nr)
{
	return line_of(d, addr, nr, dso_file(d)->table->cfg.full_srcline);
}
