// SPDX-License-Identifier: GPL-2.0
/* execve() and exit: the old image's stack must be read while it is there. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
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

extern const char _start[];

enum { NR_THREADS = 6 };

struct shared {
	volatile int ready, go;
	volatile int tid[NR_THREADS + 1];
	struct path path[NR_THREADS + 1];
	long timeout[2];
	struct iovec iov[1024];
	int pipe[2];
	char byte;
};

static struct shared *shared(void)
{
	struct shared *sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (sh == MAP_FAILED)
		die("mmap");
	return sh;
}

/* What each event of exec_events() is. */
static const struct {
	const char *tracepoint;
	bool filter, old;
} exec_event[] = {
	{ "raw_syscalls/sys_enter", true, true },
	{ "raw_syscalls/sys_enter", true, true },
	{ "raw_syscalls/sys_enter", true, true },
	{ "task/task_rename", false, false },
	{ "sched/sched_process_exec", false, false },
	{ "sched/sched_process_exec", false, false },
	{ "raw_syscalls/sys_exit", true, false },
	{ "raw_syscalls/sys_exit", true, false },
};

/* Requests of a task that is preempted are completed then. */
static void no_preemption(void)
{
	struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("SCHED_FIFO");
}

/* A walk from these registers has an ip and comes to its end, whatever is mapped. */
static void exec_without_fp(char **argv, char **envp)
{
	static const char path[] = "/proc/self/exe";

#if defined(__x86_64__)
	asm volatile("xor %%ebp, %%ebp\n syscall"
		     : : "a"(SYS_execve), "D"(path), "S"(argv), "d"(envp) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long nr asm("x8") = SYS_execve;
	register const char *x0 asm("x0") = path;
	register char **x1 asm("x1") = argv, **x2 asm("x2") = envp;

	asm volatile("mov x29, 0\n svc 0" : : "r"(nr), "r"(x0), "r"(x1), "r"(x2) : "memory");
#else
	asm volatile("xor %%ebp, %%ebp\n int $0x80"
		     : : "a"(SYS_execve), "b"(path), "c"(argv), "d"(envp) : "memory");
#endif
}

static int event_of(struct recorder *r, u64 id)
{
	int i;

	for (i = 0; i < r->nr_events && r->id[i] != id; i++)
		;
	return i;
}

static void exec_test(bool fp)
{
	static char *argv[] = { "unwind", "nothing", NULL }, *envp[] = { NULL };
	struct path new = { .want = { (unsigned long)_start }, .nr_want = 1 };
	u64 completions = stats_completed("exec"), old_cookie = 0;
	struct shared *sh = shared();
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	int i, n[2] = { 0 }, wrong[2] = { 0 }, kept = 0, status, records = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		path_run(&(struct path){ .leaf = PATH_SPIN, .rounds = 1 }, 1);
		sh->ready = 1;
		while (!sh->go)
			sched_yield();
		no_preemption();
		if (!fp)
			exec_without_fp(argv, envp);
		path_syscall_at(&sh->path[0], 26, SYS_execve, (long)"/proc/self/exe",
				(long)argv, (long)envp, 0);
		_exit(9);
	}
	while (!sh->ready)
		usleep(1000);
	for (i = 0; i < (int)ARRAY_SIZE(exec_event); i++) {
		attr_tracepoint(&attr, exec_event[i].tracepoint);
		attr_defer(&attr);
		recorder_add(&r, &attr, pid, -1, i ? -1 : 6);
		if (exec_event[i].filter)
			event_filter_syscall(r.fd[i], SYS_execve);
	}
	recorder_enable(&r);
	sh->go = 1;
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && !WEXITSTATUS(status), "the new image ran");
	recorder_read(&r);
	recorder_sort(&r);
	for (i = 0; i < r.nr; i++) {
		struct rec *rec = &r.rec[i];
		int event = event_of(&r, rec->id);
		struct chain chain;
		bool old;

		records += rec->type == RECORD_CALLCHAIN_DEFERRED;
		if (rec->type != PERF_RECORD_SAMPLE)
			continue;
		old = exec_event[event].old;
		chain = recorder_chain(&r, i);
		n[old]++;
		if ((fp || !old) && !path_is(old ? &sh->path[0] : &new, &chain)) {
			diag("that was a sample of %s", exec_event[event].tracepoint);
			wrong[old]++;
		}
		if (old && rec->cookie)
			old_cookie = rec->cookie;
		if (!old && rec->cookie && rec->cookie == old_cookie)
			kept++;
	}
	ok(n[1] == 3 && !wrong[1], "before: %d samples, %d without the old image's chain", n[1],
	   wrong[1]);
	ok(n[0] == 5 && !wrong[0], "after: %d samples, %d without the new image's chain", n[0],
	   wrong[0]);
	ok(!kept, "the cookie was renewed");
	if (old_cookie)
		ok(stats_completed("exec") > completions, "completed because of execve");
	recorder_close(&r);
}

static bool old_chain(const struct rec *rec, const struct chain *chain, void *path)
{
	(void)rec;
	return path_is(path, chain);
}

TEST(exec, "execve: samples before the point of no return show the old image, later ones the new")
{
	exec_test(true);
	exec_test(false);
}

/* In de_thread() it gets the id of the leader, which has ended (and has no exe) or is killed there. */
static void *exec_in_thread(void *data)
{
	static char *argv[] = { "unwind", "nothing", NULL }, *envp[] = { NULL };
	struct shared *sh = data;

	sh->tid[0] = syscall(SYS_gettid);
	while (!sh->go)
		sched_yield();
	path_syscall_at(&sh->path[0], 26, SYS_execve, (long)"/proc/thread-self/exe", (long)argv,
			(long)envp, 0);
	_exit(9);
}

static void exec_thread(bool leader_ended)
{
	static const char prepare[] = "sched/sched_prepare_exec";
	struct shared *sh = shared();
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	int i, nr = 0, status;
	struct tally t;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, exec_in_thread, sh))
			die("pthread_create");
		if (leader_ended)
			syscall(SYS_exit, 0);
		pause();
	}
	while (!sh->tid[0])
		usleep(1000);
	for (i = 0; i < 6; i++) {
		/* Since 6.10. The others are of the system call, and completed if it blocks. */
		bool late = i >= 3 && !access("/sys/kernel/tracing/events/sched/sched_prepare_exec",
					      F_OK);

		if (late)
			attr_tracepoint(&attr, prepare);
		else
			attr_syscall(&attr, false);
		attr_defer(&attr);
		recorder_add(&r, &attr, sh->tid[0], -1, i ? -1 : 6);
		if (!late)
			event_filter_syscall(r.fd[i], SYS_execve);
		nr++;
	}
	recorder_enable(&r);
	sh->go = 1;
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && !WEXITSTATUS(status), "the new image ran, the old leader %s",
	   leader_ended ? "had ended" : "was there");
	recorder_read(&r);
	tally(&r, &t, old_chain, &sh->path[0]);
	ok(t.samples == nr && !t.wrong && !t.orphans && !t.none,
	   "%d samples, all with the thread's call path", t.samples);
	recorder_close(&r);
	munmap(sh, sizeof(*sh));
}

TEST(execthread, "execve by a thread that becomes the leader: what was sampled before has its stack")
{
	int i;

	for (i = 0; i < 6; i++)
		exec_thread(i & 1);
}

static bool thread_chain(const struct rec *rec, const struct chain *chain, void *data)
{
	struct shared *sh = data;
	int i;

	for (i = 0; i <= NR_THREADS; i++)
		if ((u32)sh->tid[i] == rec->tid)
			return path_is(&sh->path[i], chain);
	diag("a sample of task %u that is not ours", rec->tid);
	return false;
}

static struct shared *shmem;

static void *thread(void *data)
{
	int i = (long)data;

	shmem->tid[i] = syscall(SYS_gettid);
	while (!shmem->go)
		sched_yield();
	path_run(&shmem->path[i], 5 + 4 * i);
	return NULL;
}

/* A process whose threads sleep, read from a pipe, and run in a long read. */
static void many_threads(struct shared *sh)
{
	pthread_t pt;
	long i;

	shmem = sh;
	for (i = 1; i <= NR_THREADS; i++) {
		struct path *p = &sh->path[i];

		p->leaf = PATH_SYSCALL;
		switch (i % 3) {
		case 0:
			p->nr = SYS_nanosleep;
			p->arg[0] = (long)sh->timeout;
			break;
		case 1:
			p->nr = SYS_read;
			p->arg[0] = sh->pipe[0];
			p->arg[1] = (long)&sh->byte;
			p->arg[2] = 1;
			break;
		case 2:
			p->nr = SYS_readv;
			p->arg[0] = open("/dev/urandom", O_RDONLY);
			p->arg[1] = (long)sh->iov;
			p->arg[2] = ARRAY_SIZE(sh->iov);
			break;
		}
		if (pthread_create(&pt, NULL, thread, (void *)i))
			die("pthread_create");
		while (!sh->tid[i])
			usleep(1000);
	}
}

TEST(exit, "exit_group while the other threads are inside system calls")
{
	size_t size = 1 << 20;
	char *buf = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	struct shared *sh = shared();
	u64 completions = stats_completed("exit"), end = now_ns() + 30000000000ULL;
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	int i, cpu, per_cpu = 3, status, waited = 0;
	struct tally t;
	char filter[160];
	pid_t pid;

	if (buf == MAP_FAILED || pipe(sh->pipe))
		die("buffer");
	for (i = 0; i < (int)ARRAY_SIZE(sh->iov); i++)
		sh->iov[i] = (struct iovec){ buf, size };
	sh->timeout[0] = 1000;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		sh->tid[0] = getpid();
		while (!sh->ready)
			sched_yield();
		many_threads(sh);
		sh->go = 1;
		/* Until the test saw a sample of every thread. */
		while (sh->ready < 2)
			sched_yield();
		no_preemption();
		path_syscall_at(&sh->path[0], 47, SYS_exit_group, 0, 0, 0, 0);
	}
	while (!sh->tid[0])
		usleep(1000);
	snprintf(filter, sizeof(filter), "id == %ld || id == %ld || id == %ld || id == %ld",
		 (long)SYS_nanosleep, (long)SYS_read, (long)SYS_readv, (long)SYS_exit_group);
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		for (i = 0; i < per_cpu; i++) {
			attr_syscall(&attr, false);
			attr_defer(&attr);
			attr.inherit = 1;
			recorder_add(&r, &attr, pid, cpu, i ? -1 : 7);
			if (ioctl(r.fd[r.nr_events - 1], PERF_EVENT_IOC_SET_FILTER, filter))
				die("filter");
		}
	}
	recorder_enable(&r);
	/* (usleep() is clock_nanosleep(): not what is watched.) */
	sh->ready = 1;
	do {
		int seen = 0;

		usleep(5000);
		recorder_read(&r);
		for (i = 1; i <= NR_THREADS; i++) {
			int j;

			for (j = 0; j < r.nr; j++)
				if (r.rec[j].type == PERF_RECORD_SAMPLE &&
				    (int)r.rec[j].tid == sh->tid[i])
					break;
			seen += j < r.nr;
		}
		if (seen == NR_THREADS)
			waited = 1;
	} while (!waited && now_ns() < end);
	ok(waited, "every thread is inside its system call");
	sh->ready = 2;
	waitpid(pid, &status, 0);
	recorder_disable(&r);
	recorder_read(&r);
	tally(&r, &t, thread_chain, sh);
	ok(t.samples == per_cpu * (NR_THREADS + 1) && !t.wrong && !t.orphans && !t.none,
	   "%d samples of %d threads, all with their call path", t.samples, NR_THREADS + 1);
	check_policy(&t);
	if (t.records)
		ok(stats_completed("exit") > completions, "some were completed because of the exit");
	recorder_close(&r);
}
