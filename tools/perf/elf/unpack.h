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
 * @elf: the file
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

#endif /* PERF_ELF_UNPACK_H */
