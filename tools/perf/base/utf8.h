/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decoding of UTF-8.
 */
#ifndef PERF_BASE_UTF8_H
#define PERF_BASE_UTF8_H

#include "base/types.h"

/**
 * utf8_size() - size of the UTF-8 character at @s
 * @s: any bytes
 * @len: bytes that may be read; any number above 3 if a NUL ends the string
 *
 * Return: 1 to 4; 0: invalid, also for overlong forms, surrogates and numbers above U+10FFFF.
 */
unsigned int utf8_size(const char *s, size_t len);

/* utf8_is_control - is the character of @size bytes at @s a control character: C0, DEL or C1? */
static inline bool utf8_is_control(const char *s, size_t size)
{
	const u8 *c = (const u8 *)s;

	return size == 1 ? c[0] < 0x20 || c[0] == 0x7f : size == 2 && c[0] == 0xc2 && c[1] < 0xa0;
}

#endif /* PERF_BASE_UTF8_H */
