// SPDX-License-Identifier: GPL-2.0
/*
 * Names that can be shown, names as UTF-8, strings of JSON, lists of words, and text files line by
 * line. Copies are in the caller's arena; a list owns its words, a reader its buffer, to whose
 * front an incomplete line moves.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/printable.h"
#include "base/text.h"

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

void json_put(struct outbuf *o, const char *before, const char *s)
{
	outbuf_puts(o, before);
	json_string(o, s);
}

void words_add(struct word_list *w, const char *fmt, ...)
{
	va_list ap;

	GROW_TO(w->v, w->nr + 2, w->cap);
	va_start(ap, fmt);
	if (vasprintf(&w->v[w->nr], fmt, ap) < 0)
		diag_fatal("out of memory");
	va_end(ap);
	w->v[++w->nr] = NULL;
}

void words_deinit(struct word_list *w)
{
	u32 i;

	for (i = 0; i < w->nr; i++)
		free(w->v[i]);
	free(w->v);
	*w = (struct word_list){ 0 };
}

#define PIECE (64u << 10)

s64 lines_read(int fd, u64 most,
	       void (*line)(void *priv, const char *start, const char *end), void *priv)
{
	_cleanup_free_ char *buf = xmalloc(PIECE);
	bool in_cut = false;
	size_t nr = 0;
	u64 total = 0;
	char *p, *nl;
	ssize_t n;

	do {
		n = read(fd, buf + nr, PIECE - nr);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n && !buf[nr])
			n = 0;
		nr += n;
		total += n;
		if (total > most)
			return -EFBIG;
		for (p = buf; (nl = memchr(p, '\n', buf + nr - p)); p = nl + 1) {
			if (!in_cut)
				line(priv, p, nl);
			in_cut = false;
		}
		/* The last line may have no end. */
		if (p < buf + nr && (!n || (p == buf && nr == PIECE))) {
			if (!in_cut)
				line(priv, p, buf + nr);
			in_cut = true;
			p = buf + nr;
		}
		nr -= p - buf;
		memmove(buf, p, nr);
	} while (n);
	return total;
}
