/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output: one growing buffer, written in large blocks. The path of a sample does not use stdio.
 */
#ifndef PERF_BASE_OUTBUF_H
#define PERF_BASE_OUTBUF_H

#include "base/types.h"

struct outbuf {
	char *base;
	char *pos;
	char *end;
	int fd;			/* -1: memory only, grows without bound */
	int err;		/* first -errno of a write; output is dropped after it */
};

/**
 * outbuf_init() - make a buffer that is written to a descriptor
 * @o: the buffer
 * @fd: where blocks go; -1 keeps everything in memory at @o->base..@o->pos
 */
void outbuf_init(struct outbuf *o, int fd);

/**
 * outbuf_flush() - write the buffered data (a no-op for memory buffers)
 * @o: the buffer
 *
 * Return: 0, or the first -errno that a write of this buffer gave. Of standard
 * output base/stdout.h reports it at exit, and only there.
 */
int outbuf_flush(struct outbuf *o);

/**
 * outbuf_put() - write what another buffer has, without copying it
 * @o: a buffer with a descriptor; flushed first
 * @from: a memory buffer
 */
void outbuf_put(struct outbuf *o, const struct outbuf *from);

/**
 * outbuf_deinit() - flush and free
 * @o: the buffer
 *
 * Return: as outbuf_flush().
 */
int outbuf_deinit(struct outbuf *o);

/* outbuf_room - make room for @n more bytes; the slow path of outbuf_reserve() */
void outbuf_room(struct outbuf *o, size_t n);

/**
 * outbuf_reserve() - where the next bytes go
 * @o: the buffer
 * @n: bytes that the caller may write there, then adds to @o->pos
 *
 * Return: the place; never NULL.
 */
static inline char *outbuf_reserve(struct outbuf *o, size_t n)
{
	if (unlikely((size_t)(o->end - o->pos) < n))
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

/**
 * outbuf_text() - the content of a memory buffer as a string
 * @o: the buffer; its descriptor is -1
 *
 * The bytes after @o->pos are undefined: string functions must not see @o->base itself. This
 * ends the content with a NUL that does not count to it and that the next output overwrites.
 *
 * Return: the string, valid until the next output to @o; never NULL.
 */
const char *outbuf_text(struct outbuf *o);

/**
 * outbuf_dec() - write an unsigned decimal
 * @o: the buffer
 * @v: the value
 * @width: at least this many characters, right-aligned
 * @pad: padding: ' ' or '0'
 */
void outbuf_dec(struct outbuf *o, u64 v, int width, char pad);

/**
 * outbuf_hex() - write lower-case hexadecimal without 0x
 * @o: the buffer
 * @v: the value
 * @width: at least this many characters, right-aligned
 * @pad: padding: ' ' or '0'
 */
void outbuf_hex(struct outbuf *o, u64 v, int width, char pad);

/**
 * outbuf_pad() - write a string in a column
 * @o: the buffer
 * @s: the string
 * @width: positive: right-aligned, negative: left-aligned, as printf's
 */
void outbuf_pad(struct outbuf *o, const char *s, int width);

/**
 * outbuf_printf() - formatted output, not for the path of a sample
 * @o: the buffer
 * @fmt: printf format
 */
void outbuf_printf(struct outbuf *o, const char *fmt, ...) __printf(2, 3);

#endif /* PERF_BASE_OUTBUF_H */
