// SPDX-License-Identifier: GPL-2.0
/*
 * A child process for calls that may never return. Calls and answers are messages of a socket pair,
 * with descriptors; forked without exec, a call names its function by a pointer. A message without
 * one is a walker's question. struct aside owns the child, its sockets and the shared memory. A
 * killed child exits when the file system releases it, and holds none of our descriptors. A
 * walker's files go through a socket that the recorder does not read: to close one could hang, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/sysfs.h"
#include "host/host.h"

#define LOOK_MS		100	/* so soon a lowered .until is seen */
#define STARVED		3	/* as many times a runnable child is waited for again */
/* so often, after so many us, is looked whether a child has exited */
#define END_LOOKS	2000
#define END_US		100

struct message {
	int (*fn)(void *arg, const int *in, int *out);
	int result;
	u32 size;
	char arg[ASIDE_ARG_MAX] __attribute__((aligned(16)));
};

#define HEAD_SIZE offsetof(struct message, arg)

/* In the child: what it is. */
static struct {
	struct aside_page *page;
	const struct aside_silent *silent;
	char *window;
	int socket, wire;
} self;

static void *new_shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

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
		*c = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
				       .cmsg_len = CMSG_LEN(nr_fds * sizeof(int)) };
		memcpy(CMSG_DATA(c), fds, nr_fds * sizeof(int));
	}
	return sendmsg(socket, &msg, MSG_NOSIGNAL);
}

/* @fds: NULL: none are taken. Return: bytes, 0 at the end, or -1 with errno. */
static ssize_t receive_message(int socket, struct message *m, int *fds, u32 *nr_fds)
{
	char control[CMSG_SPACE(ASIDE_FDS * sizeof(int))];
	struct iovec iov = { .iov_base = m, .iov_len = sizeof(*m) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;
	ssize_t n;

	if (fds) {
		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		memset(fds, -1, ASIDE_FDS * sizeof(int));
		*nr_fds = 0;
	}
	n = TEMP_FAILURE_RETRY(recvmsg(socket, &msg, MSG_CMSG_CLOEXEC));
	c = n > 0 && fds ? CMSG_FIRSTHDR(&msg) : NULL;
	if (c && c->cmsg_type == SCM_RIGHTS) {
		*nr_fds = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(c), *nr_fds * sizeof(int));
	}
	return n < (ssize_t)HEAD_SIZE ? min(n, (ssize_t)0) : n;
}

/* The child has nothing of ours open: whoever reads our output does not wait for it. */
static void leave_descriptors(int a, int b)
{
	int null = open("/dev/null", O_RDWR), i;

	for (i = 0; i < 3; i++)
		if (null < 0 || dup2(null, i) < 0)
			close(i);
	if (a > 3)
		close_range(3, a - 1, 0);
	if (b > a + 1)
		close_range(a + 1, b - 1, 0);
	close_range(max(a, b) + 1, ~0U, 0);
}

static void serve(void (*give_up)(void))
{
	static struct message m;
	int fds[ASIDE_FDS], out;
	u32 nr, i;

	/* The recorder may be a realtime process. */
	sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){ 0 });
	leave_descriptors(min(self.socket, self.wire), max(self.socket, self.wire));
	if (give_up)
		give_up();
	while (receive_message(self.socket, &m, fds, &nr) > 0) {
		out = -1;
		m.result = m.fn(m.arg, fds, &out);
		for (i = 0; i < nr; i++)
			close(fds[i]);
		if (send_message(self.socket, &m, &out, out >= 0) < 0)
			break;
		if (out >= 0)
			close(out);
	}
	_exit(0);
}

static void close_sockets(struct aside *a)
{
	cleanup_close(&a->socket);
	cleanup_close(&a->wire);
	a->socket = a->wire = -1;
}

int aside_start(struct aside *a)
{
	int pair[2], wire[2] = { -1, -1 }, err = 0;
	sigset_t all, old;

	if (a->pid)
		return 0;
	a->page = a->page ?: new_shared(sizeof(*a->page));
	if (a->is_walker)
		a->window = a->window ?: new_shared(ASIDE_WINDOW);
	if (!a->page || (a->is_walker && !a->window))
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	if (a->is_walker &&
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, wire))
		err = -errno;
	/* The child does not end by a signal for all of us (^C), but by its faults. */
	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGABRT);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	a->pid = err ? -1 : fork();
	if (!a->pid) {
		self.page = a->page;
		self.silent = a->silent;
		self.window = a->window;
		self.socket = pair[1];
		self.wire = a->is_walker ? wire[1] : pair[1];
		serve(a->is_walker ? a->confine : NULL);
	}
	if (a->pid < 0) {
		err = err ?: -errno;
		a->pid = 0;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	close(pair[1]);
	cleanup_close(&wire[1]);
	a->socket = pair[0];
	a->wire = wire[0];
	if (err)
		close_sockets(a);
	return err;
}

static u64 cpu_ms(const struct aside *a)
{
	struct timespec ts;
	clockid_t clock;

	return clock_getcpuclockid(a->pid, &clock) || clock_gettime(clock, &ts) ? 0 :
	       ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

/* On a busy machine it may be the processor that does not answer. */
static bool is_runnable(pid_t pid)
{
	char path[32], text[256];
	const char *state;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	state = read_text(path, text, sizeof(text)) > 0 ? strstr(text, ") ") : NULL;
	return state && state[2] == 'R';
}

/* Give a call more time, unless the recording ends. */
static void extend(struct aside *a, u64 ms)
{
	if (!__atomic_load_n(&a->ending, __ATOMIC_RELAXED))
		__atomic_add_fetch(&a->until, ms, __ATOMIC_RELAXED);
}

/* Return: 0: there is a message; -ETIMEDOUT or -ETIME. */
static int wait_message(struct aside *a, const struct aside_call *c, int ms)
{
	u64 progress = __atomic_load_n(&a->page->progress, __ATOMIC_RELAXED), seen, now = now_ms(),
	    until;
	struct pollfd p = { .fd = a->socket, .events = POLLIN };
	u64 used = c->cpu_ms ? cpu_ms(a) : 0;
	u32 waits = 0;

	for (;;) {
		until = __atomic_load_n(&a->until, __ATOMIC_RELAXED);
		if (poll(&p, 1, until > now ? min(until - now, (u64)LOOK_MS) : 0) > 0)
			return 0;
		now = now_ms();
		if (now >= until && (waits++ == STARVED || !is_runnable(a->pid)))
			return -ETIMEDOUT;
		if (now >= until)
			__atomic_store_n(&a->until, now + max(ms, LOOK_MS), __ATOMIC_RELAXED);
		if (!c->cpu_ms)
			continue;
		seen = __atomic_load_n(&a->page->progress, __ATOMIC_RELAXED);
		if (seen == progress && cpu_ms(a) - used > c->cpu_ms)
			return -ETIME;
		if (seen != progress) {
			progress = seen;
			used = cpu_ms(a);
			extend(a, now + ms - until);
		}
	}
}

static void leave_behind(struct aside *a)
{
	kill(a->pid, SIGKILL);
	close_sockets(a);
	waitpid(a->pid, NULL, WNOHANG);
	a->pid = 0;
}

/* Wait for the answer, and answer questions. Return: 0, or -errno. */
static int converse(struct aside *a, const struct aside_call *c, struct message *m, int *fds,
		    u32 *nr, int ms)
{
	u64 began;
	int err;

	for (;;) {
		err = wait_message(a, c, ms);
		if (err)
			return err;
		if (receive_message(a->socket, m, a->is_walker ? NULL : fds, nr) <= 0)
			return -EPIPE;
		if (m->fn)
			return 0;
		began = now_ms();
		m->result = a->answer ? a->answer(a, m->arg, a->ctx) : -EPERM;
		m->size = 0;
		if (send_message(a->socket, m, NULL, 0) < 0)
			return -EPIPE;
		extend(a, now_ms() - began);
	}
}

int aside_run(struct aside *a, struct aside_call *c, int ms)
{
	struct message m;	/* not filled: a few bytes are used */
	int fds[ASIDE_FDS], err;
	u32 nr = 0;

	c->out = -1;
	__atomic_store_n(&a->until, now_ms() + ms, __ATOMIC_RELAXED);
	err = aside_start(a);
	if (err)
		return err;
	m.fn = c->fn;
	m.size = c->size;
	memcpy(m.arg, c->arg, c->size);
	err = send_message(a->socket, &m, c->in, c->nr_in) < 0 ? -EPIPE
							       : converse(a, c, &m, fds, &nr, ms);
	if (err == -EPIPE)
		aside_deinit(a);	/* it died, or somebody killed it */
	else if (err)
		leave_behind(a);
	if (err)
		return err;
	memcpy(c->arg, m.arg, c->size);
	if (nr)
		c->out = fds[0];
	return m.result;
}

int aside_ask(const void *question, u32 size)
{
	static struct message m;

	m.fn = NULL;
	m.size = size;
	memcpy(m.arg, question, size);
	if (send_message(self.socket, &m, NULL, 0) < 0 ||
	    receive_message(self.socket, &m, NULL, NULL) <= 0)
		_exit(0);
	return m.result;
}

struct aside_page *aside_page(void)
{
	return self.page;
}

bool aside_may_ask(u64 device)
{
	const struct aside_silent *known = self.silent;
	u32 i, nr;

	if (!self.page)
		return true;
	self.page->device = device;
	nr = known ? __atomic_load_n(&known->nr, __ATOMIC_ACQUIRE) : 0;
	for (i = 0; i < nr; i++)
		if (known->devices[i] == device)
			return false;
	return !known || !known->local || major(device);
}

char *aside_window(void)
{
	return self.window;
}

int walker_file(void)
{
	static struct message m;
	int fds[ASIDE_FDS], fd = -EIO;
	u32 nr;

	/* The last one: others came too late. */
	while (receive_message(self.wire, &m, fds, &nr) > 0) {
		if (fd >= 0)
			close(fd);
		fd = nr ? fds[0] : -EIO;
	}
	return fd;
}

int walker_send(int wire, int fd)
{
	struct message m;

	m.size = 0;
	return send_message(wire, &m, &fd, 1) < 0 ? -errno : 0;
}

void aside_end(struct aside *a)
{
	if (!a->pid)
		return;
	if (a->is_walker)
		kill(a->pid, SIGKILL);
	close_sockets(a);
}

void aside_deinit(struct aside *a)
{
	u32 looks;

	if (!a->pid)
		return;
	aside_end(a);
	/* It may wait for a file system that does not answer. */
	for (looks = 0; !waitpid(a->pid, NULL, WNOHANG) && looks < END_LOOKS; looks++)
		usleep(END_US);
	if (looks == END_LOOKS)
		kill(a->pid, SIGKILL);
	a->pid = 0;
}

void aside_free(struct aside *a)
{
	aside_deinit(a);
	if (a->page)
		munmap(a->page, sizeof(*a->page));
	if (a->window)
		munmap(a->window, ASIDE_WINDOW);
	*a = (struct aside){ 0 };
}
