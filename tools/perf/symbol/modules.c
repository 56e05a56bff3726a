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
	struct dso_table *t = priv;
	bool added;
	u64 *v;

	if (!colon)
		return;
	path = arena_strndup(&t->arena, line, colon - line);
	v = hash_insert(&t->modules, name_hash(base_name(path), '.'), 0, &added);
	/* The first module of a name is used. */
	if (added)
		*v = (uintptr_t)path;
}

static void read_modules(struct dso_file *f)
{
	const char *rel = f->table->cfg.os_release;
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (!rel || strchr(rel, '/'))
		return;
	fd = open_regular(find_file_path(f, "/lib/modules/%s/modules.dep", rel), 0, &st);
	if (fd >= 0)
		lines_read(fd, MODULES_DEP_MAX, on_line, f->table);
}

char *modules_find(struct dso_file *f, const char *name)
{
	struct dso_table *t = f->table;
	const char *path, *base;
	const u64 *v;
	size_t i;

	pthread_mutex_lock(&t->lock);
	if (!t->modules_read)
		read_modules(f);
	t->modules_read = true;
	pthread_mutex_unlock(&t->lock);
	v = hash_find(&t->modules, name_hash(name + 1, ']'), 0);
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
