/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cache of unwind tables, DIR/.unwind, named by a digest of what they are made from, and by
 * layout version; a second name is made of the file's inode and times. Several perfs may use it at
 * once: files appear complete, by rename. A file that belongs to another user, is writable for
 * others, is damaged or truncated is made again.
 */
#ifndef PERF_CFI_CACHE_H
#define PERF_CFI_CACHE_H

#include "base/types.h"
#include "cfi/elf.h"

struct stat;
struct statfs;
struct unwind_cache;

/*
 * struct unwind_image - a table as the kernel takes it; @mapped: bytes of the mapping of a file
 * that has it, which nobody writes to; 0: @data is allocated
 */
struct unwind_image {
	void *data;
	size_t size;
	size_t mapped;
};

void unwind_image_free(struct unwind_image *image);

/**
 * unwind_cache_open() - use the cache below perf's cache folder
 * @dir: the folder, e.g. ~/.debug; made if it is absent
 * @cache: where to
 *
 * Return: 0; -errno when there can be no cache: -EPERM when DIR/.unwind is another user's, or
 * can be written by others.
 */
int unwind_cache_open(const char *dir, struct unwind_cache **cache);
void unwind_cache_close(struct unwind_cache *c);

/**
 * unwind_cache_load() - a table, if it is there
 * @c: the cache
 * @key: of the file: unwind_elf_key(), or unwind_cache_alias()
 * @check: check it in full; false: the kernel will, which refuses it otherwise
 * @image: set to the table; unwind_image_free() it
 */
bool unwind_cache_load(struct unwind_cache *c, const char *key, bool check,
		       struct unwind_image *image);

/* unwind_cache_save - add a table. Return: false: it is not there, errno says why */
bool unwind_cache_save(struct unwind_cache *c, const char *key, const void *data, size_t size);

/**
 * unwind_cache_alias() - the second name of a table: of a file that is found without reading it
 * @c: the cache
 * @st: the file's; ours or root's, and not writable for others
 * @fs: its file system
 * @alias: set to the name, a key; empty: none
 *
 * Return: false: another user could change the file unseen, made its file system (those that users
 * may mount are nosuid), or runs it.
 */
bool unwind_cache_alias(const struct unwind_cache *c, const struct stat *st,
			const struct statfs *fs, char alias[UNWIND_ELF_KEY]);

/* unwind_cache_link - give the table @key its second name; empty: nothing is done */
void unwind_cache_link(struct unwind_cache *c, const char *key, const char *alias);

/**
 * unwind_cache_get() - a file's table, made only if it is not there
 * @image: set to the table, as unwind_elf_make() made it; unwind_image_free() it
 * @why: set to why there is no table, or it is incomplete, or it could not be kept; else NULL
 *
 * A table of a file whose description is damaged is not kept.
 * Return: 1: it was there; 0: it was made; or -errno: as unwind_file().
 * Context: thread-safe.
 */
int unwind_cache_get(struct unwind_cache *c, const char *path, struct unwind_image *image,
		     const char **why);

/*
 * unwind_cache_trim - remove the least recently used tables; @limit: bytes that may remain. Return:
 * how many tables were removed.
 */
u32 unwind_cache_trim(struct unwind_cache *c, u64 limit);

#endif /* PERF_CFI_CACHE_H */
