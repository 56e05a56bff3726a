/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A walk over records in several spans of memory, as in a kernel buffer that wraps: a record
 * may begin in one span and end in the next.
 */
#ifndef PERF_EVENT_SPANS_H
#define PERF_EVENT_SPANS_H

#include <sys/uio.h>

#include "event/abi.h"

/* What is copied of each record: enough for its header, its ids and its time. */
#define SPAN_HEAD 64

struct span_walk {
	const struct iovec *iov;
	u32 nr;
	u32 span;		/* the record at hand begins in this one, */
	size_t offset;		/* here */
	u64 at;			/* bytes before it */
};

/**
 * span_next() - the next record, and on
 * @w: iov and nr are set, all else is 0 at the beginning
 * @head: the record's first bytes, as many as it has up to SPAN_HEAD; 8-byte aligned
 *
 * Return: its size in bytes; 0 where no whole record is left.
 */
u16 span_next(struct span_walk *w, void *head);

/**
 * span_record() - the next record in one piece, and on
 * @w: as above; the records lie at multiples of 8
 * @samples: samples are wanted whole; else the first SPAN_HEAD bytes of one that wraps do
 * @room: UINT16_MAX + 1 bytes, 8-byte aligned, for a record that wraps
 *
 * Return: the record, in its span or in @room; NULL where no whole record is left.
 */
const struct perf_event_header *span_record(struct span_walk *w, bool samples, void *room);

/**
 * span_read() - bytes of the record at hand, and behind it
 * @w: as above
 * @offset: from the record's beginning
 * @to: where to
 * @size: how many
 *
 * Return: how many there were.
 */
size_t span_read(const struct span_walk *w, size_t offset, void *to, size_t size);

/**
 * span_whole() - how many bytes of whole records there are
 * @iov: spans that begin with a record
 * @nr: how many
 * @limit: bytes to look at
 *
 * Return: where the last record ends that ends within @limit.
 */
u64 span_whole(const struct iovec *iov, u32 nr, u64 limit);

/**
 * span_cut() - a part of the spans
 * @iov: spans
 * @nr: how many
 * @from: bytes before the part
 * @to: bytes up to its end
 * @part: room for @nr spans
 *
 * Return: how many spans it has.
 */
u32 span_cut(const struct iovec *iov, u32 nr, u64 from, u64 to, struct iovec *part);

/* span_bytes - the bytes of all spans */
u64 span_bytes(const struct iovec *iov, u32 nr);

#endif /* PERF_EVENT_SPANS_H */
