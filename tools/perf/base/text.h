/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Strings of any bytes, converted for display, to UTF-8 and to JSON.
 */
#ifndef PERF_BASE_TEXT_H
#define PERF_BASE_TEXT_H

#include <string.h>

#include "base/arena.h"
#include "base/outbuf.h"
#include "base/types.h"

/**
 * utf8_copy() - convert a string to UTF-8
 * @a: allocates the copy
 * @s: any bytes
 *
 * Return: @s itself, or a copy with "?" for each byte of a control character or of invalid UTF-8.
 */
const char *utf8_copy(struct arena *a, const char *s);

/* printable_copy - @s itself if it is printable (base/printable.h), else a printable copy in the arena */
const char *printable_copy(struct arena *a, const char *s);

/* outbuf_name - append a string, converted as by printable_copy() */
void outbuf_name(struct outbuf *o, const char *s);

/* json_string - append a JSON string; bytes of invalid UTF-8 become "?", control characters \u00XX */
void json_string(struct outbuf *o, const char *s);

/* json_put - append @before as it is, then @s as a JSON string */
void json_put(struct outbuf *o, const char *before, const char *s);

/* has_prefix - true if a string begins with @prefix */
static inline bool has_prefix(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

struct word_list {
	char **v;		/* ended by NULL; NULL: empty */
	u32 nr, cap;
};

/* words_add - append a formatted word */
void words_add(struct word_list *w, const char *fmt, ...) __printf(2, 3);

/* words_deinit - free the words; the list is empty again */
void words_deinit(struct word_list *w);

/* Words that are freed at the end of their scope; see base/cleanup.h. */
#define _cleanup_words_ __attribute__((cleanup(words_deinit)))

/**
 * lines_read() - call a function for each line of a file
 * @fd: the file, read from its position
 * @most: maximum number of bytes
 * @line: called with @priv and the start and end of a line; the end is not terminated
 * @priv: for @line
 *
 * Lines of more than 64 kB are truncated. Reading stops at a piece that begins with a NUL: files
 * with holes can be of any size.
 *
 * Return: the number of bytes read; -EFBIG: there are more than @most; or another -errno.
 */
s64 lines_read(int fd, u64 most,
	       void (*line)(void *priv, const char *start, const char *end), void *priv);

#endif /* PERF_BASE_TEXT_H */
