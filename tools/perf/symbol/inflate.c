// SPDX-License-Identifier: GPL-2.0
/*
 * Compressed ELF files: kernel modules (.gz, .xz, .zst) and the symbol tables
 * that distributions put into .gnu_debugdata (xz).
 */
#include <fcntl.h>
#include <lzma.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "symbol/inflate.h"

#define INFLATE_MAX (512u << 20)

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

/* Where the output goes: doubled until INFLATE_MAX. */
struct sink {
	u8 *buf;
	size_t nr, cap;
};

static bool sink_room(struct sink *s)
{
	if (s->nr < s->cap)
		return true;
	if (s->cap >= INFLATE_MAX)
		return false;
	s->cap = s->cap ? 2 * s->cap : 1 << 20;
	s->buf = xrealloc(s->buf, s->cap);
	return true;
}

static int inflate_gz(const void *in, size_t size, struct sink *s)
{
	z_stream z = { .next_in = (void *)in };
	int err = -EBADMSG, ret;

	z.avail_in = min(size, (size_t)UINT32_MAX);
	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return -ENOMEM;
	do {
		if (!sink_room(s)) {
			err = -EFBIG;
			break;
		}
		z.next_out = s->buf + s->nr;
		z.avail_out = s->cap - s->nr;
		ret = inflate(&z, Z_NO_FLUSH);
		s->nr = s->cap - z.avail_out;
		if (ret == Z_STREAM_END)
			err = 0;
	} while (ret == Z_OK);
	inflateEnd(&z);
	return err;
}

static int inflate_xz(const void *in, size_t size, struct sink *s)
{
	lzma_stream z = LZMA_STREAM_INIT;
	int err = -EBADMSG;
	lzma_ret ret;

	if (lzma_stream_decoder(&z, 256u << 20, LZMA_CONCATENATED) != LZMA_OK)
		return -ENOMEM;
	z.next_in = in;
	z.avail_in = size;
	do {
		if (!sink_room(s)) {
			err = -EFBIG;
			break;
		}
		z.next_out = s->buf + s->nr;
		z.avail_out = s->cap - s->nr;
		ret = lzma_code(&z, LZMA_FINISH);
		s->nr = s->cap - z.avail_out;
		if (ret == LZMA_STREAM_END)
			err = 0;
	} while (ret == LZMA_OK);
	lzma_end(&z);
	return err;
}

static int inflate_zst(const void *in, size_t size, struct sink *s)
{
	ZSTD_inBuffer src = { in, size, 0 };
	ZSTD_DStream *z = ZSTD_createDStream();
	int err = -EBADMSG;
	size_t ret, before;

	if (!z)
		return -ENOMEM;
	do {
		ZSTD_outBuffer dst;

		if (!sink_room(s)) {
			err = -EFBIG;
			break;
		}
		before = src.pos;
		dst = (ZSTD_outBuffer){ s->buf + s->nr, s->cap - s->nr, 0 };
		ret = ZSTD_decompressStream(z, &dst, &src);
		s->nr += dst.pos;
		if (!ret && src.pos == src.size)
			err = 0;
		if (ZSTD_isError(ret) || (before == src.pos && !dst.pos))
			break;
	} while (err);
	ZSTD_freeDStream(z);
	return err;
}

int inflate_memory(enum inflate_kind kind, const void *in, size_t in_size, void **out,
		   size_t *out_size)
{
	struct sink s = { 0 };
	int err = -EINVAL;

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
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	void *in;
	int err;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || !st.st_size || st.st_size > INFLATE_MAX)
		return -EINVAL;
	in = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (in == MAP_FAILED)
		return -errno;
	err = inflate_memory(inflate_kind(path), in, st.st_size, out, out_size);
	munmap(in, st.st_size);
	return err;
}
