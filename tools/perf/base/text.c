// SPDX-License-Identifier: GPL-2.0
/*
 * Names that can be shown, names as UTF-8, and strings of JSON. Nothing is owned: copies are in the caller's arena.
 */
#include "base/printable.h"
#include "base/text.h"
#include "base/utf8.h"

#define IN_STRING 4	/* for utf8_size(): a NUL continues no character */

const char *utf8_copy(struct arena *a, const char *s)
{
	unsigned int n;
	char *copy, *p;

	for (p = (char *)s; *p && (n = utf8_size(p, IN_STRING)) && !utf8_is_control(p, n); p += n)
		;
	if (!*p)
		return s;
	copy = arena_strndup(a, s, strlen(s));
	for (p = copy; *p; p += n) {
		n = utf8_size(p, IN_STRING);
		if (!n || utf8_is_control(p, n)) {
			n = n ?: 1;
			memset(p, '?', n);
		}
	}
	return copy;
}

const char *printable_copy(struct arena *a, const char *s)
{
	char *copy;

	if (printable(s))
		return s;
	copy = arena_strndup(a, s, strlen(s));
	make_printable(copy, strlen(copy), false);
	return copy;
}

void outbuf_name(struct outbuf *o, const char *s)
{
	size_t len = strlen(s);
	char *to = outbuf_reserve(o, len);

	memcpy(to, s, len);
	make_printable(to, len, false);
	o->pos += len;
}

void json_string(struct outbuf *o, const char *s)
{
	unsigned int n;

	outbuf_putc(o, '"');
	for (; *s; s += n ?: 1) {
		n = utf8_size(s, IN_STRING);
		if (*s == '"' || *s == '\\') {
			outbuf_putc(o, '\\');
			outbuf_putc(o, *s);
		} else if (!n) {
			outbuf_putc(o, '?');
		} else if (utf8_is_control(s, n)) {
			outbuf_puts(o, "\\u00");
			outbuf_hex(o, (u8)s[n - 1], 2, '0');
		} else {
			outbuf_write(o, s, n);
		}
	}
	outbuf_putc(o, '"');
}
