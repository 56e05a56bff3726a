// SPDX-License-Identifier: GPL-2.0
/*
 * Which file a module is, by the kernel's own index: lines "kernel/fs/ext4/ext4.ko.xz: ..." of
 * modules.dep. It is read once, whatever number of modules a recording names.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "symbol/find_file.h"

/* Debian's has 0.6 MB. */
#define MODULES_DEP_MAX (64 << 20)

struct modules {
	const char *dir;	/* that the paths are relative to */
	char *text;		/* NULL: none */
	struct hash lines;	/* (hash of the name, 0) -> where its line is in @text */
};

/* The name up to its '.' or ']', where '-' and '_' are one. */
static u64 name_hash(const char *name, char end)
{
	char buf[128];
	size_t len = 0;

	for (; name[len] && name[len] != end && len < sizeof(buf); len++)
		buf[len] = name[len] == '-' ? '_' : name[len];
	return hash_bytes(buf, len);
}

/* The module's name in a path of @len bytes. */
static const char *base_name(const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);

	return slash ? slash + 1 : path;
}

static void read_index(struct modules *m, const char *path)
{
	struct stat st;
	_cleanup_close_ int fd = open_regular(path, 0, &st);
	char *line, *next, *colon;
	bool added;
	ssize_t n;
	u64 *v;

	if (fd < 0 || st.st_size > MODULES_DEP_MAX)
		return;
	m->text = xmalloc(st.st_size + 1);
	n = read(fd, m->text, st.st_size);
	m->text[max(n, (ssize_t)0)] = 0;
	for (line = m->text; *line; line = next) {
		next = strchrnul(line, '\n');
		next += *next == '\n';
		colon = memchr(line, ':', next - line);
		if (!colon)
			continue;
		*colon = 0;
		v = hash_insert(&m->lines, name_hash(base_name(line, colon - line), '.'), 0, &added);
		/* The first one counts. */
		if (added)
			*v = line - m->text;
	}
}

static struct modules *get_modules(struct dso_file *f)
{
	const char *dir = f->table->cfg.modules_dir, *rel = f->table->cfg.os_release;
	struct dso_table *t = f->table;
	struct modules *m;

	pthread_mutex_lock(&t->lock);
	if (!t->modules) {
		m = t->modules = arena_alloc(&t->arena, sizeof(*m));
		*m = (struct modules){ .dir = dir };
		if (!dir && rel && !strchr(rel, '/')) {
			dir = find_file_path(f, "/lib/modules/%s", rel);
			m->dir = arena_strndup(&t->arena, dir, strlen(dir));
		}
		if (m->dir)
			read_index(m, find_file_join(f, m->dir, "modules.dep"));
	}
	pthread_mutex_unlock(&t->lock);
	return t->modules;
}

void modules_destroy(struct modules *m)
{
	if (!m)
		return;
	free(m->text);
	hash_deinit(&m->lines);
}

char *modules_find(struct dso_file *f, const char *name)
{
	struct modules *m = get_modules(f);
	const char *line, *base;
	const u64 *v;
	size_t i;

	v = hash_find(&m->lines, name_hash(name + 1, ']'), 0);
	if (!v)
		return NULL;
	line = m->text + *v;
	base = base_name(line, strlen(line));
	for (i = 0; base[i] && base[i] != '.'; i++)
		if (name[i + 1] != (base[i] == '-' ? '_' : base[i]))
			return NULL;
	if (strncmp(base + i, ".ko", 3) || name[i + 1] != ']')
		return NULL;
	return line[0] == '/' ? find_file_path(f, "%s", line) : find_file_join(f, m->dir, line);
}
