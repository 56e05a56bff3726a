/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cache of unwind tables, DIR/.unwind, named by build-id and layout version. Several perfs
 * may use it at once: files appear complete, by rename. A file that belongs to another user, is
 * writable for others, is truncated or has a wrong checksum is made again.
 */
#ifndef PERF_CFI_CACHE_H
#define PERF_CFI_CACHE_H

#include "base/types.h"

struct unwind_cache;

/**
 * struct unwind_image - a table as the kernel takes it
 * @data: the table
 * @size: its bytes
 * @mapped: bytes of the mapping of a file that has it, which nobody writes to; 0: @data is
 *	allocated
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
 * unwind_cache_get() - a file's table, made only if it is not there
 * @c: the cache; NULL: none, each table is made
 * @path: the file
 * @make: make it if it is not there
 * @image: set to the table, as unwind_elf_make() made it; unwind_image_free() it
 * @why: set to why there is no table, or it is incomplete, or it could not be kept; else NULL
 *
 * A file without a build id, or whose description is damaged, is not kept.
 * Return: 1: it was there; 0: it was made; -EAGAIN: neither; or another -errno: as unwind_file().
 * Context: thread-safe.
 */
int unwind_cache_get(struct unwind_cache *c, const char *path, bool make, struct unwind_image *image,
		     const char **why);

/**
 * unwind_cache_trim() - remove the least recently used tables
 * @c: the cache
 * @limit: bytes that may remain
 *
 * Return: how many tables were removed.
 */
u32 unwind_cache_trim(struct unwind_cache *c, u64 limit);

#endif /* PERF_CFI_CACHE_H */
