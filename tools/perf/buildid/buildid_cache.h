/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf's cache of files by build-id, shared with other versions of perf. Its layout is mainline's;
 * DIR is ~/.debug:
 *
 *	DIR/usr/bin/ls/93ac61ec.../elf			a file recorded as /usr/bin/ls
 *	DIR/[kernel.kallsyms]/abf9ec0e.../kallsyms	a kernel's symbols
 *	DIR/.build-id/93/ac61ec... -> ../../usr/bin/ls/93ac61ec...
 *
 * A file without build-id has a name of its path and inode, as long as one (buildid_of_inode()).
 * A build-id is given in hexadecimal digits. Below DIR only the links in .build-id are followed.
 * Files are added by rename(), so that several processes can use the cache concurrently.
 */
#ifndef PERF_BUILDID_BUILDID_CACHE_H
#define PERF_BUILDID_BUILDID_CACHE_H

#include "base/types.h"

#define BUILDID_HEX	129		/* digits of 64 bytes, and a NUL */
#define BUILDID_OF_INODE 20		/* bytes of buildid_of_inode() */

struct buildid_cache {
	int fd;				/* of DIR; -1: not open */
	char *dir;
};

/*
 * buildid_cache_dir - the path of the cache. Return: $PERF_BUILDID_DIR, the setting buildid.dir, or
 * ~/.debug; to be freed. NULL: HOME is not set.
 */
char *buildid_cache_dir(void);

/**
 * buildid_cache_open() - open the cache
 * @c: the cache; call buildid_cache_close() also after an error
 * @dir: its folder; NULL: buildid_cache_dir()
 * @create: create the folder if it does not exist, accessible by this user only
 *
 * Return: 0 or -errno.
 */
int buildid_cache_open(struct buildid_cache *c, const char *dir, bool create);
void buildid_cache_close(struct buildid_cache *c);

/*
 * buildid_is_hex - is this a possible build-id: an even number of hexadecimal digits, at least 4?
 */
bool buildid_is_hex(const char *hex);

/**
 * buildid_of_inode() - a name for a file without build-id
 * @path: its path, without " (deleted)"
 * @generation: of its inode; 0: the file system has none
 * @id: set to BUILDID_OF_INODE bytes. A file that is changed in place keeps them.
 */
void buildid_of_inode(const char *path, u64 ino, u64 generation, u8 *id);

/*
 * buildid_cache_has - does DIR/.build-id/XX/YYYY/@what ("elf", "kallsyms", "vdso", "debug") exist
 * and is readable?
 */
bool buildid_cache_has(const struct buildid_cache *c, const char *hex, const char *what);

/* buildid_cache_has_any - does the cache have a file of a build-id with symbols? */
bool buildid_cache_has_any(const struct buildid_cache *c, const char *hex);

/* buildid_cache_used - set the time of last use, for buildid_cache_trim() */
void buildid_cache_used(const struct buildid_cache *c, const char *hex);

/*
 * buildid_cache_file_used - as buildid_cache_used(), by the path of a file opened through .build-id
 */
void buildid_cache_file_used(const char *path);

/*
 * buildid_cache_folder - open the folder of a file, created if necessary; @path: the file's
 * absolute path, or a name such as [kernel.kallsyms]. Return: a descriptor or -errno.
 */
int buildid_cache_folder(const struct buildid_cache *c, const char *path, const char *hex);

/*
 * buildid_cache_target - where a build-id's link leads. Return: the folder's name below DIR,
 * "usr/bin/ls/93ac61ec...", to be freed; NULL: there is no link, or it has another form.
 */
char *buildid_cache_target(const struct buildid_cache *c, const char *hex);

/* buildid_cache_path_good - can a file of this path, without '/' in front, be in the cache? */
bool buildid_cache_path_good(const char *path);

/*
 * buildid_cache_link - make the link from the build-id to the folder; @c, @path, @hex: as for
 * buildid_cache_folder(); the folder contains the file. Return: 0 or -errno.
 */
int buildid_cache_link(const struct buildid_cache *c, const char *path, const char *hex);

/**
 * buildid_cache_share() - add a file to a folder without copying its data
 * @from: the file; O_PATH is enough
 * @folder: from buildid_cache_folder()
 * @name: its name in the folder; must not exist
 *
 * Uses a clone, if the file system supports it. Else a hard link, if only package upgrades replace
 * the file: owned by root, not writable by others, without set-ID bits, and in a system folder.
 * Return: 0; -EXDEV: neither is possible; or another -errno.
 */
int buildid_cache_share(int from, const char *path, int folder, const char *name);

/**
 * buildid_cache_name() - rename a complete file to its final name
 * @folder: from buildid_cache_folder()
 * @tmp: its temporary name; removed, also if it is a hard link to the existing file @name
 * @name: its final name
 *
 * Return: 0 or -errno.
 */
int buildid_cache_name(int folder, const char *tmp, const char *name);

/*
 * buildid_cache_put - add a file to the cache, replacing an existing one; @c, @file, @path, @hex,
 * @what: as for buildid_cache_add(). Return: 0, or -errno with the cache unchanged.
 */
int buildid_cache_put(const struct buildid_cache *c, const char *file, const char *path, const char *hex, const char *what);

/**
 * buildid_cache_add() - add a file to the cache, unless it exists
 * @path: its path in the cache, e.g. @file's real path
 * @what: "elf", "kallsyms", "vdso"
 *
 * Return: 0; -EEXIST: the cache has it; or another -errno.
 */
int buildid_cache_add(const struct buildid_cache *c, const char *file, const char *path, const char *hex, const char *what);

/* buildid_cache_remove - remove a build-id with its files. Return: 0 or -errno. */
int buildid_cache_remove(const struct buildid_cache *c, const char *hex);

/* A build-id of the cache. */
struct buildid_entry {
	char hex[BUILDID_HEX];
	char *path;			/* "/usr/bin/ls", "[kernel.kallsyms]" */
	u64 bytes;			/* disk space; 0 for a hard link to an outside file */
	u64 used_ns;			/* time of last use, since the epoch */
};

struct buildid_list {
	struct buildid_entry *v;
	u32 nr, cap;
};

/*
 * buildid_cache_list - list the cache, sorted by build-id; @list: set to the entries;
 * buildid_list_free() it. Return: 0 or -errno.
 */
int buildid_cache_list(const struct buildid_cache *c, struct buildid_list *list);
void buildid_list_free(struct buildid_list *list);

/*
 * buildid_cache_trim - remove the least recently used files; @limit: maximum size afterwards, in
 * bytes. Return: the number of removed build-ids.
 */
u32 buildid_cache_trim(const struct buildid_cache *c, u64 limit);

#endif /* PERF_BUILDID_BUILDID_CACHE_H */
