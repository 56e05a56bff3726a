// SPDX-License-Identifier: GPL-2.0
/* Records in several spans, by the sizes in their headers; the walk stops at an impossible one. */
#include "event/spans.h"

/* Copy up to @size bytes from the current position. Return: the number of bytes copied. */
static size_t copy(const struct span_walk *w, void *to, size_t size)
{
	size_t done = 0, offset = w->offset, n;
	u32 i;

	for (i = w->span; i < w->nr && done < size; i++, offset = 0) {
		n = min(size - done, w->iov[i].iov_len - offset);
		memcpy((char *)to + done, (const char *)w->iov[i].iov_base + offset, n);
		done += n;
	}
	return done;
}

/* Advance by @size bytes. Return: false if there are fewer. */
static bool skip(struct span_walk *w, size_t size)
{
	struct span_walk to = *w;
	size_t n;

	to.at += size;
	while (to.span < to.nr) {
		n = min(size, to.iov[to.span].iov_len - to.offset);
		to.offset += n;
		size -= n;
		if (to.offset < to.iov[to.span].iov_len)
			break;
		to.span++;
		to.offset = 0;
	}
	if (!size)
		*w = to;
	return !size;
}

u16 span_next(struct span_walk *w, void *head)
{
	struct perf_event_header h;
	struct span_walk at = *w;

	if (copy(w, &h, sizeof(h)) < sizeof(h) || h.size < sizeof(h) || !skip(w, h.size))
		return 0;
	copy(&at, head, min((size_t)h.size, (size_t)SPAN_HEAD));
	return h.size;
}

const struct perf_event_header *span_record(struct span_walk *w, bool samples, void *room)
{
	const struct iovec *iov = &w->iov[w->span];
	const struct perf_event_header *h;
	struct perf_event_header head;
	struct span_walk at = *w;

	if (w->span >= w->nr)
		return NULL;
	h = (const void *)((const char *)iov->iov_base + w->offset);
	/* (behind a sample whose size is no multiple of 8) */
	if (unlikely(iov->iov_len - w->offset < sizeof(*h))) {
		if (copy(w, &head, sizeof(head)) < sizeof(head))
			return NULL;
		h = &head;
	}
	if (h->size < sizeof(*h))
		return NULL;
	if (likely(iov->iov_len - w->offset > h->size)) {
		prefetch_lines((const char *)h + 4 * h->size, 1);
		w->offset += h->size;
		w->at += h->size;
		return h;
	}
	if (!skip(w, h->size))
		return NULL;
	if (iov->iov_len - at.offset == h->size)
		return h;
	copy(&at, room, !samples && h->type == PERF_RECORD_SAMPLE ? min((size_t)h->size, (size_t)SPAN_HEAD) :
	     h->size);
	return room;
}

u64 span_whole(const struct iovec *iov, u32 nr, u64 limit)
{
	struct span_walk w = { .iov = iov, .nr = nr };
	u64 head[SPAN_HEAD / 8], whole = 0;

	while (span_next(&w, head) && w.at <= limit)
		whole = w.at;
	return whole;
}

u32 span_cut(const struct iovec *iov, u32 nr, u64 from, u64 to, struct iovec *part)
{
	u64 at = 0, begin, end;
	u32 i, n = 0;

	for (i = 0; i < nr; at += iov[i++].iov_len) {
		begin = max(at, from);
		end = min(at + iov[i].iov_len, to);
		if (begin >= end)
			continue;
		part[n].iov_base = (char *)iov[i].iov_base + (begin - at);
		part[n++].iov_len = end - begin;
	}
	return n;
}

u64 span_bytes(const struct iovec *iov, u32 nr)
{
	u64 size = 0;
	u32 i;

	for (i = 0; i < nr; i++)
		size += iov[i].iov_len;
	return size;
}
