// SPDX-License-Identifier: GPL-2.0
/*
 * Creates, names and looks up dsos: one per name and build id, and one per ELF file of an archive.
 * The table owns them.
 */
#include <stdio.h>

#include "base/path.h"
#include "base/text.h"
#include "symbol/jit.h"
#include "symbol/symbol_private.h"

static enum dso_kind refine(const char *name, enum dso_kind kind)
{
	if (kind != DSO_USER && kind != DSO_DATA)
		return kind;
	if (!strcmp(name, "[vdso]") || !strcmp(name, "[vdso32]") || !strcmp(name, "[vdsox32]"))
		return DSO_VDSO;
	return kind == DSO_USER && jit_is_code(name) ? DSO_ANON : DSO_USER;
}

/* "/lib/modules/R/kernel/fs/ext4/ext4.ko.xz" -> "[ext4]" */
static const char *module_name(struct dso_table *t, const char *name)
{
	const char *base = strrchr(name, '/');
	size_t len, i;
	const char *end;
	char *out;

	if (*name == '[')
		return name;
	base = base ? base + 1 : name;
	end = strstr(base, ".ko");
	len = end ? (size_t)(end - base) : strlen(base);
	out = arena_alloc(&t->arena, len + 3);
	out[0] = '[';
	memcpy(out + 1, base, len);
	for (i = 1; i <= len; i++)
		if (out[i] == '-')
			out[i] = '_';
	out[len + 1] = ']';
	return out;
}

/* Set the displayed names from the name in the record. */
static void set_names(struct dso_table *t, struct dso_file *f, const char *name)
{
	struct dso *d = &f->dso;
	const char *end;
	char buf[64];

	d->path = arena_strndup(&t->arena, name, strlen(name));
	f->file = arena_strndup(&t->arena, name, path_without_deleted(name));
	d->name = d->short_name = printable_copy(&t->arena, d->path);
	switch (d->kind) {
	case DSO_KERNEL:
	case DSO_GUEST_KERNEL:
		/* "[kernel.kallsyms]_text": the mapping's pgoff is the address of _text */
		end = *name == '[' ? strchr(name, ']') : NULL;
		if (end && end[1]) {
			f->ref = d->path + (end + 1 - name);
			d->path = arena_strndup(&t->arena, name, end + 1 - name);
			d->name = d->short_name = printable_copy(&t->arena, d->path);
		}
		break;
	case DSO_MODULE:
	case DSO_GUEST_MODULE:
		d->short_name = module_name(t, d->name);
		break;
	case DSO_ANON:
		snprintf(buf, sizeof(buf), "/tmp/perf-%d.map", (int)d->pid);
		d->name = d->path = arena_strndup(&t->arena, buf, sizeof(buf));
		snprintf(buf, sizeof(buf), "[JIT] tid %d", (int)d->pid);
		d->short_name = arena_strndup(&t->arena, buf, sizeof(buf));
		break;
	default:
		if (*name == '/' && strrchr(name, '/')[1])
			d->short_name = strrchr(d->name, '/') + 1;
	}
}

static u64 key_of(const char *name, enum dso_kind kind, u32 pid)
{
	/* All anonymous mappings of a process have one dso: its JIT code. */
	if (kind == DSO_ANON)
		return hash_mix(pid, kind);
	/* "[kernel.kallsyms]" and "[kernel.kallsyms]_text" are the same dso. */
	if ((kind == DSO_KERNEL || kind == DSO_GUEST_KERNEL) && *name == '[' && strchr(name, ']'))
		return hash_mix(hash_bytes(name, strchr(name, ']') - name), kind);
	return hash_mix(hash_bytes(name, strlen(name)), kind);
}

static struct dso_file *add(struct dso_table *t, const char *name, enum dso_kind kind, u32 pid)
{
	struct dso_file *f = xcalloc(1, sizeof(*f));

	f->table = t;
	f->fd = -1;
	f->dso.id = t->nr;
	f->dso.kind = kind;
	f->dso.pid = pid;
	f->dso.memory = kind == DSO_ANON || (kind == DSO_USER && jit_is_code(name));
	pthread_mutex_init(&f->lock, NULL);
	pthread_mutex_init(&f->lines_lock, NULL);
	set_names(t, f, name);
	GROW(t->files, t->nr, t->cap);
	t->files[t->nr++] = f;
	return f;
}

static void set_kernel_id(struct dso_table *t, const struct dso *d)
{
	memcpy(t->kernel_id, d->build_id, d->build_id_size);
	t->kernel_id_size = d->build_id_size;
}

struct dso *dso_get(struct dso_table *t, const char *name, enum dso_kind kind,
		    const u8 *build_id, u8 build_id_size, u32 pid)
{
	struct dso_file *f;
	u64 key, id, *slot;

	build_id_size = min(build_id_size, (u8)20);
	kind = refine(name, kind);
	key = key_of(name, kind, pid);
	id = build_id && build_id_size ? hash_bytes(build_id, build_id_size) | 1 : 0;
	pthread_mutex_lock(&t->lock);
	slot = hash_find(&t->by_key, key, id);
	if (slot) {
		f = (struct dso_file *)(uintptr_t)*slot;
		goto out;
	}
	f = add(t, name, kind, kind == DSO_ANON ? pid : 0);
	if (id) {
		memcpy(f->dso.build_id, build_id, build_id_size);
		f->dso.build_id_size = build_id_size;
	}
	*hash_insert(&t->by_key, key, id, NULL) = (uintptr_t)f;
	if (kind == DSO_KERNEL && id)
		set_kernel_id(t, &f->dso);
out:
	pthread_mutex_unlock(&t->lock);
	return &f->dso;
}

void dso_set_build_id(struct dso_table *t, const char *name, enum dso_kind kind,
		      const u8 *build_id, u8 build_id_size)
{
	struct dso_file *f = dso_file(dso_get(t, name, kind, NULL, 0, -1));

	f->dso.listed = true;
	if (f->dso.build_id_size || !build_id_size)
		return;
	f->dso.build_id_size = min(build_id_size, (u8)20);
	memcpy(f->dso.build_id, build_id, f->dso.build_id_size);
	if (kind == DSO_KERNEL)
		set_kernel_id(t, &f->dso);
}

void dso_note_inode(struct dso *d, u64 ino, u64 generation)
{
	struct dso_file *f = dso_file(d);

	/* Each mapping calls this, also while another thread reads the file. */
	if (!ino)
		return;
	pthread_mutex_lock(&f->table->lock);
	if (!f->ino) {
		f->ino = ino;
		f->ino_generation = generation;
	}
	pthread_mutex_unlock(&f->table->lock);
}

struct dso_file *dso_table_inner(struct dso_file *archive, u64 base, u64 size)
{
	struct dso_table *t = archive->table;
	struct dso_file *f;

	pthread_mutex_lock(&t->lock);
	f = add(t, archive->dso.path, archive->dso.kind, 0);
	f->dso.base = base;
	f->inner_size = size;
	f->ino = archive->ino;
	f->ino_generation = archive->ino_generation;
	f->next_inner = archive->next_inner;
	archive->next_inner = f;
	pthread_mutex_unlock(&t->lock);
	return f;
}

void dso_note_jit(struct dso_table *t, const char *path, u32 pid)
{
	struct hash *files = jit_is_dump(path) ? &t->jitdumps : jit_is_map(path) ? &t->jitmaps : NULL;
	u64 *slot;

	if (likely(!files))
		return;
	pthread_mutex_lock(&t->lock);
	slot = hash_insert(files, pid, 0, NULL);
	if (!*slot || strcmp((const char *)(uintptr_t)*slot, path))
		*slot = (uintptr_t)arena_strndup(&t->arena, path, strlen(path));
	pthread_mutex_unlock(&t->lock);
}
