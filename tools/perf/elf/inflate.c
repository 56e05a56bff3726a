// SPDX-License-Identifier: GPL-2.0
/*
 * Compressed ELF files: kernel modules (.gz, .xz, .zst) and the symbol tables
 * that distributions put into .gnu_debugdata (xz).
 */
#include <lzma.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "elf/inflate.h"

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
	in = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (in == MAP_FAILED)
		return -errno;
	err = inflate_memory(inflate_kind(path), in, st.st_size, out, out_size);
	munmap(in, st.st_size);
	return err;
}
