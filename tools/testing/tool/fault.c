/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LD_PRELOAD: a disk that fails. FAULT=CALL:NUMBER:WHAT makes the call with this number, from
 * 1, of read, write, writev, pwrite, fsync, rename, ftruncate or close fail: WHAT is EIO,
 * ENOSPC, EDQUOT; "short" writes half of what was wanted; "exit" ends the program at once, in
 * front of the call, as a crash would. "+" behind NUMBER: and all later ones. Calls on
 * descriptors 0 to 2 do not count, nor do those on pipes and what else is no regular file.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_file(int fd)
{
	struct stat st;

	return fd > 2 && !fstat(fd, &st) && S_ISREG(st.st_mode);
}

/* What to do at this call: 0 nothing, 1 half of it, -1 fail with errno. */
static int fault(const char *call, int counts)
{
	static const struct { const char *name; int err; } errors[] = {
		{ "EIO", EIO }, { "ENOSPC", ENOSPC }, { "EDQUOT", EDQUOT },
	};
	const char *f = getenv("FAULT");
	size_t len = strlen(call), i;
	static long nr;
	long at;
	char *p;

	if (!counts || !f || strncmp(f, call, len) || f[len] != ':')
		return 0;
	at = strtol(f + len + 1, &p, 10);
	nr++;
	if (nr != at && !(*p == '+' && nr > at))
		return 0;
	p = strchr(p, ':') + 1;
	if (!strcmp(p, "exit"))
		_exit(99);
	if (!strcmp(p, "short"))
		return 1;
	for (i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (!strcmp(p, errors[i].name))
			errno = errors[i].err;
	return -1;
}

ssize_t read(int fd, void *buf, size_t size)
{
	int what = fault("read", is_file(fd));

	return what < 0 ? what : NEXT(read)(fd, buf, what ? (size + 1) / 2 : size);
}

ssize_t write(int fd, const void *buf, size_t size)
{
	int what = fault("write", is_file(fd));

	return what < 0 ? what : NEXT(write)(fd, buf, what ? (size + 1) / 2 : size);
}

ssize_t writev(int fd, const struct iovec *iov, int nr)
{
	int what = fault("writev", is_file(fd));

	if (what > 0)
		return NEXT(write)(fd, iov->iov_base, (iov->iov_len + 1) / 2);
	return what < 0 ? what : NEXT(writev)(fd, iov, nr);
}

ssize_t pwrite(int fd, const void *buf, size_t size, off_t offset)
{
	int what = fault("pwrite", is_file(fd));

	return what < 0 ? what : NEXT(pwrite)(fd, buf, what ? (size + 1) / 2 : size, offset);
}

int fsync(int fd)
{
	return fault("fsync", 1) ? -1 : NEXT(fsync)(fd);
}

int rename(const char *from, const char *to)
{
	return fault("rename", 1) ? -1 : NEXT(rename)(from, to);
}

int ftruncate(int fd, off_t size)
{
	return fault("ftruncate", 1) ? -1 : NEXT(ftruncate)(fd, size);
}

int close(int fd)
{
	int what = fault("close", is_file(fd)), ret = NEXT(close)(fd);

	return what ? -1 : ret;
}
