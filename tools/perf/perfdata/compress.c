// SPDX-License-Identifier: GPL-2.0
/*
 * The records of a file as one zstd stream (-z), in COMPRESSED records; each is flushed, for a
 * reader to unpack at once. A compressor owns the stream's state alone.
 */
#include <zstd.h>
#include <zstd_errors.h>

#include "base/arena.h"
#include "base/diag.h"
#include "event/abi.h"
#include "perfdata/writer.h"

struct compressor {
	ZSTD_CStream *stream;
	int level;
};

struct compressor *compressor_create(int level)
{
	struct compressor *c = xcalloc(1, sizeof(*c));

	c->stream = ZSTD_createCStream();
	c->level = level;
	if (!c->stream) {
		free(c);
		return NULL;
	}
	compressor_reset(c);
	return c;
}

void compressor_reset(struct compressor *c)
{
	ZSTD_CCtx_reset(c->stream, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(c->stream, ZSTD_c_compressionLevel, c->level);
}

void compressor_free(struct compressor *c)
{
	if (c)
		ZSTD_freeCStream(c->stream);
	free(c);
}

/* A record's size has 16 bits; incompressible data may grow, so only half of it is used. */
#define CHUNK	32768

int compressor_spans(struct compressor *c, const struct iovec *iov, u32 nr, u64 limit, struct outbuf *out)
{
	u32 i;

	limit = min(limit, (u64)CHUNK);
	for (i = 0; i < nr; i++) {
		size_t done = 0;

		while (done < iov[i].iov_len) {
			struct perf_event_header h = { .type = REC_COMPRESSED };
			size_t n = min((u64)(iov[i].iov_len - done), limit);
			size_t at = outbuf_len(out), left;
			ZSTD_inBuffer in = { (char *)iov[i].iov_base + done, n, 0 };
			ZSTD_outBuffer o;

			outbuf_write(out, &h, sizeof(h));
			o = (ZSTD_outBuffer){ outbuf_reserve(out, UINT16_MAX - 8), UINT16_MAX - 8, 0 };
			do {
				left = ZSTD_compressStream2(c->stream, &o, &in, ZSTD_e_flush);
			} while (!ZSTD_isError(left) && left && o.pos < o.size);
			/* Errors but lack of memory are bugs of this code. */
			if (ZSTD_isError(left)) {
				diag_info(1, "compression failed: %s", ZSTD_getErrorName(left));
				return ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation ?
				       -ENOMEM : -EIO;
			}
			out->pos += o.pos;
			/* Its header may be unaligned. */
			h.size = sizeof(h) + o.pos;
			memcpy(out->base + at, &h, sizeof(h));
			done += n;
		}
	}
	return 0;
}
