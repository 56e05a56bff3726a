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

/* buildid_cache_dir - $PERF_BUILDID_DIR, buildid.dir, or ~/.debug, to be freed; NULL: no HOME */
char *buildid_cache_dir(void);

/*
 * buildid_cache_open - open the cache, or, @create, make it for this user only;
 * buildid_cache_close() also after an error; @dir: NULL: buildid_cache_dir(). Return: 0 or -errno.
 */
int buildid_cache_open(struct buildid_cache *c, const char *dir, bool create);
void buildid_cache_close(struct buildid_cache *c);

/* buildid_is_hex - an even number of hexadecimal digits, at least 4? */
bool buildid_is_hex(const char *hex);

/*
 * buildid_of_inode - set @id to BUILDID_OF_INODE bytes that name a file without build-id, also
 * after it is changed in place; @path: without " (deleted)"; @generation: 0: the file system has
 * none
 */
void buildid_of_inode(const char *path, u64 ino, u64 generation, u8 *id);

/* buildid_cache_has - is its @what ("elf", "kallsyms", "vdso", "debug") readable? */
bool buildid_cache_has(const struct buildid_cache *c, const char *hex, const char *what);

/* buildid_cache_has_any - does the cache have a file of a build-id with symbols? */
bool buildid_cache_has_any(const struct buildid_cache *c, const char *hex);

/* buildid_cache_used - set the time of last use, for buildid_cache_trim() */
void buildid_cache_used(const struct buildid_cache *c, const char *hex);

/* buildid_cache_file_used - the same, by the path of a file opened through .build-id */
void buildid_cache_file_used(const char *path);

/*
 * buildid_cache_folder - open the folder of a file, created if necessary; @path: absolute, or a
 * name such as [kernel.kallsyms]. Return: a descriptor or -errno.
 */
int buildid_cache_folder(const struct buildid_cache *c, const char *path, const char *hex);

/*
 * buildid_cache_target - the folder below DIR that a build-id's link leads to,
 * "usr/bin/ls/93ac61ec...", to be freed; NULL: none, or of another form
 */
char *buildid_cache_target(const struct buildid_cache *c, const char *hex);

/* buildid_cache_path_good - can a file of this path, without '/' in front, be in the cache? */
bool buildid_cache_path_good(const char *path);

/* buildid_cache_link - make the link to a folder that has the file. Return: 0 or -errno. */
int buildid_cache_link(const struct buildid_cache *c, const char *path, const char *hex);

/*
 * buildid_cache_share - add a file (O_PATH is enough) to a folder as the new @name without copying:
 * cloned, or as a hard link if only package upgrades replace it: owned by root, not writable by
 * others, without set-ID bits, in a system folder. Return: 0; -EXDEV: neither is possible; or
 * another -errno.
 */
int buildid_cache_share(int from, const char *path, int folder, const char *name);

/*
 * buildid_cache_name - rename a complete file from @tmp, which is removed even if it is a hard link
 * to an existing @name. Return: 0 or -errno.
 */
int buildid_cache_name(int folder, const char *tmp, const char *name);

/*
 * buildid_cache_put - add @file as @what ("elf", "kallsyms", "vdso") of @path, in place of an
 * existing one. Return: 0, or -errno with the cache unchanged.
 */
int buildid_cache_put(const struct buildid_cache *c, const char *file, const char *path, const char *hex, const char *what);

/* buildid_cache_add - the same, unless the cache has one: -EEXIST */
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

/* buildid_cache_list - list the cache by build-id, for buildid_list_free(). Return: 0 or -errno. */
int buildid_cache_list(const struct buildid_cache *c, struct buildid_list *list);
void buildid_list_free(struct buildid_list *list);

/* buildid_cache_trim - remove what was not used longest, down to @limit bytes. Return: how many. */
u32 buildid_cache_trim(const struct buildid_cache *c, u64 limit);

#endif /* PERF_BUILDID_BUILDID_CACHE_H */
