// SPDX-License-Identifier: GPL-2.0
/*
 * Checks standard output at exit. stdio keeps its own error; outbuf, which bypasses stdio,
 * passes its error to stdout_failed().
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/stdout.h"

static int failed;		/* first -errno of a write past stdio */

void stdout_failed(int err)
{
	int none = 0;

	__atomic_compare_exchange_n(&failed, &none, err, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* An earlier write of stdio failed, whose errno is gone: a pipe still shows why. */
static int earlier_error(void)
{
	struct pollfd p = { .fd = STDOUT_FILENO };

	return poll(&p, 1, 0) > 0 && p.revents & POLLERR ? -EPIPE : -EIO;
}

static void check(void)
{
	bool before = ferror(stdout);
	int err = failed;

	if (fflush(stdout) && !err)
		err = -errno;
	if (!err && before)
		err = earlier_error();
	/* Some file systems report a failed write when the file is closed. */
	if (close(STDOUT_FILENO) && !err && errno != EBADF && errno != EINTR)
		err = -errno;
	if (!err || err == -EPIPE)
		return;
	diag_error("standard output: %s", strerror(-err));
	_exit(1);
}

void stdout_begin(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
	signal(SIGXFSZ, SIG_IGN);
	atexit(check);
}

void signals_default(void)
{
	signal(SIGXFSZ, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
}
