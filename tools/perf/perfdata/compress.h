/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing COMPRESSED records of a zstd stream (-z).
 */
#ifndef PERF_PERFDATA_COMPRESS_H
#define PERF_PERFDATA_COMPRESS_H

#include <sys/uio.h>

#include "base/outbuf.h"

struct compressor;

/**
 * compressor_create() - make a compressor at the beginning of a stream
 * @level: of zstd
 *
 * Return: the compressor, or NULL when memory is out.
 */
struct compressor *compressor_create(int level);

/**
 * compressor_free() - free a compressor
 * @c: the compressor; NULL: none
 */
void compressor_free(struct compressor *c);

/**
 * compressor_spans() - compress records
 * @c: the compressor
 * @iov: spans
 * @nr: how many
 * @limit: most bytes that one COMPRESSED record may unpack to
 * @out: where the COMPRESSED records go
 *
 * Return: 0, or -errno, as writing gives it: the caller reports it.
 */
int compressor_spans(struct compressor *c, const struct iovec *iov, u32 nr, u64 limit, struct outbuf *out);

/* compressor_reset - begin a new stream: a new file */
void compressor_reset(struct compressor *c);

#endif /* PERF_PERFDATA_COMPRESS_H */
