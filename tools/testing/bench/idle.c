// SPDX-License-Identifier: GPL-2.0
/*
 * idle: what system calls, switches, faults and new processes cost where no event is
 * open: with CONFIG_UNWIND_USER only hooks that find nothing to do. One operation a
 * line, and the nanoseconds that it takes, at least and in the mean; on the one CPU of
 * QEMU's -icount shift=0 these are instructions, kernel and program together.
 *
 *	idle [BATCHES]
 *
 * Of each operation BATCHES (200) batches are timed. The shortest is one that no timer tick and
 * no work of the kernel's own fell into; in the mean both are.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGES	64

static char *self;
static int there[2], back[2];

static void fail(const char *what)
{
	fprintf(stderr, "idle: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC, &t))
		fail("clock_gettime");
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void system_calls(int n)
{
	while (n--)
		syscall(SYS_getppid);
}

static void reads(int n)
{
	static int fd = -1;
	char buf[64];

	if (fd < 0)
		fd = open("/dev/zero", O_RDONLY);
	while (n--)
		if (read(fd, buf, sizeof(buf)) != sizeof(buf))
			fail("read");
}

/* Two switches: to a process that waits for a byte, and back. */
static void switches(int n)
{
	char c = 0;

	while (n--)
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			fail("pipe");
}

static void answer(void)
{
	char c;

	while (read(there[0], &c, 1) == 1 && write(back[1], &c, 1) == 1)
		;
	_exit(0);
}

static void await(pid_t pid)
{
	int status;

	if (pid < 0)
		fail("fork");
	if (waitpid(pid, &status, 0) != pid || status)
		fail("waitpid");
}

static void forks(int n)
{
	while (n--) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		await(pid);
	}
}

static void execs(int n)
{
	while (n--) {
		pid_t pid = vfork();

		if (!pid) {
			execl(self, self, "exit", NULL);
			_exit(1);
		}
		await(pid);
	}
}

/* PAGES faults for each. */
static void faults(int n)
{
	while (n--) {
		volatile char *p = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			fail("mmap");
		for (int i = 0; i < PAGES; i++)
			p[i * 4096] = 1;
		munmap((void *)p, PAGES * 4096);
	}
}

static void handler(int sig)
{
	(void)sig;
}

static void signals(int n)
{
	while (n--)
		raise(SIGUSR1);
}

static const struct {
	const char *name;
	void (*run)(int n);
	int n;
} ops[] = {
	{ "system call", system_calls, 1000 },
	{ "read of 64 bytes", reads, 1000 },
	{ "two switches by pipes", switches, 100 },
	{ "signal", signals, 100 },
	{ "64 page faults", faults, 5 },
	{ "fork, exit, wait", forks, 5 },
	{ "vfork, exec, wait", execs, 5 },
};

int main(int argc, char **argv)
{
	int batches = argc > 1 ? atoi(argv[1]) : 200;
	pid_t pid;

	if (argc > 1 && !strcmp(argv[1], "exit"))
		return 0;
	if (batches < 1) {
		fprintf(stderr, "usage: idle [BATCHES]\n");
		return 2;
	}
	self = argv[0];
	if (pipe(there) || pipe(back))
		fail("pipe");
	pid = fork();
	if (!pid) {
		close(there[1]);
		answer();
	}
	signal(SIGUSR1, handler);
	for (unsigned int i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		uint64_t best = UINT64_MAX, sum = 0;

		ops[i].run(ops[i].n);
		for (int b = 0; b < batches; b++) {
			uint64_t start = now(), took;

			ops[i].run(ops[i].n);
			took = now() - start;
			sum += took;
			if (took < best)
				best = took;
		}
		printf("%s\t%.1f\t%.1f\n", ops[i].name, (double)best / ops[i].n,
		       (double)sum / ops[i].n / batches);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}
