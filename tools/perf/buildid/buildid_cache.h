/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf's cache of files by build-id, which other perfs share. Its layout is mainline's; DIR is ~/.debug:
 *
 *	DIR/usr/bin/ls/93ac61ec.../elf			the file that was at /usr/bin/ls
 *	DIR/[kernel.kallsyms]/abf9ec0e.../kallsyms	a kernel's symbols
 *	DIR/.build-id/93/ac61ec... -> ../../usr/bin/ls/93ac61ec...
 *
 * A build-id is given in hexadecimal digits. No link is followed below DIR but that of .build-id. A file appears whole,
 * by rename: any number of perfs use the cache at once.
 */
#ifndef PERF_BUILDID_BUILDID_CACHE_H
#define PERF_BUILDID_BUILDID_CACHE_H

#include "base/types.h"

#define BUILDID_HEX	129		/* digits of 64 bytes, and a NUL */

struct buildid_cache {
	int fd;				/* of DIR; -1: not open */
	char *dir;
};

/**
 * buildid_cache_dir() - where the cache is
 *
 * Return: $PERF_BUILDID_DIR, the setting buildid.dir, or ~/.debug; to be freed. NULL: there is no home.
 */
char *buildid_cache_dir(void);

/**
 * buildid_cache_open() - open the cache
 * @c: the cache; buildid_cache_close() it in any case
 * @dir: its folder; NULL: buildid_cache_dir()
 * @create: make the folder if it is absent, for this user alone
 *
 * Return: 0 or -errno.
 */
int buildid_cache_open(struct buildid_cache *c, const char *dir, bool create);
void buildid_cache_close(struct buildid_cache *c);

/* buildid_is_hex - can this be a build-id: an even number of hexadecimal digits, 4 at least? */
bool buildid_is_hex(const char *hex);

/* buildid_cache_has - is there DIR/.build-id/XX/YYYY/@what ("elf", "kallsyms", "vdso", "debug"), readable? */
bool buildid_cache_has(const struct buildid_cache *c, const char *hex, const char *what);

/* buildid_cache_has_any - any of those that symbols are read from? */
bool buildid_cache_has_any(const struct buildid_cache *c, const char *hex);

/* buildid_cache_used - it is used now: buildid_cache_trim() removes what was not used for longer first */
void buildid_cache_used(const struct buildid_cache *c, const char *hex);

/* buildid_cache_file_used - the same of the path of a file that was opened by way of .build-id */
void buildid_cache_file_used(const char *path);

/**
 * buildid_cache_folder() - the folder of a file, made if it is absent
 * @c: the cache
 * @path: the file's absolute path, or a name as [kernel.kallsyms]
 * @hex: its build-id
 *
 * Return: a descriptor or -errno.
 */
int buildid_cache_folder(const struct buildid_cache *c, const char *path, const char *hex);

/**
 * buildid_cache_link() - have the build-id lead to that folder
 * @c, @path, @hex: as buildid_cache_folder()'s; the folder has its file
 *
 * Return: 0 or -errno.
 */
int buildid_cache_link(const struct buildid_cache *c, const char *path, const char *hex);

/**
 * buildid_cache_share() - let a folder have a file without a copy of its bytes
 * @from: the file; O_PATH is enough
 * @path: its path
 * @folder: buildid_cache_folder()'s
 * @name: in the folder; no such file is there
 *
 * A clone, where the file system makes some. Else a hard link, to a file that only a package's upgrade replaces: root's, not
 * writable by others, in a folder of the system.
 * Return: 0; -EXDEV: neither can be had; or another -errno.
 */
int buildid_cache_share(int from, const char *path, int folder, const char *name);

/**
 * buildid_cache_name() - give a whole file its name
 * @folder: buildid_cache_folder()'s
 * @tmp: what it is called; gone afterwards, also when it is a hard link to the file that has the name already
 * @name: its name
 *
 * Return: 0 or -errno.
 */
int buildid_cache_name(int folder, const char *tmp, const char *name);

/**
 * buildid_cache_put() - put a file into the cache, in place of one that is there
 * @c, @file, @path, @hex, @what: as buildid_cache_add()'s
 *
 * Return: 0 or -errno; then what was there is there.
 */
int buildid_cache_put(const struct buildid_cache *c, const char *file, const char *path, const char *hex, const char *what);

/**
 * buildid_cache_add() - put a file into the cache, unless it is there
 * @c: the cache
 * @file: the file
 * @path: the path that it is to have, e.g. @file's real path
 * @hex: its build-id
 * @what: "elf", "kallsyms", "vdso"
 *
 * Return: 0; -EEXIST: it was there; or another -errno.
 */
int buildid_cache_add(const struct buildid_cache *c, const char *file, const char *path, const char *hex, const char *what);

/**
 * buildid_cache_remove() - remove a build-id with its files
 * @c: the cache
 * @hex: the build-id
 *
 * Return: 0 or -errno.
 */
int buildid_cache_remove(const struct buildid_cache *c, const char *hex);

/* A build-id of the cache. */
struct buildid_entry {
	char hex[BUILDID_HEX];
	char *path;			/* "/usr/bin/ls", "[kernel.kallsyms]" */
	u64 bytes;			/* on the disk; a hard link to a file that stands elsewhere, too, takes none */
	u64 used_ns;			/* when it was used last, since the epoch */
};

struct buildid_list {
	struct buildid_entry *v;
	u32 nr, cap;
};

/**
 * buildid_cache_list() - what is in the cache, in the order of build-ids
 * @c: the cache
 * @list: filled; buildid_list_free() it
 *
 * Return: 0 or -errno.
 */
int buildid_cache_list(const struct buildid_cache *c, struct buildid_list *list);
void buildid_list_free(struct buildid_list *list);

/**
 * buildid_cache_trim() - remove what was not used for the longest time
 * @c: the cache
 * @limit: bytes that may remain
 *
 * Return: how many build-ids were removed.
 */
u32 buildid_cache_trim(const struct buildid_cache *c, u64 limit);

#endif /* PERF_BUILDID_BUILDID_CACHE_H */
