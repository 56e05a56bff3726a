// SPDX-License-Identifier: GPL-2.0
/*
 * Text from a recording made safe for a terminal: control characters in UTF-8 are replaced.
 */
#include "base/printable.h"

static bool is_control(const char *s, size_t i, size_t len)
{
	u8 c = s[i];

	if (c < 0x20 || c == 0x7f)
		return true;
	/* U+0080 to U+009F */
	return (c == 0xc2 && i + 1 < len && ((u8)s[i + 1] & 0xe0) == 0x80) ||
	       ((c & 0xe0) == 0x80 && i && (u8)s[i - 1] == 0xc2);
}

bool printable(const char *s)
{
	size_t len = strlen(s), i;

	for (i = 0; i < len; i++)
		if (is_control(s, i, len))
			return false;
	return true;
}

void make_printable(char *s, size_t len, bool keep_lines)
{
	bool second;
	size_t i;

	for (i = 0; i < len; i++) {
		if (!is_control(s, i, len) || (keep_lines && (s[i] == '\n' || s[i] == '\t')))
			continue;
		second = (u8)s[i] == 0xc2;
		s[i] = '?';
		/* A reader can no longer see that it belonged to the one before. */
		if (second)
			s[++i] = '?';
	}
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
