/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Strings of any bytes, converted for display, to UTF-8 and to JSON.
 */
#ifndef PERF_BASE_TEXT_H
#define PERF_BASE_TEXT_H

#include "base/arena.h"
#include "base/outbuf.h"

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

#endif /* PERF_BASE_TEXT_H */
