// SPDX-License-Identifier: GPL-2.0
/*
 * torture SECONDS [SEED]: everything at once, for a bounded time.
 *
 * Processes fork, exec, exit, block, are traced, take signals, move between
 * CPUs, run on broken stacks, and uprobes come and go under them; events open
 * and close beside them at full rate, and so do unwind tables, true ones and such
 * as lead anywhere, and damaged ones; allocations fail; and a recorder watches all CPUs. At the
 * end every task is gone before the recorder's events are disabled, so each
 * cookie must have had its record, save for what the kernel counted as LOST.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../selftests/unwind/event.h"
#include "../selftests/unwind/path.h"
#include "../selftests/unwind/test.h"
#include "torture.h"

/*
 * How long a part may take to end. Under KCSAN on a host with ten other processes for its two
 * CPUs all parts together took 20 to 47 s.
 */
#define PART_END_NS	(120 * 1000000000ULL)

u64 clock_period;

static u64 deadline;
static unsigned int seed;

bool time_left(void)
{
	return now_ns() < deadline;
}

unsigned int rnd(unsigned int n)
{
	return rand_r(&seed) % n;
}

void rnd_seed(unsigned int value)
{
	seed = value;
}

/* A few system calls of every kind from a random depth. */
void some_calls(int n)
{
	static const long calls[] = { SYS_getppid, SYS_sched_yield, SYS_getuid, SYS_gettid };
	long ts[2] = { 0, 100000 };
	struct path p = { 0 };

	while (n--) {
		path_syscall_at(&p, 1 + rnd(100), calls[rnd(4)], 0, 0, 0, 0);
		if (!rnd(16))
			path_syscall_at(&p, 1 + rnd(60), SYS_nanosleep, (long)ts, 0, 0, 0);
	}
	path_free(&p);
}

static u64 syscalls_ns(void)
{
	struct path p = { 0 };
	u64 start = now_ns();
	int i;

	for (i = 0; i < 20; i++)
		path_syscall_at(&p, 60, SYS_getppid, 0, 0, 0, 0);
	path_free(&p);
	return now_ns() - start;
}

/*
 * Up to a dozen clocks tick on one CPU. Where a sample takes a sanitizer longer
 * than a twelfth of the period nothing but samples would ever run, and nothing
 * stop them.
 */
static void find_period(void)
{
	enum { ROUNDS = 20 };
	u64 with = -1, without = -1, ns;
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	int i;

	attr_syscall(&attr, false);
	attr_defer(&attr);
	recorder_add(&r, &attr, 0, -1, 4);
	/* On a busy machine others run during many of the rounds. */
	for (i = 0; i < ROUNDS || (with <= without && i < 20 * ROUNDS); i++) {
		ns = syscalls_ns();
		without = ns < without ? ns : without;
		recorder_enable(&r);
		ns = syscalls_ns();
		with = ns < with ? ns : with;
		recorder_disable(&r);
		recorder_clear(&r);
	}
	recorder_close(&r);
	ns = with > without ? (with - without) / 20 : 0;
	clock_period = 20 * ns > 100000 ? 20 * ns : 100000;
	diag("a sample takes %llu ns: clocks tick every %llu ns", (unsigned long long)ns,
	     (unsigned long long)clock_period);
}

static const struct {
	const char *name;
	void (*run)(void);
	int copies;
} parts[] = {
	{ "forks", part_forks, 2 },
	{ "threads", part_threads, 2 },
	{ "blocks", part_blocks, 2 },
	{ "moves", part_moves, 2 },
	{ "signals", part_signals, 1 },
	{ "traced", part_traced, 1 },
	{ "uprobes", part_uprobes, 1 },
	{ "stacks", part_stacks, 1 },
	{ "events", part_events, 3 },
	{ "tables", part_tables, 2 },
	{ "code", part_code, 2 },
	{ "abuse", part_abuse, 2 },
	{ "faults", part_faults, 1 },
};

/* What is known of a cookie. */
struct seen {
	u64 cookie, sample, record;	/* times of the last of each */
	u32 tid;
};

static struct seen *table;
static size_t table_size = 1 << 16, table_used;

static struct seen *look_up(u64 cookie)
{
	size_t i = (cookie * 0x9e3779b97f4a7c15ULL >> 20) & (table_size - 1);
	struct seen *old = table;
	size_t n;

	while (table[i].cookie && table[i].cookie != cookie)
		i = (i + 1) & (table_size - 1);
	if (table[i].cookie)
		return &table[i];
	if (table_used * 2 > table_size) {
		n = table_size;
		table_size *= 2;
		table_used = 0;
		table = calloc(table_size, sizeof(*table));
		if (!table)
			die("calloc");
		while (n--)
			if (old[n].cookie)
				*look_up(old[n].cookie) = old[n];
		free(old);
		return look_up(cookie);
	}
	table_used++;
	table[i].cookie = cookie;
	return &table[i];
}

static u64 nr_samples, nr_inline, nr_deferred, nr_records, nr_wrong, nr_lost;

static void take(struct recorder *r)
{
	struct seen *s;
	int i;

	recorder_read(r);
	for (i = 0; i < r->nr; i++) {
		struct rec *rec = &r->rec[i];

		if (rec->type == PERF_RECORD_SAMPLE) {
			nr_samples++;
			nr_inline += rec->is_inline;
			nr_wrong += rec->is_dup_context;
			if (rec->cookie) {
				nr_deferred++;
				s = look_up(rec->cookie);
				nr_wrong += s->tid && s->tid != rec->tid;
				s->tid = rec->tid;
				if (rec->time > s->sample)
					s->sample = rec->time;
			}
		} else if (rec->type == RECORD_CALLCHAIN_DEFERRED) {
			nr_records++;
			nr_wrong += !rec->cookie;
			s = look_up(rec->cookie);
			nr_wrong += s->tid && s->tid != rec->tid;
			s->tid = rec->tid;
			if (rec->time > s->record)
				s->record = rec->time;
		}
		free(rec->user);
	}
	nr_lost += r->lost;
	r->lost = 0;
	r->nr = 0;
}

static void watch(struct recorder *r)
{
	static const char * const tracepoints[] = {
		"sched/sched_switch", "raw_syscalls/sys_enter", "raw_syscalls/sys_exit",
		"sched/sched_process_exec", "sched/sched_process_exit",
	};
	struct perf_event_attr attr;
	unsigned int i;
	int cpu;

	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		for (i = 0; i < ARRAY_SIZE(tracepoints); i++) {
			attr_tracepoint(&attr, tracepoints[i]);
			attr_defer(&attr);
			recorder_add(r, &attr, -1, cpu, i ? -1 : 12);
		}
		attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
		attr.sample_period = 5 * clock_period;
		attr_defer(&attr);
		recorder_add(r, &attr, -1, cpu, -1);
		attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
		attr_defer(&attr);
		recorder_add(r, &attr, -1, cpu, -1);
	}
	recorder_enable(r);
}

/*
 * Requests of init may be pending at the end: it waits for its children all the time, and while
 * tables are registered a task that blocks cannot be walked before 6.4, whose mappings have no
 * locks. Its stack is walked when it comes back.
 */
static bool may_be_pending(u32 tid)
{
	struct utsname name;
	int major, minor;

	return tid == 1 && !uname(&name) && sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
	       major * 100 + minor < 604;
}

/* A file of /proc as one line; empty if there is none. */
static void read_line(const char *folder, const char *name, char *text, size_t size)
{
	char path[300];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY);
	n = fd < 0 ? 0 : read(fd, text, size - 1);
	close(fd);
	text[n < 0 ? 0 : n] = '\0';
	while ((text = strchr(text, '\n')))
		*text = ' ';
}

/* The state and kernel stack of each task of a process group: of a part that does not end. */
static void show_tasks(pid_t group)
{
	char stat[512], stack[1024], *end;
	unsigned int i;
	glob_t tasks;
	int pgrp;

	if (glob("/proc/[0-9]*/task/[0-9]*", 0, NULL, &tasks))
		return;
	for (i = 0; i < tasks.gl_pathc; i++) {
		/* "PID (NAME) STATE PPID PGRP ..." */
		read_line(tasks.gl_pathv[i], "stat", stat, sizeof(stat));
		end = strrchr(stat, ')');
		if (!end || sscanf(end, ") %*c %*d %d", &pgrp) != 1 || pgrp != group)
			continue;
		end[3] = '\0';
		read_line(tasks.gl_pathv[i], "stack", stack, sizeof(stack));
		diag("  %s: %s", stat, stack);
	}
	globfree(&tasks);
}

int main(int argc, char **argv)
{
	struct sched_param param = { .sched_priority = 1 };
	int seconds = argc > 1 ? atoi(argv[1]) : 10;
	u64 orphans = 0, lines = 0;
	struct recorder r = { 0 };
	pid_t child[64];
	const char *name[64];
	int nr = 0, died = 0, status;
	unsigned int i;
	size_t n;
	int j;

	if (argc > 1 && !strcmp(argv[1], "nothing"))
		return 0;
	seed = argc > 2 ? (unsigned int)atoi(argv[2]) : (unsigned int)now_ns();
	table = calloc(table_size, sizeof(*table));
	if (!table)
		die("calloc");
	diag("torture: %d s, seed %u, %d-bit, defer_inline=%d", seconds, seed,
	     (int)sizeof(long) * 8, defer_inline());
	find_period();
	make_code();
	watch(&r);
	deadline = now_ns() + seconds * 1000000000ULL;
	fflush(stdout);
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		for (j = 0; j < parts[i].copies; j++) {
			name[nr] = parts[i].name;
			child[nr] = fork();
			if (child[nr] < 0)
				die("fork");
			if (!child[nr]) {
				setpgid(0, 0);
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				seed += 77 * nr;
				parts[i].run();
				fflush(stdout);
				_exit(0);
			}
			nr++;
		}
	}
	/* Ahead of what it watches, so that buffers do not fill. */
	sched_setscheduler(0, SCHED_FIFO, &param);
	while (time_left()) {
		usleep(20000);
		take(&r);
	}
	/* Each part ends by itself; what it left behind is in its group. */
	for (j = 0; j < nr; j++) {
		u64 end = now_ns() + PART_END_NS;

		while (!waitpid(child[j], &status, WNOHANG) && now_ns() < end) {
			usleep(10000);
			take(&r);
		}
		if (now_ns() >= end) {
			diag("%s: does not end", name[j]);
			show_tasks(child[j]);
			status = 0;
			died++;
		}
		if (status)
			diag("%s: ended with status %#x", name[j], status);
		kill(-child[j], SIGKILL);
		died += status != 0;
	}
	/* Grandchildren that are init's now. */
	for (j = 0; j < 50; j++) {
		usleep(10000);
		take(&r);
	}
	recorder_disable(&r);
	take(&r);
	for (n = 0; n < table_size; n++) {
		struct seen *s = &table[n];

		/* The recorder itself is still inside the ioctl that disables. */
		if (!s->cookie || s->sample <= s->record || (pid_t)s->tid == getpid() ||
		    may_be_pending(s->tid))
			continue;
		orphans++;
		if (lines++ < 5)
			diag("cookie %llx of task %u: sample at %llu, last record at %llu",
			     (unsigned long long)s->cookie, s->tid,
			     (unsigned long long)s->sample, (unsigned long long)s->record);
	}
	diag("%llu samples: %llu inline, %llu deferred; %llu records, %llu lost",
	     (unsigned long long)nr_samples, (unsigned long long)nr_inline,
	     (unsigned long long)nr_deferred, (unsigned long long)nr_records,
	     (unsigned long long)nr_lost);
	ok(!died, "%d of %d parts failed", died, nr);
	ok(nr_samples > 1000, "%llu samples", (unsigned long long)nr_samples);
	ok(getenv("UNWIND_PLAIN") || (nr_deferred && nr_records),
	   "%llu deferred, %llu records", (unsigned long long)nr_deferred,
	   (unsigned long long)nr_records);
	ok(orphans <= nr_lost, "%llu cookies without a record, %llu records lost",
	   (unsigned long long)orphans, (unsigned long long)nr_lost);
	ok(!nr_wrong && !r.bad, "%llu records that cannot be", (unsigned long long)nr_wrong + r.bad);
	test_end(false);
}
