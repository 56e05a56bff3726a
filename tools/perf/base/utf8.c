// SPDX-License-Identifier: GPL-2.0
/*
 * The characters of UTF-8: what is one, and how long.
 */
#include "base/utf8.h"

unsigned int utf8_size(const char *s, size_t len)
{
	static const u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const u8 *p = (const u8 *)s;
	unsigned int n = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0, i;
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
