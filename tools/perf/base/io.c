// SPDX-License-Identifier: GPL-2.0
/*
 * write() in full. A call that writes nothing and gives no error ends the loop, too.
 */
#include <unistd.h>

#include "base/io.h"

int write_all(int fd, const void *p, size_t size)
{
	const char *pos = p;

	while (size) {
		ssize_t n = write(fd, pos, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		pos += n;
		size -= n;
	}
	return 0;
}

int pwrite_all(int fd, const void *p, size_t size, u64 offset)
{
	const char *pos = p;

	while (size) {
		ssize_t n = pwrite(fd, pos, size, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		pos += n;
		offset += n;
		size -= n;
	}
	return 0;
}
