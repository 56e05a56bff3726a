// SPDX-License-Identifier: GPL-2.0
/*
 * Names in a recording as a source of symbols. names_open() unpacks the section and checks all of
 * it; the names of a file are copied to its dso at the first look-up. struct embedded owns the
 * unpacked section; the names are pointers into it.
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/sort.h"
#include "cfi/bytes.h"
#include "elf/unpack.h"
#include "symbol/names.h"
#include "symbol/symbol_private.h"

/* Names unpack to 3 to 5 times their size, and the data made of them is ten times that. */
#define MAX_RATIO	16
#define MAX_ANY_RATIO	(1u << 20)
#define MAX_SIZE	(256u << 20)
#define MAX_SAME_PATH	256	/* entries examined for a path */

/* The entry of one file in the section. */
struct names_file {
	const char *path;
	u8 kind, id_size;
	const u8 *id;
	u64 base, span;		/* an ELF file in an archive: its offset and size */
	const u8 *body, *end;	/* address map, symbols, places */
	bool taken;		/* atomic */
	u32 next;		/* next file with this path, index + 1 */
};

struct embedded {
	u8 *raw;
	const char **strings;
	u32 nr_strings;
	struct names_file *files;
	u32 nr_files;
	struct hash by_path;	/* index of the first file + 1 */
	u64 size;
};

/* The source position of an address. */
struct names_place {
	struct source_line line;
	u32 nr;
	const char **inlined;		/* functions, innermost first */
	struct source_line *calls;	/* the line of each one's call */
};

struct names_addr {
	u64 addr;
	const u8 *at;			/* in the section */
	struct names_place *place;	/* made at the first look-up */
};

/* Read the number of items of at least @least bytes each. */
static u32 count(struct bytes *c, u32 least)
{
	u64 nr = bytes_uleb(c);

	if (nr > (u64)(c->end - c->p) / least)
		c->bad = true;
	return c->bad ? 0 : nr;
}

static const char *string(struct bytes *c, const struct embedded *n)
{
	u64 i = bytes_uleb(c);

	if (i < n->nr_strings)
		return n->strings[i];
	c->bad = true;
	return "";
}

/* Called to check the section (@f and @to are NULL), and again to copy a file's names. */
static u64 read_map(struct bytes *c, struct dso_file *f, struct dso_names *to)
{
	struct elf_segment s;
	struct addr_map m;
	u64 span = 0;
	u32 i;

	m.absolute = bytes_uleb(c);
	m.ref_addr = bytes_uleb(c);
	m.module_base = bytes_uleb(c);
	m.nr_segs = count(c, 5);
	m.segs = f ? arena_alloc(&f->arena, m.nr_segs * sizeof(*m.segs)) : NULL;
	for (i = 0; i < m.nr_segs && !c->bad; i++) {
		s.offset = bytes_uleb(c);
		s.filesz = bytes_uleb(c);
		s.vaddr = bytes_uleb(c);
		s.memsz = bytes_uleb(c);
		s.exec = bytes_uleb(c);
		span = max(span, s.offset + s.filesz);
		if (f)
			m.segs[i] = s;
	}
	if (to)
		to->map = m;
	return span;
}

static void take_symbol(struct dso_file *f, struct dso_names *to, u64 start, u64 end, u8 bind, const char *name)
{
	char text[320];

	if (!(bind & NAMES_START)) {
		symtab_add(&to->tab, start, end, name, bind & 0xf);
		return;
	}
	snprintf(text, sizeof(text), "%.280s+0x%llx", f->dso.short_name, start);
	symtab_add(&to->starts, start, end, arena_strndup(&f->arena, text, sizeof(text)), bind & 0xf);
	to->starts.syms[to->starts.nr - 1].state = SYM_START;
}

static void read_symbols(struct bytes *c, const struct embedded *n, struct dso_file *f,
			 struct dso_names *to)
{
	u32 nr = count(c, 4), i;
	const char *name;
	u64 start = 0, size;
	u8 bind;

	for (i = 0; i < nr && !c->bad; i++) {
		start += bytes_uleb(c);
		size = bytes_uleb(c);
		bind = bytes_uleb(c);
		name = string(c, n);
		if (f && size && start + size > start)
			take_symbol(f, to, start, start + size, bind, name);
	}
	if (!f)
		return;
	symtab_finish(&to->tab, CHOOSE_ELF, NULL, 0);
	symtab_finish(&to->starts, CHOOSE_LAST, NULL, 0);
}

static struct source_line read_line(struct bytes *c, const struct embedded *n)
{
	struct source_line l = { 0 };
	u64 file = bytes_uleb(c);

	if (!file)
		return l;
	if (file > n->nr_strings) {
		c->bad = true;
		return l;
	}
	l.file = n->strings[file - 1];
	l.line = bytes_uleb(c);
	return l;
}

/* Read a place. @f: NULL: only check it; @place is unused. */
static void read_place(struct bytes *c, const struct embedded *n, struct dso_file *f,
		       struct names_place *place)
{
	struct source_line line = read_line(c, n);
	u32 nr = count(c, 2), i;

	if (f) {
		*place = (struct names_place){
			.line = line, .nr = nr,
			.inlined = arena_alloc(&f->inline_arena, nr * sizeof(*place->inlined)),
			.calls = arena_alloc(&f->inline_arena, nr * sizeof(*place->calls)),
		};
	}
	for (i = 0; i < nr && !c->bad; i++) {
		const char *name = string(c, n);

		line = read_line(c, n);
		if (f) {
			place->inlined[i] = name;
			place->calls[i] = line;
		}
	}
}

static void read_places(struct bytes *c, const struct embedded *n, struct dso_file *f,
			struct dso_names *to)
{
	u32 nr = count(c, 3), i;
	u64 addr = 0;

	if (f) {
		to->addrs = arena_alloc(&f->arena, nr * sizeof(*to->addrs));
		to->nr_addrs = nr;
	}
	for (i = 0; i < nr && !c->bad; i++) {
		addr += bytes_uleb(c);
		if (f)
			to->addrs[i] = (struct names_addr){ .addr = addr, .at = c->p };
		read_place(c, n, NULL, NULL);
	}
}

static void read_strings(struct bytes *c, struct embedded *n)
{
	const u8 *end;
	u32 i;

	n->nr_strings = count(c, 1);
	n->strings = xcalloc(max(n->nr_strings, 1u), sizeof(*n->strings));
	for (i = 0; i < n->nr_strings && !c->bad; i++) {
		n->strings[i] = (const char *)c->p;
		end = memchr(c->p, 0, c->end - c->p);
		c->bad = !end;
		c->p = end ? end + 1 : c->end;
	}
}

/* Check the entry of one file. */
static void read_file(struct bytes *c, struct embedded *n, u32 index)
{
	struct names_file *nf = &n->files[index];
	u64 *first;

	nf->kind = bytes_uleb(c);
	nf->path = string(c, n);
	nf->id_size = count(c, 1);
	nf->id = c->p;
	c->p += nf->id_size;
	nf->base = bytes_uleb(c);
	nf->body = c->p;
	nf->span = read_map(c, NULL, NULL);
	read_symbols(c, n, NULL, NULL);
	read_places(c, n, NULL, NULL);
	nf->end = c->p;
	first = hash_insert(&n->by_path, hash_bytes(nf->path, strlen(nf->path)), 0, NULL);
	nf->next = *first;
	*first = index + 1;
}

static const char *unpack(struct embedded *n, const u8 *data, u64 size)
{
	struct names_head h;
	void *raw;
	size_t len;
	u32 packed;

	if (size < sizeof(h))
		return "the names in it are cut off";
	memcpy(&h, data, sizeof(h));
	packed = le32toh(h.packed);
	if (h.version != NAMES_VERSION)
		return "the names in it have a format that this perf does not know";
	if (packed > size - sizeof(h))
		return "the names in it are cut off";
	switch (inflate_memory(INFLATE_ZST, data + sizeof(h), packed, &raw, &len)) {
	case 0:
		break;
	case -EFBIG:
		return "the names in it unpack to too much for their size";
	default:
		return "the names in it cannot be unpacked: they are damaged";
	}
	n->raw = raw;
	n->size = len;
	return len > min(MAX_RATIO * size + MAX_ANY_RATIO, (u64)MAX_SIZE) ? "the names in it unpack to too much for their size" : NULL;
}

static const char *read_all(struct embedded *n)
{
	struct bytes c = { n->raw, n->raw + n->size, false };
	u32 i;

	read_strings(&c, n);
	n->nr_files = count(&c, 12);
	n->files = xcalloc(max(n->nr_files, 1u), sizeof(*n->files));
	for (i = 0; i < n->nr_files && !c.bad; i++)
		read_file(&c, n, i);
	return c.bad ? "the names in it are damaged" : NULL;
}

struct embedded *names_open(const void *data, u64 size, const char **why)
{
	struct embedded *n = xcalloc(1, sizeof(*n));

	*why = unpack(n, data, size) ?: read_all(n);
	if (!*why)
		return n;
	names_free(n);
	return NULL;
}

void names_free(struct embedded *n)
{
	if (!n)
		return;
	hash_deinit(&n->by_path);
	free(n->files);
	free(n->strings);
	free(n->raw);
	free(n);
}

static struct names_file *next(const struct embedded *n, u32 index)
{
	return index ? &n->files[index - 1] : NULL;
}

static struct names_file *first(const struct embedded *n, const char *path)
{
	const u64 *slot = hash_find(&n->by_path, hash_bytes(path, strlen(path)), 0);

	return next(n, slot ? *slot : 0);
}

/* An entry may lack the build-id, if that was recorded after the section was made. */
static struct names_file *find(const struct embedded *n, const struct dso *d)
{
	struct names_file *nf, *found = NULL;
	u32 tries = MAX_SAME_PATH;

	for (nf = first(n, d->path); nf && tries--; nf = next(n, nf->next)) {
		if (nf->kind != d->kind || nf->base != d->base || strcmp(nf->path, d->path))
			continue;
		if (nf->id_size == d->build_id_size && !memcmp(nf->id, d->build_id, nf->id_size))
			return nf;
		if (!nf->id_size)
			found = nf;
	}
	return found;
}

u64 names_inner(const struct embedded *n, const struct dso *archive, u64 off, u64 *base)
{
	const struct names_file *nf;
	u32 tries = MAX_SAME_PATH;

	for (nf = first(n, archive->path); nf && tries--; nf = next(n, nf->next)) {
		if (nf->base && off >= nf->base && off - nf->base < nf->span && !strcmp(nf->path, archive->path)) {
			*base = nf->base;
			return nf->span;
		}
	}
	return 0;
}

/* May the recording's names be used? A file given by the user has priority. */
static bool wanted(const struct dso_file *f)
{
	const struct symbol_config *cfg = &f->table->cfg;
	bool kernel = f->dso.kind != DSO_USER && f->dso.kind != DSO_VDSO && f->dso.kind != DSO_ANON;

	return cfg->names && !cfg->symfs && !(kernel && (cfg->no_kernel || cfg->vmlinux || cfg->kallsyms));
}

static struct dso_names *take(struct dso_file *f)
{
	struct embedded *n = f->table->cfg.names;
	struct names_file *nf = find(n, &f->dso);
	struct dso_names *to;
	struct bytes c;

	/* Copy an entry only once: a recording can have any number of names of one file. */
	if (!nf || __atomic_exchange_n(&nf->taken, true, __ATOMIC_RELAXED))
		return NULL;
	to = arena_alloc(&f->arena, sizeof(*to));
	c = (struct bytes){ nf->body, nf->end, false };
	read_map(&c, f, to);
	read_symbols(&c, n, f, to);
	read_places(&c, n, f, to);
	return to;
}

struct dso_names *names_of_dso(struct dso_file *f)
{
	if (likely(__atomic_load_n(&f->names_tried, __ATOMIC_ACQUIRE)))
		return f->names;
	pthread_mutex_lock(&f->lock);
	if (!f->names_tried) {
		f->names = wanted(f) ? take(f) : NULL;
		__atomic_store_n(&f->names_tried, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&f->lock);
	return f->names;
}

static struct names_addr *find_addr(const struct dso_names *d, u64 addr)
{
	u32 at = LOWER_BOUND(0, d->nr_addrs, i, d->addrs[i].addr < addr);

	return at == d->nr_addrs || d->addrs[at].addr != addr ? NULL : &d->addrs[at];
}

bool names_has_place(const struct dso_names *n, u64 addr)
{
	return find_addr(n, addr);
}

static struct names_place *find_place(struct dso_file *f, u64 addr)
{
	const struct embedded *n = f->table->cfg.names;
	struct names_addr *a = find_addr(f->names, addr);
	struct bytes c;

	if (!a)
		return NULL;
	if (!a->place) {
		a->place = arena_alloc(&f->inline_arena, sizeof(*a->place));
		c = (struct bytes){ a->at, n->raw + n->size, false };
		read_place(&c, n, f, a->place);
	}
	return a->place;
}

struct source_line names_line(struct dso_file *f, u64 addr, u32 nr)
{
	const struct names_place *p = find_place(f, addr);

	if (!p || nr > p->nr)
		return (struct source_line){ 0 };
	return nr ? p->calls[nr - 1] : p->line;
}

u32 names_inlines(struct dso_file *f, u64 addr, const char *const **names)
{
	const struct names_place *p = find_place(f, addr);

	*names = p ? p->inlined : NULL;
	return p ? p->nr : 0;
}

void names_forget(struct dso_file *f)
{
	if (!f->names)
		return;
	symtab_deinit(&f->names->tab);
	symtab_deinit(&f->names->starts);
}
