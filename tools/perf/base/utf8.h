/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Characters of UTF-8 in any bytes.
 */
#ifndef PERF_BASE_UTF8_H
#define PERF_BASE_UTF8_H

#include "base/types.h"

/**
 * utf8_size() - bytes of the character of UTF-8 at @s
 * @s: any bytes
 * @len: how many may be looked at; of a string that ends with NUL any number above 3
 *
 * Return: 1 to 4; 0: none. Overlong forms, surrogates and what is too large are none.
 */
unsigned int utf8_size(const char *s, size_t len);

/* utf8_is_control - is the character of @size bytes at @s a control character: C0, DEL or C1? */
static inline bool utf8_is_control(const char *s, size_t size)
{
	const u8 *c = (const u8 *)s;

	return size == 1 ? c[0] < 0x20 || c[0] == 0x7f : size == 2 && c[0] == 0xc2 && c[1] < 0xa0;
}

#endif /* PERF_BASE_UTF8_H */
