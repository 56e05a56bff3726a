// SPDX-License-Identifier: GPL-2.0
/*
 * A stack whose pages are not mapped when the sample is taken: the inline walk
 * faults and has only the innermost part; the deferred one brings them in.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "path.h"
#include "stats.h"
#include "test.h"

/* Drop all of the stack but the pages in use right here. */
static void drop_stack(struct path *p)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *here = __builtin_frame_address(0);
	char *from = (char *)(((unsigned long)here + 2 * page - 1) & -page);
	char *to = p->stack + p->stack_size;

	if (to - from < (long)page)
		die("frames too small for the test");
	if (madvise(from, to - from, MADV_DONTNEED))
		die("MADV_DONTNEED");
}

/* How often this task went to sleep. */
static long voluntary_switches(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage))
		die("getrusage");
	return usage.ru_nvcsw;
}

/* Drop the stack, then @data's system call. */
static noinline void drop_and_call(struct path *p, void *data)
{
	/* ppoll(): long enough that a slow kernel does go to sleep. */
	static const struct timespec timeout = { .tv_nsec = 30000000 };

	path_enter(p);
	drop_stack(p);
	p->nr = (long)data;
	p->arg[2] = (long)&timeout;
	path_syscall(p);
	path_leave(p);
}

static bool is_path(const struct rec *rec, const struct chain *chain, void *data)
{
	(void)rec;
	return path_is(data, chain);
}

static void faulted_test(long nr, const char *name)
{
	size_t size = 256 << 10;
	int fd = syscall(SYS_memfd_create, "stack", 0);
	char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct path p = {
		.leaf = PATH_CALL, .fn = drop_and_call, .pad = 800,
		.stack = stack, .stack_size = size, .data = (void *)nr,
	};
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct tally t;
	int i;

	/* Pages of the page cache: dropped from the page table, not lost. */
	if (fd < 0 || ftruncate(fd, size) || stack == MAP_FAILED)
		die("memfd");
	for (i = 0; i < 2; i++) {
		attr_syscall(&attr, i);
		attr_defer(&attr);
		recorder_add(&r, &attr, 0, -1, i ? -1 : 7);
	}
	recorder_filter_syscall(&r, nr);
	recorder_enable(&r);
	for (i = 0; i < 20; i++)
		path_run(&p, 40);
	recorder_disable(&r);
	recorder_read(&r);
	tally(&r, &t, is_path, &p);
	ok(t.samples == 40 && !t.wrong && !t.orphans && !t.none,
	   "%s: %d samples, all with the chain of the call path", name, t.samples);
	ok(t.deferred == 40, "%d deferred, for the inline walk could not complete", t.deferred);
	recorder_close(&r);
}

/* Writes a byte at a time to a socket that the test waits at for all of them. */
enum { BYTES = 40 };

static pid_t start_writer(int fd, pid_t reader)
{
	char path[64], line[256], byte = 0;
	pid_t pid = fork();
	int i;

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	snprintf(path, sizeof(path), "/proc/%d/wchan", reader);
	for (i = 0; i < BYTES; i++) {
		FILE *f;
		int tries;

		/* It sleeps in the kernel before the next byte comes. */
		for (tries = 0; tries < 2000; tries++) {
			f = fopen(path, "r");
			if (f && fgets(line, sizeof(line), f) && strcmp(line, "0")) {
				fclose(f);
				break;
			}
			if (f)
				fclose(f);
			usleep(500);
		}
		if (write(fd, &byte, 1) != 1)
			_exit(1);
	}
	_exit(0);
}

/* Drop the stack, then one recvmsg() that goes to sleep for every byte. */
static noinline void drop_and_receive(struct path *p, void *data)
{
	static char buf[BYTES];
	static struct iovec iov = { buf, BYTES };
	static struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	int *fd = data;

	path_enter(p);
	drop_stack(p);
	p->nr = SYS_recvmsg;
	p->arg[0] = fd[0];
	p->arg[1] = (long)&msg;
	p->arg[2] = MSG_WAITALL;
	path_syscall(p);
	path_leave(p);
}

TEST(reblock, "a stack that could not be read at a block is not walked again at the next one")
{
	size_t size = 256 << 10;
	int memfd = syscall(SYS_memfd_create, "stack", 0), fd[2];
	char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	struct path p = {
		.leaf = PATH_CALL, .fn = drop_and_receive, .pad = 800,
		.stack = stack, .stack_size = size, .data = fd,
	};
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct tally t;
	long blocks;
	u64 faulted;
	pid_t pid;

	if (memfd < 0 || ftruncate(memfd, size) || stack == MAP_FAILED)
		die("memfd");
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
		die("socketpair");
	attr_syscall(&attr, false);
	attr_defer(&attr);
	recorder_add(&r, &attr, 0, -1, 7);
	recorder_filter_syscall(&r, SYS_recvmsg);
	/* Not below path_run(): its stack is shared memory. */
	pid = start_writer(fd[1], getpid());
	recorder_enable(&r);
	faulted = stats_read("faulted");
	blocks = voluntary_switches();
	path_run(&p, 40);
	blocks = voluntary_switches() - blocks;
	faulted = stats_read("faulted") - faulted;
	recorder_disable(&r);
	recorder_read(&r);
	waitpid(pid, NULL, 0);
	tally(&r, &t, is_path, &p);
	ok(t.samples == 1 && !t.wrong && !t.orphans && !t.none,
	   "%d sample, with the chain of the call path", t.samples);
	ok(blocks >= BYTES / 2, "the system call went to sleep %ld times", blocks);
	/* The sample's own walk, and the one at the first block. */
	ok(faulted <= 2, "%llu walks failed", (unsigned long long)faulted);
	recorder_close(&r);
}

TEST(faulted, "a stack that is not mapped: the inline walk faults, the deferred one does not")
{
	faulted_test(SYS_getppid, "getppid");
}

TEST(blocked, "the same in a task that blocks: what cannot be read then waits for the return")
{
	u64 faulted = stats_read("faulted"), returned = stats_completed("return");

	/* ppoll() without files, for a moment */
	faulted_test(SYS_ppoll, "ppoll");
	ok(stats_read("faulted") >= faulted + 20, "each time, the walk at block faulted");
	ok(stats_completed("return") >= returned + 20, "and the completion came at return");
}
