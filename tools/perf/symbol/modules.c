// SPDX-License-Identifier: GPL-2.0
/*
 * The file of a module, by the kernel's index: lines "kernel/fs/ext4/ext4.ko.xz: ..." of
 * modules.dep, which is read once.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/text.h"
#include "symbol/find_file.h"

/* Limit in bytes; Debian's file has 0.6 MB. */
#define MODULES_DEP_MAX (64u << 20)

struct modules {
	struct arena *arena;	/* the table's; it owns the paths */
	struct hash paths;	/* (hash of the name, 0) -> path */
};

/* Hash a module's name up to '.' or ']'. '-' and '_' are equal. */
static u64 name_hash(const char *name, char end)
{
	char buf[128];
	size_t len = 0;

	for (; name[len] && name[len] != end && len < sizeof(buf); len++)
		buf[len] = name[len] == '-' ? '_' : name[len];
	return hash_bytes(buf, len);
}

/* The module's name in a path. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void on_line(void *priv, const char *line, const char *end)
{
	const char *colon = memchr(line, ':', end - line), *path;
	struct modules *m = priv;
	bool added;
	u64 *v;

	if (!colon)
		return;
	path = arena_strndup(m->arena, line, colon - line);
	v = hash_insert(&m->paths, name_hash(base_name(path), '.'), 0, &added);
	/* The first module of a name is used. */
	if (added)
		*v = (uintptr_t)path;
}

static void read_index(struct modules *m, const char *path)
{
	struct stat st;
	_cleanup_close_ int fd = open_regular(path, 0, &st);

	if (fd >= 0)
		lines_read(fd, MODULES_DEP_MAX, on_line, m);
}

static struct modules *get_modules(struct dso_file *f)
{
	const char *rel = f->table->cfg.os_release;
	struct dso_table *t = f->table;
	struct modules *m;

	pthread_mutex_lock(&t->lock);
	if (!t->modules) {
		m = t->modules = arena_alloc(&t->arena, sizeof(*m));
		*m = (struct modules){ .arena = &t->arena };
		if (rel && !strchr(rel, '/')) {
			read_index(m, find_file_path(f, "/lib/modules/%s/modules.dep", rel));
		}
	}
	pthread_mutex_unlock(&t->lock);
	return t->modules;
}

void modules_destroy(struct modules *m)
{
	if (m)
		hash_deinit(&m->paths);
}

char *modules_find(struct dso_file *f, const char *name)
{
	struct modules *m = get_modules(f);
	const char *path, *base;
	const u64 *v;
	size_t i;

	v = hash_find(&m->paths, name_hash(name + 1, ']'), 0);
	if (!v)
		return NULL;
	path = (const char *)(uintptr_t)*v;
	base = base_name(path);
	for (i = 0; base[i] && base[i] != '.'; i++)
		if (name[i + 1] != (base[i] == '-' ? '_' : base[i]))
			return NULL;
	if (strncmp(base + i, ".ko", 3) || name[i + 1] != ']')
		return NULL;
	return path[0] == '/' ? find_file_path(f, "%s", path) :
				find_file_path(f, "/lib/modules/%s/%s", f->table->cfg.os_release, path);
}
