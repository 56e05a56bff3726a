// SPDX-License-Identifier: GPL-2.0
/*
 * A child process that makes calls which may never return. Calls and answers are messages of a
 * socket pair, with descriptors attached. The child is forked without exec, so that all
 * functions have the same addresses, and a call names its function by a pointer.
 *
 * struct aside owns the child and its socket. A child that did not answer has been killed; it
 * exits when the file system releases it, and holds none of our descriptors, which it closed at
 * its start.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/aside.h"
#include "base/clock.h"

#define MAX_LEFT	8
#define LOOK_MS		100	/* so soon a call is cancelled */

struct message {
	int (*fn)(void *arg, const int *in, int *out);
	int result;
	u32 size;
	char arg[ASIDE_ARG_MAX] __attribute__((aligned(16)));
};

#define HEAD_SIZE offsetof(struct message, arg)

/* Return: bytes, 0 at the end, or -1 with errno. */
static ssize_t send_message(int socket, struct message *m, const int *fds, u32 nr_fds)
{
	char control[CMSG_SPACE(ASIDE_FDS * sizeof(int))] = { 0 };
	struct iovec iov = { .iov_base = m, .iov_len = HEAD_SIZE + m->size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (nr_fds) {
		msg.msg_control = control;
		msg.msg_controllen = CMSG_SPACE(nr_fds * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		*c = (struct cmsghdr){
			.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(nr_fds * sizeof(int)),
		};
		memcpy(CMSG_DATA(c), fds, nr_fds * sizeof(int));
	}
	return sendmsg(socket, &msg, MSG_NOSIGNAL);
}

static ssize_t receive_message(int socket, struct message *m, int fds[ASIDE_FDS], u32 *nr_fds)
{
	char control[CMSG_SPACE(ASIDE_FDS * sizeof(int))];
	struct iovec iov = { .iov_base = m, .iov_len = sizeof(*m) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	ssize_t n;

	do {
		n = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	*nr_fds = 0;
	c = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL;
	if (c && c->cmsg_type == SCM_RIGHTS) {
		*nr_fds = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(c), *nr_fds * sizeof(int));
	}
	return n;
}

/* The child has nothing of ours open: whoever reads our output does not wait for it. */
static void leave_descriptors(int socket)
{
	int null = open("/dev/null", O_RDWR), i;

	for (i = 0; i < 3; i++)
		if (null < 0 || dup2(null, i) < 0)
			close(i);
	if (socket > 3)
		close_range(3, socket - 1, 0);
	close_range(socket + 1, ~0U, 0);
}

static void serve(int socket)
{
	static struct message m;
	int fds[ASIDE_FDS], out;
	u32 nr, i;

	leave_descriptors(socket);
	while (receive_message(socket, &m, fds, &nr) > 0) {
		out = -1;
		m.result = m.fn(m.arg, fds, &out);
		for (i = 0; i < nr; i++)
			close(fds[i]);
		if (send_message(socket, &m, &out, out >= 0) < 0)
			break;
		if (out >= 0)
			close(out);
	}
	_exit(0);
}

static int start(struct aside *a)
{
	int pair[2], err;
	sigset_t all, old;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	a->pid = fork();
	err = -errno;
	if (!a->pid)
		serve(pair[1]);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	close(pair[1]);
	a->socket = pair[0];
	if (a->pid > 0)
		return 0;
	close(pair[0]);
	a->pid = 0;
	return err;
}

static bool is_cancelled(const struct aside *a)
{
	return __atomic_load_n(&a->cancelled, __ATOMIC_RELAXED);
}

static bool answers(const struct aside *a, int ms)
{
	struct pollfd p = { .fd = a->socket, .events = POLLIN };
	u64 now = now_ms(), until = now + ms;
	int n;

	do {
		n = poll(&p, 1, min(until - now, (u64)LOOK_MS));
		now = now_ms();
	} while (n <= 0 && now < until && !is_cancelled(a));
	return n > 0;
}

static void leave_behind(struct aside *a)
{
	kill(a->pid, SIGKILL);
	close(a->socket);
	waitpid(a->pid, NULL, WNOHANG);
	a->pid = 0;
	a->nr_left++;
}

int aside_run(struct aside *a, struct aside_call *c, int ms)
{
	struct message m = { .fn = c->fn, .size = c->size };
	int fds[ASIDE_FDS], err;
	ssize_t n;
	u32 nr;

	c->out = -1;
	if (a->nr_left >= MAX_LEFT || is_cancelled(a))
		return -ETIMEDOUT;
	err = a->pid ? 0 : start(a);
	if (err)
		return err;
	memcpy(m.arg, c->arg, c->size);
	n = send_message(a->socket, &m, c->in, c->nr_in);
	if (n >= 0 && !answers(a, ms)) {
		leave_behind(a);
		return -ETIMEDOUT;
	}
	if (n >= 0)
		n = receive_message(a->socket, &m, fds, &nr);
	if (n <= 0) {
		/* Somebody killed it. */
		err = n ? -errno : -EPIPE;
		aside_deinit(a);
		return err;
	}
	memcpy(c->arg, m.arg, c->size);
	if (nr)
		c->out = fds[0];
	return m.result;
}

void aside_cancel(struct aside *a)
{
	__atomic_store_n(&a->cancelled, true, __ATOMIC_RELAXED);
}

void aside_deinit(struct aside *a)
{
	if (!a->pid)
		return;
	close(a->socket);
	while (waitpid(a->pid, NULL, 0) < 0 && errno == EINTR)
		;
	a->pid = 0;
}
