/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A walk over records in several spans of memory, as in a kernel buffer that wraps: a record
 * may begin in one span and end in the next.
 */
#ifndef PERF_EVENT_SPANS_H
#define PERF_EVENT_SPANS_H

#include <sys/uio.h>

#include "event/abi.h"

/* Bytes copied of each record: enough for its header, ids and time. */
#define SPAN_HEAD 64

struct span_walk {
	const struct iovec *iov;
	u32 nr;
	u32 span;		/* the current record starts in this span, */
	size_t offset;		/* at this offset */
	u64 at;			/* bytes before the current record */
};

/**
 * span_next() - advance to the next record
 * @w: initialise iov and nr; all else 0
 * @head: the record's first bytes, as many as it has up to SPAN_HEAD; 8-byte aligned
 *
 * Return: its size in bytes; 0 if no complete record is left.
 */
u16 span_next(struct span_walk *w, void *head);

/**
 * span_record() - advance to the next record, contiguous in memory
 * @w: as for span_next()
 * @samples: true: whole samples; false: of a sample that wraps only the first SPAN_HEAD bytes
 * @room: UINT16_MAX + 1 bytes, 8-byte aligned, for a record that wraps
 *
 * Return: the record, in its span or in @room; NULL if no complete record is left.
 */
const struct perf_event_header *span_record(struct span_walk *w, bool samples, void *room);

/**
 * span_whole() - the size of all complete records
 * @iov: spans that begin with a record
 * @limit: maximum number of bytes
 *
 * Return: the end of the last record that ends within @limit, in bytes.
 */
u64 span_whole(const struct iovec *iov, u32 nr, u64 limit);

/**
 * span_cut() - a part of the spans
 * @from: bytes before the part
 * @to: bytes up to its end
 * @part: room for @nr spans
 *
 * Return: the number of spans in @part.
 */
u32 span_cut(const struct iovec *iov, u32 nr, u64 from, u64 to, struct iovec *part);

/* span_bytes - the bytes of all spans */
u64 span_bytes(const struct iovec *iov, u32 nr);

#endif /* PERF_EVENT_SPANS_H */
