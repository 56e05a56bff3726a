// SPDX-License-Identifier: GPL-2.0
/*
 * A cached file is a table followed by a checksum of 8 bytes, since after a power loss a file may
 * have its size but not its content. The checksum is checked whenever a table is used, the table
 * where nothing else does it. A file can have two names, hard links: the digest of what the table is
 * made from, which takes reading that, and the digest of what identifies a file that none but root or
 * this user can change.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/unwind_table.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/private_dir.h"
#include "cfi/cache.h"
#include "cfi/elf.h"
#include "cfi/table.h"

#define MAX_TABLE (256ULL << 20)

struct unwind_cache {
	int fd;
	char boot[40];		/* identifies this run of the kernel; begins with 0: not known */
	u32 nr_tmp;		/* atomic */
};

int unwind_cache_open(const char *dir, struct unwind_cache **cache)
{
	int fd = private_dir_open(dir, ".unwind");

	if (fd < 0)
		return fd;
	*cache = xcalloc(1, sizeof(**cache));
	(*cache)->fd = fd;
	fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (read(fd, (*cache)->boot, sizeof((*cache)->boot)) < 0)
			(*cache)->boot[0] = 0;
		close(fd);
	}
	return 0;
}

void unwind_cache_close(struct unwind_cache *c)
{
	if (!c)
		return;
	close(c->fd);
	free(c);
}

void unwind_image_free(struct unwind_image *image)
{
	if (image->mapped)
		munmap(image->data, image->mapped);
	else
		free(image->data);
	*image = (struct unwind_image){ 0 };
}

#define TABLE_NAME	(UNWIND_ELF_KEY + 32)

static void table_name(char name[TABLE_NAME], const char *key)
{
	snprintf(name, TABLE_NAME, "%s.v%d", key, UNWIND_TABLE_VERSION);
}

bool unwind_cache_load(struct unwind_cache *c, const char *key, bool check,
		       struct unwind_image *image)
{
	_cleanup_close_ int fd = -1;
	char name[TABLE_NAME];
	struct unwind_table table;
	struct stat st;
	u64 sum;

	table_name(name, key);
	fd = openat(c->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !private_file(&st) ||
	    st.st_size <= 8 || st.st_size > (off_t)MAX_TABLE)
		return false;
	image->mapped = st.st_size;
	image->size = st.st_size - 8;
	image->data = mmap(NULL, image->mapped, PROT_READ, MAP_SHARED, fd, 0);
	if (image->data == MAP_FAILED)
		return false;
	memcpy(&sum, (char *)image->data + image->size, sizeof(sum));
	if (sum != hash_block(image->data, image->size) ||
	    (check && unwind_table_check(image->data, image->size, &table))) {
		unwind_image_free(image);
		return false;
	}
	/* unwind_cache_trim() goes by the time. */
	futimens(fd, NULL);
	return true;
}

bool unwind_cache_save(struct unwind_cache *c, const char *key, const void *data, size_t size)
{
	char name[TABLE_NAME], tmp[64];
	u64 s = hash_block(data, size);
	bool ok;
	int fd;

	table_name(name, key);
	snprintf(tmp, sizeof(tmp), ".tmp.%d.%u", getpid(),
		 __atomic_fetch_add(&c->nr_tmp, 1, __ATOMIC_RELAXED));
	unlinkat(c->fd, tmp, 0);
	fd = openat(c->fd, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	ok = !write_all(fd, data, size) && !write_all(fd, &s, sizeof(s));
	ok = !close(fd) && ok;
	ok = ok && !renameat(c->fd, tmp, c->fd, name);
	if (!ok)
		unlinkat(c->fd, tmp, 0);
	return ok;
}

#define TICK_NS 100000000ULL

static u64 time_ns(const struct timespec *t)
{
	return t->tv_sec * 1000000000ULL + t->tv_nsec;
}

/* File systems whose times and inodes the kernel makes. */
static bool is_kernels(u32 type)
{
	static const u32 types[] = {
		EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC, TMPFS_MAGIC, RAMFS_MAGIC,
		OVERLAYFS_SUPER_MAGIC, SQUASHFS_MAGIC, EROFS_SUPER_MAGIC_V1,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i] == type)
			return true;
	return false;
}

bool unwind_cache_alias(const struct unwind_cache *c, const struct stat *st,
			const struct statfs *fs, char alias[UNWIND_ELF_KEY])
{
	struct timespec now;
	struct digest d;

	alias[0] = '\0';
	if (clock_gettime(CLOCK_REALTIME, &now) || !S_ISREG(st->st_mode) || !file_is_ours(st) ||
	    !is_kernels(fs->f_type) || fs->f_flags & ST_NOSUID || !c->boot[0] ||
	    /* Another change within a tick of the kernel would have the same time. */
	    time_ns(&st->st_ctim) + TICK_NS > time_ns(&now))
		return false;
	digest_init(&d);
	digest_add(&d, &(u64[]){ UNWIND_ELF_MAKER, st->st_dev, st->st_ino, st->st_size,
				 st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
				 st->st_ctim.tv_sec, st->st_ctim.tv_nsec }, 8 * sizeof(u64));
	/* Numbers of devices that do not exist are given anew. */
	if (!major(st->st_dev))
		digest_add(&d, c->boot, sizeof(c->boot));
	digest_hex(&d, alias);
	return true;
}

void unwind_cache_link(struct unwind_cache *c, const char *key, const char *alias)
{
	char name[TABLE_NAME], second[TABLE_NAME];

	if (!alias[0])
		return;
	table_name(name, key);
	table_name(second, alias);
	unlinkat(c->fd, second, 0);
	linkat(c->fd, name, c->fd, second, 0);
}

int unwind_cache_get(struct unwind_cache *c, const char *path, struct unwind_image *image,
		     const char **why)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC);
	char key[UNWIND_ELF_KEY], alias[UNWIND_ELF_KEY] = "";
	struct unwind_made made = { 0 };
	struct unwind_elf *elf;
	bool there = false;
	struct statfs fs;
	struct stat st;
	int err;

	*why = NULL;
	if (fd >= 0 && !fstat(fd, &st) && !fstatfs(fd, &fs) &&
	    unwind_cache_alias(c, &st, &fs, alias) && unwind_cache_load(c, alias, true, image))
		return 1;
	err = unwind_elf_open(path, &elf, why);
	if (!err) {
		unwind_elf_key(elf, key);
		there = unwind_cache_load(c, key, true, image);
	}
	if (!err && !there)
		err = unwind_elf_make(elf, &made, why);
	unwind_elf_close(elf);
	if (err)
		return err;
	if (!there) {
		*image = (struct unwind_image){ .data = made.data, .size = made.size };
		if (*why)
			return 0;
		if (!unwind_cache_save(c, key, made.data, made.size)) {
			*why = "it cannot be kept in perf's cache";
			return 0;
		}
	}
	unwind_cache_link(c, key, alias);
	return there;
}

u32 unwind_cache_trim(struct unwind_cache *c, u64 limit)
{
	return private_dir_trim(c->fd, limit);
}
