// SPDX-License-Identifier: GPL-2.0
/*
 * Complete writes: a write() of 0 bytes without an error ends the loop, too. Copies of files.
 * Opening of files whose names come from recordings, or which other users may have created.
 * Owns nothing.
 */
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/io.h"

#define LEASE_LOOK_US	10000
#define LEASE_LOOKS	100

bool io_again(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	if (errno == EINTR)
		return true;
	if (errno != EAGAIN)
		return false;
	return poll(&p, 1, -1) > 0 || errno == EINTR;
}

int write_all(int fd, const void *p, size_t size)
{
	const char *pos = p;

	while (size) {
		ssize_t n = write(fd, pos, size);

		if (n < 0 && io_again(fd, POLLOUT))
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		pos += n;
		size -= n;
	}
	return 0;
}

int pwrite_all(int fd, const void *p, size_t size, u64 offset)
{
	const char *pos = p;

	while (size) {
		ssize_t n = pwrite(fd, pos, size, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		pos += n;
		offset += n;
		size -= n;
	}
	return 0;
}

int io_copy(int from, int to, u64 most)
{
	_cleanup_free_ char *buf = xmalloc(65536);
	u64 size = 0;
	ssize_t n;
	int err;

	while ((n = read(from, buf, 65536)) != 0) {
		if (n < 0 && io_again(from, POLLIN))
			continue;
		if (n < 0)
			return -errno;
		size += n;
		err = size > most ? -EFBIG : write_all(to, buf, n);
		if (err)
			return err;
	}
	return 0;
}

int io_copy_piece(int from, int to, u64 *offset)
{
	_cleanup_free_ char *buf = xmalloc(65536);
	size_t size = 65536, copied = 0;
	struct stat st;
	ssize_t n;
	int err;

	while (copied < 1 << 20) {
		off_t data = lseek(from, *offset, SEEK_DATA), hole;

		/* Only holes follow. */
		if (data < 0 && errno == ENXIO)
			break;
		/* Some file systems know nothing of holes. */
		hole = data < 0 ? -1 : lseek(from, data, SEEK_HOLE);
		data = data < 0 ? (off_t)*offset : data;
		n = pread(from, buf, hole > data ? min(size, (size_t)(hole - data)) : size, data);
		if (n < 0)
			return -errno;
		if (!n)
			break;
		err = pwrite_all(to, buf, n, data);
		if (err)
			return err;
		*offset = data + n;
		copied += n;
	}
	if (!copied && (fstat(from, &st) ||
			((u64)st.st_size > *offset && ftruncate(to, st.st_size))))
		return -errno;
	return copied;
}

void *io_read_part(int fd, u64 offset, size_t size)
{
	char *p = xmalloc(size + 1);
	size_t got = 0;
	ssize_t n;

	while (got < size && ((n = pread(fd, p + got, size - got, offset + got)) > 0 ||
			      (n < 0 && errno == EINTR)))
		got += max(n, (ssize_t)0);
	if (got == size)
		return p;
	free(p);
	return NULL;
}

/*
 * Another process may have a lease of the file (fcntl(2), F_SETLEASE), of which the kernel tells it. Without O_NONBLOCK
 * open() would wait for /proc/sys/fs/lease-break-time, 45 s, if that process does not give the lease up. The
 * honest are given a moment, and all of them together no more than a second.
 */
static int open_leased(int dir, const char *path, int flags)
{
	static int looks = LEASE_LOOKS;
	int fd;

	do {
		fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	} while (fd < 0 && errno == EWOULDBLOCK && __atomic_fetch_sub(&looks, 1, __ATOMIC_RELAXED) > 0 && !usleep(LEASE_LOOK_US));
	return fd;
}

int open_regular_at(int dir, const char *path, int flags, struct stat *st)
{
	_cleanup_close_ int place = openat(dir, path, O_PATH | O_CLOEXEC | flags);
	char again[64];
	struct stat now;
	int fd, err;

	if (place < 0 || fstat(place, st))
		return -errno;
	/* With O_NOFOLLOW a symbolic link is opened itself. */
	if (S_ISLNK(st->st_mode))
		return -ELOOP;
	if (!S_ISREG(st->st_mode))
		return -ENOEXEC;
	snprintf(again, sizeof(again), "/proc/self/fd/%d", place);
	fd = open_leased(AT_FDCWD, again, 0);
	/* Without /proc it is opened by its name; another file may be there meanwhile. */
	if (fd < 0 && errno == ENOENT)
		fd = open_leased(dir, path, flags);
	if (fd < 0)
		return -errno;
	err = fstat(fd, &now) ? -errno : now.st_dev == st->st_dev && now.st_ino == st->st_ino ? 0 : -ENOENT;
	if (!err)
		return fd;
	close(fd);
	return err;
}

int (*io_open_regular)(const char *path, struct stat *st);

int open_regular(const char *path, int flags, struct stat *st)
{
	if (io_open_regular)
		return io_open_regular(path, st);
	return open_regular_at(AT_FDCWD, path, flags, st);
}

DIR *open_dir_at(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d)
		cleanup_close(&fd);
	return d;
}

/* Is it there by another user's will, in a folder where all may make files? Return: 0, -EXDEV or another -errno. */
static int check_owner(const char *path)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *folder = slash ? xstrndup(path, slash + 1 - path) : xstrdup(".");
	struct stat file, dir;

	if (lstat(path, &file) || stat(folder, &dir))
		return -errno;
	if (!(dir.st_mode & S_ISVTX) || !(dir.st_mode & 022))
		return 0;
	return file.st_uid == geteuid() || file.st_uid == dir.st_uid ? 0 : -EXDEV;
}

int open_output(const char *path, int flags, mode_t mode, bool *created)
{
	int fd = open(path, O_CREAT | O_EXCL | O_CLOEXEC | flags, mode), err;

	if (created)
		*created = fd >= 0;
	if (fd >= 0 || errno != EEXIST)
		return fd < 0 ? -errno : fd;
	/* If it may be opened, only its owner and that of the folder could put something else in its place. */
	err = check_owner(path);
	if (err)
		return err;
	fd = open(path, O_TRUNC | O_CLOEXEC | flags);
	/* The missing target of a symbolic link is created. */
	if (fd < 0 && errno == ENOENT)
		fd = open(path, O_CREAT | O_CLOEXEC | flags, mode);
	return fd < 0 ? -errno : fd;
}

/* The regular file that @path leads to, malloc()ed, if it may be replaced; else NULL. */
static char *replaced(const char *path)
{
	char *real = check_owner(path) ? NULL : realpath(path, NULL);
	struct stat st;

	if (real && !stat(real, &st) && S_ISREG(st.st_mode) && st.st_size && st.st_nlink == 1 && !access(real, W_OK))
		return real;
	free(real);
	return NULL;
}

int new_file_open(struct new_file *n, const char *path, mode_t mode)
{
	_cleanup_free_ char *folder = NULL;
	struct stat st;

	*n = (struct new_file){ .fd = -1, .path = replaced(path) };
	if (n->path) {
		folder = xstrndup(n->path, strrchr(n->path, '/') + 1 - n->path);
		n->fd = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
		/* Its owner is another one then if we are root. */
		if (n->fd >= 0 && !stat(n->path, &st) && !fchown(n->fd, st.st_uid, st.st_gid) &&
		    !fchmod(n->fd, st.st_mode & 07777))
			return 0;
		cleanup_close(&n->fd);
		/* It cannot be replaced here: it is written in place. */
		free(n->path);
		n->path = NULL;
	}
	n->fd = open_output(path, O_WRONLY, mode, &n->created);
	if (n->created)
		n->path = xstrdup(path);
	return min(n->fd, 0);
}

/* Put a file that is complete in the place of the earlier one. */
static int put_in_place(const struct new_file *n)
{
	_cleanup_free_ char *tmp = xmalloc(strlen(n->path) + 32);
	char fd[32];
	int err = 0;

	snprintf(fd, sizeof(fd), "/proc/self/fd/%d", n->fd);
	sprintf(tmp, "%s.%d", n->path, getpid());
	if (linkat(AT_FDCWD, fd, AT_FDCWD, tmp, AT_SYMLINK_FOLLOW))
		return -errno;
	if (rename(tmp, n->path)) {
		err = -errno;
		unlink(tmp);
	}
	return err;
}

int new_file_close(struct new_file *n, int err)
{
	if (n->fd < 0)
		return err;
	if (!err && n->path && !n->created)
		err = put_in_place(n);
	if (close(n->fd) && !err)
		err = -errno;
	if (err && n->created)
		unlink(n->path);
	free(n->path);
	*n = (struct new_file){ .fd = -1 };
	return err;
}

const char *output_error(int err)
{
	return err == -EXDEV ? "another user has put it into a folder where all may do so: remove it, or name another file" :
			       strerror(-err);
}
