// SPDX-License-Identifier: GPL-2.0
/*
 * dpkg has a list of files for each package, one path per line, in /var/lib/dpkg/info (or
 * DPKG_ADMINDIR/info): the lists are mapped and searched one by one. A system without dpkg has
 * none. Owns nothing.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/package.h"

/* Does a file have the line @line? @line includes the newlines around it. */
static bool has_line(int dir, const char *file, const char *line, size_t len)
{
	_cleanup_close_ int fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool found;
	void *p;

	if (fd < 0 || fstat(fd, &st) || !st.st_size)
		return false;
	p = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return false;
	found = memmem(p, st.st_size, line, len);
	munmap(p, st.st_size);
	return found;
}

/* "libc6:amd64.list" -> "libc6-dbg", others "NAME-dbgsym" */
static void name_package(const char *list, char *name, size_t size)
{
	size_t len = strcspn(list, ":");

	if (!list[len])
		len -= strlen(".list");
	snprintf(name, size, "%.*s-%s", (int)len, list,
		 len == 5 && !strncmp(list, "libc6", 5) ? "dbg" : "dbgsym");
}

bool debug_package(const char *path, char *name, size_t size)
{
	const char *admin = getenv("DPKG_ADMINDIR") ?: "/var/lib/dpkg";
	char lines[2][4096];
	_cleanup_closedir_ DIR *dir = NULL;
	struct dirent *e;
	size_t len[2];
	bool found = false;
	u32 i;

	/* Packages may name files by /lib if it is a link to /usr/lib, and vice versa. */
	len[0] = snprintf(lines[0], sizeof(lines[0]), "\n%s\n", path);
	len[1] = snprintf(lines[1], sizeof(lines[1]), "\n%s%s\n", strncmp(path, "/usr/", 5) ? "/usr" : "",
			  strncmp(path, "/usr/", 5) ? path : path + 4);
	if (*path != '/' || len[0] >= sizeof(lines[0]) || len[1] >= sizeof(lines[1]))
		return false;
	snprintf(name, size, "%s/info", admin);
	dir = opendir(name);
	while (dir && !found && (e = readdir(dir))) {
		if (strlen(e->d_name) < 6 || strcmp(e->d_name + strlen(e->d_name) - 5, ".list"))
			continue;
		for (i = 0; i < 2 && !found; i++)
			found = has_line(dirfd(dir), e->d_name, lines[i], len[i]);
		if (found)
			name_package(e->d_name, name, size);
	}
	return found;
}
