// SPDX-License-Identifier: GPL-2.0
/*
 * A file of the cache is a table and, behind it, a sum of 8 bytes: after a power
 * loss a file may have its size and not its content. A table of the right sum is taken as it is;
 * so is, without computing the sum, one that was made or found right since this machine started,
 * and not written to since: the time of its last change then has the sum in its nanoseconds.
 * Tables are mapped, so that the kernel can use them where they are.
 */
#include <dirent.h>
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
#include "unwind/cache.h"
#include "unwind/elf.h"

#define MAX_TABLE (256ULL << 20)
/* Leftovers of a perf that was killed are removed after so many seconds. */
#define STALE 3600
#define NSEC_PER_SEC 1000000000

struct unwind_cache {
	int fd;
	u32 nr_tmp;		/* atomic */
};

/* Nobody else may have written it. */
static bool is_ours(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & 022);
}

int unwind_cache_open(const char *dir, struct unwind_cache **cache)
{
	_cleanup_close_ int top = -1, fd = -1;
	struct stat st;

	if (mkdir(dir, 0755) && errno != EEXIST)
		return -errno;
	top = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (top < 0 || (mkdirat(top, ".unwind", 0700) && errno != EEXIST))
		return -errno;
	fd = openat(top, ".unwind", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return errno == ELOOP || errno == ENOTDIR ? -EPERM : -errno;
	if (!is_ours(&st))
		return -EPERM;
	*cache = xcalloc(1, sizeof(**cache));
	(*cache)->fd = no_close(fd);
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

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !is_ours(&st) ||
	    st.st_size <= 8 || st.st_size > (off_t)MAX_TABLE)
		return false;
	image->mapped = st.st_size;
	image->size = st.st_size - 8;
	image->data = mmap(NULL, image->mapped, PROT_READ, MAP_SHARED, fd, 0);
	if (image->data == MAP_FAILED)
		return false;
	/* What it was when it was made: the rows need no check here, and the kernel has its own. */
	memcpy(&sum, (char *)image->data + image->size, sizeof(sum));
	if (!is_marked(&st, sum) && sum != hash_block(image->data, image->size)) {
		unwind_image_free(image);
		return false;
	}
	mark(fd, sum);
	return true;
}

static bool write_whole(int fd, const void *data, size_t size)
{
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		n = write(fd, (const char *)data + done, size - done);
		if (n <= 0)
			return false;
		done += n;
	}
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
	ok = write_whole(fd, data, size) && write_whole(fd, &s, sizeof(s));
	mark(fd, s);
	ok = !close(fd) && ok;
	ok = ok && !renameat(c->fd, tmp, c->fd, name);
	if (!ok)
		unlinkat(c->fd, tmp, 0);
	return ok;
}

int unwind_cache_get(struct unwind_cache *c, const char *path, struct unwind_image *image,
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
		err = unwind_elf_make(elf, &made, why);
	unwind_elf_close(elf);
	if (err)
		return err;
	*image = (struct unwind_image){ .data = made.data, .size = made.size };
	if (keep && !*why && !save(c, name, made.data, made.size))
		*why = "it cannot be kept in perf's cache";
	return 0;
}

struct cached_table {
	char name[80];
	struct timespec used;
	u64 size;
};

static int by_use(const void *a, const void *b)
{
	const struct cached_table *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

u32 unwind_cache_trim(struct unwind_cache *c, u64 limit)
{
	int fd = openat(c->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	_cleanup_free_ struct cached_table *entries = NULL;
	u32 nr = 0, cap = 0, i, removed = 0;
	time_t now = time(NULL);
	struct dirent *de;
	struct stat st;
	u64 all = 0;

	if (!dir) {
		cleanup_close(&fd);
		return 0;
	}
	while ((de = readdir(dir))) {
		if (fstatat(c->fd, de->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		if (!strncmp(de->d_name, ".tmp.", 5)) {
			if (st.st_mtim.tv_sec < now - STALE)
				unlinkat(c->fd, de->d_name, 0);
			continue;
		}
		GROW(entries, nr, cap);
		snprintf(entries[nr].name, sizeof(entries[nr].name), "%.79s", de->d_name);
		entries[nr].used = st.st_mtim;
		entries[nr++].size = st.st_size;
		all += st.st_size;
	}
	closedir(dir);
	if (nr)
		qsort(entries, nr, sizeof(*entries), by_use);
	for (i = 0; i < nr && all > limit; i++) {
		if (unlinkat(c->fd, entries[i].name, 0))
			continue;
		all -= entries[i].size;
		removed++;
	}
	return removed;
}
