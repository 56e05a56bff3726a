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
#include <sys/syscall.h>
#include <unistd.h>

#include "path.h"
#include "stats.h"
#include "test.h"

/* Drop all of the stack but the pages in use right here, then @data's system call. */
static noinline void drop_and_call(struct path *p, void *data)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *here = __builtin_frame_address(0);
	char *from = (char *)(((unsigned long)here + 2 * page - 1) & -page);
	char *to = p->stack + p->stack_size;

	path_enter(p);
	if (to - from < (long)page)
		die("frames too small for the test");
	if (madvise(from, to - from, MADV_DONTNEED))
		die("MADV_DONTNEED");
	p->nr = (long)data;
	/* poll(): long enough that a slow kernel does go to sleep. */
	p->arg[2] = 30;
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

TEST(faulted, "a stack that is not mapped: the inline walk faults, the deferred one does not")
{
	faulted_test(SYS_getppid, "getppid");
}

TEST(blocked, "the same in a task that blocks: what cannot be read then waits for the return")
{
	u64 faulted = stats_read("faulted"), returned = stats_answered("return");

	/* poll() without files, for a moment */
	faulted_test(SYS_poll, "poll");
	ok(stats_read("faulted") >= faulted + 20, "each time, the walk at block faulted");
	ok(stats_answered("return") >= returned + 20, "and the answer came at return");
}
