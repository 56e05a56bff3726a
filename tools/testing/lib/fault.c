/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LD_PRELOAD: a disk that fails, and a kernel that refuses. FAULT=CALL:NUMBER:WHAT makes the call
 * with this number, from 1, of those below fail: WHAT is an error (EIO, ENOSPC, EINTR ...);
 * "short" reads or writes half of what was wanted; "slow" takes 20 ms; "exit" ends the program
 * at once, in front of the call, as a crash would. "+" behind NUMBER: and all later ones. Of
 * read, write, writev, pwrite and close those on descriptors 0 to 2 do not count, nor do those on
 * pipes and what else is no regular file; with FAULT_ANY=1 all of them count. FAULT_COUNT=FILE
 * has the number of calls of each kind appended at the end, a line each. Only the program "perf"
 * is concerned, not what it executes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static const char *const calls[] = {
	"read", "write", "writev", "pwrite", "fsync", "rename", "ftruncate", "close", "open", "pipe2",
	"fork", "mmap", "epoll_create1", "epoll_ctl", "epoll_wait", "signalfd", "timerfd_create", "waitpid",
	"syscall", "ioctl",
};
#define NR_CALLS (sizeof(calls) / sizeof(*calls))

static long count[NR_CALLS];
static int any, off;

static void __attribute__((constructor)) begin(void)
{
	any = getenv("FAULT_ANY") != NULL;
	off = strcmp(program_invocation_short_name, "perf");
}

static void __attribute__((destructor)) end(void)
{
	const char *path = getenv("FAULT_COUNT");
	size_t i;
	FILE *f;

	if (off || !path)
		return;
	off = 1;
	f = fopen(path, "a");
	for (i = 0; f && i < NR_CALLS; i++)
		fprintf(f, "%s %ld\n", calls[i], count[i]);
	if (f)
		fclose(f);
}

static int is_file(int fd)
{
	struct stat st;

	return any || (fd > 2 && !fstat(fd, &st) && S_ISREG(st.st_mode));
}

/* What to do at this call: 0 nothing, 1 half of it, -1 fail with errno. */
static int fault(const char *call, int counts)
{
	static const struct { const char *name; int err; } errors[] = {
		{ "EIO", EIO }, { "ENOSPC", ENOSPC }, { "EDQUOT", EDQUOT }, { "EINTR", EINTR },
		{ "EAGAIN", EAGAIN }, { "EMFILE", EMFILE }, { "ENOMEM", ENOMEM }, { "EPERM", EPERM },
	};
	const char *f = getenv("FAULT");
	size_t len = strlen(call), i;
	long at, nr;
	char *p;

	if (!counts || off)
		return 0;
	for (i = 0; strcmp(calls[i], call); )
		i++;
	nr = ++count[i];
	if (!f || strncmp(f, call, len) || f[len] != ':')
		return 0;
	at = strtol(f + len + 1, &p, 10);
	if (nr != at && !(*p == '+' && nr > at))
		return 0;
	p = strchr(p, ':') + 1;
	if (!strcmp(p, "exit"))
		_exit(99);
	if (!strcmp(p, "slow"))
		usleep(20000);
	if (!strcmp(p, "slow") || !strcmp(p, "short"))
		return !strcmp(p, "short");
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

/* A call whose arguments do not matter here. */
#define REFUSED(type, name, params, args) \
type name params \
{ \
	return fault(#name, 1) ? (type)-1 : NEXT(name)args; \
}

REFUSED(int, pipe2, (int fds[2], int flags), (fds, flags))
REFUSED(pid_t, fork, (void), ())
REFUSED(void *, mmap, (void *at, size_t size, int prot, int flags, int fd, off_t off), (at, size, prot, flags, fd, off))
REFUSED(int, epoll_create1, (int flags), (flags))
REFUSED(int, epoll_ctl, (int epoll, int op, int fd, struct epoll_event *e), (epoll, op, fd, e))
REFUSED(int, epoll_wait, (int epoll, struct epoll_event *e, int nr, int ms), (epoll, e, nr, ms))
REFUSED(int, signalfd, (int fd, const sigset_t *mask, int flags), (fd, mask, flags))
REFUSED(int, timerfd_create, (clockid_t id, int flags), (id, flags))
REFUSED(pid_t, waitpid, (pid_t pid, int *status, int flags), (pid, status, flags))

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	if (flags & (O_CREAT | O_TMPFILE)) {
		va_start(ap, flags);
		mode = va_arg(ap, mode_t);
		va_end(ap);
	}
	return fault("open", 1) ? -1 : NEXT(open)(path, flags, mode);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	return fault("ioctl", 1) ? -1 : NEXT(ioctl)(fd, request, arg);
}

/* perf_event_open() */
long syscall(long nr, ...)
{
	long a[5];
	va_list ap;
	int i;

	va_start(ap, nr);
	for (i = 0; i < 5; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	return fault("syscall", 1) ? -1 : NEXT(syscall)(nr, a[0], a[1], a[2], a[3], a[4]);
}
