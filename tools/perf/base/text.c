// SPDX-License-Identifier: GPL-2.0
/*
 * Names that can be shown, names as UTF-8, and strings of JSON. Nothing is owned: copies are in the caller's arena.
 */
#include "base/printable.h"
#include "base/text.h"
#include "base/utf8.h"

/* The same within a string: its NUL continues no character. */
static unsigned int utf8_length(const u8 *s)
{
	return utf8_size((const char *)s, 4);
}

static bool control(const u8 *s, unsigned int n)
{
	return s[0] < 0x20 || s[0] == 0x7f || (n == 2 && s[0] == 0xc2 && s[1] < 0xa0);
}

const char *utf8_copy(struct arena *a, const char *s)
{
	const u8 *p = (const u8 *)s;
	unsigned int n;
	char *copy;

	for (; *p && (n = utf8_length(p)) && !control(p, n); p += n)
		;
	if (!*p)
		return s;
	copy = arena_strndup(a, s, strlen(s));
	for (p = (u8 *)copy; *p; p += n) {
		n = utf8_length(p);
		if (!n || control(p, n)) {
			memset((u8 *)p, '?', n ?: 1);
			n = n ?: 1;
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
	const u8 *p = (const u8 *)s;
	unsigned int n;

	outbuf_putc(o, '"');
	for (; *p; p += n ?: 1) {
		n = utf8_length(p);
		if (*p == '"' || *p == '\\') {
			outbuf_putc(o, '\\');
			outbuf_putc(o, *p);
		} else if (n && control(p, n)) {
			outbuf_puts(o, "\\u00");
			outbuf_hex(o, p[n - 1], 2, '0');
		} else if (n) {
			outbuf_write(o, p, n);
		} else {
			outbuf_putc(o, '?');
		}
	}
	outbuf_putc(o, '"');
}
