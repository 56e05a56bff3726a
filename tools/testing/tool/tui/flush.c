// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded: what is typed is gone by the time that a program reads it, as when ^C, which drops what was
 * typed before it, comes between poll() and read().
 */
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

ssize_t read(int fd, void *to, size_t size)
{
	if (isatty(fd))
		tcflush(fd, TCIFLUSH);
	return syscall(SYS_read, fd, to, size);
}
