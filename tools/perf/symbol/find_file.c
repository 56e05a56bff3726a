// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the files of a dso: at its own path, in perf's build-id cache, in the system's folders
 * of debug files, on debuginfod servers, in this order. A file is accepted only with the
 * recorded build-id; without one, unless its inode or the time of its last change proves that
 * it is another file. Paths, decompressed files and a descriptor belong to the dso.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/io.h"
#include "buildid/buildid_cache.h"
#include "elf/open.h"
#include "elf/unpack.h"
#include "host/host.h"
#include "symbol/find_file.h"

char *find_file_below(const char *fs, const char *path)
{
	_cleanup_close_ int root = open(fs, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;
	size_t len = strlen(fs);
	char *out, self[64], real[PATH_MAX];
	struct stat in, st;
	ssize_t n;

	/* "--symfs /" and "--symfs dir/" */
	while (len > 0 && fs[len - 1] == '/')
		len--;
	if (asprintf(&out, "%.*s%s%s", (int)len, fs, *path == '/' ? "" : "/", path) < 0)
		diag_fatal("out of memory");
	/* What is not there is named as it would be. */
	if (stat(out, &st) && root < 0)
		return out;
	fd = root < 0 ? root : host_within(root, path, 0);
	if (fd >= 0 && !fstat(fd, &in) && !stat(out, &st) && in.st_dev == st.st_dev &&
	    in.st_ino == st.st_ino)
		return out;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	n = fd < 0 ? -1 : readlink(self, real, sizeof(real) - 1);
	if (n <= 0 && stat(out, &st))
		return out;
	free(out);
	return xstrndup(real, max(n, (ssize_t)0));
}

char *find_file_path(struct dso_file *f, const char *fmt, ...)
{
	_cleanup_free_ char *path = NULL, *below = NULL;
	const char *fs = f->table->cfg.symfs;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&path, fmt, ap);
	va_end(ap);
	if (n < 0)
		diag_fatal("out of memory");
	if (fs && *fs)
		below = find_file_below(fs, path);
	return arena_strndup(&f->arena, below ?: path, strlen(below ?: path));
}

/* From <linux/magic.h>, which lacks some of them in older distributions. */
#define AUFS_MAGIC 0x61756673
#define FUSE_MAGIC 0x65735546
#define CIFS_MAGIC 0xff534d42
#define SMB_MAGIC 0xfe534d42

static bool same_build(const u8 *a, u8 a_size, const u8 *b, u8 b_size)
{
	/* In a recording a shorter id is padded with zeroes. */
	return a_size && b_size && !memcmp(a, b, min(a_size, b_size));
}

enum find_file_result find_file_open(struct dso_file *f, const char *path, struct elf_file *ef)
{
	void *image = NULL;
	size_t size;
	int err;

	memset(ef, 0, sizeof(*ef));
	if (inflate_kind(path) == INFLATE_NONE) {
		err = elf_open(path, ef);
	} else {
		err = inflate_file(path, &image, &size);
		if (err == -EBADMSG || err == -EFBIG)
			diag_warn("%s: cannot be decompressed: its symbols are not shown", path);
		if (!err) {
			elf_images_add(&f->images, image);
			err = elf_open_memory(image, size, ef);
		}
	}
	if (err == -ENOEXEC)
		return FIND_FILE_NOT_ELF;
	if (err)
		return FIND_FILE_ABSENT;
	if (f->dso.build_id_size && ef->build_id_size &&
	    !same_build(f->dso.build_id, f->dso.build_id_size, ef->build_id,
			ef->build_id_size)) {
		elf_close(ef);
		return FIND_FILE_OTHER_BUILD;
	}
	return FIND_FILE_TAKEN;
}

/* Limit for removed files and archives: perf needs descriptors for other files, too. */
#define FDS_MAX 256

char *find_file_hold(struct dso_file *f, int fd)
{
	char path[64];

	if (__atomic_add_fetch(&f->table->nr_fds, 1, __ATOMIC_RELAXED) > FDS_MAX) {
		__atomic_sub_fetch(&f->table->nr_fds, 1, __ATOMIC_RELAXED);
		close(fd);
		return NULL;
	}
	f->fd = fd;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(), fd);
	return arena_strndup(&f->arena, path, strlen(path));
}

void find_file_drop(struct dso_file *f)
{
	cleanup_close(&f->fd);
	f->fd = -1;
	__atomic_sub_fetch(&f->table->nr_fds, 1, __ATOMIC_RELAXED);
}

/* Are the file system's inode numbers permanent, and the same in stat() and in mappings? */
static bool keeps_inodes(int fd)
{
	static const u64 others[] = {
		OVERLAYFS_SUPER_MAGIC, V9FS_MAGIC, FUSE_MAGIC, CIFS_MAGIC, SMB_MAGIC, AUFS_MAGIC,
	};
	struct statfs fs;
	u32 i;

	if (fstatfs(fd, &fs))
		return false;
	for (i = 0; i < ARRAY_SIZE(others); i++)
		if ((u32)fs.f_type == others[i])
			return false;
	return true;
}

static bool is_inode(const struct dso_file *f, int fd, const struct stat *st)
{
	int generation = 0;

	if (st->st_ino != f->ino)
		return false;
	return !f->ino_generation || ioctl(fd, FS_IOC_GETVERSION, &generation) || !generation ||
	       (u32)generation == (u32)f->ino_generation;
}

static s64 nanoseconds(const struct timespec *t)
{
	return t->tv_sec * 1000000000LL + t->tv_nsec;
}

bool find_file_is_newer(const struct symbol_config *c, const struct stat *st)
{
	return c->recorded_ns && nanoseconds(&st->st_mtim) > c->recorded_ns;
}

enum find_file_result find_file_check(struct dso_file *f, const char *path, bool other_path, int *fd)
{
	const struct symbol_config *c = &f->table->cfg;
	struct stat st;
	_cleanup_close_ int file = open_regular(path, 0, &st);
	bool same;

	if (file < 0)
		return file == -ENOEXEC ? FIND_FILE_NOT_ELF : FIND_FILE_ABSENT;
	if (c->symfs || c->force || (!c->same_host && !other_path))
		goto taken;
	same = is_inode(f, file, &st);
	if (other_path && !(f->ino && same))
		return FIND_FILE_DELETED;
	if (f->ino && !same && (keeps_inodes(file) || (c->recorded_ns && nanoseconds(&st.st_ctim) > c->recorded_ns)))
		return FIND_FILE_OTHER_INODE;
	if (find_file_is_newer(c, &st))
		return FIND_FILE_NEWER;
taken:
	*fd = no_close(file);
	return FIND_FILE_TAKEN;
}

char *find_file_cached(struct dso_file *f, const u8 *id, u8 size, const char *what)
{
	const char *dir = f->table->cfg.buildid_dir ?: "";
	char hex[ELF_BUILD_ID_HEX], *out;
	size_t len;

	/* The cache's names have the build-id as truncated in recordings. */
	size = min(size, (u8)sizeof(f->dso.build_id));
	build_id_hex(id, size, hex);
	len = strlen(dir) + sizeof(hex) + strlen(what) + 32;
	out = arena_alloc(&f->arena, len);
	snprintf(out, len, "%s/.build-id/%.2s/%s/%s", dir, hex, hex[0] ? hex + 2 : "", what);
	return out;
}

/* Does a file have the CRC of .gnu_debuglink? */
static bool crc_is(const char *path, u32 want)
{
	struct stat st;
	_cleanup_close_ int fd = open_regular(path, 0, &st);
	void *p;
	u32 crc;

	if (fd < 0 || !st.st_size || (u64)st.st_size > elf_file_most(&st))
		return false;
	p = io_read_part(fd, 0, st.st_size);
	if (!p)
		return false;
	crc = crc32_z(0, p, st.st_size);
	free(p);
	return crc == want;
}

/* Open @path if it is a debug file of @run. Return: @path; NULL: it is none. @path may be NULL. */
static char *try_debug(struct dso_file *f, char *path, struct elf_file *run, struct elf_file *ef,
		       bool by_name)
{
	bool same;

	if (!path || find_file_open(f, path, ef) != FIND_FILE_TAKEN)
		return NULL;
	same = same_build(run->build_id, run->build_id_size, ef->build_id, ef->build_id_size) ||
	       (!run->elf && f->dso.build_id_size && ef->build_id_size);
	if ((ef->has_symtab || ef->has_debug_info) &&
	    (same || (by_name && run->debuglink && crc_is(path, run->debuglink_crc))))
		return path;
	elf_close(ef);
	return NULL;
}

static char *try_debuglink(struct dso_file *f, struct elf_file *run, struct elf_file *ef)
{
	const char *name = f->file, *slash = strrchr(name, '/');
	int dir = slash ? slash - name : 0;

	if (!run->debuglink)
		return NULL;
	return try_debug(f, find_file_path(f, "%.*s/%s", dir, name, run->debuglink), run, ef, true) ?:
	       try_debug(f, find_file_path(f, "%.*s/.debug/%s", dir, name, run->debuglink), run, ef, true) ?:
	       try_debug(f, find_file_path(f, "/usr/lib/debug%.*s/%s", dir, name, run->debuglink), run, ef, true);
}

char *find_file_debug(struct dso_file *f, struct elf_file *run, struct elf_file *ef)
{
	const u8 *id = run->build_id_size ? run->build_id : f->dso.build_id;
	u8 size = run->build_id_size ?: f->dso.build_id_size;
	char hex[ELF_BUILD_ID_HEX], *path = NULL;

	if (size > 1) {
		build_id_hex(id, size, hex);
		/* The unstripped program has the same build id. */
		path = try_debug(f, find_file_cached(f, id, size, "debug"), run, ef, false) ?:
		       try_debug(f, find_file_cached(f, id, size, "elf"), run, ef, false) ?:
		       try_debug(f, find_file_path(f, "/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2),
				 run, ef, false);
	}
	path = path ?: try_debuglink(f, run, ef) ?:
	       try_debug(f, find_file_path(f, "/usr/lib/debug%s.debug", f->file), run, ef, true);
	if (!path && size > 1)
		path = try_debug(f, find_file_debuginfod(f, id, size, false), run, ef, false);
	return path;
}
