// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../selftests/unwind/bare.h"
#include "../selftests/unwind/path.h"
#include "../selftests/unwind/table.h"
#include "../selftests/unwind/test.h"
#include "torture.h"

static char *nothing[] = { "torture", "nothing", NULL };
static char *no_env[] = { NULL };

/* Processes that come and go: exit, exec, die of a signal, from any depth. */
void part_forks(void)
{
	struct path p = { 0 };
	pid_t pid;

	while (time_left()) {
		pid = fork();
		if (pid < 0)
			continue;
		if (pid) {
			if (!rnd(8))
				kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
			continue;
		}
		some_calls(rnd(10));
		switch (rnd(4)) {
		case 0:
			path_syscall_at(&p, 1 + rnd(50), SYS_execve, (long)"/proc/self/exe",
					(long)nothing, (long)no_env, 0);
			break;
		case 1:
			/* An exec that fails: before the point of no return. */
			path_syscall_at(&p, 1 + rnd(50), SYS_execve, (long)"/etc/passwd",
					(long)nothing, (long)no_env, 0);
			break;
		case 2:
			path_syscall_at(&p, 1 + rnd(50), SYS_kill, getpid(), SIGKILL, 0, 0);
			break;
		}
		path_syscall_at(&p, 1 + rnd(50), SYS_exit_group, 0, 0, 0, 0);
	}
}

static void *busy_thread(void *data)
{
	volatile int *stop = data;

	while (!*stop)
		some_calls(5);
	return NULL;
}

/* Processes full of threads, which one of them ends, or replaces by exec. */
void part_threads(void)
{
	static int stop;
	pthread_t t;
	pid_t pid;
	int i;

	while (time_left()) {
		pid = fork();
		if (pid < 0)
			continue;
		if (pid) {
			waitpid(pid, NULL, 0);
			continue;
		}
		for (i = 0; i < 6; i++)
			pthread_create(&t, NULL, busy_thread, &stop);
		some_calls(1 + rnd(30));
		if (rnd(2))
			execve("/proc/self/exe", nothing, no_env);
		syscall(SYS_exit_group, 0);
	}
}

/* Pipes, futexes and sleeps between a few tasks. */
void part_blocks(void)
{
	int *word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct path p = { 0 };
	long ts[2] = { 0, 500000 };
	int there[2], back[2];
	pid_t pid;
	char c = 0;

	if (word == MAP_FAILED || pipe(there) || pipe(back))
		die("pipe");
	/* Each side sees the other one's end as an end of file. */
	signal(SIGPIPE, SIG_IGN);
	pid = fork();
	close(pid ? there[0] : there[1]);
	close(pid ? back[1] : back[0]);
	while (time_left()) {
		if (pid) {
			if (write(there[1], &c, 1) < 0)
				break;
			path_syscall_at(&p, 1 + rnd(90), SYS_read, back[0], (long)&c, 1, 0);
		} else {
			path_syscall_at(&p, 1 + rnd(90), SYS_read, there[0], (long)&c, 1, 0);
			if (write(back[1], &c, 1) < 0)
				break;
		}
		path_syscall_at(&p, 1 + rnd(90), SYS_futex, (long)word, FUTEX_WAIT, 0, (long)ts);
		path_syscall_at(&p, 1 + rnd(90), SYS_futex, (long)word, FUTEX_WAKE, 1, 0);
	}
	if (!pid)
		_exit(0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* From CPU to CPU, inside an entry. */
void part_moves(void)
{
	struct path p = { 0 };
	unsigned long mask;

	while (time_left()) {
		mask = 1UL << rnd(nr_cpus());
		path_syscall_at(&p, 1 + rnd(90), SYS_sched_setaffinity, 0, sizeof(mask),
				(long)&mask, 0);
		p.leaf = PATH_SPIN;
		p.rounds = rnd(20000);
		path_run(&p, 1 + rnd(30));
	}
}

static void on_signal(int sig)
{
	static const struct itimerval off;

	some_calls(1);
	/* On a slow kernel the next one is due already: the loop never sees the time. */
	if (sig == SIGALRM && !time_left())
		setitimer(ITIMER_REAL, &off, NULL);
}

/* Signal handlers on top of system calls, on top of handlers. */
void part_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct itimerval it = { { 0, 2000 }, { 0, 2000 } }, off = { 0 };

	sigaction(SIGALRM, &sa, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	setitimer(ITIMER_REAL, &it, NULL);
	while (time_left()) {
		some_calls(10);
		raise(SIGUSR1);
	}
	setitimer(ITIMER_REAL, &off, NULL);
}

/* A task that is stopped, stepped, and let go or killed by its tracer. */
void part_traced(void)
{
	int i, status;
	pid_t pid;

	while (time_left()) {
		pid = fork();
		if (pid < 0)
			continue;
		if (!pid) {
			for (;;)
				some_calls(20);
		}
		if (ptrace(PTRACE_SEIZE, pid, 0, 0))
			die("PTRACE_SEIZE");
		for (i = 0; i < 10; i++) {
			if (ptrace(PTRACE_INTERRUPT, pid, 0, 0) || waitpid(pid, &status, __WALL) < 0)
				break;
			if (rnd(2)) {
				ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
				waitpid(pid, &status, __WALL);
				ptrace(PTRACE_CONT, pid, 0, 0);
			} else {
				ptrace(PTRACE_SYSCALL, pid, 0, 0);
				waitpid(pid, &status, __WALL);
				ptrace(PTRACE_CONT, pid, 0, 0);
			}
		}
		kill(pid, SIGKILL);
		waitpid(pid, NULL, __WALL);
	}
}

/* What the probes are on. */
static noinline void probed(int depth)
{
	if (depth)
		probed(depth - 1);
	else
		syscall(SYS_getppid);
	asm volatile("");
}

/* uprobes and uretprobes that come and go while children run through them. */
void part_uprobes(void)
{
	static const char * const kinds[] = { "p", "r" };
	char line[256], path[128];
	struct perf_event_attr attr;
	pid_t pid[2];
	int i, fd;

	for (i = 0; i < 2; i++) {
		pid[i] = fork();
		if (!pid[i])
			for (;;)
				probed(rnd(20));
	}
	while (time_left()) {
		i = rnd(2);
		snprintf(line, sizeof(line), "%s:torture/p%d /proc/%d/exe:%#lx", kinds[i], i,
			 getpid(), exe_offset((unsigned long)probed));
		if (!write_text("/sys/kernel/tracing/uprobe_events", line))
			die("uprobe_events %s", line);
		snprintf(path, sizeof(path), "torture/p%d", i);
		attr_tracepoint(&attr, path);
		attr_defer(&attr);
		attr.disabled = 0;
		fd = event_open(&attr, pid[rnd(2)], -1);
		usleep(1000 * rnd(10));
		if (fd >= 0)
			close(fd);
		snprintf(line, sizeof(line), "-:torture/p%d", i);
		/* Busy for a moment after the last event has gone. */
		while (!write_text("/sys/kernel/tracing/uprobe_events", line) && errno == EBUSY)
			usleep(1000);
	}
	for (i = 0; i < 2; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
}

/* Stacks that vanish: unmapped and mapped again by another thread. */
static char *field;
#define FIELD	(64 * 4096)

static void *unmapper(void *data)
{
	(void)data;
	while (time_left()) {
		madvise(field, FIELD, MADV_DONTNEED);
		mprotect(field + 4096 * rnd(32), 4096 * 8, PROT_NONE);
		sched_yield();
		mprotect(field, FIELD, PROT_READ | PROT_WRITE);
	}
	return NULL;
}

/* getppid() with a frame pointer into the field. */
static noinline void walk_field(unsigned long fp)
{
#ifdef __x86_64__
	asm volatile("push %%rbp\n"
		     "mov %0, %%rbp\n"
		     "mov %1, %%eax\n"
		     "syscall\n"
		     "pop %%rbp\n"
		     : : "r"(fp), "i"(SYS_getppid) : "rax", "rcx", "r11", "memory");
#elif defined(__aarch64__)
	asm volatile("mov x9, x29\n"
		     "mov x29, %0\n"
		     "mov x8, %1\n"
		     "svc 0\n"
		     "mov x29, x9\n"
		     : : "r"(fp), "i"(SYS_getppid) : "x0", "x8", "x9", "memory");
#else
	asm volatile("push %%ebp\n"
		     "mov %0, %%ebp\n"
		     "mov %1, %%eax\n"
		     "int $0x80\n"
		     "pop %%ebp\n"
		     : : "r"(fp), "i"(SYS_getppid) : "eax", "memory");
#endif
}

void part_stacks(void)
{
	unsigned long *f;
	pthread_t t;
	pid_t pid;
	int i, n;

	/* Faults of our own kill us: run it in children. */
	while (time_left()) {
		pid = fork();
		if (pid) {
			waitpid(pid, NULL, 0);
			continue;
		}
		field = mmap(NULL, FIELD, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		f = (unsigned long *)field;
		n = FIELD / sizeof(long);
		for (i = 0; i + 600 < n; i++)
			f[i] = (unsigned long)&f[i + 1 + rnd(600)];
		pthread_create(&t, NULL, unmapper, NULL);
		for (i = 0; i < 2000 && time_left(); i++) {
			walk_field((unsigned long)&f[rnd(n / 2)]);
			if (!rnd(50))
				walk_field((unsigned long)rnd(1 << 30) << rnd(34));
		}
		_exit(0);
	}
}

/* Events opened, used and closed at full rate, beside the recorder's. */
void part_events(void)
{
	struct perf_event_attr attr;
	struct recorder r;
	pid_t pid;
	int i;

	while (time_left()) {
		memset(&r, 0, sizeof(r));
		pid = 0;
		if (rnd(2)) {
			pid = fork();
			if (!pid) {
				for (;;)
					some_calls(10);
			}
			if (pid < 0)
				pid = 0;
		}
		for (i = 0; i < 3; i++) {
			if (rnd(2)) {
				attr_syscall(&attr, rnd(2));
			} else {
				attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
				attr.sample_period = clock_period;
			}
			if (rnd(4))
				attr_defer(&attr);
			attr.disabled = rnd(2);
			attr.sample_max_stack = rnd(2) ? 0 : 1 + rnd(100);
			attr.exclude_callchain_kernel = rnd(2);
			if (rnd(2)) {
				attr.inherit = rnd(2);
				recorder_add(&r, &attr, pid, rnd(nr_cpus()), rnd(3));
			} else {
				recorder_add(&r, &attr, rnd(2) ? pid : -1, rnd(nr_cpus()), rnd(3));
			}
		}
		for (i = 0; i < 3; i++) {
			if (rnd(2))
				recorder_enable(&r);
			some_calls(rnd(20));
			if (rnd(2))
				recorder_disable(&r);
			if (rnd(2))
				recorder_read(&r);
		}
		recorder_close(&r);
		if (pid) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
		}
	}
}

/* A rule that the kernel takes, whatever it leads to. */
static struct unwind_table_rule any_rule(void)
{
	static const unsigned int offs[] = { 0, 8, 16, 24, 48, 128, 4096, -8, 1 << 30, -(1 << 30) };
	struct unwind_table_rule rule = { .kind = rnd(6) };

	if (rule.kind == UNWIND_TABLE_UNKNOWN || rule.kind == UNWIND_TABLE_OUTERMOST)
		return rule;
	rule.off = offs[rnd(ARRAY_SIZE(offs))];
	rule.reg = DWARF_SP;
	if (rule.kind == UNWIND_TABLE_SIGNAL)
		return rule;
	if (rule.kind != UNWIND_TABLE_PLT && rnd(2))
		rule.reg = rnd(4) ? DWARF_FP : rnd(16);
	rule.fp = rnd(5);
#ifdef __aarch64__
	rule.kind = UNWIND_TABLE_CFA;
	if (rule.fp == UNWIND_TABLE_FP_FP || rule.fp == UNWIND_TABLE_FP_SP)
		rule.fp = UNWIND_TABLE_FP_CFA;
	rule.arg = offs[rnd(ARRAY_SIZE(offs))];
#endif
	if (rule.fp != UNWIND_TABLE_FP_SAME && rule.fp != UNWIND_TABLE_FP_LOST)
		rule.fp_off = offs[rnd(ARRAY_SIZE(offs))];
	if (rule.kind == UNWIND_TABLE_PLT)
		rule.arg = rnd(16);
	if (rule.kind == UNWIND_TABLE_DEREF)
		rule.arg = offs[rnd(ARRAY_SIZE(offs))];
	if (rule.kind == UNWIND_TABLE_CFA && !rnd(8)) {
		rule.ra = UNWIND_TABLE_RA_REG;
		rule.arg = rnd(16);
	}
	return rule;
}

/* Of such rules. */
struct table any_table(u64 size)
{
	struct table_code code[200];
	int i, nr = 1 + rnd(ARRAY_SIZE(code));
	u64 step = size / nr;

	for (i = 0; i < nr; i++)
		code[i] = (struct table_code){ i * step + rnd(step), any_rule() };
	return table_make(code, nr);
}

/* Tables of this program, of the vDSO and of code() come and go, true ones and others. */
int code_fd;

void part_tables(void)
{
	struct table t[3];
	int i, event, fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die("/proc/self/exe");
	while (have_tables() && time_left()) {
		event = table_owner();
		t[0] = any_table(1 << 20);
		t[1] = rnd(2) ? bare_table(CODE_OFF) : any_table(CODE_SIZE);
		t[2] = any_table(4096);
		if (table_add(event, fd, &t[0]) || table_add(event, code_fd, &t[1]) ||
		    table_add_vdso(event, &t[2]))
			die("table");
		for (i = 0; i < 3; i++)
			table_free(&t[i]);
		some_calls(rnd(20));
		if (rnd(2))
			usleep(rnd(3000));
		close(event);
	}
}

static void *mapper(void *data)
{
	volatile int *stop = data;
	size_t size;
	char *at;

	/* Writers of the tree of mappings, beside walks that read it. */
	while (!*stop) {
		size = (2 + rnd(8)) * 4096;
		at = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (at == MAP_FAILED)
			continue;
		mprotect(at, 4096, PROT_READ | PROT_WRITE);
		munmap(at, size);
	}
	return NULL;
}

/* Code that is mapped, called, moved, called and unmapped, as by dlopen() and dlclose(). */
void part_code(void)
{
	volatile int stop = 0;
	struct path p = { 0 };
	pthread_t t;
	char *at, *to;
	int i;

	pthread_create(&t, NULL, mapper, (void *)&stop);
	while (time_left()) {
		at = mmap(NULL, CODE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, code_fd, 0);
		to = mmap(NULL, CODE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (at == MAP_FAILED || to == MAP_FAILED)
			die("mmap");
		for (i = rnd(5); i >= 0; i--)
			bare_run(&p, 1 + rnd(30), at + CODE_OFF);
		if (mremap(at, CODE_SIZE, CODE_SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED)
			die("mremap");
		bare_run(&p, 1 + rnd(30), to + CODE_OFF);
		if (!rnd(20) && !fork()) {
			bare_run(&p, 1 + rnd(30), to + CODE_OFF);
			if (rnd(2))
				execve("/proc/self/exe", nothing, no_env);
			_exit(0);
		}
		munmap(to, CODE_SIZE);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
	stop = 1;
	pthread_join(t, NULL);
}

void make_code(void)
{
	ssize_t size = bare_end - bare_text;

	code_fd = memfd_create("code", MFD_CLOEXEC);
	if (code_fd < 0 || ftruncate(code_fd, CODE_SIZE) ||
	    pwrite(code_fd, bare_text, size, CODE_OFF) != size)
		die("memfd");
}
