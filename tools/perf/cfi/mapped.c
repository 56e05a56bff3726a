// SPDX-License-Identifier: GPL-2.0
/*
 * From a mapping to its file. A name alone may lead to another file, or depend on the process;
 * the ways are tried from the most to the least reliable. A table always describes the opened
 * file, so that a wrong file does no harm.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/io.h"
#include "cfi/mapped.h"

#define PATH_SIZE 4400

/* Return: a descriptor; -ENOENT for a file that is not the mapped one. */
static int open_checked(const char *path, u64 inode, struct stat *st)
{
	int fd = open_regular(path, 0, st);

	if (fd < 0 || !inode || st->st_ino == inode)
		return fd;
	close(fd);
	return -ENOENT;
}

int mapped_open(const struct mapped *m, struct stat *st)
{
	char path[PATH_SIZE];
	int fd, err = -ENOENT;

	if (m->pid && m->end) {
		snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", m->pid, m->start, m->end);
		fd = open_checked(path, 0, st);
		if (fd >= 0)
			return fd;
	}
	if (m->pid) {
		snprintf(path, sizeof(path), "/proc/%d/root%s", m->pid, m->path);
		fd = open_checked(path, m->inode, st);
		if (fd >= 0)
			return fd;
		err = fd;
		/* The program itself, replaced or deleted. */
		snprintf(path, sizeof(path), "/proc/%d/exe", m->pid);
		fd = m->inode ? open_checked(path, m->inode, st) : -ENOENT;
		if (fd >= 0)
			return fd;
	}
	fd = open_checked(m->path, m->inode, st);
	return fd >= 0 || fd != -ENOENT ? fd : err;
}

bool mapped_stat(pid_t pid, const char *path, struct stat *st)
{
	char full[PATH_SIZE];

	snprintf(full, sizeof(full), "/proc/%d/root%s", pid, path);
	return !stat(full, st) || !stat(path, st);
}
