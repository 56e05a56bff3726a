/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A run of bytes, read from its beginning to its end. Reads beyond the end give 0 and set a
 * flag, which the caller checks once after the last field. Little-endian, any alignment.
 */
#ifndef PERF_CFI_BYTES_H
#define PERF_CFI_BYTES_H

#include "base/types.h"

struct bytes {
	const u8 *p, *end;
	bool bad;
};

static inline size_t bytes_left(const struct bytes *b)
{
	return b->end - b->p;
}

static inline void bytes_fail(struct bytes *b)
{
	b->bad = true;
	b->p = b->end;
}

static inline void bytes_get(struct bytes *b, void *v, size_t size)
{
	if (unlikely(bytes_left(b) < size)) {
		bytes_fail(b);
		return;
	}
	memcpy(v, b->p, size);
	b->p += size;
}

#define BYTES_READ(type)						\
static inline type bytes_##type(struct bytes *b)			\
{									\
	type v = 0;							\
									\
	bytes_get(b, &v, sizeof(v));					\
	return v;							\
}

/* bytes_u8, bytes_u16, bytes_u32, bytes_u64 - the next integer */
BYTES_READ(u8)
BYTES_READ(u16)
BYTES_READ(u32)
BYTES_READ(u64)

static inline void bytes_skip(struct bytes *b, u64 n)
{
	if (n > bytes_left(b))
		bytes_fail(b);
	else
		b->p += n;
}

/* The bits above the 64th are lost, as with every reader. */
static inline u64 bytes_leb(struct bytes *b, bool is_signed)
{
	u32 shift = 0;
	u64 v = 0;
	u8 byte;

	/* One byte, as a rule. */
	if (likely(b->p < b->end) && likely(!(*b->p & 0x80))) {
		byte = *b->p++;
		return is_signed && byte & 0x40 ? byte | ~0x7fULL : byte;
	}
	do {
		if (b->p == b->end) {
			bytes_fail(b);
			return 0;
		}
		byte = *b->p++;
		if (shift < 64)
			v |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && byte & 0x40 && shift < 64)
		v |= -1ULL << shift;
	return v;
}

static inline u64 bytes_uleb(struct bytes *b)
{
	return bytes_leb(b, false);
}

static inline s64 bytes_sleb(struct bytes *b)
{
	return bytes_leb(b, true);
}

/* bytes_take - the next @n bytes as a run of their own; empty and bad when they are not there */
static inline struct bytes bytes_take(struct bytes *b, u64 n)
{
	struct bytes part = { b->p, b->p, false };

	if (n > bytes_left(b)) {
		bytes_fail(b);
		part.bad = true;
		return part;
	}
	b->p += n;
	part.end = b->p;
	return part;
}

#endif /* PERF_CFI_BYTES_H */
