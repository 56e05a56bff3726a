// SPDX-License-Identifier: GPL-2.0
/*
 * Files mapped by running processes of the recording: removed or replaced programs, memfds,
 * files of containers. No path leads to such a file, but /proc/PID/map_files and /proc/PID/exe
 * do while the process runs.
 *
 * The table of dsos owns the index, which is made for the first file without a path, over all
 * recorded processes that still run. For later ones it is completed, once a second at most.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "base/text.h"
#include "host/host.h"
#include "symbol/find_file.h"

#define MAPS_MAX	(64u << 20)	/* bytes of a /proc/PID/maps: up to 65,530 mappings */
#define SAME_MAX	2		/* processes stored for each file, as one may exit */

struct running_map {
	u32 pid;
	u64 start, end, ino;
	const char *path;		/* without " (deleted)" */
	struct running_map *next;	/* next one with this path */
};

struct running {
	struct hash by_path;		/* hash of the path -> struct running_map * */
	struct arena arena;
	bool hidden;			/* processes of other users could not be read */
	time_t read;			/* when they were read last */
	u32 pid;			/* whose maps are being read */
	char root[PATH_MAX];		/* its root, if it is in a chroot; else "" */
};

void running_destroy(struct running *r)
{
	if (!r)
		return;
	hash_deinit(&r->by_path);
	arena_deinit(&r->arena);
	free(r);
}

/* Add a mapping under a path. */
static void add_map(struct running *r, const struct running_map *m, const char *path)
{
	u64 *slot = hash_insert(&r->by_path, hash_bytes(path, strlen(path)), 0, NULL);
	struct running_map *other, **last = (struct running_map **)slot, *added;
	u32 same = 0;

	for (; (other = *last); last = &other->next)
		same += other->ino == m->ino;
	if (same >= SAME_MAX)
		return;
	added = arena_alloc(&r->arena, sizeof(*added));
	*added = *m;
	/* Others may be reading the list. */
	__atomic_store_n(last, added, __ATOMIC_RELEASE);
}

/* "start-end perms offset major:minor inode   path" */
static void on_line(void *ctx, const char *line, const char *end)
{
	struct running_map m = { 0 };
	struct running *r = ctx;
	char head[128], perms[5];
	const char *path = memchr(line, '/', end - line);
	size_t root = strlen(r->root);

	if (!path || (size_t)(path - line) >= sizeof(head))
		return;
	memcpy(head, line, path - line);
	head[path - line] = '\0';
	if (sscanf(head, "%llx-%llx %4s %*x %*x:%*x %llu", &m.start, &m.end, perms, &m.ino) != 4 ||
	    perms[2] != 'x')
		return;
	m.path = arena_strndup(&r->arena, path, end - path);
	m.path = arena_strndup(&r->arena, m.path, path_without_deleted(m.path));
	m.pid = r->pid;
	path = m.path;
	/* The kernel records the path that the process sees. */
	if (!strncmp(path, r->root, root) && path[root] == '/')
		m.path += root;
	add_map(r, &m, m.path);
	if (m.path != path)
		add_map(r, &m, path);
}

/* Add the mappings of the processes that run now. */
static void read_processes(struct dso_table *t, struct running *r)
{
	DIR *dir = host_processes();
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		_cleanup_close_ int fd = -1;

		r->pid = strtoul(e->d_name, NULL, 10);
		if (!r->pid || !t->has_process(t->process_ctx, r->pid))
			continue;
		fd = host_open_maps(r->pid, r->root);
		if (fd >= 0)
			lines_read(fd, MAPS_MAX, on_line, r);
		r->hidden |= fd == -EACCES;
	}
	if (dir)
		closedir(dir);
	r->read = time(NULL);
}

/* The mappings of a path, or NULL. @hidden: processes that cannot be read may have others */
static const struct running_map *first_of(struct dso_file *f, bool *hidden)
{
	u64 key = hash_bytes(f->file, strlen(f->file));
	struct dso_table *t = f->table;
	const u64 *slot;

	*hidden = false;
	if (!t->has_process || t->cfg.symfs)
		return NULL;
	pthread_mutex_lock(&t->lock);
	if (!t->running) {
		t->running = xcalloc(1, sizeof(*t->running));
		read_processes(t, t->running);
	}
	slot = hash_find(&t->running->by_path, key, 0);
	/* While recording, processes begin. */
	if (!slot && t->running->read != time(NULL)) {
		read_processes(t, t->running);
		slot = hash_find(&t->running->by_path, key, 0);
	}
	*hidden = t->running->hidden;
	pthread_mutex_unlock(&t->lock);
	return slot ? (const struct running_map *)(uintptr_t)*slot : NULL;
}

static int open_map(const struct running_map *m, struct stat *st)
{
	const struct mapped where = {
		.pid = m->pid, .start = m->start, .end = m->end, .inode = m->ino, .path = m->path,
	};

	return host_open(&where, st);
}

static bool is_inode(const struct dso_file *f, const struct running_map *m, const struct stat *st)
{
	return m->ino == f->ino || st->st_ino == f->ino;
}

/* Does the process exist, but this user may not read its files? */
static bool is_forbidden(const struct running_map *m)
{
	char path[96];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", m->pid, m->start, m->end);
	return stat(path, &st) && (errno == EPERM || errno == EACCES);
}

enum find_file_result running_open(struct dso_file *f, struct elf_file *ef, char **path)
{
	enum find_file_result result = FIND_FILE_ABSENT;
	const struct running_map *m;
	struct stat st;
	bool hidden;
	int fd;

	m = first_of(f, &hidden);
	if (!m && hidden && dso_was_removed(f))
		return FIND_FILE_NOT_PERMITTED;
	for (; m; m = m->next) {
		fd = open_map(m, &st);
		if (fd < 0) {
			if (fd != -ETIMEDOUT && is_forbidden(m))
				result = FIND_FILE_NOT_PERMITTED;
			continue;
		}
		*path = find_file_hold(f, fd);
		if (!*path)
			return FIND_FILE_ABSENT;
		if (find_file_open(f, *path, ef) == FIND_FILE_TAKEN) {
			if (f->dso.build_id_size ? ef->build_id_size : !f->ino || is_inode(f, m, &st))
				return FIND_FILE_TAKEN;
			elf_close(ef);
		}
		find_file_drop(f);
	}
	return result;
}

int running_source(struct dso_file *f)
{
	const struct running_map *m;
	struct stat st;
	bool hidden;
	int fd;

	for (m = first_of(f, &hidden); m; m = m->next) {
		fd = open_map(m, &st);
		if (fd >= 0 && f->ino && is_inode(f, m, &st))
			return fd;
		cleanup_close(&fd);
	}
	return -ENOENT;
}
