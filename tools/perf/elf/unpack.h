/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compressed sections: zlib, which libelf unpacks, and zstd, which elfutils supports from 0.189
 * on if built with it.
 */
#ifndef PERF_ELF_UNPACK_H
#define PERF_ELF_UNPACK_H

#include <libelf.h>

#include "base/types.h"

/* Memory that a file's handle refers to, and that elf_end() does not free. */
struct elf_images {
	void **v;
	u32 nr, cap;
};

/* elf_images_add - keep memory of malloc() */
void elf_images_add(struct elf_images *images, void *image);

/* elf_images_free - free all of it, after elf_end() */
void elf_images_free(struct elf_images *images);

/**
 * elf_unpack() - have libelf see a section as it was before it was compressed
 * @scn: the section, compressed or not
 * @images: may get its bytes, which must outlive the handle
 *
 * Return: 0; -EFBIG: it unpacks to more than inflate_most(); -EBADMSG: it is damaged.
 */
int elf_unpack(Elf *elf, Elf_Scn *scn, struct elf_images *images);

/**
 * elf_unpack_zstd() - the same of all sections compressed by zstd, for libdw
 * @elf: the file, before libdw has it
 * @images: as above
 *
 * A section that cannot be unpacked stays as it is, and libdw leaves it out.
 */
void elf_unpack_zstd(Elf *elf, struct elf_images *images);

#define INFLATE_MAX (512u << 20)		/* bytes that anything unpacks to */

/*
 * inflate_most - to how many bytes so many may unpack. ELF files and debug information pack to a
 * fifth or a tenth, small pieces of zeroes only to less: a file that packs better was made to fill
 * memory.
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
 * @out: set to malloc()ed memory
 *
 * Return: 0, -EBADMSG: the data is damaged, -EFBIG: it is larger than 512 MiB or inflate_most().
 */
int inflate_memory(enum inflate_kind kind, const void *in, size_t in_size, void **out,
		   size_t *out_size);

/* inflate_file - the same for a whole file; -errno when it cannot be read */
int inflate_file(const char *path, void **out, size_t *out_size);

#endif /* PERF_ELF_UNPACK_H */
