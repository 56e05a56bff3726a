// SPDX-License-Identifier: GPL-2.0
/*
 * The cache of files by build-id: names, files and links below its folder. Every name is opened relative to the folder above
 * it, so that no link leads out of the cache. It owns nothing beyond struct buildid_cache.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/config.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/io.h"
#include "buildid/buildid_cache.h"

/* Temporary files of a killed perf are removed after this time, in seconds. */
#define STALE 3600

char *buildid_cache_dir(void)
{
	const struct config_setting *set = config_get("buildid.dir");
	const char *dir = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");
	char *out = NULL;

	if (!dir && set)
		dir = set->value;
	if (dir && !(dir[0] == '~' && dir[1] == '/'))
		return xstrdup(dir);
	if (home && asprintf(&out, "%s/%s", home, dir ? dir + 2 : ".debug") < 0)
		diag_fatal("out of memory");
	return out;
}

int buildid_cache_open(struct buildid_cache *c, const char *dir, bool create)
{
	*c = (struct buildid_cache){ .fd = -1, .dir = dir ? xstrdup(dir) : buildid_cache_dir() };
	if (!c->dir)
		return -ENOENT;
	if (create && mkdir(c->dir, 0700) && errno != EEXIST)
		return -errno;
	c->fd = open(c->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return c->fd < 0 ? -errno : 0;
}

void buildid_cache_close(struct buildid_cache *c)
{
	cleanup_close(&c->fd);
	free(c->dir);
	*c = (struct buildid_cache){ .fd = -1 };
}

bool buildid_is_hex(const char *hex)
{
	size_t len = strlen(hex);

	return len >= 4 && len % 2 == 0 && len < BUILDID_HEX && strspn(hex, "0123456789abcdef") == len;
}

void buildid_of_inode(const char *path, u64 ino, u64 generation, u8 *id)
{
	u64 part[3] = { hash_bytes(path, strlen(path)), hash_mix(ino, generation) };

	part[2] = hash_mix(part[0], part[1]);
	memcpy(id, part, BUILDID_OF_INODE);
}

static void link_name(const char *hex, char out[BUILDID_HEX + 32])
{
	snprintf(out, BUILDID_HEX + 32, ".build-id/%.2s/%s", hex, hex + 2);
}

bool buildid_cache_has(const struct buildid_cache *c, const char *hex, const char *what)
{
	char name[BUILDID_HEX + 64];

	if (c->fd < 0)
		return false;
	snprintf(name, sizeof(name), ".build-id/%.2s/%s/%s", hex, hex + 2, what);
	return !faccessat(c->fd, name, R_OK, 0);
}

bool buildid_cache_has_any(const struct buildid_cache *c, const char *hex)
{
	return buildid_cache_has(c, hex, "elf") || buildid_cache_has(c, hex, "kallsyms") || buildid_cache_has(c, hex, "vdso");
}

void buildid_cache_used(const struct buildid_cache *c, const char *hex)
{
	char name[BUILDID_HEX + 32];

	link_name(hex, name);
	/* Set the folder's time. It may fail, as the cache may be another user's. */
	if (c->fd >= 0)
		utimensat(c->fd, name, NULL, 0);
}

void buildid_cache_file_used(const char *path)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *folder = slash ? xstrndup(path, slash - path) : NULL;

	if (folder)
		utimensat(AT_FDCWD, folder, NULL, 0);
}

/* Open a folder by its components, or @create them. Return: a descriptor or -errno. */
static int open_folder(int top, const char *dir, bool create)
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
		if (!strcmp(name, ".."))
			return -EINVAL;
		if (create && mkdirat(at, name, 0755) && errno != EEXIST)
			return -errno;
		next = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0)
			return -errno;
		close(at);
		at = next;
	}
	return no_close(at);
}

/* "usr/bin/ls/93ac61ec..." */
static char *folder_name(const char *path, const char *hex)
{
	char *out;

	while (*path == '/')
		path++;
	if (asprintf(&out, "%s/%s", path, hex) < 0)
		diag_fatal("out of memory");
	return out;
}

int buildid_cache_folder(const struct buildid_cache *c, const char *path, const char *hex)
{
	_cleanup_free_ char *name = folder_name(path, hex);

	return open_folder(c->fd, name, true);
}

int buildid_cache_link(const struct buildid_cache *c, const char *path, const char *hex)
{
	_cleanup_free_ char *name = folder_name(path, hex), *target = NULL;
	_cleanup_close_ int folder = -1;
	char up[16], tmp[BUILDID_HEX + 32];

	snprintf(up, sizeof(up), ".build-id/%.2s", hex);
	folder = open_folder(c->fd, up, true);
	if (folder < 0)
		return folder;
	if (asprintf(&target, "../../%s", name) < 0)
		diag_fatal("out of memory");
	/* An existing link may lead to a folder without this file: replace it. */
	snprintf(tmp, sizeof(tmp), ".tmp.%d.%s", getpid(), hex + 2);
	unlinkat(folder, tmp, 0);
	if (symlinkat(target, folder, tmp))
		return -errno;
	if (renameat(folder, tmp, folder, hex + 2)) {
		int err = -errno;

		unlinkat(folder, tmp, 0);
		return err;
	}
	return 0;
}

/* Is the file replaced only by package upgrades, which create a new inode? */
static bool is_packaged(int fd, const char *path)
{
	static const char *const folders[] = { "/usr/", "/lib", "/bin/", "/sbin/", "/boot/" };
	struct stat st;
	u32 i;

	/* A link would keep a set-user-ID program that was removed. */
	if (fstat(fd, &st) || st.st_uid || st.st_mode & (022 | S_ISUID | S_ISGID) ||
	    !strncmp(path, "/usr/local/", 11))
		return false;
	for (i = 0; i < ARRAY_SIZE(folders); i++)
		if (!strncmp(path, folders[i], strlen(folders[i])))
			return true;
	return false;
}

int buildid_cache_share(int from, const char *path, int folder, const char *name)
{
	_cleanup_close_ int in = -1, out = -1;
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", from);
	in = open(self, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (in < 0)
		return -errno;
	out = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (out < 0)
		return -errno;
	if (!ioctl(out, FICLONE, in))
		return 0;
	unlinkat(folder, name, 0);
	if (!is_packaged(in, path) || linkat(AT_FDCWD, self, folder, name, AT_SYMLINK_FOLLOW))
		return -EXDEV;
	return 0;
}

static int copy(int from, int folder, const char *name)
{
	_cleanup_close_ int to = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	u64 offset = 0;
	int n = to < 0 ? -errno : 1;

	while (n > 0)
		n = io_copy_piece(from, to, &offset);
	return n;
}

int buildid_cache_name(int folder, const char *tmp, const char *name)
{
	int err = renameat(folder, tmp, folder, name) ? -errno : 0;

	/* rename() does nothing if both names are links to the same file. */
	unlinkat(folder, tmp, 0);
	return err;
}

int buildid_cache_put(const struct buildid_cache *c, const char *file, const char *path, const char *hex, const char *what)
{
	_cleanup_close_ int folder = -1, from = -1;
	char tmp[32];
	int err;

	from = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (from < 0)
		return -errno;
	folder = buildid_cache_folder(c, path, hex);
	if (folder < 0)
		return folder;
	snprintf(tmp, sizeof(tmp), ".tmp.%d", getpid());
	unlinkat(folder, tmp, 0);
	err = buildid_cache_share(from, path, folder, tmp);
	if (err)
		err = copy(from, folder, tmp);
	if (err)
		unlinkat(folder, tmp, 0);
	else
		err = buildid_cache_name(folder, tmp, what);
	return err ?: buildid_cache_link(c, path, hex);
}

int buildid_cache_add(const struct buildid_cache *c, const char *file, const char *path, const char *hex, const char *what)
{
	if (!buildid_cache_has(c, hex, what))
		return buildid_cache_put(c, file, path, hex, what);
	buildid_cache_used(c, hex);
	return -EEXIST;
}

bool buildid_cache_path_good(const char *path)
{
	size_t len;

	/* ".build-id" and temporary files are no paths. */
	if (*path == '.' || *path == '-')
		return false;
	for (;; path += len + 1) {
		len = strcspn(path, "/");
		if (len <= 2 && !strncmp(path, "..", len))
			return false;
		if (!path[len])
			return true;
	}
}

char *buildid_cache_target(const struct buildid_cache *c, const char *hex)
{
	char name[BUILDID_HEX + 32], to[PATH_MAX], *last;
	ssize_t n;

	link_name(hex, name);
	n = readlinkat(c->fd, name, to, sizeof(to) - 1);
	if (n <= 0)
		return NULL;
	to[n] = '\0';
	last = strrchr(to, '/');
	if (strncmp(to, "../../", 6) || !last || strcmp(last + 1, hex) ||
	    !buildid_cache_path_good(to + 6))
		return NULL;
	return xstrdup(to + 6);
}

/* Remove the files of a folder. Return: 0 or -errno. */
static int remove_files(int folder)
{
	_cleanup_closedir_ DIR *dir = open_dir_at(folder, ".");
	struct dirent *de;
	int err = 0;

	if (!dir)
		return -errno;
	while ((de = readdir(dir)))
		if (strcmp(de->d_name, ".") && strcmp(de->d_name, "..") && unlinkat(folder, de->d_name, 0))
			err = -errno;
	return err;
}

int buildid_cache_remove(const struct buildid_cache *c, const char *hex)
{
	_cleanup_free_ char *folder = buildid_cache_target(c, hex);
	_cleanup_close_ int fd = -1;
	char name[BUILDID_HEX + 32], *slash;
	int err = 0;

	link_name(hex, name);
	if (folder) {
		fd = open_folder(c->fd, folder, false);
		err = fd < 0 ? fd : remove_files(fd);
		if (err && err != -ENOENT)
			return err;
		/* Remove its parent folders, too, if they are empty. */
		while (!unlinkat(c->fd, folder, AT_REMOVEDIR)) {
			slash = strrchr(folder, '/');
			if (!slash)
				break;
			*slash = '\0';
		}
	}
	if (unlinkat(c->fd, name, 0))
		return -errno;
	*strrchr(name, '/') = '\0';
	unlinkat(c->fd, name, AT_REMOVEDIR);
	return 0;
}

/* The disk space of a folder's files, in bytes. Removes old temporary files. */
static u64 folder_bytes(int folder)
{
	_cleanup_closedir_ DIR *dir = open_dir_at(folder, ".");
	time_t now = time(NULL);
	struct dirent *de;
	struct stat st;
	u64 bytes = 0;

	while (dir && (de = readdir(dir))) {
		if (fstatat(folder, de->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		if (!strncmp(de->d_name, ".tmp.", 5) && st.st_ctim.tv_sec < now - STALE)
			unlinkat(folder, de->d_name, 0);
		else if (st.st_nlink == 1)
			bytes += st.st_blocks * 512;
	}
	return bytes;
}

static void list_one(const struct buildid_cache *c, const char *hex, struct buildid_list *list)
{
	_cleanup_free_ char *folder = buildid_cache_target(c, hex);
	_cleanup_close_ int fd = -1;
	struct buildid_entry *e;
	struct stat st;
	char *slash;

	fd = folder ? open_folder(c->fd, folder, false) : -1;
	if (fd < 0 || fstat(fd, &st))
		return;
	GROW(list->v, list->nr, list->cap);
	e = &list->v[list->nr++];
	*e = (struct buildid_entry){
		.bytes = folder_bytes(fd), .used_ns = st.st_mtim.tv_sec * 1000000000ULL + st.st_mtim.tv_nsec,
	};
	memcpy(e->hex, hex, strlen(hex) + 1);
	slash = strrchr(folder, '/');
	*slash = '\0';
	/* Names in brackets are not paths. */
	if (asprintf(&e->path, "%s%s", folder[0] == '[' ? "" : "/", folder) < 0)
		diag_fatal("out of memory");
}

static void list_folder(const struct buildid_cache *c, int top, const char *first, struct buildid_list *list)
{
	_cleanup_closedir_ DIR *dir = open_dir_at(top, first);
	char hex[BUILDID_HEX];
	struct dirent *de;

	while (dir && (de = readdir(dir))) {
		if (snprintf(hex, sizeof(hex), "%s%s", first, de->d_name) >= (int)sizeof(hex))
			continue;
		if (buildid_is_hex(hex))
			list_one(c, hex, list);
	}
}

static int by_hex(const void *a, const void *b)
{
	return strcmp(((const struct buildid_entry *)a)->hex, ((const struct buildid_entry *)b)->hex);
}

int buildid_cache_list(const struct buildid_cache *c, struct buildid_list *list)
{
	_cleanup_closedir_ DIR *dir = open_dir_at(c->fd, ".build-id");
	struct dirent *de;

	*list = (struct buildid_list){ 0 };
	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while ((de = readdir(dir)))
		if (strlen(de->d_name) == 2 && isxdigit(de->d_name[0]))
			list_folder(c, dirfd(dir), de->d_name, list);
	if (list->nr)
		qsort(list->v, list->nr, sizeof(*list->v), by_hex);
	return 0;
}

void buildid_list_free(struct buildid_list *list)
{
	u32 i;

	for (i = 0; i < list->nr; i++)
		free(list->v[i].path);
	free(list->v);
	*list = (struct buildid_list){ 0 };
}

static int by_use(const void *a, const void *b)
{
	u64 x = ((const struct buildid_entry *)a)->used_ns, y = ((const struct buildid_entry *)b)->used_ns;

	return x < y ? -1 : x > y;
}

u32 buildid_cache_trim(const struct buildid_cache *c, u64 limit)
{
	struct buildid_list list;
	u32 i, removed = 0;
	u64 all = 0;

	if (buildid_cache_list(c, &list))
		return 0;
	for (i = 0; i < list.nr; i++)
		all += list.v[i].bytes;
	if (all > limit)
		qsort(list.v, list.nr, sizeof(*list.v), by_use);
	for (i = 0; i < list.nr && all > limit; i++) {
		if (!list.v[i].bytes || buildid_cache_remove(c, list.v[i].hex))
			continue;
		all -= list.v[i].bytes;
		removed++;
	}
	buildid_list_free(&list);
	return removed;
}
