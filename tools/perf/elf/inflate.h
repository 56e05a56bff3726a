/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_ELF_INFLATE_H
#define PERF_ELF_INFLATE_H

#include "base/types.h"

#define INFLATE_MAX (512u << 20)		/* bytes that anything unpacks to */

/*
 * inflate_most - to how many bytes so many may unpack. ELF files and debug information pack to a fifth or a tenth, small
 * pieces of zeroes only to less: a file that packs better was made to fill memory.
 */
static inline u64 inflate_most(u64 packed)
{
	return 64 * packed + (1 << 20);
}

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
 * Return: 0, -EBADMSG when the data is damaged, -EFBIG when it grows past 512 MiB or inflate_most().
 */
int inflate_memory(enum inflate_kind kind, const void *in, size_t in_size, void **out,
		   size_t *out_size);

/* inflate_file - the same for a whole file; -errno when it cannot be read */
int inflate_file(const char *path, void **out, size_t *out_size);

#endif /* PERF_ELF_INFLATE_H */
