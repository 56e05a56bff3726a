// SPDX-License-Identifier: GPL-2.0
/*
 * A growing buffer. It owns its memory. Between calls base <= pos <= end.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/outbuf.h"

#ifndef OUTBUF_SIZE	/* fuzz.mk, tool.mk: AddressSanitizer maps and unmaps memory for each buffer of this size */
#define OUTBUF_SIZE (256 * 1024)
#endif

void outbuf_init(struct outbuf *o)
{
	*o = (struct outbuf){ 0 };
	outbuf_room(o, 1);
}

void outbuf_deinit(struct outbuf *o)
{
	free(o->base);
	o->base = o->pos = o->end = NULL;
}

void outbuf_room(struct outbuf *o, size_t n)
{
	size_t used = o->pos - o->base, size = o->end - o->base;

	/* One more, for outbuf_reserve() of 0. Too much: the allocation fails and reports it. */
	if (n >= SIZE_MAX - used)
		size = SIZE_MAX;
	else
		size = max(used + n + 1, size > SIZE_MAX / 2 ? SIZE_MAX :
						  max(2 * size, (size_t)OUTBUF_SIZE));
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
