// SPDX-License-Identifier: GPL-2.0
/*
 * The measured command, forked early so that events can be opened on it; its exec enables them. It
 * waits on the pipe @go, and never runs unmeasured or survives the recorder.
 */
#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/outfile.h"
#include "cmd/record/recorder.h"

static void run(char *const *argv, int go, int failed)
{
	sigset_t none;
	char byte;
	int err;

	prctl(PR_SET_NAME, "perf-exec");
	/* Else the recorder gave up or exited. */
	if (TEMP_FAILURE_RETRY(read(go, &byte, 1)) != 1)
		_exit(126);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signals_default();
	execvp(argv[0], argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(err == ENOENT ? 127 : 126);
}

static void close_end(int *fd)
{
	cleanup_close(fd);
	*fd = -1;
}

void workload_init(struct workload *w)
{
	*w = (struct workload){ .go = -1, .failed = -1 };
}

int workload_check(const char *name, char full[PATH_MAX])
{
	const char *path = getenv("PATH") ?: "/bin:/usr/bin", *p = path;
	struct stat st;
	int err = ENOENT;
	size_t len;

	if (strchr(name, '/')) {
		snprintf(full, PATH_MAX, "%s", name);
		if (!access(name, X_OK))
			return 0;
		return diag_error("cannot execute '%s': %s", name, strerror(errno));
	}
	for (;; p += len + 1) {
		len = strcspn(p, ":");
		snprintf(full, PATH_MAX, "%.*s%s%s", (int)len, p, len ? "/" : "", name);
		if (!stat(full, &st) && S_ISREG(st.st_mode)) {
			if (!access(full, X_OK))
				return 0;
			err = EACCES;
		}
		if (!p[len])
			return diag_error("cannot execute '%s': %s", name, strerror(err));
	}
}

int workload_fork(struct workload *w, char *const *argv, bool stdout_taken)
{
	int go[2], failed[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		return diag_error("cannot make a pipe for '%s': %s", argv[0], strerror(errno));
	pid = fork();
	if (pid < 0)
		return diag_error("cannot fork for '%s': %s", argv[0], strerror(errno));
	if (!pid) {
		close(go[1]);
		close(failed[0]);
		if (stdout_taken)
			dup2(STDERR_FILENO, STDOUT_FILENO);
		run(argv, go[0], failed[1]);
	}
	w->pid = pid;
	close(go[0]);
	close(failed[1]);
	w->go = go[1];
	w->failed = failed[0];
	return 0;
}

int workload_go(struct workload *w, const char *name)
{
	ssize_t n;
	int err;

	assert(workload_held(w));
	err = write_all(w->go, "", 1);
	if (err)
		return diag_error("'%s' did not start: %s", name, strerror(-err));
	close_end(&w->go);
	n = TEMP_FAILURE_RETRY(read(w->failed, &err, sizeof(err)));
	close_end(&w->failed);
	if (n == sizeof(err))
		return diag_error("cannot execute '%s': %s", name, strerror(err));
	return 0;
}

static bool is_traced(const struct workload *w)
{
	return __atomic_load_n(&w->tracer, __ATOMIC_ACQUIRE) == WORKLOAD_TRACED;
}

void workload_traced(struct workload *w)
{
	w->tracer = WORKLOAD_TRACED;
}

void workload_reaped(struct workload *w, int status)
{
	w->status = status;
	__atomic_store_n(&w->tracer, WORKLOAD_REAPED, __ATOMIC_RELEASE);
	kill(getpid(), SIGCHLD);
}

void workload_released(struct workload *w)
{
	if (is_traced(w))
		__atomic_store_n(&w->tracer, WORKLOAD_OURS, __ATOMIC_RELEASE);
}

bool workload_poll(struct workload *w)
{
	if (!w->pid || w->ended || is_traced(w))
		return false;
	w->ended = __atomic_load_n(&w->tracer, __ATOMIC_ACQUIRE) == WORKLOAD_REAPED ||
		   TEMP_FAILURE_RETRY(waitpid(w->pid, &w->status, WNOHANG)) == w->pid;
	return w->ended;
}

void workload_deinit(struct workload *w)
{
	workload_poll(w);
	if (w->pid && !w->ended) {
		/* Not executed yet: SIGKILL, as it must not run unmeasured. */
		kill(w->pid, w->go >= 0 ? SIGKILL : SIGTERM);
		kill(w->pid, SIGCONT);	/* it may be stopped */
		w->terminated = true;
		/* (the kernel may be about to let go of it: workload_released()) */
		while ((waitpid(w->pid, &w->status, 0) < 0 && errno == EINTR) || WIFSTOPPED(w->status))
			;
		w->ended = true;
	}
	close_end(&w->go);
	close_end(&w->failed);
}
