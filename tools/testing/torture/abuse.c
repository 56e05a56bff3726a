// SPDX-License-Identifier: GPL-2.0
/*
 * Two parts of torture that the kernel is to refuse or survive, whatever they do.
 *
 * part_abuse() makes events and unwind tables out of damaged arguments: bytes of a sound
 * table that change, wrong sizes, addresses, files and flags, rows that another thread
 * overwrites while the kernel uses them in place, tables that are added while the event
 * is closed. Half of them have one defect only, so that they get past the first checks.
 *
 * part_faults() opens events, adds tables and enters the kernel in processes in which
 * the kernel's memory allocations and copies fail by chance (fault injection; nothing
 * happens on a kernel without it). The recorder, in which nothing fails, still wants a
 * record for each cookie.
 *
 * No result is checked: sanitizers, lockdep, and what torture demands of the recorder are the judges.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../selftests/unwind/bare.h"
#include "../selftests/unwind/path.h"
#include "../selftests/unwind/table.h"
#include "../selftests/unwind/test.h"
#include "torture.h"

#define AREA		(64 * 4096UL)
#define NR_TRACEPOINTS	2

static bool one_in(unsigned int n)
{
	return !rnd(n);
}

/* The tracepoint @n. Its number is read once: a task whose system calls fail may not get at it. */
static void any_tracepoint(struct perf_event_attr *attr, int n)
{
	static const char * const tracepoints[NR_TRACEPOINTS] = {
		"raw_syscalls/sys_enter", "sched/sched_switch",
	};
	static u64 ids[NR_TRACEPOINTS];

	if (!ids[n]) {
		attr_tracepoint(attr, tracepoints[n]);
		ids[n] = attr->config;
	}
	attr_init(attr, PERF_TYPE_TRACEPOINT, ids[n]);
}

/* An event of any kind that exists; what it asks for may be nonsense. */
static int any_event(void)
{
	struct perf_event_attr attr;
	pid_t pid = rnd(3) - 1;
	int bit;

	if (one_in(2)) {
		attr_init(&attr, PERF_TYPE_SOFTWARE, rnd(PERF_COUNT_SW_MAX));
		attr.sample_period = clock_period + rnd(1 << 20);
	} else {
		any_tracepoint(&attr, rnd(NR_TRACEPOINTS));
	}
	if (rnd(4))
		attr_flag(&attr, DEFER_CALLCHAIN);
	if (rnd(4))
		attr_flag(&attr, DEFER_OUTPUT);
	attr.disabled = rnd(2);
	attr.sample_max_stack = one_in(2) ? rnd(200) : 0;
	if (one_in(2))
		attr.sample_type = rnd(1 << 25);
	for (bit = 0; one_in(2) && bit < 8; bit++)
		if (one_in(4))
			attr_flag(&attr, rnd(64));
	/* A thousand samples a second and more are left to those who can stand them. */
	if (attr.freq)
		attr.sample_freq = 1 + rnd(500);
	return event_open(&attr, pid == 1 ? 0 : pid, pid == 1 || pid == -1 ? (int)rnd(nr_cpus()) : -1);
}

/* Change a few bytes, or words to values at which arithmetic goes wrong. */
static void damage(char *data, size_t bytes)
{
	static const u64 values[] = { 0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 1 << 16, 0x7fffffff, 0xffffffff, -1ULL };
	int n = one_in(2) ? 1 : 1 + rnd(8);
	size_t at, size;

	while (n--) {
		/* The head and the rules more often than their share. */
		at = rnd(one_in(2) && bytes > 128 ? 128 : bytes);
		if (one_in(2)) {
			data[at] ^= 1 << rnd(8);
			continue;
		}
		size = 1 << rnd(4);
		if (size > bytes - at)
			size = 1;
		memcpy(data + at, &values[rnd(ARRAY_SIZE(values))], size);
	}
}

struct churn {
	char *area;
	volatile bool stop;
};

/* Overwrites rows, and takes away and brings back their memory. */
static void *churn(void *arg)
{
	struct churn *c = arg;

	while (!c->stop) {
		memset(c->area + rnd(AREA - 256), rnd(256), 1 + rnd(255));
		if (one_in(64))
			madvise(c->area + 4096 * rnd(32), 8 * 4096, MADV_DONTNEED);
		if (one_in(256))
			sched_yield();
	}
	return NULL;
}

static void *close_it(void *arg)
{
	close((int)(long)arg);
	return NULL;
}

/* One call of the ioctl, with what torture's own code is mapped from or with another file. */
static void abuse_table(char *area)
{
	int fds[] = { code_fd, open("/proc/self/exe", O_RDONLY), open("/proc", O_RDONLY),
		      open("/dev/null", O_RDONLY), -1, open("/tmp", O_PATH), table_owner() };
	struct table t = one_in(3) ? bare_table(CODE_OFF) : any_table(CODE_SIZE);
	struct unwind_table_add add = {
		.size = sizeof(add), .fd = code_fd, .bytes = t.bytes,
	};
	int event = fds[ARRAY_SIZE(fds) - 1];
	size_t at = 4 * rnd((AREA - t.bytes) / 4);
	pthread_t thread;
	unsigned int i;

	if (rnd(4))
		damage(t.data, t.bytes);
	memcpy(area + at, t.data, t.bytes);
	add.addr = (unsigned long)area + at;
	if (one_in(3))
		add.fd = fds[rnd(ARRAY_SIZE(fds))];
	if (one_in(8)) {
		add.flags |= UNWIND_TABLE_ADD_VDSO;
		add.fd = -1;
	}
	if (one_in(8))
		add.addr += rnd(2) ? 1 + rnd(8) : AREA - rnd(t.bytes);
	if (one_in(8))
		damage((char *)&add, sizeof(add));
	if (one_in(16) && !pthread_create(&thread, NULL, close_it, (void *)(long)event)) {
		table_add_args(event, &add);
		pthread_join(thread, NULL);
	} else {
		for (i = 1 + rnd(2); i; i--)
			table_add_args(one_in(16) ? fds[rnd(ARRAY_SIZE(fds))] : event, &add);
		some_calls(rnd(4));
		close(event);
	}
	for (i = 0; i + 1 < ARRAY_SIZE(fds); i++)
		if (i && fds[i] >= 0)
			close(fds[i]);
	table_free(&t);
}

/* Call the code that the tables are of. */
static void run_code(char *code)
{
	struct path p = { 0 };

	bare_run(&p, 1 + rnd(30), code + CODE_OFF);
	path_free(&p);
}

static void abuse(void)
{
	char *area = mmap(NULL, 2 * AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *code = mmap(NULL, CODE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, code_fd, 0);
	struct churn c = { .area = area };
	int events[8], nr = 0, n;
	pthread_t thread;

	if (area == MAP_FAILED || code == MAP_FAILED)
		die("mmap");
	munmap(area + AREA, AREA);
	if (pthread_create(&thread, NULL, churn, &c))
		die("pthread_create");
	for (n = 0; n < 200 && time_left(); n++) {
		if (nr < (int)ARRAY_SIZE(events) && one_in(2)) {
			events[nr] = any_event();
			nr += events[nr] >= 0;
		}
		if (have_tables())
			abuse_table(area);
		run_code(code);
		if (nr && one_in(4))
			close(events[--nr]);
	}
	c.stop = true;
	pthread_join(thread, NULL);
}

/* In processes of their own: what they leave open ends with them. */
static void in_children(void (*run)(void))
{
	unsigned int seed;
	pid_t pid;

	while (time_left()) {
		seed = rnd(1U << 31);
		pid = fork();
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			rnd_seed(seed);
			run();
			_exit(0);
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
}

void part_abuse(void)
{
	in_children(abuse);
}

static const char * const fault_kinds[] = { "failslab", "fail_page_alloc", "fail_usercopy" };

static bool fault_set(const char *kind, const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", kind, name);
	return write_text(path, value);
}

/* For tasks that wish so alone. */
static bool faults_begin(void)
{
	unsigned int i;
	bool have = false;

	for (i = 0; i < ARRAY_SIZE(fault_kinds); i++) {
		have |= fault_set(fault_kinds[i], "task-filter", "Y") &&
			fault_set(fault_kinds[i], "verbose", "0") &&
			fault_set(fault_kinds[i], "interval", "1") &&
			fault_set(fault_kinds[i], "times", "-1") &&
			fault_set(fault_kinds[i], "probability", "4");
		fault_set(fault_kinds[i], "ignore-gfp-wait", "N");
		fault_set(fault_kinds[i], "min-order", "0");
	}
	return have;
}

static void faults(void)
{
	char *code = mmap(NULL, CODE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, code_fd, 0);
	struct table t = any_table(CODE_SIZE);
	struct unwind_table_add add = {
		.size = sizeof(add), .fd = code_fd, .addr = (unsigned long)t.data, .bytes = t.bytes,
	};
	int event, owner, n;

	/* That it has no memory for a stack or an event is what is wanted, and no result. */
	if (code == MAP_FAILED || !freopen("/dev/null", "w", stdout) ||
	    !write_text("/proc/self/make-it-fail", "1"))
		return;
	for (n = 0; n < 300 && time_left(); n++) {
		event = any_event();
		owner = any_event();
		if (owner >= 0)
			table_add_args(owner, &add);
		run_code(code);
		if (one_in(8)) {
			pid_t pid = fork();

			if (!pid) {
				some_calls(3);
				_exit(0);
			}
			if (pid > 0)
				waitpid(pid, NULL, 0);
		}
		some_calls(rnd(8));
		if (event >= 0)
			close(event);
		if (owner >= 0)
			close(owner);
	}
}

void part_faults(void)
{
	struct perf_event_attr attr;
	int n;

	for (n = 0; n < NR_TRACEPOINTS; n++)
		any_tracepoint(&attr, n);
	if (faults_begin())
		in_children(faults);
}
