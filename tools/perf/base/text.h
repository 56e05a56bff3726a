/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names, which may hold any bytes, as UTF-8 and as strings of JSON.
 */
#ifndef PERF_BASE_TEXT_H
#define PERF_BASE_TEXT_H

#include "base/arena.h"
#include "base/outbuf.h"

/**
 * utf8_size() - bytes of the character of UTF-8 at @s
 * @s: any bytes
 * @len: how many may be looked at; of a string that ends with NUL any number above 3
 *
 * Return: 1 to 4; 0: none. Overlong forms, surrogates and what is too large are none.
 */
unsigned int utf8_size(const char *s, size_t len);

/**
 * utf8_copy() - a name as UTF-8
 * @a: where a copy goes
 * @s: any bytes
 *
 * Return: @s itself, or a copy with "?" for each byte that is none of UTF-8 or a control character.
 */
const char *utf8_copy(struct arena *a, const char *s);

/* json_string - a string of JSON with its quotes; any byte that is none of UTF-8 becomes "?", and
 * control characters are written as \u00XX
 */
void json_string(struct outbuf *o, const char *s);

#endif /* PERF_BASE_TEXT_H */
