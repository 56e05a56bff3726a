// SPDX-License-Identifier: GPL-2.0
/*
 * Folders that only this user can write, and limits for their size. A folder is opened once and
 * used by its descriptor, whose owner and mode were checked. Owns nothing.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/private_dir.h"

/* Leftovers of a perf that was killed are removed after so many seconds. */
#define STALE 3600

bool private_file(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & 022);
}

int private_dir_open(const char *dir, const char *name)
{
	_cleanup_close_ int top = -1, fd = -1;
	struct stat st;

	if (mkdir(dir, 0755) && errno != EEXIST)
		return -errno;
	top = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (top < 0 || (mkdirat(top, name, 0700) && errno != EEXIST))
		return -errno;
	fd = openat(top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return errno == ELOOP || errno == ENOTDIR ? -EPERM : -errno;
	return private_file(&st) ? no_close(fd) : -EPERM;
}

struct kept_file {
	char name[256];
	struct timespec used;
	u64 size;
};

static int by_use(const void *a, const void *b)
{
	const struct kept_file *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

u32 private_dir_trim(int dir_fd, u64 limit)
{
	_cleanup_closedir_ DIR *dir = open_dir_at(dir_fd, ".");
	_cleanup_free_ struct kept_file *entries = NULL;
	u32 nr = 0, cap = 0, i, removed = 0;
	time_t now = time(NULL);
	struct dirent *de;
	struct stat st;
	u64 all = 0;

	while (dir && (de = readdir(dir))) {
		if (fstatat(dir_fd, de->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		if (!strncmp(de->d_name, ".tmp.", 5)) {
			if (st.st_mtim.tv_sec < now - STALE)
				unlinkat(dir_fd, de->d_name, 0);
			continue;
		}
		GROW(entries, nr, cap);
		snprintf(entries[nr].name, sizeof(entries[nr].name), "%s", de->d_name);
		entries[nr].used = st.st_mtim;
		/* Of a file with two names each counts for half. */
		entries[nr++].size = st.st_size / st.st_nlink;
		all += st.st_size / st.st_nlink;
	}
	if (nr)
		qsort(entries, nr, sizeof(*entries), by_use);
	for (i = 0; i < nr && all > limit; i++) {
		if (unlinkat(dir_fd, entries[i].name, 0))
			continue;
		all -= entries[i].size;
		removed++;
	}
	return removed;
}
