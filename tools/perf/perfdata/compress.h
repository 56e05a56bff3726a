/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes COMPRESSED records of a zstd stream (-z).
 */
#ifndef PERF_PERFDATA_COMPRESS_H
#define PERF_PERFDATA_COMPRESS_H

#include <sys/uio.h>

#include "base/outbuf.h"

struct compressor;

/**
 * compressor_create() - create a compressor at the start of a stream
 * @level: zstd compression level
 *
 * Return: the compressor, or NULL if memory allocation failed.
 */
struct compressor *compressor_create(int level);

/**
 * compressor_free() - free a compressor
 * @c: the compressor, or NULL
 */
void compressor_free(struct compressor *c);

/**
 * compressor_spans() - compress records
 * @c: the compressor
 * @iov: spans of records
 * @nr: number of spans
 * @limit: maximum unpacked size of a COMPRESSED record, in bytes
 * @out: the COMPRESSED records are appended here
 *
 * Return: 0, or -errno, which the caller reports.
 */
int compressor_spans(struct compressor *c, const struct iovec *iov, u32 nr, u64 limit, struct outbuf *out);

/* compressor_reset - start a new stream, for a new file */
void compressor_reset(struct compressor *c);

#endif /* PERF_PERFDATA_COMPRESS_H */
