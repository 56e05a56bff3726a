// SPDX-License-Identifier: GPL-2.0
/*
 * Makes text from a recording safe for a terminal, of UTF-8 or 8 bits: replaces control
 * characters, and bytes that are control characters by themselves outside of a UTF-8 character.
 * What a character of UTF-8 is, is said here, too.
 */
#include "base/printable.h"

/* Bytes of a control character at @s; 0: there is none. @size: set to the bytes that were looked at. */
static size_t control_size(const char *s, size_t len, size_t *size)
{
	unsigned int n = utf8_size(s, len);

	*size = n ?: 1;
	/* A byte from 0x80 to 0x9f outside of a character is C1, too. */
	return (n ? utf8_is_control(s, n) : ((u8)*s & 0xe0) == 0x80) ? *size : 0;
}

bool printable(const char *s)
{
	size_t len = strlen(s), i, size;

	for (i = 0; i < len; i += size)
		if (control_size(s + i, len - i, &size))
			return false;
	return true;
}

void make_printable(char *s, size_t len, bool keep_lines)
{
	size_t i, size;

	for (i = 0; i < len; i += size)
		if (control_size(s + i, len - i, &size) && !(keep_lines && (s[i] == '\n' || s[i] == '\t')))
			memset(s + i, '?', size);
}

unsigned int utf8_size(const char *s, size_t len)
{
	static const u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const u8 *p = (const u8 *)s;
	unsigned int n = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 :
			 p[0] >> 3 == 30 ? 4 : 0, i;
	u32 c = n < 2 ? p[0] : p[0] & (0x7f >> n);

	if (n > len)
		return 0;
	for (i = 1; i < n; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	return n && c >= least[n] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff) ? n : 0;
}
