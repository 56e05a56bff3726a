// SPDX-License-Identifier: GPL-2.0
/*
 * Completions before the return to user space: the task blocks, and the profile
 * ends while it still does.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "path.h"
#include "stats.h"
#include "test.h"

/* Shared between the test and the task it watches. */
struct shared {
	volatile int ready, go, returned;
	int depth;
	struct path path;
	long word;		/* a futex */
	long timeout[2];
	int pipe[2];
	struct pollfd poll;
	struct iovec iov[1024];
	char *page;
};

static struct shared *shared(void)
{
	struct shared *sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (sh == MAP_FAILED)
		die("mmap");
	return sh;
}

static pid_t start(struct shared *sh)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid) {
		while (!sh->ready)
			usleep(1000);
		return pid;
	}
	sh->path.stack = NULL;
	sh->path.stack_size = 0;
	/* Before anyone watches: map the stack, fault everything in. */
	path_run(&(struct path){ .leaf = PATH_SPIN, .rounds = 1 }, sh->depth);
	sh->ready = 1;
	while (!sh->go)
		sched_yield();
	path_run(&sh->path, sh->depth);
	sh->returned = 1;
	_exit(0);
}

/* The state letter of a task, as in /proc/PID/stat. */
static char task_state(pid_t pid)
{
	char path[64], line[512], *p = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (fgets(line, sizeof(line), f))
		p = strrchr(line, ')');
	fclose(f);
	return p ? p[2] : 0;
}

/* How often a task went to sleep. */
static long sleeps(pid_t pid)
{
	char path[64], line[256];
	long n = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f) && sscanf(line, "voluntary_ctxt_switches: %ld", &n) != 1)
		;
	fclose(f);
	return n;
}

/*
 * Whether a task sleeps that had slept @before times: its state alone says so
 * before it is off its CPU.
 */
static bool asleep(pid_t pid, long before)
{
	return strchr("SD", task_state(pid)) && sleeps(pid) > before;
}

static void stop_task(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

enum { EVENTS = 3 };

static void watch(struct recorder *r, pid_t pid, const char *tracepoint, const char *filter)
{
	struct perf_event_attr attr;
	int i;

	memset(r, 0, sizeof(*r));
	for (i = 0; i < EVENTS; i++) {
		attr_tracepoint(&attr, tracepoint);
		attr_defer(&attr);
		recorder_add(r, &attr, pid, -1, i ? -1 : 6);
		if (ioctl(r->fd[i], PERF_EVENT_IOC_SET_FILTER, filter))
			die("filter %s", filter);
	}
	recorder_enable(r);
}

static bool sampled(struct recorder *r)
{
	recorder_read(r);
	return recorder_count(r, PERF_RECORD_SAMPLE) >= EVENTS;
}

static bool is_path(const struct rec *rec, const struct chain *chain, void *data)
{
	(void)rec;
	return path_is(data, chain);
}

/* All samples must be complete now, with the task where it is. */
static void check_now(struct recorder *r, struct shared *sh, const char *name)
{
	struct tally t;

	recorder_read(r);
	tally(r, &t, is_path, &sh->path);
	ok(!sh->returned, "%s: the task is still in the kernel", name);
	ok(t.samples == EVENTS && !t.wrong && !t.orphans && !t.none,
	   "%s: %d samples, all with the chain of the call path", name, t.samples);
	check_policy(&t);
}

static void block_test(struct shared *sh, const char *tracepoint, const char *filter,
		       const char *name)
{
	u64 end = now_ns() + 30000000000ULL;
	u64 completions = stats_completed("block");
	struct recorder r;
	struct tally t;
	pid_t pid = start(sh);
	long before = sleeps(pid);

	watch(&r, pid, tracepoint, filter);
	sh->go = 1;
	while ((!sampled(&r) || !asleep(pid, before)) && now_ns() < end)
		usleep(5000);
	ok(task_state(pid) == 'S', "%s: the task sleeps", name);
	recorder_disable(&r);
	check_now(&r, sh, name);
	tally(&r, &t, NULL, NULL);
	if (t.records)
		ok(stats_completed("block") > completions, "%s: completed because it blocked", name);
	stop_task(pid);
	recorder_close(&r);
}

static void block_syscall(struct shared *sh, int depth, long nr, long a, long b, long c, long d,
			  const char *name)
{
	char filter[32];

	sh->go = sh->ready = sh->returned = 0;
	sh->depth = depth;
	sh->path = (struct path){ .leaf = PATH_SYSCALL, .nr = nr, .arg = { a, b, c, d } };
	snprintf(filter, sizeof(filter), "id == %ld", nr);
	block_test(sh, "raw_syscalls/sys_enter", filter, name);
}

TEST(block, "a task blocked in the kernel when the profile ends")
{
	struct shared *sh = shared();
	static char byte;

	sh->timeout[0] = 1000;
	block_syscall(sh, 21, SYS_nanosleep, (long)sh->timeout, 0, 0, 0, "nanosleep");
	block_syscall(sh, 21, SYS_futex, (long)&sh->word, FUTEX_WAIT, 0, 0, "futex");
	if (pipe(sh->pipe))
		die("pipe");
	block_syscall(sh, 21, SYS_read, sh->pipe[0], (long)&byte, 1, 0, "pipe read");
	sh->poll.fd = sh->pipe[0];
	sh->poll.events = POLLIN;
	block_syscall(sh, 21, SYS_ppoll, (long)&sh->poll, 1, 0, 0, "ppoll");
}

TEST(switches, "the software event of a context switch, when the profile ends before the next one")
{
	struct shared *sh = shared();
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	u64 end = now_ns() + 30000000000ULL;
	struct tally t;
	long before;
	pid_t pid;

	sh->depth = 21;
	sh->timeout[0] = 1000;
	sh->path = (struct path){ .leaf = PATH_SYSCALL, .nr = SYS_nanosleep,
				  .arg = { (long)sh->timeout } };
	pid = start(sh);
	before = sleeps(pid);
	attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	attr.sample_period = 1;
	attr_defer(&attr);
	recorder_add(&r, &attr, pid, -1, 6);
	recorder_enable(&r);
	sh->go = 1;
	/* The last switch is the one to sleep; those before were to another task. */
	while (!asleep(pid, before) && now_ns() < end)
		usleep(5000);
	recorder_disable(&r);
	recorder_read(&r);
	tally(&r, &t, NULL, NULL);
	ok(!sh->returned && t.samples > 0, "%d switches, the task sleeps", t.samples);
	ok(!t.orphans && !t.none, "%d of them without a stack", t.orphans + t.none);
	stop_task(pid);
	recorder_close(&r);
}

TEST(deep, "a blocked task whose stack has more than 512 entries")
{
	static const char sysctl[] = "/proc/sys/kernel/perf_event_max_stack";
	struct shared *sh = shared();

	if (!write_text(sysctl, "1000"))
		die("%s", sysctl);
	sh->timeout[0] = 1000;
	block_syscall(sh, 700, SYS_nanosleep, (long)sh->timeout, 0, 0, 0, "700 frames");
	ok(write_text(sysctl, "127"), "%s is back at 127", sysctl);
}

/* By the address in the tracepoint of page faults, which arm64 does not have. */
#ifndef __aarch64__
extern const char touch_ip[];

static noinline void touch(struct path *p, void *data)
{
	path_enter(p);
	path_note(p, (unsigned long)touch_ip);
	asm volatile(".globl touch_ip\n"
		     "touch_ip:	" READ_BYTE : : "r"(data) : "memory", "cc");
	path_leave(p);
}

TEST(uffd, "a page fault that waits for userfaultfd")
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct shared *sh = shared();
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };
	char filter[64];
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 && errno == ENOSYS) {
		skip("no CONFIG_USERFAULTFD", "userfaultfd");
		return;
	}
	sh->page = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || sh->page == MAP_FAILED || ioctl(fd, UFFDIO_API, &api))
		die("userfaultfd");
	/* Memory of its own in the child: it registers there, before it is watched. */
	reg.range.start = (unsigned long)sh->page;
	reg.range.len = page;
	sh->depth = 21;
	sh->path = (struct path){ .leaf = PATH_CALL, .fn = touch, .data = sh->page };
	snprintf(filter, sizeof(filter), "address == %#lx", (unsigned long)sh->page);
	/*
	 * A fork does not inherit the registration, so here the parent is
	 * watched and a child of it does the watching.
	 */
	if (ioctl(fd, UFFDIO_REGISTER, &reg))
		die("UFFDIO_REGISTER");
	pid_t task = getpid(), watcher;

	fflush(stdout);
	watcher = fork();
	if (watcher) {
		int status;

		path_run(&(struct path){ .leaf = PATH_SPIN, .rounds = 1 }, sh->depth);
		sh->ready = 1;
		while (!sh->go)
			sched_yield();
		path_run(&sh->path, sh->depth);
		sh->returned = 1;
		waitpid(watcher, &status, 0);
		/* The watcher made the checks and wrote the plan. */
		_exit(WEXITSTATUS(status));
	}
	u64 end = now_ns() + 30000000000ULL, completions = stats_completed("block");
	struct recorder r;
	struct tally t;
	long before;
	int failed;

	while (!sh->ready)
		usleep(1000);
	before = sleeps(task);
	watch(&r, task, "exceptions/page_fault_user", filter);
	sh->go = 1;
	while ((!sampled(&r) || !asleep(task, before)) && now_ns() < end)
		usleep(5000);
	recorder_disable(&r);
	check_now(&r, sh, "userfaultfd");
	tally(&r, &t, is_path, &sh->path);
	failed = t.wrong || t.orphans || t.samples != EVENTS || sh->returned;
	if (t.records)
		failed |= !ok(stats_completed("block") > completions, "completed because it blocked");
	recorder_close(&r);
	/* Let the task go. */
	struct uffdio_zeropage zero = { .range = reg.range };

	if (ioctl(fd, UFFDIO_ZEROPAGE, &zero)) {
		struct uffdio_copy copy = {
			.dst = reg.range.start, .len = page,
			.src = (unsigned long)mmap(NULL, page, PROT_READ | PROT_WRITE,
						   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		};

		if (ioctl(fd, UFFDIO_COPY, &copy))
			kill(task, SIGKILL);
	}
	test_end(failed);
}
#endif

/* A read that takes long, without blocking: much of /dev/urandom into one buffer. */
static void long_read(struct shared *sh, int fd)
{
	size_t size = 1 << 20;
	char *buf = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	unsigned int i;

	if (buf == MAP_FAILED)
		die("mmap");
	for (i = 0; i < ARRAY_SIZE(sh->iov); i++)
		sh->iov[i] = (struct iovec){ buf, size };
	sh->depth = 33;
	sh->path = (struct path){
		.leaf = PATH_SYSCALL, .nr = SYS_readv,
		.arg = { fd, (long)sh->iov, ARRAY_SIZE(sh->iov) },
	};
}

TEST(disable, "events disabled while the task runs in a long read")
{
	struct shared *sh = shared();
	int fd = open("/dev/urandom", O_RDONLY);
	u64 end = now_ns() + 30000000000ULL, completions;
	struct recorder r;
	struct tally t;
	char filter[32];
	cpu_set_t set;
	pid_t pid;

	long_read(sh, fd);
	pid = start(sh);
	/* The task alone on its CPU, so that it runs when the event is disabled. */
	CPU_ZERO(&set);
	CPU_SET(nr_cpus() - 1, &set);
	sched_setaffinity(pid, sizeof(set), &set);
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
	/* A request of a task that is preempted would be completed then. */
	if (sched_setscheduler(pid, SCHED_FIFO, &(struct sched_param){ .sched_priority = 1 }))
		die("SCHED_FIFO");
	snprintf(filter, sizeof(filter), "id == %ld", (long)SYS_readv);
	watch(&r, pid, "raw_syscalls/sys_enter", filter);
	completions = stats_completed("disable");
	sh->go = 1;
	while (!sampled(&r) && now_ns() < end)
		usleep(1000);
	recorder_disable(&r);
	check_now(&r, sh, "long read");
	tally(&r, &t, NULL, NULL);
	if (t.records)
		ok(stats_completed("disable") > completions, "completed because of the disabling");
	stop_task(pid);
	recorder_close(&r);
}

TEST(selfoff, "a task that disables its own events")
{
	struct shared *sh = shared();
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct path p = { 0 };
	struct tally t;
	int i;

	(void)sh;
	for (i = 0; i < EVENTS; i++) {
		attr_syscall(&attr, false);
		attr_defer(&attr);
		recorder_add(&r, &attr, 0, -1, i ? -1 : 6);
	}
	recorder_filter_syscall(&r, SYS_prctl);
	recorder_enable(&r);
	path_syscall_at(&p, 40, SYS_prctl, 31 /* PR_TASK_PERF_EVENTS_DISABLE */, 0, 0, 0);
	recorder_read(&r);
	tally(&r, &t, is_path, &p);
	ok(t.samples == EVENTS && !t.wrong && !t.orphans && !t.none,
	   "%d samples, all with the chain of the call path", t.samples);
	check_policy(&t);
	recorder_close(&r);
}
