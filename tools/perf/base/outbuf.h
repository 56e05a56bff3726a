/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text and records: one growing buffer in memory. The path of a sample does not use stdio.
 *
 * The functions here never write or empty a buffer: lengths and places in it remain valid whatever
 * is appended. Output to a descriptor: base/outfile.h.
 */
#ifndef PERF_BASE_OUTBUF_H
#define PERF_BASE_OUTBUF_H

#include "base/types.h"

struct outbuf {
	char *base;
	char *pos;
	char *end;
};

/*
 * outbuf_init - allocate the memory of an empty buffer; its content is @o->base..@o->pos. A zeroed
 * struct is an empty buffer, too: its first use allocates.
 */
void outbuf_init(struct outbuf *o);

void outbuf_deinit(struct outbuf *o);

/* A buffer that is freed at the end of its scope; see base/cleanup.h. */
#define _cleanup_outbuf_ __attribute__((cleanup(outbuf_deinit)))

/* outbuf_room - make room for @n more bytes; the slow path of outbuf_reserve() */
void outbuf_room(struct outbuf *o, size_t n);

/*
 * outbuf_reserve - where the next bytes go; @n: bytes that the caller may write there, then adds to
 * @o->pos. Return: the place; never NULL.
 */
static inline char *outbuf_reserve(struct outbuf *o, size_t n)
{
	if (unlikely((size_t)(o->end - o->pos) <= n))
		outbuf_room(o, n);
	return o->pos;
}

static inline void outbuf_write(struct outbuf *o, const void *p, size_t n)
{
	memcpy(outbuf_reserve(o, n), p, n);
	o->pos += n;
}

/* A number in the host's byte order. */
static inline void outbuf_put32(struct outbuf *o, u32 v)
{
	outbuf_write(o, &v, sizeof(v));
}

static inline void outbuf_put64(struct outbuf *o, u64 v)
{
	outbuf_write(o, &v, sizeof(v));
}

static inline void outbuf_puts(struct outbuf *o, const char *s)
{
	outbuf_write(o, s, strlen(s));
}

static inline void outbuf_putc(struct outbuf *o, char c)
{
	*outbuf_reserve(o, 1) = c;
	o->pos++;
}

/* A byte, @n times. */
static inline void outbuf_fill(struct outbuf *o, char c, size_t n)
{
	memset(outbuf_reserve(o, n), c, n);
	o->pos += n;
}

/* How many bytes are in the buffer. */
static inline size_t outbuf_len(const struct outbuf *o)
{
	return o->pos - o->base;
}

/* The content of another buffer. */
static inline void outbuf_append(struct outbuf *o, const struct outbuf *from)
{
	if (outbuf_len(from))
		outbuf_write(o, from->base, outbuf_len(from));
}

/*
 * outbuf_text - the content of a buffer as a string. The bytes after @o->pos are undefined: string
 * functions must not see @o->base itself. This ends the content with a NUL that does not count to
 * it and that the next output overwrites. Return: the string, valid until the next output to @o;
 * never NULL.
 */
const char *outbuf_text(struct outbuf *o);

/**
 * outbuf_dec() - write an unsigned decimal
 * @width: at least this many characters, right-aligned
 * @pad: padding: ' ' or '0'
 */
void outbuf_dec(struct outbuf *o, u64 v, int width, char pad);

/**
 * outbuf_hex() - write lower-case hexadecimal without 0x
 * @width: at least this many characters, right-aligned
 * @pad: padding: ' ' or '0'
 */
void outbuf_hex(struct outbuf *o, u64 v, int width, char pad);

/*
 * outbuf_pad - write a string in a column; @width: positive: right-aligned, negative: left-aligned,
 * as printf's
 */
void outbuf_pad(struct outbuf *o, const char *s, int width);

/* outbuf_printf - formatted output, not for the path of a sample */
void outbuf_printf(struct outbuf *o, const char *fmt, ...) __printf(2, 3);

#endif /* PERF_BASE_OUTBUF_H */
