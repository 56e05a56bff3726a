// SPDX-License-Identifier: GPL-2.0
/*
 * The terminal's width, and the part of a text that fits it.
 */
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/terminal.h"

u32 terminal_width(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize ws;
	int n = columns ? atoi(columns) : 0;

	if (!isatty(fd))
		return 0;
	if (n > 0)
		return n;
	return ioctl(fd, TIOCGWINSZ, &ws) ? 0 : ws.ws_col;
}

size_t terminal_fit(const char *s, size_t len, u32 width, u32 *columns)
{
	u32 nr = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (s[i] == '\033') {
			while (i < len && s[i] != 'm')
				i++;
			continue;
		}
		/* UTF-8: the bytes that follow the first take no room of their own. */
		if (((u8)s[i] & 0xc0) == 0x80)
			continue;
		if (width && nr == width)
			break;
		nr++;
	}
	if (columns)
		*columns = nr;
	return min(i, len);
}
