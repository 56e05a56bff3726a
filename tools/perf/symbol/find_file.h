/* SPDX-License-Identifier: GPL-2.0 */
/* Search for the files of a dso. */
#ifndef PERF_SYMBOL_FIND_FILE_H
#define PERF_SYMBOL_FIND_FILE_H

#include <sys/stat.h>

#include "symbol/symbol_private.h"

/* Why the file at a path was not accepted. */
enum find_file_result {
	FIND_FILE_TAKEN,
	FIND_FILE_ABSENT,		/* no such file, or it cannot be opened */
	FIND_FILE_NOT_ELF,
	FIND_FILE_OTHER_BUILD,	/* it has another build id than the recorded file */
	FIND_FILE_OTHER_INODE,	/* its inode differs from the recorded one */
	FIND_FILE_NEWER,	/* it was changed after the recording */
	FIND_FILE_DELETED,	/* removed: it has no path */
	FIND_FILE_NOT_PERMITTED,	/* removed; only root may look for a process that maps it */
};

/* find_file_path - a path below --symfs, owned by the dso */
char *find_file_path(struct dso_file *f, const char *fmt, ...) __printf(2, 3);

/* find_file_below - a path below a root, to be freed; "" if a link leads out of it */
char *find_file_below(const char *fs, const char *path);

/*
 * find_file_open - open a file, decompressed if necessary, unless its build-id differs; without one
 * on either side the name decides; @path: from find_file_path(); @ef: set to it. Context: the lock
 * of @f is held.
 */
enum find_file_result find_file_open(struct dso_file *f, const char *path, struct elf_file *ef);

/* find_file_is_newer - was the file changed after the recording? */
bool find_file_is_newer(const struct symbol_config *c, const struct stat *st);

/*
 * find_file_check - open a file without build-id unless inode or time of the last change tell
 * another one: perf-report(1), "CHANGED FILES"; @other_path: the former path of a removed file:
 * only the recorded inode is accepted; @fd: set if it is accepted
 */
enum find_file_result find_file_check(struct dso_file *f, const char *path, bool other_path, int *fd);

/*
 * find_file_hold - give a descriptor to the dso. Return: a path that opens the file, also in other
 * processes; NULL: too many descriptors, it is closed.
 */
char *find_file_hold(struct dso_file *f, int fd);

/* find_file_drop - close the descriptor */
void find_file_drop(struct dso_file *f);

/*
 * inner_open - open a copy of an ELF file in an archive; @f: with a base; @path: set to a path that
 * opens it as long as the dso lives
 */
enum find_file_result inner_open(struct dso_file *f, struct elf_file *ef, char **path);

/*
 * running_open - the same, of a file that a running process of the recording has mapped, by its
 * build-id or inode. Return: FIND_FILE_TAKEN, _ABSENT, or _NOT_PERMITTED: it may be mapped, but
 * this user may not read it.
 */
enum find_file_result running_open(struct dso_file *f, struct elf_file *ef, char **path);

/* running_source - the same, of any file by its inode. Return: a descriptor, or -ENOENT. */
int running_source(struct dso_file *f);

/* running_destroy - free the index of mapped files; NULL is fine */
void running_destroy(struct running *r);

/* find_file_cached - the path that "elf", "debug", "vdso" or "kallsyms" has in the cache */
char *find_file_cached(struct dso_file *f, const u8 *id, u8 size, const char *what);

/*
 * find_file_debug - find the file with .symtab and debug information by build-id, .gnu_debuglink
 * and name in the folders of the system and of perf, and by debuginfod; @run: the program, maybe
 * without .elf; @ef: set to the open file. Return: its path, or NULL.
 */
char *find_file_debug(struct dso_file *f, struct elf_file *run, struct elf_file *ef);

/*
 * find_file_debuginfod - ask the servers of DEBUGINFOD_URLS, unless symbol_config.local, for a
 * program or its debug information; may block. Return: the path of the local copy, or NULL.
 */
char *find_file_debuginfod(struct dso_file *f, const u8 *id, u8 size, bool executable);

#endif /* PERF_SYMBOL_FIND_FILE_H */
