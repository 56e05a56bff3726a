/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_SYMBOL_INFLATE_H
#define PERF_SYMBOL_INFLATE_H

#include "base/types.h"

enum inflate_kind { INFLATE_NONE, INFLATE_GZ, INFLATE_XZ, INFLATE_ZST };

/* inflate_kind - how a file is compressed, by the end of its name */
enum inflate_kind inflate_kind(const char *path);

/**
 * inflate_memory() - decompress
 * @kind: how
 * @in: compressed bytes
 * @in_size: how many
 * @out: set to malloc()ed memory
 * @out_size: its size
 *
 * Return: 0, -EBADMSG when the data is damaged, -EFBIG when it grows past 512 MiB, or past 64
 * times its size and 1 MiB.
 */
int inflate_memory(enum inflate_kind kind, const void *in, size_t in_size, void **out,
		   size_t *out_size);

/* inflate_file - the same for a whole file; -errno when it cannot be read */
int inflate_file(const char *path, void **out, size_t *out_size);

#endif /* PERF_SYMBOL_INFLATE_H */
