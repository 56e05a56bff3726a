/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the files of a dso may be.
 */
#ifndef PERF_SYMBOL_FIND_FILE_H
#define PERF_SYMBOL_FIND_FILE_H

#include "symbol/symbol_private.h"

/* Why the file that a path names was not taken. */
enum find_file_result {
	FIND_FILE_TAKEN,
	FIND_FILE_ABSENT,		/* no such file, or not to be opened */
	FIND_FILE_NOT_ELF,
	FIND_FILE_OTHER_BUILD,	/* its build id is not the recording's */
	FIND_FILE_OTHER_INODE,	/* the path led to another file when it was recorded */
	FIND_FILE_NEWER,	/* it was written to after the recording */
	FIND_FILE_DELETED,	/* removed: no path leads to it */
	FIND_FILE_NOT_PERMITTED,	/* the same; a process may have it mapped, which only root may look at */
};

/**
 * find_file_path() - a path below --symfs
 * @f: the dso; the result lives as long as it
 * @fmt: printf format of the path
 */
char *find_file_path(struct dso_file *f, const char *fmt, ...) __printf(2, 3);

/* find_file_join - "DIR/NAME"; lives as long as the dso */
char *find_file_join(struct dso_file *f, const char *dir, const char *name);

/**
 * find_file_open() - open a file if it is the recorded one
 * @f: the dso
 * @path: from find_file_path(); compressed files are decompressed
 * @ef: where to
 *
 * A file without a build id, or a recording without one, goes by its name alone.
 * A recording can name one file in any number of ways, and each would need memory
 * for all of its symbols: 16 of them get it.
 *
 * Context: the dso's lock is held; takes the table's.
 */
enum find_file_result find_file_open(struct dso_file *f, const char *path, struct elf_file *ef);

/* find_file_may_open - does its file system answer? symbol_config.may_open */
static inline bool find_file_may_open(const struct dso_file *f, const char *path)
{
	const struct symbol_config *c = &f->table->cfg;

	return !c->may_open || c->may_open(c->may_open_ctx, path);
}

/**
 * find_file_check() - open a file unless it is certain that it is not the recorded one
 * @f: the dso
 * @path: from find_file_path()
 * @other_path: this is the path that a removed file had: only the same inode is that file
 * @fd: set to a descriptor, if it is taken
 *
 * For files without a build-id. The inode decides, and the time of the last change: perf-report(1),
 * "CHANGED FILES".
 */
enum find_file_result find_file_check(struct dso_file *f, const char *path, bool other_path, int *fd);

/**
 * find_file_hold() - let the dso own a descriptor
 * @f: the dso
 * @fd: the descriptor; closed if there are too many
 *
 * Return: a path that opens the same file, for other processes, too; lives as long as the dso. NULL: too many.
 */
char *find_file_hold(struct dso_file *f, int fd);

/* find_file_drop - close the descriptor */
void find_file_drop(struct dso_file *f);

/**
 * inner_open() - copy the ELF file of an archive, and open the copy
 * @f: the dso, with a base
 * @ef: where to
 * @path: set to a path that opens it, as long as the dso lives
 */
enum find_file_result inner_open(struct dso_file *f, struct elf_file *ef, char **path);

/**
 * running_open() - find a file that a running process of the recording has mapped
 * @f: the dso
 * @ef: where to
 * @path: set to a path that opens it, as long as the dso lives
 *
 * It is recognized by its build-id, or by its inode.
 * Return: FIND_FILE_TAKEN, _ABSENT, or _NOT_PERMITTED: it is there, but not for this user.
 */
enum find_file_result running_open(struct dso_file *f, struct elf_file *ef, char **path);

/**
 * running_source() - the same for any file, identified by its inode
 *
 * Return: a descriptor, or -ENOENT.
 */
int running_source(struct dso_file *f);

/* running_destroy - free the index of mapped files; NULL is fine */
void running_destroy(struct running *r);

/**
 * find_file_cached() - look into perf's build-id cache
 * @f: the dso
 * @id: the build id
 * @size: its bytes
 * @what: "elf", "debug", "vdso", "kallsyms"
 *
 * Return: the path; whether there is such a file is for the caller to find.
 */
char *find_file_cached(struct dso_file *f, const u8 *id, u8 size, const char *what);

/**
 * find_file_debug() - find the file that has .symtab and debug information
 * @f: the dso
 * @run: the program itself; elf NULL: it was not found
 * @ef: where to
 *
 * By build id, by the program's .gnu_debuglink, and by name, below the system's and
 * perf's directories, at last by debuginfod.
 * Return: its path, or NULL.
 */
char *find_file_debug(struct dso_file *f, struct elf_file *run, struct elf_file *ef);

/**
 * modules_find() - the file of a module
 * @f: the module's dso, its lock held; the result lives as long as it
 * @name: "[ext4]", where '-' is '_'
 *
 * Return: a path by modules.dep of the recorded kernel, below --symfs, or NULL.
 */
char *modules_find(struct dso_file *f, const char *name);

/* modules_destroy - free the index of modules; NULL is fine */
void modules_destroy(struct modules *m);

/**
 * find_file_debuginfod() - ask the servers of DEBUGINFOD_URLS, unless symbol_config.local
 * @f: the dso
 * @id: the build id
 * @size: its bytes
 * @executable: the program, not its debug information
 *
 * Return: path of the local copy, or NULL. Slow: the network.
 */
char *find_file_debuginfod(struct dso_file *f, const u8 *id, u8 size, bool executable);

#endif /* PERF_SYMBOL_FIND_FILE_H */
