// SPDX-License-Identifier: GPL-2.0
/*
 * Look-ups in a dso: addresses and symbols. Its data is read at the first look-up, under the dso's
 * lock, and does not change afterwards, so later look-ups take no lock.
 *
 * Names in the recording have priority. Files are read for addresses without one.
 *
 * Calls go one way between the files of the folder: names_write --> inlines --> srcline --> dso --> elf_files --> kernel_files,
 * archive_files --> dso_get, running_files, modules --> find_file --> elf --> plt --> symtab; and dso,
 * dso_get --> jitmap --> jitdump.
 */
#include <elf.h>

#include "base/text.h"
#include "symbol/find_file.h"
#include "symbol/symbol_private.h"

/* True if no source of the dso's names exists on this machine. */
static bool is_absent(const struct dso_file *f)
{
	switch (f->dso.kind) {
	case DSO_USER:
	case DSO_DATA:
		return !f->elf_path && !f->sym_path && !f->dso.memory && *f->dso.path == '/' &&
		       f->searched != FIND_FILE_NOT_ELF;
	case DSO_KERNEL:
	case DSO_MODULE:
		return !f->table->kallsyms_hidden && !f->table->cfg.no_kernel;
	default:
		return false;
	}
}

/* Context: the lock is held. */
static void open_locked(struct dso_file *f)
{
	if (f->opened)
		return;
	elf_files_open(f);
	__atomic_store_n(&f->opened, true, __ATOMIC_RELEASE);
}

void dso_load(struct dso_file *f)
{
	if (likely(__atomic_load_n(&f->loaded, __ATOMIC_ACQUIRE)))
		return;
	names_of_dso(f);
	pthread_mutex_lock(&f->lock);
	if (!f->loaded) {
		switch (f->dso.kind) {
		case DSO_ANON:
			jitmap_load(f);
			break;
		case DSO_KERNEL:
		case DSO_MODULE:
		case DSO_GUEST_KERNEL:
		case DSO_GUEST_MODULE:
		case DSO_BPF:
			kernel_load(f);
			break;
		case DSO_VDSO:
			vdso_load(f);
			break;
		case DSO_USER:
		case DSO_DATA:
			open_locked(f);
			elf_files_load(f);
			break;
		}
		if (f->tab.nr)
			f->why = NULL;
		else if (!f->why)
			f->why = "it has no symbols";
		f->absent = f->why && is_absent(f);
		if (f->absent && !f->names)
			__atomic_store_n(&f->table->any_absent, true, __ATOMIC_RELAXED);
		__atomic_store_n(&f->loaded, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&f->lock);
}

/* Find the file and its segments. Symbols take much longer to read: a walk of stacks needs none. */
static void dso_open(struct dso_file *f)
{
	if (likely(__atomic_load_n(&f->opened, __ATOMIC_ACQUIRE)))
		return;
	if (f->dso.kind != DSO_USER && f->dso.kind != DSO_DATA) {
		dso_load(f);
		return;
	}
	names_of_dso(f);
	pthread_mutex_lock(&f->lock);
	open_locked(f);
	pthread_mutex_unlock(&f->lock);
}

static const struct elf_segment *find_segment(const struct addr_map *m, u64 off)
{
	const struct elf_segment *s, *best = NULL;
	u32 i;

	for (i = 0; i < m->nr_segs; i++) {
		s = &m->segs[i];
		if (off >= s->offset && off - s->offset < s->filesz && (s->exec || !best))
			best = s;
	}
	if (best)
		return best;
	/*
	 * Mappings are whole pages, so code may be in the rest of a segment's last page, as .bss
	 * may. In a debug file segments are empty and their offsets are meaningless.
	 */
	for (i = 0; i < m->nr_segs; i++) {
		s = &m->segs[i];
		if (off >= (s->offset & ~4095ULL) && off < ALIGN_UP(s->offset + max(s->filesz, s->memsz), 4096ULL) &&
		    (s->exec || (!best && s->filesz)))
			best = s;
	}
	return best;
}

u64 dso_map_ip(struct dso *d, u64 ip, u64 map_start, u64 map_pgoff)
{
	struct dso_file *f = dso_file(d);
	const struct dso_names *n = names_of_dso(f);
	const struct addr_map *m = n ? &n->map : &f->map;
	const struct elf_segment *s;
	u64 off;

	if (!n)
		dso_open(f);
	if (d->kind == DSO_KERNEL || d->kind == DSO_GUEST_KERNEL) {
		/* The mapping's pgoff is the run-time address of the reference symbol. */
		if (m->ref_addr && map_pgoff)
			return ip - map_pgoff + m->ref_addr;
		return ip;
	}
	if (m->absolute)
		return ip;
	if (m->module_base)
		return ip - map_start + map_pgoff + m->module_base;
	off = ip - map_start + map_pgoff - d->base;
	s = find_segment(m, off);
	return s ? off - s->offset + s->vaddr : off;
}

bool dso_may_have_made(struct dso *d, u64 off)
{
	struct dso_file *f = dso_file(d);
	const struct dso_names *n = names_of_dso(f);
	const struct elf_segment *s;

	if (d->kind != DSO_USER)
		return d->kind == DSO_ANON;
	if (!n)
		dso_open(f);
	s = find_segment(n ? &n->map : &f->map, off - d->base);
	return s ? !s->exec : *d->path == '/' && (dso_was_removed(f) ||
						  f->searched == FIND_FILE_NOT_ELF);
}

/* The displayed name: malloc()ed, or NULL if it is @raw. */
static char *shown_name(const struct dso_file *f, const char *raw)
{
	const struct symbol_config *cfg = &f->table->cfg;
	bool kernel = f->dso.kind != DSO_USER && f->dso.kind != DSO_ANON &&
		      f->dso.kind != DSO_VDSO;

	if (cfg->no_demangle || (kernel && !cfg->demangle_kernel))
		return NULL;
	return demangle(raw);
}

/* Set a symbol's displayed name, once. */
static void make_ready(struct dso_file *f, struct symbol *sym)
{
	const char *name, *raw = NULL;
	char *best = NULL, *other;
	u32 i;

	pthread_mutex_lock(&f->lock);
	if (sym->state == SYM_READY)
		goto out;
	/* In symbol table order, so that the first of equally good names is chosen. */
	for (i = 0; i <= sym->rivals; i++) {
		const char *r = sym[(s32)i - sym->rivals].name;

		other = shown_name(f, r);
		if (raw && !symbol_better_name(best ?: raw, other ?: r)) {
			free(other);
			continue;
		}
		free(best);
		best = other;
		raw = r;
	}
	name = raw;
	if (best && !f->table->cfg.linker_names)
		name = arena_strndup(&f->arena, best, strlen(best));
	name = printable_copy(&f->arena, name);
	if (best && f->table->cfg.linkage)
		*hash_insert(&f->linkage, (uintptr_t)name, 0, NULL) =
			(uintptr_t)printable_copy(&f->arena, raw);
	free(best);
	__atomic_store_n(&sym->name, name, __ATOMIC_RELAXED);
	__atomic_store_n(&sym->state, SYM_READY, __ATOMIC_RELEASE);
out:
	pthread_mutex_unlock(&f->lock);
}

const char *symbol_linkage(struct dso *d, const struct symbol *sym)
{
	struct dso_file *f = dso_file(d);
	pthread_mutex_t *lock = sym->inlined ? &f->lines_lock : &f->lock;
	const u64 *raw;

	pthread_mutex_lock(lock);
	raw = hash_find(sym->inlined ? &f->inline_linkage : &f->linkage, (uintptr_t)sym->name, 0);
	pthread_mutex_unlock(lock);
	return raw ? (const char *)(uintptr_t)*raw : strpbrk(sym->name, "<(: ") ? NULL : sym->name;
}

void dso_add_symbol(struct dso *d, u64 start, u64 end, const char *name)
{
	struct dso_file *f = dso_file(d);
	struct extra *x;

	pthread_mutex_lock(&f->lock);
	x = f->extra;
	if (!x || x->ready) {
		x = arena_alloc(&f->arena, sizeof(*x));
		x->next = f->extra;
		/* Concurrent look-ups see that it is not ready, and wait for the lock. */
		__atomic_store_n(&f->extra, x, __ATOMIC_RELEASE);
	}
	symtab_add(&x->tab, start, end, arena_strndup(&f->arena, name, strlen(name)),
		   STB_GLOBAL);
	pthread_mutex_unlock(&f->lock);
}

static struct symbol *find_extra(struct dso_file *f, u64 addr)
{
	struct symbol *sym = NULL;
	struct extra *x;

	for (x = __atomic_load_n(&f->extra, __ATOMIC_ACQUIRE); x && !sym; x = x->next) {
		if (!__atomic_load_n(&x->ready, __ATOMIC_ACQUIRE)) {
			pthread_mutex_lock(&f->lock);
			if (!x->ready) {
				symtab_finish(&x->tab, CHOOSE_NEWEST, NULL, 0);
				__atomic_store_n(&x->ready, true, __ATOMIC_RELEASE);
			}
			pthread_mutex_unlock(&f->lock);
		}
		sym = symtab_find(&x->tab, addr);
	}
	return sym;
}

/* Function starts are read at the first address without a symbol. */
static struct symbol *find_start(struct dso_file *f, u64 addr)
{
	if (unlikely(!__atomic_load_n(&f->starts_loaded, __ATOMIC_ACQUIRE))) {
		pthread_mutex_lock(&f->lock);
		if (!f->starts_loaded)
			starts_load(f);
		__atomic_store_n(&f->starts_loaded, true, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&f->lock);
	}
	return symtab_find(&f->starts, addr);
}

const struct symbol *dso_find_symbol(struct dso *d, u64 addr)
{
	struct dso_file *f = dso_file(d);
	const struct dso_names *n = names_of_dso(f);
	bool starts = f->table->cfg.function_starts;
	struct symbol *sym = NULL;

	if (__atomic_load_n(&f->extra, __ATOMIC_RELAXED))
		sym = find_extra(f, addr);
	if (!sym && n)
		sym = symtab_find(&n->tab, addr);
	if (!sym && dso_asks_file(f)) {
		dso_load(f);
		sym = symtab_find(&f->tab, addr);
	}
	if (!sym && starts && n)
		sym = symtab_find(&n->starts, addr);
	if (!sym && starts && dso_asks_file(f))
		sym = find_start(f, addr);
	if (sym && unlikely(__atomic_load_n(&sym->state, __ATOMIC_ACQUIRE) == SYM_RAW))
		make_ready(f, sym);
	return sym;
}

const char *dso_elf_path(struct dso *d)
{
	struct dso_file *f = dso_file(d);

	dso_open(f);
	return f->elf_path;
}

struct Elf *dso_elf(struct dso *d)
{
	struct dso_file *f = dso_file(d);

	dso_open(f);
	return f->elfs[0];
}

bool dso_symbols_file(struct dso *d, struct dso_symbols_file *file)
{
	struct dso_file *f = dso_file(d);

	dso_load(f);
	*file = (struct dso_symbols_file){ f->symbols_elf, f->symbols_bias, f->symbols_elf && f->symbols_elf == f->elfs[2] };
	return file->elf;
}

const char *dso_debug_path(struct dso *d)
{
	struct dso_file *f = dso_file(d);

	dso_open(f);
	pthread_mutex_lock(&f->lock);
	elf_files_find_debug(f);
	pthread_mutex_unlock(&f->lock);
	return f->sym_path;
}

bool dso_is_absent(struct dso *d)
{
	struct dso_file *f = dso_file(d);

	if (names_of_dso(f))
		return false;
	dso_load(f);
	return f->absent;
}

bool dso_table_any_absent(const struct dso_table *t)
{
	return __atomic_load_n(&t->any_absent, __ATOMIC_RELAXED);
}

const char *dso_why_no_symbols(struct dso *d)
{
	struct dso_file *f = dso_file(d);

	if (names_of_dso(f))
		return NULL;
	dso_load(f);
	return f->why;
}
