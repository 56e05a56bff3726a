// SPDX-License-Identifier: GPL-2.0
/*
 * Unpacks sections in place: changes libelf's descriptors of their bytes and its copies of
 * their headers, so that libelf and libdw read the unpacked bytes, which belong to struct
 * elf_images.
 */
#include <gelf.h>

#include "base/arena.h"
#include "elf/inflate.h"
#include "elf/unpack.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

void elf_images_add(struct elf_images *images, void *image)
{
	GROW(images->v, images->nr, images->cap);
	images->v[images->nr++] = image;
}

void elf_images_free(struct elf_images *images)
{
	u32 i;

	for (i = 0; i < images->nr; i++)
		free(images->v[i]);
	free(images->v);
	*images = (struct elf_images){ 0 };
}

static void set_unpacked_header(Elf_Scn *scn, u64 size, u64 align)
{
	Elf64_Shdr *large = elf64_getshdr(scn);
	Elf32_Shdr *small = large ? NULL : elf32_getshdr(scn);

	if (large) {
		large->sh_flags &= ~(u64)SHF_COMPRESSED;
		large->sh_size = size;
		large->sh_addralign = align;
	} else if (small) {
		small->sh_flags &= ~(u32)SHF_COMPRESSED;
		small->sh_size = size;
		small->sh_addralign = align;
	}
}

static Elf_Type type_of(u32 section_type)
{
	switch (section_type) {
	case SHT_SYMTAB:
		return ELF_T_SYM;
	case SHT_SYMTAB_SHNDX:
		return ELF_T_WORD;
	}
	return ELF_T_BYTE;
}

static int unpack_zstd(Elf *elf, Elf_Scn *scn, const GElf_Chdr *ch, struct elf_images *images)
{
	size_t head = gelf_fsize(elf, ELF_T_CHDR, 1, EV_CURRENT), size;
	/* Both are asked for before one is changed: libelf makes the second of the first. */
	Elf_Data *raw = elf_rawdata(scn, NULL), *cooked = elf_getdata(scn, NULL), d;
	GElf_Shdr sh;
	void *bytes;
	int err;

	if (!raw || !cooked || !raw->d_buf || raw->d_size < head || !gelf_getshdr(scn, &sh))
		return -EBADMSG;
	err = inflate_memory(INFLATE_ZST, (u8 *)raw->d_buf + head, raw->d_size - head, &bytes, &size);
	if (err)
		return err;
	elf_images_add(images, bytes);
	d = (Elf_Data){ .d_buf = bytes, .d_type = type_of(sh.sh_type), .d_size = size, .d_align = ch->ch_addralign,
			.d_version = EV_CURRENT };
	if (size != ch->ch_size || !gelf_xlatetom(elf, &d, &d, elf_getident(elf, NULL)[EI_DATA]))
		return -EBADMSG;
	*cooked = *raw = d;
	set_unpacked_header(scn, size, ch->ch_addralign);
	return 0;
}

int elf_unpack(Elf *elf, Elf_Scn *scn, struct elf_images *images)
{
	GElf_Shdr sh;
	GElf_Chdr ch;

	if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS || !(sh.sh_flags & SHF_COMPRESSED))
		return 0;
	if (!gelf_getchdr(scn, &ch))
		return -EBADMSG;
	if (ch.ch_size > INFLATE_MAX || ch.ch_size > inflate_most(sh.sh_size))
		return -EFBIG;
	if (elf_compress(scn, 0, 0) >= 0)
		return 0;
	return ch.ch_type == ELFCOMPRESS_ZSTD ? unpack_zstd(elf, scn, &ch, images) : -EBADMSG;
}

void elf_unpack_zstd(Elf *elf, struct elf_images *images)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Chdr ch;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type != SHT_NOBITS && (sh.sh_flags & SHF_COMPRESSED) &&
		    gelf_getchdr(scn, &ch) && ch.ch_type == ELFCOMPRESS_ZSTD)
			elf_unpack(elf, scn, images);
}
