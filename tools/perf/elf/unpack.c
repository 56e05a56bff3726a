// SPDX-License-Identifier: GPL-2.0
/*
 * Unpacks sections in place: changes libelf's descriptors of their bytes and its copies of
 * their headers, so that libelf and libdw read the unpacked bytes, which belong to struct
 * elf_images.
 */
#include <gelf.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/io.h"
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

enum inflate_kind inflate_kind(const char *path)
{
	size_t len = strlen(path);

	if (len > 3 && !strcmp(path + len - 3, ".gz"))
		return INFLATE_GZ;
	if (len > 3 && !strcmp(path + len - 3, ".xz"))
		return INFLATE_XZ;
	if (len > 4 && !strcmp(path + len - 4, ".zst"))
		return INFLATE_ZST;
	return INFLATE_NONE;
}

/* Where the output goes: doubled until @max. */
struct sink {
	u8 *buf;
	size_t nr, cap, max;
};

static bool sink_room(struct sink *s)
{
	if (s->nr < s->cap)
		return true;
	if (s->cap == s->max)
		return false;
	s->cap = min(s->cap ? 2 * s->cap : 1 << 20, s->max);
	s->buf = xrealloc(s->buf, s->cap);
	return true;
}

/* One call of a codec: fills *@room bytes at @to and says how many it left. */
enum step { STEP_MORE, STEP_END, STEP_BAD };

static int drain(struct sink *s, enum step (*step)(void *codec, u8 *to, size_t *room), void *codec)
{
	enum step ret;

	do {
		size_t room;

		if (!sink_room(s))
			return -EFBIG;
		room = s->cap - s->nr;
		ret = step(codec, s->buf + s->nr, &room);
		s->nr = s->cap - room;
	} while (ret == STEP_MORE);
	return ret == STEP_END ? 0 : -EBADMSG;
}

static enum step step_gz(void *codec, u8 *to, size_t *room)
{
	z_stream *z = codec;
	int ret;

	z->next_out = to;
	z->avail_out = *room;
	ret = inflate(z, Z_NO_FLUSH);
	*room = z->avail_out;
	return ret == Z_OK ? STEP_MORE : ret == Z_STREAM_END ? STEP_END : STEP_BAD;
}

static int inflate_gz(const void *in, size_t size, struct sink *s)
{
	z_stream z = { .next_in = (void *)in };
	int err;

	z.avail_in = min(size, (size_t)UINT32_MAX);
	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return -ENOMEM;
	err = drain(s, step_gz, &z);
	inflateEnd(&z);
	return err;
}

static enum step step_xz(void *codec, u8 *to, size_t *room)
{
	lzma_stream *z = codec;
	lzma_ret ret;

	z->next_out = to;
	z->avail_out = *room;
	ret = lzma_code(z, LZMA_FINISH);
	*room = z->avail_out;
	return ret == LZMA_OK ? STEP_MORE : ret == LZMA_STREAM_END ? STEP_END : STEP_BAD;
}

static int inflate_xz(const void *in, size_t size, struct sink *s)
{
	lzma_stream z = LZMA_STREAM_INIT;
	int err;

	if (lzma_stream_decoder(&z, 256u << 20, LZMA_CONCATENATED) != LZMA_OK)
		return -ENOMEM;
	z.next_in = in;
	z.avail_in = size;
	err = drain(s, step_xz, &z);
	lzma_end(&z);
	return err;
}

struct zst {
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
};

static enum step step_zst(void *codec, u8 *to, size_t *room)
{
	struct zst *z = codec;
	ZSTD_outBuffer out = { to, *room, 0 };
	size_t before = z->in.pos, ret;

	ret = ZSTD_decompressStream(z->stream, &out, &z->in);
	*room -= out.pos;
	if (ZSTD_isError(ret))
		return STEP_BAD;
	if (!ret && z->in.pos == z->in.size)
		return STEP_END;
	return before == z->in.pos && !out.pos ? STEP_BAD : STEP_MORE;
}

static int inflate_zst(const void *in, size_t size, struct sink *s)
{
	struct zst z = { .stream = ZSTD_createDStream(), .in = { in, size, 0 } };
	int err;

	if (!z.stream)
		return -ENOMEM;
	err = drain(s, step_zst, &z);
	ZSTD_freeDStream(z.stream);
	return err;
}

int inflate_memory(enum inflate_kind kind, const void *in, size_t in_size, void **out,
		   size_t *out_size)
{
	struct sink s = { 0 };
	int err = -EINVAL;

	s.max = min(inflate_most(in_size), (u64)INFLATE_MAX);
	switch (kind) {
	case INFLATE_GZ:
		err = inflate_gz(in, in_size, &s);
		break;
	case INFLATE_XZ:
		err = inflate_xz(in, in_size, &s);
		break;
	case INFLATE_ZST:
		err = inflate_zst(in, in_size, &s);
		break;
	case INFLATE_NONE:
		break;
	}
	if (err) {
		free(s.buf);
		return err;
	}
	*out = s.buf;
	*out_size = s.nr;
	return 0;
}

int inflate_file(const char *path, void **out, size_t *out_size)
{
	struct stat st;
	_cleanup_close_ int fd = open_regular(path, 0, &st);
	void *in;
	int err;

	if (fd < 0)
		return fd;
	if (!st.st_size || st.st_size > INFLATE_MAX)
		return -EINVAL;
	in = io_read_part(fd, 0, st.st_size);
	if (!in)
		return -EIO;
	err = inflate_memory(inflate_kind(path), in, st.st_size, out, out_size);
	free(in);
	return err;
}
