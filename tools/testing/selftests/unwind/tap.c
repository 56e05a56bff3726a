// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event.h"
#include "test.h"

static int nr_checks, nr_failed;

bool ok(bool cond, const char *fmt, ...)
{
	va_list ap;

	nr_checks++;
	nr_failed += !cond;
	printf("%sok %d - ", cond ? "" : "not ", nr_checks);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	return cond;
}

void diag(const char *fmt, ...)
{
	va_list ap;

	printf("# ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
}

void skip(const char *why, const char *fmt, ...)
{
	va_list ap;

	printf("ok %d - ", ++nr_checks);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf(" # SKIP %s\n", why);
	fflush(stdout);
}

void die(const char *fmt, ...)
{
	int err = errno;
	va_list ap;

	printf("not ok %d - ", ++nr_checks);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf(": %s\n1..%d\n", strerror(err), nr_checks);
	fflush(stdout);
	_exit(1);
}

int test_plan(void)
{
	printf("1..%d\n", nr_checks);
	fflush(stdout);
	return nr_failed != 0;
}

void test_end(bool failed)
{
	_exit(test_plan() || failed);
}

long read_long(const char *path)
{
	char buf[64];
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return -1;
	buf[n] = '\0';
	return strtol(buf, NULL, 0);
}

unsigned long long kernel_symbol(const char *name)
{
	char line[512], found[256], type;
	unsigned long long addr, at = 0;
	FILE *f = fopen("/proc/kallsyms", "r");

	if (!f)
		die("/proc/kallsyms");
	while (!at && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %c %255s", &addr, &type, found) == 3 && !strcmp(found, name))
			at = addr;
	fclose(f);
	return at;
}

bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_APPEND);
	ssize_t n;
	int err;

	if (fd < 0)
		return false;
	n = write(fd, text, strlen(text));
	err = errno;
	close(fd);
	errno = err;
	return n == (ssize_t)strlen(text);
}

int defer_inline(void)
{
	return read_long("/proc/sys/kernel/perf_event_defer_inline");
}

bool have_defer(void)
{
	struct perf_event_attr attr;
	int fd;

	attr_dummy(&attr);
	attr_flag(&attr, DEFER_CALLCHAIN);
	fd = event_open(&attr, 0, -1);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}
