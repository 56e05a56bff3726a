// SPDX-License-Identifier: GPL-2.0
/*
 * Output to a descriptor. It owns its buffer, not the descriptor.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"
#include "base/outfile.h"

void outfile_init(struct outfile *f, int fd)
{
	outbuf_init(&f->text);
	f->fd = fd;
	f->err = 0;
}

static void write_text(struct outfile *f, const struct outbuf *o)
{
	if (!f->err)
		f->err = write_all(f->fd, o->base, outbuf_len(o));
	if (f->err && f->fd == STDOUT_FILENO)
		stdout_failed(f->err);
}

int outfile_flush(struct outfile *f)
{
	write_text(f, &f->text);
	f->text.pos = f->text.base;
	return f->err;
}

void outfile_put(struct outfile *f, const struct outbuf *from)
{
	outfile_flush(f);
	write_text(f, from);
}

int outfile_deinit(struct outfile *f)
{
	int err = outfile_flush(f);

	outbuf_deinit(&f->text);
	return err;
}

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
