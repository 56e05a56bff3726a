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
 * The bars are those of Documentation/unwind-tables.rst.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
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

int main(void)
{
	static const int depths[] = { 5, 20, 60 };
	double chain[ARRAY_SIZE(rows)][ARRAY_SIZE(depths)];
	double bytes[ARRAY_SIZE(rows)][ARRAY_SIZE(depths)], frame;
	struct table table = table_read(TABLE);
	int missed = 0, event;
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
			struct result with, without;

			run(rows[i].fn, depths[d], CHAIN);
			with = run(rows[i].fn, depths[d], CHAIN);
			without = run(rows[i].fn, depths[d], NO_CHAIN);
			chain[i][d] = with.instr - without.instr;
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
	printf("%d bars not held\n", missed);
	return 0;
}
