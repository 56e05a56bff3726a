// SPDX-License-Identifier: GPL-2.0
/*
 * A memory cgroup that is full: unwind tables are refused, stacks are walked without
 * memory, and no task is killed for either.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "path.h"
#include "table.h"
#include "test.h"

#define CGROUPS		"/tmp/cgroup"
#define GROUP		CGROUPS "/unwind"

/* A memory cgroup of our own. */
static bool make_group(void)
{
	mkdir(CGROUPS, 0700);
	if (mount("none", CGROUPS, "cgroup2", 0, NULL))
		return false;
	if (!write_text(CGROUPS "/cgroup.subtree_control", "+memory")) {
		umount(CGROUPS);
		return false;
	}
	if (mkdir(GROUP, 0700) && errno != EEXIST)
		die(GROUP);
	return true;
}

/* The processes that were in it have been waited for. */
static void remove_group(void)
{
	rmdir(GROUP);
	umount(CGROUPS);
}

/* Whether the group's memory has @t in it; other pages that come and go are fewer than a tenth. */
static bool group_has(const struct table *t, bool table)
{
	long bytes = 0;
	int ms;

	/* A table is freed behind a grace period. */
	for (ms = 0; ms < 10000; ms++) {
		bytes = read_long(GROUP "/memory.current");
		if (table ? bytes > (long)(t->bytes - t->bytes / 10) : bytes < (long)t->bytes / 2)
			return true;
		usleep(1000);
	}
	diag("the group has %ld bytes, the table %zu", bytes, t->bytes);
	return false;
}

/* Register the table as a task of the group, and wait until @go says so; 0 or a negative errno. */
static pid_t group_task(int fd, const struct table *t, volatile int *result, volatile int *go)
{
	pid_t pid;

	*result = 1;
	*go = 0;
	pid = fork();
	if (!pid) {
		int event;

		if (!write_text(GROUP "/cgroup.procs", "0"))
			_exit(1);
		event = table_owner();
		*result = table_add(event, fd, t);
		while (!*go)
			usleep(1000);
		_exit(0);
	}
	while (*result > 0 && waitpid(pid, NULL, WNOHANG) != pid)
		usleep(1000);
	return pid;
}

TEST(tablememcg, "unwind tables: a memory cgroup that is full refuses them")
{
	volatile int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct table t;
	int fd, status;
	pid_t pid;

	if (shared == MAP_FAILED)
		die("mmap");
	if (!have_tables()) {
		skip("no CONFIG_UNWIND_USER_TABLE", "tables");
		return;
	}
	if (!make_group()) {
		skip("no memory cgroups", "the memory of tables");
		return;
	}
	t = table_of_size(1200000);
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("/proc/self/exe");

	write_text(GROUP "/memory.max", "800000");
	pid = group_task(fd, &t, &shared[0], &shared[1]);
	ok(shared[0] == -ENOMEM, "%zu bytes, a group of 800000: %s", t.bytes, strerror(-shared[0]));
	shared[1] = 1;
	ok(waitpid(pid, &status, 0) == pid && !status, "nothing was killed for it");
	write_text(GROUP "/memory.max", "max");
	pid = group_task(fd, &t, &shared[0], &shared[1]);
	ok(!shared[0], "without a limit: %s", strerror(-shared[0]));
	ok(group_has(&t, true), "and belongs to the group's memory");
	shared[1] = 1;
	waitpid(pid, NULL, 0);
	ok(group_has(&t, false), "until its event is closed");

	close(fd);
	table_free(&t);
	remove_group();
	munmap((void *)shared, 4096);
}

#define NR_TASKS	8
#define CALLS		20
#define DEPTH		100
#define EVENTS		5	/* so many samples of a call share a record with either policy */
#define NR_FILES	96

struct shared {
	volatile int ready, full, round;
	volatile int nr_tables, refused;
	volatile int done[NR_TASKS];
	struct path path[NR_TASKS];
};

/* A counter of memory.events. */
static long group_event(const char *name)
{
	FILE *f = fopen(GROUP "/memory.events", "r");
	long value = -1, n;
	char key[32];

	while (f && fscanf(f, "%31s %ld", key, &n) == 2)
		if (!strcmp(key, name))
			value = n;
	if (f)
		fclose(f);
	if (value < 0)
		die(GROUP "/memory.events: %s", name);
	return value;
}

/* To what it has: less would call the OOM killer. */
static void limit_group(void)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", read_long(GROUP "/memory.current"));
	if (!write_text(GROUP "/memory.max", text))
		die(GROUP "/memory.max");
}

static void join_group(void)
{
	if (!write_text(GROUP "/cgroup.procs", "0"))
		_exit(100);
}

/* Register tables of @t's size for files that have none until none is taken any more. */
static void fill_with(struct shared *sh, int event, const int *files, const struct table *t)
{
	int refused = 0, err;

	/* What the CPUs have in store is given back behind the first refusals. */
	while (sh->nr_tables < NR_FILES && refused < 50) {
		err = table_add(event, files[sh->nr_tables], t);
		if (!err) {
			sh->nr_tables++;
			continue;
		}
		sh->refused = -err;
		refused++;
		usleep(1000);
	}
}

/*
 * The group's memory up to its limit: nothing but tables, which are refused when it is
 * full. Anything else would call the OOM killer.
 */
static void fill_group(struct shared *sh)
{
	static const size_t sizes[] = { 64000, 8000, 3000, 300 };
	struct table t[ARRAY_SIZE(sizes)];
	int files[NR_FILES], event;
	unsigned int i;

	join_group();
	event = table_owner();
	for (i = 0; i < NR_FILES; i++)
		files[i] = syscall(SYS_memfd_create, "fill", 0);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		t[i] = table_of_size(sizes[i]);
	sh->ready++;
	while (!sh->full)
		usleep(1000);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		fill_with(sh, event, files, &t[i]);
	sh->full = 2;
	for (;;)
		pause();
}

static void make_calls(struct shared *sh, int nr)
{
	int i, round;

	join_group();
	/* All that it touches is there; it has entered the kernel, and was never sampled. */
	path_syscall_at(&sh->path[nr], DEPTH, SYS_getppid, 0, 0, 0, 0);
	sh->ready++;
	for (round = 1; ; round++) {
		while (sh->round < round)
			usleep(10000);
		for (i = 0; i < CALLS; i++)
			path_syscall_at(&sh->path[nr], DEPTH, SYS_getppid, 0, 0, 0, 0);
		sh->done[nr] = round;
	}
}

static pid_t start(struct shared *sh, int nr)
{
	int before = sh->ready;
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		if (nr < 0)
			fill_group(sh);
		else
			make_calls(sh, nr);
		_exit(0);
	}
	while (sh->ready == before && !waitpid(pid, NULL, WNOHANG))
		usleep(1000);
	return pid;
}

static bool is_whole(const struct rec *rec, const struct chain *chain, void *data)
{
	(void)rec;
	return path_is(data, chain);
}

/* All tasks make their calls once more; the samples, and how many tasks there are no more. */
static int next_round(struct shared *sh, const pid_t *pid, struct recorder *r)
{
	int i, died = 0;

	sh->round++;
	for (i = 0; i < NR_TASKS; i++) {
		while (sh->done[i] < sh->round && !died) {
			usleep(1000);
			died += waitpid(pid[i], NULL, WNOHANG) != 0;
		}
	}
	recorder_read_all(r);
	return died;
}

TEST(stackmemcg, "requests of tasks whose memory cgroup is full")
{
	struct shared *sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct path p = { 0 };
	pid_t pid[NR_TASKS + 1];
	long max;
	struct tally t;
	int i, j, died;
	bool filled;

	if (sh == MAP_FAILED)
		die("mmap");
	if (!have_tables()) {
		skip("no CONFIG_UNWIND_USER_TABLE, which fills the group", "requests");
		return;
	}
	if (!make_group()) {
		skip("no memory cgroups", "requests");
		return;
	}
	path_want_syscall(&p, DEPTH);
	fflush(stdout);
	for (i = 0; i <= NR_TASKS; i++)
		pid[i] = start(sh, i == NR_TASKS ? -1 : i);
	attr_syscall(&attr, false);
	attr_defer(&attr);
	for (i = 0; i < NR_TASKS; i++)
		for (j = 0; j < EVENTS; j++)
			recorder_add(&r, &attr, pid[i], -1, j ? -1 : 6);
	recorder_filter_syscall(&r, SYS_getppid);
	recorder_enable(&r);

	limit_group();
	sh->full = 1;
	while (sh->full < 2 && !waitpid(pid[NR_TASKS], NULL, WNOHANG))
		usleep(1000);
	filled = sh->full == 2 && sh->refused == ENOMEM && sh->nr_tables < NR_FILES;
	ok(filled, "the group is full: %d tables, then %s", sh->nr_tables, strerror(sh->refused));

	max = group_event("max");
	died = next_round(sh, pid, &r);
	max = group_event("max") - max;
	tally(&r, &t, is_whole, &p);
	ok(max > 0, "%ld times a stack asked for memory and there was none", max);
	ok(!died && !group_event("oom") && !group_event("oom_kill"), "no task was killed for it");
	ok(t.samples == NR_TASKS * CALLS * EVENTS && !recorder_lost(&r), "%d samples", t.samples);
	ok(!t.orphans && !t.none && !t.wrong, "each has its whole stack");
	check_policy(&t);

	write_text(GROUP "/memory.max", "max");
	recorder_clear(&r);
	died = next_round(sh, pid, &r);
	tally(&r, &t, is_whole, &p);
	ok(!died && t.samples == NR_TASKS * CALLS * EVENTS && !t.orphans && !t.none && !t.wrong,
	   "with memory again all are whole");
	check_policy(&t);

	for (i = 0; i <= NR_TASKS; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	recorder_close(&r);
	remove_group();
	path_free(&p);
	munmap(sh, sizeof(*sh));
}
