/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LD_PRELOAD: /proc that waits. As soon as the file $SLOW_PROC.armed exists, the next open of a file
 * /proc/PID/... by perf waits until the file $SLOW_PROC has grown by 64 kB, half a minute at most.
 * $SLOW_PROC.armed then has the line "written meanwhile" or "nothing written".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -1 : (long)st.st_size;
}

static void wait_once(void)
{
	const char *data = getenv("SLOW_PROC"), *said;
	char armed[4096];
	long before;
	int i;
	FILE *f;

	snprintf(armed, sizeof(armed), "%s.armed", data);
	if (size_of(armed))
		return;
	before = size_of(data);
	for (i = 0; i < 3000 && size_of(data) < before + (64 << 10); i++)
		usleep(10000);
	said = i < 3000 ? "written meanwhile\n" : "nothing written\n";
	f = fopen(armed, "w");
	fputs(said, f);
	fclose(f);
}

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	if (flags & (O_CREAT | O_TMPFILE)) {
		va_start(ap, flags);
		mode = va_arg(ap, int);
		va_end(ap);
	}
	if (!strncmp(path, "/proc/", 6) && path[6] >= '1' && path[6] <= '9' &&
	    !strcmp(program_invocation_short_name, "perf"))
		wait_once();
	return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open"))(path, flags, mode);
}
