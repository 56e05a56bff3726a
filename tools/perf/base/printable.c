// SPDX-License-Identifier: GPL-2.0
/*
 * Makes text from a recording safe for a terminal, of UTF-8 or 8 bits: replaces control
 * characters, and bytes that are control characters by themselves outside of a UTF-8 character.
 */
#include "base/printable.h"
#include "base/utf8.h"

/* Bytes of a control character at @s; 0: there is none. @size: set to the bytes that were looked at. */
static size_t control_size(const char *s, size_t len, size_t *size)
{
	const u8 *c = (const u8 *)s;
	unsigned int n = utf8_size(s, len);

	*size = n ?: 1;
	/* U+0080 to U+009F, in UTF-8 or as a byte: C1 */
	if (c[0] < 0x20 || c[0] == 0x7f || (n == 2 && c[0] == 0xc2 && c[1] < 0xa0) ||
	    (!n && (c[0] & 0xe0) == 0x80))
		return *size;
	return 0;
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
