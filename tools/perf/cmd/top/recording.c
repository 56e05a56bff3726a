// SPDX-License-Identifier: GPL-2.0
/*
 * The recording process, forked: perf record is a function of this program. Its standard output is
 * a pipe. Another carries --control commands; each makes it read the kernel's buffers, which it
 * else does when they are half full. struct recording owns the descriptors and the process.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/memory_limit.h"
#include "cmd/cmd.h"
#include "cmd/top/top.h"

#define PIPE_BYTES (1 << 20)	/* requested size; the kernel may refuse it */

/* Runs in the child. @words: parsing may reorder them. */
static void record(const struct recording *r, const int data[2], const int control[2], const struct word_list *words)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	dup2(data[1], STDOUT_FILENO);
	close(data[0]);
	close(data[1]);
	close(control[1]);
	if (r->messages >= 0)
		dup2(r->messages, STDERR_FILENO);
	memory_limit_set(0);
	exit(cmd_record(words->nr, words->v));
}

int recording_start(struct recording *r, struct word_list *words, bool quiet)
{
	int data[2], control[2];

	*r = (struct recording){ .messages = quiet ? memfd_create("perf-top", MFD_CLOEXEC) : -1 };
	if (pipe2(data, O_CLOEXEC) || pipe2(control, O_CLOEXEC))
		return diag_error("no pipe: %s", strerror(errno));
	fcntl(data[1], F_SETPIPE_SZ, PIPE_BYTES);
	words_add(words, "--control=fd:%d", control[0]);
	r->pid = fork();
	if (r->pid < 0)
		return diag_error("no process can be started: %s", strerror(errno));
	if (!r->pid)
		record(r, data, control, words);
	close(data[1]);
	close(control[0]);
	r->data = data[0];
	r->control = control[1];
	fcntl(r->control, F_SETFL, O_NONBLOCK);
	snprintf(r->path, sizeof(r->path), "/proc/self/fd/%d", r->data);
	if (clock_getcpuclockid(r->pid, &r->clock))
		r->clock = CLOCK_PROCESS_CPUTIME_ID;
	return 0;
}

void recording_flush(const struct recording *r)
{
	/* Ignore a full pipe: a ping is pending in it. */
	if (write(r->control, "ping\n", 5) < 0)
		return;
}

u64 recording_ns(const struct recording *r)
{
	return r->pid ? clock_ns(r->clock) : 0;
}

void recording_wait(struct recording *r)
{
	while (r->pid && waitpid(r->pid, &r->status, 0) < 0 && errno == EINTR)
		;
	r->pid = 0;
}

void recording_stop(struct recording *r)
{
	if (r->pid)
		kill(r->pid, SIGKILL);
	recording_wait(r);
}

void recording_messages(const struct recording *r)
{
	if (r->messages < 0 || lseek(r->messages, 0, SEEK_SET) < 0)
		return;
	io_copy(r->messages, STDERR_FILENO, UINT64_MAX);
}

void recording_deinit(struct recording *r)
{
	close(r->data);
	close(r->control);
	if (r->messages >= 0)
		close(r->messages);
}
