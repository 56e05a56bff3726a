// SPDX-License-Identifier: GPL-2.0
/*
 * pager.c - shows long output on a terminal through a pager
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/outfile.h"
#include "render/pager.h"

static pid_t pager;

static const char *pager_name(void)
{
	const char *name = getenv("PERF_PAGER");

	if (!name)
		name = getenv("PAGER");
	if (!name)
		name = "less -R";
	return *name && strcmp(name, "cat") ? name : NULL;
}

struct error *pager_start(bool *runs)
{
	const char *name = pager_name();
	int fds[2];

	*runs = false;
	if (pager || !name || !isatty(STDOUT_FILENO) || pipe2(fds, O_CLOEXEC))
		return NULL;
	fflush(stdout);
	pager = fork();
	if (pager < 0) {
		struct error *e = error_create(errno, "cannot start the pager: %m");

		close(fds[0]);
		close(fds[1]);
		pager = 0;
		return e;
	}
	if (!pager) {
		signals_default();
		dup2(fds[0], STDIN_FILENO);
		/* F: less exits if the text fits on the screen; X: the text stays on the screen. */
		setenv("LESS", "FRSX", 0);
		execl("/bin/sh", "sh", "-c", name, (char *)NULL);
		_exit(127);
	}
	dup2(fds[1], STDOUT_FILENO);
	close(fds[0]);
	close(fds[1]);
	/* When the user quits the pager, writes fail with EPIPE and perf ends without a message. */
	signal(SIGPIPE, SIG_IGN);
	*runs = true;
	return NULL;
}

void pager_wait(void)
{
	if (!pager)
		return;
	fflush(stdout);
	close(STDOUT_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	pager = 0;
}
