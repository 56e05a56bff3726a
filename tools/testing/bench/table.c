// SPDX-License-Identifier: GPL-2.0
/*
 * bench-table: what a walk by unwind table costs, beside one by frame pointer of the same
 * program compiled with frame pointers. Each sample is of a system call below a number of
 * frames. QEMU's -icount shift=0 makes nanoseconds of instructions:
 *
 *	chain	instructions of a sample with a user chain, less those of one without
 *	frame	that of the deepest stack less that of the flattest one, a frame
 *	bytes	a sample
 *
 * And once more beside other tables: 2,000 of the same file, of 2,000 events, and 15,000 of other
 * files.
 *
 * The bars are those of Documentation/unwind-tables.rst.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../selftests/unwind/path.h"
#include "../selftests/unwind/table.h"
#include "../selftests/unwind/test.h"
#include "table-frames.h"

#define TABLE	"/tests/tables/bench-table.table"
#define CALLS	1000

enum kind { UNWATCHED, NO_CHAIN, CHAIN };

static char stack[65536] __attribute__((aligned(64)));

struct result {
	double instr, bytes;	/* a sample */
	int samples, complete, entries;
};

static struct result run(void (*fn)(struct table_frames *f, int depth), int depth, enum kind kind)
{
	struct table_frames f = { .nr = SYS_getppid, .calls = CALLS };
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct result res = { 0 };
	struct chain chain;
	u64 start;
	int i;

	if (kind != UNWATCHED) {
		attr_syscall(&attr, false);
		attr_defer(&attr);
		attr.exclude_callchain_kernel = 1;
		attr.exclude_callchain_user = kind == NO_CHAIN;
		recorder_add(&r, &attr, 0, -1, 9);
		recorder_filter_syscall(&r, SYS_getppid);
		recorder_enable(&r);
	}
	start = now_ns();
	base_call(fn, &f, depth, stack + sizeof(stack));
	res.instr = (double)(now_ns() - start) / CALLS;
	if (kind == UNWATCHED)
		return res;
	recorder_disable(&r);
	recorder_read(&r);
	for (i = 0; i < r.nr; i++) {
		res.bytes += (double)r.rec[i].size / CALLS;
		if (r.rec[i].type != PERF_RECORD_SAMPLE)
			continue;
		res.samples++;
		chain = recorder_chain(&r, i);
		res.entries = chain.nr;
		res.complete += chain.nr > 0 && chain.ip[chain.nr - 1] == (unsigned long)base_ip;
	}
	recorder_close(&r);
	return res;
}

static const struct {
	const char *name;
	void (*fn)(struct table_frames *f, int depth);
	bool table;
} rows[] = {
	{ "frame pointers", frames_fp, false },
	{ "frame pointers, by table", frames_fp, true },
	{ "none, by table", frames_bare, true },
};

#define OF_THIS		2000
#define OF_OTHERS	15000

/* A process that has these tables until it is stopped. */
static pid_t start_others(void)
{
	int i, fd, pipes[2], event = -1, self = open("/proc/self/exe", O_RDONLY);
	struct rlimit limit = { 2 * OF_OTHERS, 2 * OF_OTHERS };
	struct table t;
	pid_t pid;
	char c;

	if (!write_text("/proc/sys/kernel/unwind_table_max_kb", "2097152") || pipe(pipes))
		die("unwind_table_max_kb");
	pid = fork();
	if (!pid) {
		if (setrlimit(RLIMIT_NOFILE, &limit))
			die("setrlimit");
		for (i = 0; i < OF_THIS + OF_OTHERS; i++) {
			t = table_make(&(struct table_code){ i * 4096ULL, { .kind = UNWIND_TABLE_UNKNOWN } }, 1);
			fd = i < OF_THIS ? self : memfd_create("file", 0);
			event = i <= OF_THIS ? table_owner() : event;
			if (table_add(event, fd, &t))
				die("table %d", i);
			if (fd != self)
				close(fd);
			table_free(&t);
		}
		if (write(pipes[1], "", 1) != 1)
			die("pipe");
		for (;;)
			pause();
	}
	if (read(pipes[0], &c, 1) != 1)
		die("other tables");
	return pid;
}

static double chain_instr(void (*fn)(struct table_frames *f, int depth), int depth, struct result *with)
{
	run(fn, depth, CHAIN);
	*with = run(fn, depth, CHAIN);
	return with->instr - run(fn, depth, NO_CHAIN).instr;
}

int main(void)
{
	static const int depths[] = { 5, 20, 60 };
	double chain[ARRAY_SIZE(rows)][ARRAY_SIZE(depths)];
	double bytes[ARRAY_SIZE(rows)][ARRAY_SIZE(depths)], frame, beside;
	struct table table = table_read(TABLE);
	int missed = 0, event;
	pid_t others;
	unsigned int i, d;

	if (!table.data)
		die(TABLE);
	sleep(3);
	printf("%-26s %6s %9s %7s %7s %7s %7s %7s\n", "walk", "frames", "complete", "bytes",
	       "/ fp", "chain", "/ fp", "a frame");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		event = table_owner();
		if (rows[i].table && table_add_file(event, "/proc/self/exe", &table))
			die("register the table");
		for (d = 0; d < ARRAY_SIZE(depths); d++) {
			struct result with;

			chain[i][d] = chain_instr(rows[i].fn, depths[d], &with);
			bytes[i][d] = with.bytes;
			frame = d ? (chain[i][d] - chain[i][0]) / (depths[d] - depths[0]) : 0;
			printf("%-26s %6d %8.2f%% %7.0f %7.2f %7.0f %7.2f %7.0f", rows[i].name,
			       with.entries, 100.0 * with.complete / CALLS, bytes[i][d],
			       bytes[i][d] / bytes[0][d], chain[i][d], chain[i][d] / chain[0][d],
			       frame);
			if (with.complete != CALLS)
				printf("  completeness!"), missed++;
			if (bytes[i][d] > 1.1 * bytes[0][d])
				printf("  bytes > 1.10!"), missed++;
			if (chain[i][d] > 2.0 * chain[0][d])
				printf("  chain > 2.00!"), missed++;
			if (rows[i].table && frame > 150)
				printf("  frame > 150!"), missed++;
			printf("\n");
		}
		close(event);
	}

	others = start_others();
	/* The last one of a file is used. */
	event = table_owner();
	if (table_add_file(event, "/proc/self/exe", &table))
		die("register the table");
	printf("%-26s %6s %9s %7s\n", "beside 17000 other tables", "frames", "chain", "/ alone");
	for (d = 0; d < ARRAY_SIZE(depths); d++) {
		struct result with;

		beside = chain_instr(rows[1].fn, depths[d], &with);
		printf("%-26s %6d %9.0f %7.2f%s\n", rows[1].name, with.entries, beside,
		       beside / chain[1][d], beside > 1.02 * chain[1][d] ? "  > 1.02!" : "");
		missed += beside > 1.02 * chain[1][d];
	}
	kill(others, SIGKILL);
	waitpid(others, NULL, 0);
	printf("%d bars not held\n", missed);
	return 0;
}
