// SPDX-License-Identifier: GPL-2.0
/*
 * A cached file is a table followed by a checksum of 8 bytes, since after a power loss a file
 * may have its size but not its content. The checksum is computed unless the table was made or
 * verified since the machine started and not written since: the nanoseconds of its modification
 * time then contain the checksum.
 */
#include <fcntl.h>
#include <linux/unwind_table.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/private_dir.h"
#include "cfi/cache.h"
#include "cfi/elf.h"

#define MAX_TABLE (256ULL << 20)
#define NSEC_PER_SEC 1000000000

struct unwind_cache {
	int fd;
	u32 nr_tmp;		/* atomic */
};

int unwind_cache_open(const char *dir, struct unwind_cache **cache)
{
	int fd = private_dir_open(dir, ".unwind");

	if (fd < 0)
		return fd;
	*cache = xcalloc(1, sizeof(**cache));
	(*cache)->fd = fd;
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

/* The file is right, and used now: what unwind_cache_trim() goes by. */
static void mark(int fd, u64 sum)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = sum % NSEC_PER_SEC } };

	times[1].tv_sec = time(NULL);
	futimens(fd, times);
}

/* Since the machine started no power was lost, and nobody has written to it. */
static bool is_marked(const struct stat *st, u64 sum)
{
	struct timespec now, up;

	if ((u64)st->st_mtim.tv_nsec != sum % NSEC_PER_SEC ||
	    clock_gettime(CLOCK_REALTIME, &now) || clock_gettime(CLOCK_BOOTTIME, &up))
		return false;
	return st->st_mtim.tv_sec > now.tv_sec - up.tv_sec && st->st_mtim.tv_sec <= now.tv_sec;
}

static bool load(struct unwind_cache *c, const char *name, struct unwind_image *image)
{
	_cleanup_close_ int fd = openat(c->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	u64 sum;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !private_file(&st) ||
	    st.st_size <= 8 || st.st_size > (off_t)MAX_TABLE)
		return false;
	image->mapped = st.st_size;
	image->size = st.st_size - 8;
	image->data = mmap(NULL, image->mapped, PROT_READ, MAP_SHARED, fd, 0);
	if (image->data == MAP_FAILED)
		return false;
	/* What it was when it was made: it needs no check here, and the kernel has its own. */
	memcpy(&sum, (char *)image->data + image->size, sizeof(sum));
	if (!is_marked(&st, sum) && sum != hash_block(image->data, image->size)) {
		unwind_image_free(image);
		return false;
	}
	mark(fd, sum);
	return true;
}

static bool save(struct unwind_cache *c, const char *name, const void *data, size_t size)
{
	u64 s = hash_block(data, size);
	char tmp[64];
	bool ok;
	int fd;

	snprintf(tmp, sizeof(tmp), ".tmp.%d.%u", getpid(),
		 __atomic_fetch_add(&c->nr_tmp, 1, __ATOMIC_RELAXED));
	unlinkat(c->fd, tmp, 0);
	fd = openat(c->fd, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	ok = !write_all(fd, data, size) && !write_all(fd, &s, sizeof(s));
	mark(fd, s);
	ok = !close(fd) && ok;
	ok = ok && !renameat(c->fd, tmp, c->fd, name);
	if (!ok)
		unlinkat(c->fd, tmp, 0);
	return ok;
}

int unwind_cache_get(struct unwind_cache *c, const char *path, bool make, struct unwind_image *image,
		     const char **why)
{
	struct unwind_made made = { 0 };
	struct unwind_elf *elf;
	char key[64], name[80];
	bool keep = false;
	int err;

	err = unwind_elf_open(path, &elf, why);
	if (!err && c) {
		keep = unwind_elf_key(elf, key);
		snprintf(name, sizeof(name), "%s.v%d", key, UNWIND_TABLE_VERSION);
		if (keep && load(c, name, image)) {
			unwind_elf_close(elf);
			return 1;
		}
	}
	if (!err)
		err = make ? unwind_elf_make(elf, &made, why) : -EAGAIN;
	unwind_elf_close(elf);
	if (err)
		return err;
	*image = (struct unwind_image){ .data = made.data, .size = made.size };
	if (keep && !*why && !save(c, name, made.data, made.size))
		*why = "it cannot be kept in perf's cache";
	return 0;
}

u32 unwind_cache_trim(struct unwind_cache *c, u64 limit)
{
	return private_dir_trim(c->fd, limit);
}
