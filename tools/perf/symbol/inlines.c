// SPDX-License-Identifier: GPL-2.0
/*
 * The inlined calls that contain an address. A unit's functions are indexed once, and the
 * scopes of a function when its first address is looked up.
 */
#include <dwarf.h>
#include <elfutils/libdwfl.h>

#include "base/diag.h"
#include "base/search.h"
#include "base/text.h"
#include "symbol/names_private.h"
#include "symbol/srcline.h"

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

static const struct symbol *inline_symbol(struct dso_file *f, struct lines *l, Dwarf_Die *die,
					  const struct symbol *base, u64 addr)
{
	const char *raw = linkage_name(die), *name;
	u64 start = base ? base->start : addr;
	char *nice = NULL;
	struct symbol *sym;
	bool added;
	u64 *v;

	if (raw && !f->table->cfg.no_demangle && !f->table->cfg.linker_names)
		nice = demangle(raw);
	name = nice ?: raw ?: dwarf_diename(die) ?: "[unknown]";
	v = hash_insert(&l->inline_syms, hash_bytes(name, strlen(name)), start, &added);
	if (added) {
		sym = arena_alloc(&l->arena, sizeof(*sym));
		sym->start = start;
		sym->end = base ? base->end : addr + 1;
		sym->name = printable_copy(&l->arena, arena_strndup(&l->arena, name, strlen(name)));
		sym->bind = base ? base->bind : 0;
		sym->inlined = 1;
		sym->state = SYM_READY;
		*v = (uintptr_t)sym;
	}
	free(nice);
	return (const struct symbol *)(uintptr_t)*v;
}

/* The line of the call of an inlined function. */
static const char *call_line(struct lines *l, Dwarf_Die *die, Dwarf_Files *files, bool full_path)
{
	Dwarf_Attribute attr;
	Dwarf_Word file, line;

	if (!files || dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &file) ||
	    dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &line) || line > INT32_MAX)
		return NULL;
	return lines_text(l, dwarf_filesrc(files, file, NULL, NULL), line, full_path);
}

struct answer {
	u32 nr;
	struct inline_frame frames[];
};

struct calls {
	u32 nr;
	const char *lines[];
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
	u64 *v;

	v = hash_insert(&l->scopes, (uintptr_t)fn->die, 0, &added);
	if (added)
		*v = (uintptr_t)scopes_read(l, &u->dies, fn->die);
	return (const struct scopes *)(uintptr_t)*v;
}

/* The inlined calls at an address, innermost first, and their unit. */
static u32 find_calls(struct dso_file *f, struct lines *l, u64 addr, struct unit **unit, Dwarf_Die *dies)
{
	const u8 *calls[SCOPES_MAX_DEPTH];
	const struct scopes *scopes;
	const struct func *fn;
	u32 i, nr = 0;
	struct unit *u;
	Dwarf_Die top;

	*unit = u = lines_unit(l, addr, &top);
	if (!u)
		return 0;
	if (u->split)
		top = u->sub;
	else
		tell_split(f, l, &top);
	if (!u->funcs_read)
		read_funcs(l, u, &top);
	fn = find_func(u, addr);
	if (fn) {
		scopes = get_scopes(l, u, fn);
		nr = scopes ? scopes_calls(scopes, addr, calls) : 0;
		for (i = 0; i < nr; i++)
			dies[i] = (Dwarf_Die){ .addr = (void *)calls[i], .cu = top.cu };
	}
	tell_ranges(f, l);
	return nr;
}

static struct answer *find_inlines(struct dso_file *f, struct lines *l, u64 addr,
				   const struct symbol *base)
{
	Dwarf_Die dies[SCOPES_MAX_DEPTH];
	struct answer *a;
	struct unit *u;
	u32 nr, i;

	nr = find_calls(f, l, addr, &u, dies);
	if (!nr)
		return NULL;
	a = arena_alloc(&l->arena, sizeof(*a) + nr * sizeof(*a->frames));
	a->nr = nr;
	for (i = 0; i < nr; i++)
		a->frames[i].sym = inline_symbol(f, l, &dies[i], base, addr);
	return a;
}

u32 dso_inlines(struct dso *d, u64 addr, const struct inline_frame **frames)
{
	struct dso_file *f = dso_file(d);
	const struct symbol *base = dso_find_symbol(d, addr);
	const struct answer *a = NULL;
	struct lines *l;
	bool added;
	u64 *v;
	u32 nr;

	nr = names_of_dso(f) ? names_inlines(f, addr, base, frames) : 0;
	if (nr)
		return nr;
	*frames = NULL;
	if (!dso_asks_file(f))
		return 0;
	dso_load(f);
	pthread_mutex_lock(&f->lines_lock);
	l = lines_get(f);
	if (l) {
		v = hash_insert(&l->answers, addr, ANSWER_INLINES, &added);
		if (added)
			*v = (uintptr_t)find_inlines(f, l, addr, base);
		a = (const struct answer *)(uintptr_t)*v;
	}
	pthread_mutex_unlock(&f->lines_lock);
	if (a)
		*frames = a->frames;
	return a ? a->nr : 0;
}

/* The lines of the calls in the functions around the innermost one, innermost first. */
static struct calls *find_call_lines(struct dso_file *f, struct lines *l, u64 addr)
{
	bool full_path = f->table->cfg.full_srcline;
	Dwarf_Die cu, dies[SCOPES_MAX_DEPTH];
	Dwarf_Files *files = NULL;
	struct calls *c;
	size_t nr_files;
	struct unit *u;
	u32 nr, i;

	nr = find_calls(f, l, addr, &u, dies);
	if (!nr)
		return NULL;
	if (!lines_of_unit(l, u, &cu) || dwarf_getsrcfiles(&cu, &files, &nr_files))
		files = NULL;
	c = arena_alloc(&l->arena, sizeof(*c) + nr * sizeof(*c->lines));
	c->nr = nr;
	for (i = 0; i < nr; i++)
		c->lines[i] = call_line(l, &dies[i], files, full_path);
	return c;
}

const char *dso_inline_line(struct dso *d, u64 addr, u32 nr)
{
	struct dso_file *f = dso_file(d);
	const struct calls *c = NULL;
	const char *text;
	struct lines *l;
	bool added;
	u64 *v;

	/*
	 * The innermost function contains the address; each of the others has the call of the
	 * previous one.
	 */
	if (!nr)
		return dso_srcline(d, addr, f->table->cfg.full_srcline);
	text = names_of_dso(f) ? names_line(f, addr, nr, f->table->cfg.full_srcline) : NULL;
	if (text || !dso_asks_file(f))
		return text;
	dso_load(f);
	pthread_mutex_lock(&f->lines_lock);
	l = lines_get(f);
	if (l) {
		v = hash_insert(&l->answers, addr, ANSWER_CALLS, &added);
		if (added)
			*v = (uintptr_t)find_call_lines(f, l, addr);
		c = (const struct calls *)(uintptr_t)*v;
	}
	pthread_mutex_unlock(&f->lines_lock);
	return c && nr <= c->nr ? c->lines[nr - 1] : NULL;
}
