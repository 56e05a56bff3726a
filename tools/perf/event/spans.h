/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A walk over records in several spans of memory, in which a record may begin in one and end in the
 * next.
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

/*
 * span_next - advance to the next record; @head: set to its first bytes, SPAN_HEAD at most; 8-byte
 * aligned. Return: its size; 0: no complete one is left.
 */
u16 span_next(struct span_walk *w, void *head);

/*
 * span_record - the same, contiguous: in place or, if it wraps, in @room: UINT16_MAX + 1 bytes,
 * aligned; @samples: false: of a sample that wraps only SPAN_HEAD bytes. Return: NULL: no complete
 * one is left.
 */
const struct perf_event_header *span_record(struct span_walk *w, bool samples, void *room);

/* span_whole - bytes of the complete records that end within @limit */
u64 span_whole(const struct iovec *iov, u32 nr, u64 limit);

/* span_cut - set @part, room for @nr, to bytes @from to @to of the spans. Return: their number. */
u32 span_cut(const struct iovec *iov, u32 nr, u64 from, u64 to, struct iovec *part);

/* span_bytes - the bytes of all spans */
u64 span_bytes(const struct iovec *iov, u32 nr);

#endif /* PERF_EVENT_SPANS_H */
