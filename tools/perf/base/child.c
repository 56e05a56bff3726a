// SPDX-License-Identifier: GPL-2.0
/*
 * child.c - runs a program, reads its output, and kills it at the user's request
 *
 * It owns the process from fork() to waitpid(): no path leaves child_run() with the program
 * running. The pipe and the process are polled every 40 ms, since keys of the browser arrive
 * only through the progress sink, and ^C may come between a check and poll().
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/outbuf.h"
#include "base/outfile.h"
#include "base/progress.h"

#define STEP_MS 40

static void execute(const struct child *c, pid_t parent, int fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* It may have died before that. */
	if (getppid() != parent)
		_exit(127);
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	signals_default();
	if (c->plain_locale)
		setenv("LC_ALL", "C", 1);
	dup2(c->in ?: null, STDIN_FILENO);
	dup2(c->out == CHILD_READ ? fd : c->out, STDOUT_FILENO);
	dup2(c->err == CHILD_READ ? fd : c->err, STDERR_FILENO);
	execvp(c->program, c->argv);
	_exit(127);
}

/* Return: false: the user wants no more of it. */
static bool go_on(const struct child *c)
{
	progress_tick(c->what);
	return !interrupted();
}

/* The lines that are whole; the rest moves to the beginning. @last: that is a line, too. */
static void take_lines(const struct child *c, struct outbuf *o, size_t *looked, bool last)
{
	char *line = o->base, *end;

	while ((end = memchr(line + *looked, '\n', o->pos - line - *looked))) {
		*end = 0;
		if (c->line)
			c->line(c->ctx, line);
		line = end + 1;
		*looked = 0;
	}
	*looked = o->pos - line;
	memmove(o->base, line, *looked);
	o->pos = o->base + *looked;
	if (!last || !*looked)
		return;
	outbuf_putc(o, 0);
	if (c->line)
		c->line(c->ctx, o->base);
}

/* Until the end of the pipe. Return: false: the user wants no more. */
static bool read_all(const struct child *c, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	size_t looked = 0;
	_cleanup_outbuf_ struct outbuf o = { 0 };
	ssize_t n = 1;
	bool on;

	while ((on = go_on(c)) && n) {
		if (poll(&p, 1, STEP_MS) <= 0)
			continue;
		n = read(fd, outbuf_reserve(&o, 1 << 16), 1 << 16);
		/* It does not wait, so that a signal cannot end it; of another error nothing is known. */
		if (n < 0)
			n = 0;
		if (c->bytes) {
			on = c->bytes(c->ctx, o.base, n);
			if (!on)
				break;
			continue;
		}
		o.pos += n;
		take_lines(c, &o, &looked, !n);
	}
	return on;
}

/* One that has closed its output may go on. @stop: the user wants no more */
static int reap(const struct child *c, pid_t pid, bool stop)
{
	int status = 0, ms = 1;
	pid_t got;

	while (!stop) {
		got = waitpid(pid, &status, WNOHANG);
		if (got == pid)
			return status;
		if (got < 0 && errno != EINTR)
			return -errno;
		/* Most end at once. */
		poll(NULL, 0, ms);
		ms = min(2 * ms, STEP_MS);
		stop = !go_on(c);
	}
	kill(-pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return -EINTR;
}

int child_run(const struct child *c)
{
	pid_t parent = getpid(), pid;
	int fds[2], err;

	if (interrupted())
		return -EINTR;
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	pid = fork();
	err = -errno;
	if (!pid)
		execute(c, parent, fds[1]);
	close(fds[1]);
	if (pid > 0) {
		/* The first of both wins: this must be set before kill(). */
		setpgid(pid, pid);
		err = reap(c, pid, !read_all(c, fds[0]));
	}
	close(fds[0]);
	return err;
}
