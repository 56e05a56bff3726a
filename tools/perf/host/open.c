// SPDX-License-Identifier: GPL-2.0
/*
 * From a path or a mapping to its file, by ways from the most to the least reliable, as a name may
 * lead elsewhere or depend on the process. What is made of a file describes the opened one, so a
 * wrong file does no harm. Only regular files are opened. Folders passed on the way stay open: ".."
 * leads to the one before, whatever others rename, and never out of the root.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/sysfs.h"
#include "host/host.h"

#define MAX_FOLDERS	256
#define MAX_LINKS	40

struct resolver {
	int folders[MAX_FOLDERS];	/* the root first */
	u32 nr, links;
	char rest[2 * PATH_MAX];	/* of the path */
};

int place_ask(int place)
{
	struct statx st;

	if (statx(place, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &st))
		return -errno;
	return aside_may_ask(makedev(st.stx_dev_major, st.stx_dev_minor)) ? st.stx_mode & S_IFMT
									 : -ESTALE;
}

static void leave(struct resolver *r, u32 nr)
{
	while (r->nr > nr)
		close(r->folders[--r->nr]);
}

/* Put the text of a link before the rest of the path. */
static int follow(struct resolver *r, int link, const char *rest)
{
	char text[sizeof(r->rest)];
	ssize_t n = readlinkat(link, "", text, PATH_MAX);

	if (n < 0)
		return -errno;
	if (++r->links > MAX_LINKS || n + strlen(rest) + 2 > sizeof(text))
		return -ELOOP;
	sprintf(text + n, "%s%s", *rest ? "/" : "", rest);
	if (text[0] == '/')
		leave(r, 1);
	strcpy(r->rest, text);
	return 0;
}

/* Open all but the last file of the path. Return: the last one, or -errno. */
static int resolve(struct resolver *r, int flags)
{
	char *rest = r->rest, *name;
	_cleanup_close_ int fd = -1;
	int err, mode;

	while ((name = strsep(&rest, "/"))) {
		bool last = !rest || !rest[strspn(rest, "/")];

		if (!strcmp(name, "..") && r->nr > 1)
			leave(r, r->nr - 1);
		if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
			continue;
		mode = place_ask(r->folders[r->nr - 1]);
		if (mode < 0)
			return mode;
		fd = openat(r->folders[r->nr - 1], name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		mode = fd < 0 ? -errno : place_ask(fd);
		if (mode < 0)
			return mode;
		if (S_ISLNK(mode) && !(last && flags & O_NOFOLLOW)) {
			err = follow(r, fd, rest ?: "");
			if (err)
				return err;
			close(no_close(fd));
			rest = r->rest;
			continue;
		}
		if (last && (S_ISDIR(mode) || !(rest || flags & O_DIRECTORY)))
			return no_close(fd);
		if (!S_ISDIR(mode))
			return -ENOTDIR;
		if (r->nr == MAX_FOLDERS)
			return -ENAMETOOLONG;
		r->folders[r->nr++] = no_close(fd);
	}
	fd = dup(r->folders[r->nr - 1]);
	return fd < 0 ? -errno : no_close(fd);
}

int host_within(int root, const char *path, int flags)
{
	struct resolver r = { .folders = { root < 0 ? open("/", O_PATH | O_CLOEXEC) : dup(root) },
			      .nr = 1 };
	int fd;

	if (r.folders[0] < 0)
		return -errno;
	fd = snprintf(r.rest, sizeof(r.rest), "%s", path) < PATH_MAX ? resolve(&r, flags)
								     : -ENAMETOOLONG;
	leave(&r, 0);
	return fd;
}

/* Return: @place if it is the regular file with this inode number, 0: any; else closed, and -errno.
 */
static int check(int place, u64 inode, struct stat *st)
{
	int mode = place < 0 ? place : place_ask(place), err = min(mode, 0);

	if (!err && !S_ISREG(mode))
		err = -ENOEXEC;
	if (!err && fstat(place, st))
		err = -errno;
	if (!err && inode && st->st_ino != inode)
		err = -ENOENT;
	if (!err)
		return place;
	cleanup_close(&place);
	return err;
}

/* Open what a link of /proc leads to, which asks no file system. */
static int open_link(const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Open a path as a process means it. */
static int open_in(pid_t pid, const char *path)
{
	_cleanup_close_ int root = -1;
	char link[64];

	snprintf(link, sizeof(link), "/proc/%d/root", pid);
	root = open_link(link);
	return root < 0 ? root : host_within(root, path, 0);
}

int mapped_find(const struct mapped *m, struct stat *st)
{
	char path[96];
	int fd, err = -ENOENT;

	if (m->pid && m->end) {
		snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", m->pid, m->start, m->end);
		fd = check(open_link(path), 0, st);
		if (fd >= 0 || fd == -ESTALE)
			return fd;
	}
	if (m->pid) {
		err = check(open_in(m->pid, m->path), m->inode, st);
		if (err >= 0 || err == -ESTALE)
			return err;
		/* The program itself, replaced or deleted. */
		snprintf(path, sizeof(path), "/proc/%d/exe", m->pid);
		fd = m->inode ? check(open_link(path), m->inode, st) : -ENOENT;
		if (fd >= 0)
			return fd;
	}
	fd = check(host_within(-1, m->path, 0), m->inode, st);
	return fd >= 0 || fd != -ENOENT ? fd : err;
}

int place_read(int place, struct stat *st)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	return open_regular(path, 0, st);
}

int mapped_open(const struct mapped *m, struct stat *st)
{
	_cleanup_close_ int place = mapped_find(m, st);

	return place < 0 ? place : place_read(place, st);
}

int maps_of_process(u32 pid, char *root)
{
	char path[64];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	len = readlink(path, root, PATH_MAX - 1);
	root[len > 1 ? len : 0] = '\0';
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * Pages of another user's process may be served by that user (userfaultfd, FUSE), for whom we would
 * wait. The real user counts: /proc/PID is root's where a process is not dumpable.
 */
int own_process(u32 pid)
{
	char path[32], status[512];
	const char *uid;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	uid = read_text(path, status, sizeof(status)) > 0 ? strstr(status, "\nUid:\t") : NULL;
	if (!uid)
		return -ESRCH;
	return strtoul(uid + 6, NULL, 10) == geteuid() ? 0 : -EPERM;
}

int own_code(u32 pid, u64 addr, u8 code[PLAIN_CODE])
{
	struct iovec to = { code, PLAIN_CODE }, from = { (void *)(uintptr_t)addr, PLAIN_CODE };
	int err = own_process(pid);

	if (err)
		return err;
	return process_vm_readv(pid, &to, 1, &from, 1, 0) == PLAIN_CODE ? 0 : -EFAULT;
}
