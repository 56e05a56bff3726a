// SPDX-License-Identifier: GPL-2.0
/*
 * An output buffer, with or without a file. It owns its memory. Between calls base <= pos <=
 * end; a full buffer is written to the file or grows.
 */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/io.h"
#include "base/outbuf.h"
#include "base/stdout.h"

#ifndef OUTBUF_SIZE	/* fuzz.mk, tool.mk: AddressSanitizer maps and unmaps memory for each buffer of this size */
#define OUTBUF_SIZE (256 * 1024)
#endif

void outbuf_init(struct outbuf *o, int fd)
{
	o->base = xmalloc(OUTBUF_SIZE);
	o->pos = o->base;
	o->end = o->base + OUTBUF_SIZE;
	o->fd = fd;
	o->err = 0;
}

int outbuf_flush(struct outbuf *o)
{
	if (o->fd < 0)
		return 0;
	if (!o->err)
		o->err = write_all(o->fd, o->base, o->pos - o->base);
	if (o->err && o->fd == STDOUT_FILENO)
		stdout_failed(o->err);
	o->pos = o->base;
	return o->err;
}

void outbuf_put(struct outbuf *o, const struct outbuf *from)
{
	outbuf_flush(o);
	if (!o->err)
		o->err = write_all(o->fd, from->base, from->pos - from->base);
	if (o->err && o->fd == STDOUT_FILENO)
		stdout_failed(o->err);
}

int outbuf_deinit(struct outbuf *o)
{
	int err = outbuf_flush(o);

	free(o->base);
	o->base = o->pos = o->end = NULL;
	return err;
}

void outbuf_room(struct outbuf *o, size_t n)
{
	size_t used, size;

	outbuf_flush(o);
	used = o->pos - o->base;
	size = o->end - o->base;
	if (size - used >= n)
		return;
	/* More than there is address space: the allocation fails and reports it. */
	if (n > SIZE_MAX - used)
		size = SIZE_MAX;
	else
		size = max(used + n, size > SIZE_MAX / 2 ? SIZE_MAX : 2 * size);
	o->base = xrealloc(o->base, size);
	o->pos = o->base + used;
	o->end = o->base + size;
}

const char *outbuf_text(struct outbuf *o)
{
	*outbuf_reserve(o, 1) = '\0';
	return o->base;
}

static void put_digits(struct outbuf *o, const char *digits, int n, int width, char pad)
{
	char *p = outbuf_reserve(o, n + max(width, 0));

	for (; width > n; width--)
		*p++ = pad;
	memcpy(p, digits, n);
	o->pos = p + n;
}

void outbuf_dec(struct outbuf *o, u64 v, int width, char pad)
{
	char tmp[20], *p = tmp + sizeof(tmp);

	do {
		*--p = '0' + v % 10;
		v /= 10;
	} while (v);
	put_digits(o, p, tmp + sizeof(tmp) - p, width, pad);
}

void outbuf_hex(struct outbuf *o, u64 v, int width, char pad)
{
	char tmp[16], *p = tmp + sizeof(tmp);

	do {
		*--p = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	put_digits(o, p, tmp + sizeof(tmp) - p, width, pad);
}

void outbuf_pad(struct outbuf *o, const char *s, int width)
{
	int len = strlen(s);

	if (width < 0) {
		outbuf_write(o, s, len);
		for (width = -width; width > len; width--)
			outbuf_putc(o, ' ');
		return;
	}
	put_digits(o, s, len, width, ' ');
}

void outbuf_printf(struct outbuf *o, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	outbuf_reserve(o, n + 1);
	va_start(ap, fmt);
	vsnprintf(o->pos, n + 1, fmt, ap);
	va_end(ap);
	o->pos += n;
}
