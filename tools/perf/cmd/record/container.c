// SPDX-License-Identifier: GPL-2.0
/*
 * Programs and libraries of containers. perf report finds a file by its path, then in perf's cache by its
 * build-id; the path of a process in another mount namespace, or below another root (chroot), means another file
 * here, or none. So such a file is opened while its process lives, and at the end of the recording, if samples
 * lie in it, it is copied to where perf keeps files: ~/.debug/PATH/BUILD-ID/elf, and ~/.debug/.build-id/XX/YYYY is a link
 * to that folder.
 *
 * What a container says is not trusted: what is copied is a regular file with the build-id that the kernel recorded, of
 * bounded size, and no link in the cache is followed on the way to it. struct container_files owns the
 * descriptors.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/io.h"
#include "cmd/record/container.h"
#include "cmd/record/hits.h"
#include "event/records.h"
#include "symbol/dso.h"
#include "synth/synth.h"
#include "unwind/mapped.h"

#define MAX_HELD	256
#define MAX_COPY	(2ULL << 30)	/* bytes of a file: a larger one is not copied */
#define MAX_ALL		(4ULL << 30)	/* bytes of all copies of a recording */

enum process_place { PLACE_UNKNOWN, PLACE_HERE, PLACE_CONTAINER };

struct held_file {
	int fd;
	u8 id[BUILD_ID_MAX], id_size;
	char *path;			/* in the container */
};

void container_init(struct container_files *c, bool enabled)
{
	const char *dir = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");

	*c = (struct container_files){ .enabled = enabled && (dir || home), .cache = -1 };
	if (c->enabled && asprintf(&c->cache_path, "%s%s", dir ?: home, dir ? "" : "/.debug") < 0)
		diag_fatal("out of memory");
}

static bool same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Does what this means there (below /proc/PID) mean the same here (below /proc/self)? A process that has gone: unknown. */
static enum process_place compare(u32 pid, const char *what)
{
	struct stat there, here;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, what);
	if (stat(path, &there))
		return PLACE_UNKNOWN;
	snprintf(path, sizeof(path), "/proc/self/%s", what);
	if (stat(path, &here))
		return PLACE_UNKNOWN;
	return same(&there, &here) ? PLACE_HERE : PLACE_CONTAINER;
}

static enum process_place place_of(struct container_files *c, u32 pid)
{
	u64 *slot = hash_insert(&c->processes, pid, 0, NULL);

	if (*slot == PLACE_UNKNOWN) {
		*slot = compare(pid, "ns/mnt");
		if (*slot == PLACE_HERE)
			*slot = compare(pid, "root");
	}
	return *slot;
}

/* Where the cache has the folder of a build-id. */
static void link_of(const struct held_file *f, char out[64])
{
	char hex[2 * BUILD_ID_MAX + 1];

	build_id_hex(f->id, f->id_size, hex);
	snprintf(out, 64, ".build-id/%.2s/%s", hex, hex + 2);
}

static bool is_cached(const struct container_files *c, const struct held_file *f)
{
	_cleanup_free_ char *path = NULL;
	char name[64];

	link_of(f, name);
	if (asprintf(&path, "%s/%s/elf", c->cache_path, name) < 0)
		diag_fatal("out of memory");
	return !access(path, R_OK);
}

/*
 * Open the file of a mapping. Return: a descriptor; -EEXIST: it is found without us; -ENOENT: it is not there
 * any more, or is not the one that was recorded.
 */
static int open_file(const struct container_files *c, const struct mmap2_record *m, const struct held_file *f)
{
	const struct mapped where = {
		.pid = m->pid, .start = m->addr, .end = m->addr + ALIGN_UP(m->len, (u64)4096), .path = m->filename,
	};
	_cleanup_close_ int fd = -1;
	struct stat there, here;
	u8 id[BUILD_ID_MAX];
	char path[64];

	if (is_cached(c, f))
		return -EEXIST;
	fd = mapped_open(&where, &there);
	if (fd < 0)
		return -ENOENT;
	if (!stat(m->filename, &here) && same(&there, &here))
		return -EEXIST;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (build_id_read(path, id) != f->id_size || memcmp(id, f->id, f->id_size))
		return -ENOENT;
	return no_close(fd);
}

static void note_mapping(struct container_files *c, const struct mmap2_record *m)
{
	struct held_file f = { .id_size = m->build_id_size };
	u64 *done;

	memcpy(f.id, m->build_id, f.id_size);
	done = hash_insert(&c->files, hash_bytes(f.id, f.id_size), 0, NULL);
	if (*done)
		return;
	if (c->nr == MAX_HELD) {
		diag_info(1, "%s of process %u is not kept: too many files of containers are open", m->filename, m->pid);
		return;
	}
	f.fd = open_file(c, m, &f);
	*done = f.fd != -ENOENT;
	if (f.fd < 0)
		return;
	f.path = xstrdup(m->filename);
	GROW(c->v, c->nr, c->cap);
	c->v[c->nr++] = f;
}

/* No part of a path that the kernel makes is "..". */
static bool is_plain_path(const char *path)
{
	size_t len = strlen(path);

	return path[0] == '/' && path[1] != '/' && !strstr(path, "/../") && (len < 3 || strcmp(path + len - 3, "/.."));
}

/* Folders of the cache that hold something else: what lies there has its name from us, not from a container. */
static bool is_in_cache(const char *path)
{
	static const char *const own[] = { "/.build-id/", "/.jit/", "/.unwind/" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(own); i++)
		if (!strncmp(path, own[i], strlen(own[i])))
			return true;
	return false;
}

void container_note(struct container_files *c, const struct perf_event_header *h)
{
	const struct mmap2_record *m = (const void *)h;
	const struct task_record *t = (const void *)h;

	if (!c->enabled)
		return;
	/* The PID will be another process's, or another program begins, perhaps in a container. */
	if ((h->type == PERF_RECORD_EXIT && t->pid == t->tid) ||
	    (h->type == PERF_RECORD_COMM && h->misc & PERF_RECORD_MISC_COMM_EXEC)) {
		u64 *slot = hash_find(&c->processes, t->pid, 0);

		if (slot)
			*slot = PLACE_UNKNOWN;
		return;
	}
	if (h->type != PERF_RECORD_MMAP2 || (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER ||
	    h->misc & PERF_RECORD_MISC_MMAP_DATA || !mmap2_has_build_id(h) || !is_plain_path(m->filename) ||
	    is_in_cache(m->filename))
		return;
	if (place_of(c, m->pid) == PLACE_CONTAINER)
		note_mapping(c, m);
}

void container_note_all(struct container_files *c, const struct outbuf *records)
{
	const char *p;

	for (p = records->base; p < records->pos; p += ((const struct perf_event_header *)p)->size)
		container_note(c, (const void *)p);
}

/* Make a folder and those above it, and open it; @dir is relative to @top. Return: a descriptor or -errno. */
static int open_folder(int top, const char *dir)
{
	_cleanup_close_ int at = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_free_ char *copy = xstrdup(dir);
	char *name, *rest = copy;
	int next;

	if (at < 0)
		return -errno;
	while ((name = strsep(&rest, "/"))) {
		if (!*name)
			continue;
		if (mkdirat(at, name, 0755) && errno != EEXIST)
			return -errno;
		next = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0)
			return -errno;
		close(at);
		at = next;
	}
	return no_close(at);
}

/* Copy to a file of another name, which gets its own when it is whole. Return: 0 or -errno. */
static int copy_elf(struct container_files *c, const struct held_file *f, int folder)
{
	_cleanup_close_ int to = -1;
	struct stat st;
	char tmp[32];
	int err;

	snprintf(tmp, sizeof(tmp), ".tmp.%d", getpid());
	if (fstat(f->fd, &st))
		return -errno;
	if ((u64)st.st_size > min(MAX_COPY, MAX_ALL - c->bytes))
		return -EFBIG;
	to = openat(folder, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0)
		return -errno;
	err = lseek(f->fd, 0, SEEK_SET) < 0 ? -errno : io_copy(f->fd, to, st.st_size);
	if (!err && renameat(folder, tmp, folder, "elf"))
		err = -errno;
	if (err)
		unlinkat(folder, tmp, 0);
	else
		c->bytes += st.st_size;
	return err;
}

/* The link from the build-id to the folder. Return: 0 or -errno. */
static int put_link(struct container_files *c, const char *link, const char *dir)
{
	const char *name = strrchr(link, '/') + 1;
	_cleanup_free_ char *up = xmalloc(name - link);
	_cleanup_free_ char *target = NULL;
	_cleanup_close_ int folder = -1;

	memcpy(up, link, name - link - 1);
	up[name - link - 1] = '\0';
	folder = open_folder(c->cache, up);
	if (folder < 0)
		return folder;
	if (asprintf(&target, "../..%s", dir) < 0)
		diag_fatal("out of memory");
	if (!symlinkat(target, folder, name))
		return 0;
	/* It led to a folder without this file. */
	if (errno != EEXIST || unlinkat(folder, name, 0) || symlinkat(target, folder, name))
		return -errno;
	return 0;
}

static int keep(struct container_files *c, const struct held_file *f)
{
	char link[64], hex[2 * BUILD_ID_MAX + 1];
	_cleanup_free_ char *dir = NULL;
	_cleanup_close_ int folder = -1;
	int err;

	link_of(f, link);
	build_id_hex(f->id, f->id_size, hex);
	if (asprintf(&dir, "%s/%s", f->path, hex) < 0)
		diag_fatal("out of memory");
	folder = open_folder(c->cache, dir);
	if (folder < 0)
		return folder;
	err = copy_elf(c, f, folder);
	return err ?: put_link(c, link, dir);
}

static bool open_cache(struct container_files *c)
{
	if (c->cache >= 0)
		return true;
	if (!mkdir(c->cache_path, 0755) || errno == EEXIST)
		c->cache = open(c->cache_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->cache < 0)
		diag_warn("%s: %s: programs of containers are not kept, and perf report will have no symbols of them",
			  c->cache_path, strerror(errno));
	return c->cache >= 0;
}

void container_keep(struct container_files *c, const char *path)
{
	struct hash hit = { 0 };
	u32 i, left = 0;
	int err;

	if (!c->nr || record_hits(path, &hit) || !hit.nr || !open_cache(c)) {
		hash_deinit(&hit);
		return;
	}
	for (i = 0; i < c->nr; i++) {
		struct held_file *f = &c->v[i];

		if (!hash_find(&hit, hash_bytes(f->id, f->id_size), HITS_BUILD_ID)) {
			c->v[left++] = *f;
			continue;
		}
		err = is_cached(c, f) ? 0 : keep(c, f);
		if (err)
			diag_warn("%s of a container can't be kept in %s: %s", f->path, c->cache_path,
				  err == -EFBIG ? "it is too large" : strerror(-err));
		close(f->fd);
		free(f->path);
	}
	c->nr = left;
	hash_deinit(&hit);
}

void container_deinit(struct container_files *c)
{
	u32 i;

	for (i = 0; i < c->nr; i++) {
		close(c->v[i].fd);
		free(c->v[i].path);
	}
	cleanup_close(&c->cache);
	free(c->cache_path);
	free(c->v);
	hash_deinit(&c->processes);
	hash_deinit(&c->files);
}
