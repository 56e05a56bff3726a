// SPDX-License-Identifier: GPL-2.0
/*
 * waits MS: threads that compute a little and wait a little, each by another system call, for so many
 * ms, while they get signals whose action is none. None of the calls may be interrupted, and their
 * parent must not see them stop. Prints what was wrong; exits with 7 if nothing was.
 */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NAP	1000000		/* ns */

static const struct timespec nap = { 0, NAP };
static int ep, fds[2], pair[2], sem, wrong;
static unsigned int word;
static long long end;
static volatile unsigned long sink;

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static int by_epoll(void)
{
	struct epoll_event e;

	return epoll_wait(ep, &e, 1, 1);
}

static int by_epoll2(void)
{
	struct epoll_event e;

	return syscall(SYS_epoll_pwait2, ep, &e, 1, &nap, NULL, 0);
}

static int by_futex(void)
{
	return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &nap, NULL, 0);
}

static int by_nanosleep(void)
{
	return nanosleep(&nap, NULL);
}

static int by_poll(void)
{
	struct pollfd p = { fds[0], POLLIN, 0 };

	return poll(&p, 1, 1);
}

static int by_select(void)
{
	struct timeval t = { 0, NAP / 1000 };

	return select(0, NULL, NULL, NULL, &t);
}

static int by_sigtimedwait(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return sigtimedwait(&set, NULL, &nap);
}

static int by_semop(void)
{
	struct sembuf op = { 0, -1, 0 };

	return syscall(SYS_semtimedop, sem, &op, 1, &nap);
}

static int by_recv(void)
{
	char c;

	return recv(pair[0], &c, 1, 0);
}

/* Another thread writes. */
static int by_read(void)
{
	char c;

	return read(fds[0], &c, 1);
}

static int by_write(void)
{
	clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
	return write(fds[1], "", 1);
}

static const struct kind {
	const char *name;
	int (*wait)(void);
} kinds[] = {
	{ "epoll_wait", by_epoll }, { "epoll_pwait2", by_epoll2 }, { "futex", by_futex },
	{ "nanosleep", by_nanosleep }, { "poll", by_poll }, { "select", by_select },
	{ "sigtimedwait", by_sigtimedwait }, { "semtimedop", by_semop }, { "recv", by_recv }, { "read", by_read },
	{ "write", by_write },
};

static void *waiter(void *arg)
{
	const struct kind *k = arg;
	unsigned long i, n = 0, eintr = 0;

	for (; now() < end; n++) {
		for (i = 0; i < 20000; i++)
			sink += i;
		eintr += k->wait() < 0 && errno == EINTR;
	}
	if (eintr) {
		printf("%s: %lu of %lu calls returned EINTR\n", k->name, eintr, n);
		wrong = 1;
	}
	return NULL;
}

static int work(void)
{
	const struct timeval t = { 0, NAP / 1000 };
	pthread_t threads[sizeof(kinds) / sizeof(*kinds)];
	unsigned int i, n = sizeof(kinds) / sizeof(*kinds);

	ep = epoll_create1(0);
	sem = semget(IPC_PRIVATE, 1, 0600);
	if (ep < 0 || sem < 0 || pipe(fds) || socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) ||
	    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)))
		return 2;
	for (i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, waiter, (void *)&kinds[i]);
	/* It does nothing, and wakes nobody who is not traced. */
	for (i = 0; now() < end; i = (i + 1) % n) {
		pthread_kill(threads[i], SIGWINCH);
		nanosleep(&nap, NULL);
	}
	for (i = 0; i < n; i++)
		if (kinds[i].wait != by_read)
			pthread_join(threads[i], NULL);
	close(fds[1]);
	semctl(sem, 0, IPC_RMID);
	return wrong ? 1 : 7;
}

int main(int argc, char **argv)
{
	int status, stops = 0;
	pid_t pid;

	end = now() + 1000000LL * atoi(argc > 1 ? argv[1] : "500");
	pid = fork();
	if (!pid)
		exit(work());
	while (waitpid(pid, &status, WUNTRACED | WCONTINUED) == pid && !WIFEXITED(status) && !WIFSIGNALED(status))
		stops++;
	if (stops)
		printf("stopped %d times\n", stops);
	return stops || !WIFEXITED(status) ? 3 : WEXITSTATUS(status);
}
