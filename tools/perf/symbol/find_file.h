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

/**
 * find_file_path() - a path below --symfs
 * @f: the dso, which owns the result
 * @fmt: printf format of the path
 */
char *find_file_path(struct dso_file *f, const char *fmt, ...) __printf(2, 3);

/*
 * find_file_below - a path below a folder, as if that were the root. Return: a path from here, to
 * be freed: "" if a link leads out of the folder, and there is no such file in it.
 */
char *find_file_below(const char *fs, const char *path);

/**
 * find_file_open() - open a file unless its build id differs
 * @path: from find_file_path(); compressed files are decompressed
 * @ef: set to the open file
 *
 * If the file or the recording has no build id, the name alone decides. A recording can have any
 * number of names of one file, each with its own copy of the symbols: only 16 names of a file are
 * opened.
 *
 * Context: the dso's lock is held; takes the table's.
 */
enum find_file_result find_file_open(struct dso_file *f, const char *path, struct elf_file *ef);

/* find_file_is_newer - was the file changed after the recording? */
bool find_file_is_newer(const struct symbol_config *c, const struct stat *st);

/**
 * find_file_check() - open a file unless it is known not to be the recorded one
 * @path: from find_file_path()
 * @other_path: @path is the former path of a removed file: only the recorded inode is accepted
 * @fd: set to a descriptor if the file is accepted
 *
 * For files without a build-id. The inode and the time of the last change decide: perf-report(1),
 * "CHANGED FILES".
 */
enum find_file_result find_file_check(struct dso_file *f, const char *path, bool other_path, int *fd);

/**
 * find_file_hold() - pass ownership of a descriptor to the dso
 * @fd: the descriptor; closed if there are too many
 *
 * Return: a path that opens the same file, also in other processes; owned by the dso. NULL: too
 * many descriptors.
 */
char *find_file_hold(struct dso_file *f, int fd);

/* find_file_drop - close the descriptor */
void find_file_drop(struct dso_file *f);

/**
 * inner_open() - copy an ELF file out of an archive, and open the copy
 * @f: the dso, with a base
 * @ef: set to the open file
 * @path: set to a path that opens it, as long as the dso lives
 */
enum find_file_result inner_open(struct dso_file *f, struct elf_file *ef, char **path);

/**
 * running_open() - find a file that a running process of the recording has mapped
 * @ef: set to the open file
 * @path: set to a path that opens it, as long as the dso lives
 *
 * The file is identified by its build-id, or by its inode.
 * Return: FIND_FILE_TAKEN, _ABSENT, or _NOT_PERMITTED: it may be mapped, but this user may not read
 * it.
 */
enum find_file_result running_open(struct dso_file *f, struct elf_file *ef, char **path);

/*
 * running_source - as running_open(), for any file, identified by its inode. Return: a descriptor,
 * or -ENOENT.
 */
int running_source(struct dso_file *f);

/* running_destroy - free the index of mapped files; NULL is fine */
void running_destroy(struct running *r);

/**
 * find_file_cached() - the path of a file in perf's build-id cache
 * @size: its size in bytes
 * @what: "elf", "debug", "vdso", "kallsyms"
 *
 * Return: the path; the file may not exist.
 */
char *find_file_cached(struct dso_file *f, const u8 *id, u8 size, const char *what);

/**
 * find_file_debug() - find the file that has .symtab and debug information
 * @run: the program; its elf is NULL if it was not found
 * @ef: set to the open file
 *
 * The search is by build id, by the program's .gnu_debuglink and by name, in the directories of the
 * system and of perf; finally by debuginfod.
 * Return: its path, or NULL.
 */
char *find_file_debug(struct dso_file *f, struct elf_file *run, struct elf_file *ef);

/**
 * modules_find() - the file of a module
 * @f: the module's dso, its lock held; it owns the result
 * @name: "[ext4]"; '-' and '_' are equal
 *
 * Return: a path by modules.dep of the recorded kernel, below --symfs, or NULL.
 */
char *modules_find(struct dso_file *f, const char *name);

/**
 * find_file_debuginfod() - ask the servers of DEBUGINFOD_URLS, unless symbol_config.local
 * @size: its size in bytes
 * @executable: true: the program; false: its debug information
 *
 * Return: path of the local copy, or NULL. May block on the network.
 */
char *find_file_debuginfod(struct dso_file *f, const u8 *id, u8 size, bool executable);

#endif /* PERF_SYMBOL_FIND_FILE_H */
