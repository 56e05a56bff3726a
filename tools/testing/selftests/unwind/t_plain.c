// SPDX-License-Identifier: GPL-2.0
/*
 * Unwind tables in walks that cannot be deferred: callchains of events without
 * attr.defer_callchain, and ftrace's userstacktrace. (BPF programs: t_bpf.c.)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bare.h"
#include "test.h"

#define INSTANCE	"/sys/kernel/tracing/instances/unwind_plain"
#define EVENT		INSTANCE "/events/raw_syscalls/sys_enter"
/* What ftrace has room for. */
#define FTRACE_ENTRIES	8

/* Calls bare() once; what its sample without attr.defer_callchain had. */
static struct bare_seen plain_once(void)
{
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct bare_seen seen;
	struct path p = { 0 };

	attr_syscall(&attr, false);
	recorder_add(&r, &attr, 0, -1, 5);
	recorder_filter_syscall(&r, SYS_getppid);
	recorder_enable(&r);
	bare_run(&p, 5, bare_text);
	seen = bare_take(&r, &p);
	path_free(&p);
	return seen;
}

static void expect_plain(bool served, const char *what)
{
	struct bare_seen seen = plain_once();

	ok(seen.whole == served && seen.cut == !served && !seen.other,
	   "%s: plain callchain: %d whole, %d cut, %d other", what, seen.whole, seen.cut,
	   seen.other);
}

static void ftrace_begin(void)
{
	char filter[80];

	if (mkdir(INSTANCE, 0700))
		die(INSTANCE);
	snprintf(filter, sizeof(filter), "id == %d && common_pid == %d", SYS_getppid, getpid());
	if (!write_text(INSTANCE "/options/userstacktrace", "1") ||
	    !write_text(EVENT "/filter", filter))
		die("userstacktrace");
}

static void ftrace_clear(void)
{
	int fd = open(INSTANCE "/trace", O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0)
		die(INSTANCE "/trace");
	close(fd);
}

static void ftrace_end(void)
{
	rmdir(INSTANCE);
}

/* The entries of the user stack in the trace; their number. */
static int ftrace_read(u64 *ip)
{
	FILE *f = fopen(INSTANCE "/trace", "r");
	unsigned long long addr;
	char line[256], *p;
	int nr = 0;

	if (!f)
		die(INSTANCE "/trace");
	while (fgets(line, sizeof(line), f)) {
		p = strchr(line, '<');
		if (nr < FTRACE_ENTRIES && !strncmp(line, " => ", 4) && p &&
		    sscanf(p, "<%llx>", &addr) == 1)
			ip[nr++] = addr;
	}
	fclose(f);
	return nr;
}

static void expect_ftrace(bool served, const char *what)
{
	struct path p = { 0 };
	u64 ip[FTRACE_ENTRIES];
	int i, nr, want, equal = 0;

	ftrace_clear();
	if (!write_text(EVENT "/enable", "1"))
		die(EVENT);
	bare_run(&p, 5, bare_text);
	write_text(EVENT "/enable", "0");
	nr = ftrace_read(ip);
	want = !served ? 1 : p.nr_want < FTRACE_ENTRIES ? p.nr_want : FTRACE_ENTRIES;
	for (i = 0; i < nr && i < want; i++)
		equal += ip[i] == p.want[i];
	ok(nr == want && equal == want, "%s: ftrace: %d entries of %d, %d right", what, nr, want,
	   equal);
	path_free(&p);
}

static void expect(bool served, const char *what)
{
	served &= have_plain_tables();
	expect_plain(served, what);
	/* ftrace reads the stack of 32-bit code as 64-bit. */
	if (sizeof(long) == 8)
		expect_ftrace(served, what);
}

TEST(tableplain, "plain callchains and ftrace's user stacks are walked by unwind tables")
{
	struct table t;
	int event, fd;

	if (!have_tables()) {
		skip("no CONFIG_UNWIND_USER_TABLE", "tables");
		return;
	}
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("/proc/self/exe");
	t = bare_table(bare_offset());
	ftrace_begin();
	expect(false, "no table");
	event = table_owner();
	ok(!table_add(event, fd, &t), "registered");
	expect(true, "a table");
	close(event);
	expect(false, "no more table");
	ftrace_end();
	close(fd);
	table_free(&t);
}
