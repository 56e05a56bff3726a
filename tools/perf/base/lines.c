// SPDX-License-Identifier: GPL-2.0
/*
 * Text files line by line, read in pieces; an incomplete line moves to the front of the buffer.
 * Owns its buffer only.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/lines.h"

#define PIECE (64u << 10)

s64 lines_read(int fd, u64 most, void (*line)(void *priv, const char *start, const char *end), void *priv)
{
	_cleanup_free_ char *buf = xmalloc(PIECE);
	bool in_cut = false;
	size_t nr = 0;
	u64 total = 0;
	char *p, *nl;
	ssize_t n;

	do {
		n = read(fd, buf + nr, PIECE - nr);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n && !buf[nr])
			n = 0;
		nr += n;
		total += n;
		if (total > most)
			return -EFBIG;
		for (p = buf; (nl = memchr(p, '\n', buf + nr - p)); p = nl + 1) {
			if (!in_cut)
				line(priv, p, nl);
			in_cut = false;
		}
		/* The last line may have no end. */
		if (p < buf + nr && (!n || (p == buf && nr == PIECE))) {
			if (!in_cut)
				line(priv, p, buf + nr);
			in_cut = true;
			p = buf + nr;
		}
		nr -= p - buf;
		memmove(buf, p, nr);
	} while (n);
	return total;
}
