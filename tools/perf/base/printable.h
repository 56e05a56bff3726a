/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Strings of unknown origin: names of tasks, files, symbols and events come from recordings,
 * JIT maps and debug information, and go to a terminal. Control characters are printed as "?",
 * so that no name can move the cursor, send terminal commands or start a new line.
 */
#ifndef PERF_BASE_PRINTABLE_H
#define PERF_BASE_PRINTABLE_H

#include "base/types.h"

/*
 * printable - is a string free of control characters? Return: false for C0, DEL, and C1: in UTF-8,
 * or as a byte that belongs to no character of UTF-8.
 */
bool printable(const char *s);

/*
 * make_printable - put "?" in the place of each byte of a control character; @keep_lines: leave
 * newlines and tabs: the text may have several lines
 */
void make_printable(char *s, size_t len, bool keep_lines);

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

#endif /* PERF_BASE_PRINTABLE_H */
