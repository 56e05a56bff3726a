/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LD_PRELOAD: a kernel that defers callchains and takes unwind tables, as far as perf record can
 * see. The bits of deferral are taken out of perf_event_attr in front of the real kernel. Each
 * table that is registered is a line "PATH BYTES INODE" in the file that TABLES_LOG names, "[vdso] BYTES 0"
 * for that of the vDSO; TABLES_REFUSE=ENOSPC or EFBIG refuses them all. The sysctl that such a kernel
 * has is there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <linux/unwind_table.h>

#define DEFER_BITS (3ULL << 38)

long syscall(long nr, ...)
{
	long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	unsigned long long flags;
	long a[6];
	va_list ap;
	int i;

	va_start(ap, nr);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (nr == SYS_perf_event_open) {
		char attr[sizeof(struct perf_event_attr)];

		memcpy(attr, (void *)a[0], sizeof(attr));
		memcpy(&flags, attr + 40, 8);
		flags &= ~DEFER_BITS;
		memcpy(attr + 40, &flags, 8);
		return next(nr, attr, a[1], a[2], a[3], a[4]);
	}
	return next(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int access(const char *path, int mode)
{
	int (*next)(const char *, int) = (int (*)(const char *, int))dlsym(RTLD_NEXT, "access");

	return strcmp(path, "/proc/sys/kernel/unwind_table_max_kb") ? next(path, mode) : 0;
}

static int add(const struct unwind_table_add *t)
{
	const char *refuse = getenv("TABLES_REFUSE"), *log = getenv("TABLES_LOG");
	const struct unwind_table_head *head = (const void *)(unsigned long)t->addr;
	char link[64], line[4200];
	struct stat st = { .st_ino = 0 };
	ssize_t len;
	int fd;

	errno = EINVAL;
	if (t->size < sizeof(*t) || head->magic != UNWIND_TABLE_MAGIC || head->size != t->bytes)
		return -1;
	errno = refuse && !strcmp(refuse, "EFBIG") ? EFBIG : ENOSPC;
	if (refuse)
		return -1;
	len = snprintf(line, sizeof(line), "[vdso]");
	if (!(t->flags & UNWIND_TABLE_ADD_VDSO)) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", t->fd);
		len = fstat(t->fd, &st) ? -1 : readlink(link, line, 4096);
	}
	if (len < 0)
		return -1;
	len += snprintf(line + len, sizeof(line) - len, " %llu %lu\n", (unsigned long long)t->bytes, st.st_ino);
	/* One write: several threads register. */
	fd = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0 || write(fd, line, len) != len)
		return -1;
	return close(fd);
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	return request == PERF_EVENT_IOC_UNWIND_TABLE ? add(arg) : next(fd, request, arg);
}
