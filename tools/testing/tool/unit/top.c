// SPDX-License-Identifier: GPL-2.0
/*
 * perf top's memory: side-band records of before the window. Tasks that have come and gone leave nothing, those
 * that exist keep their names and mappings.
 */
#include <stdio.h>


#include "cmd/top/top.h"
#include "event/records.h"
#include "unit.h"

static void task(struct sideband *s, u32 type, u32 pid, u32 tid, u32 ppid)
{
	struct task_record r = {
		.header = { .type = type, .size = sizeof(r) }, .pid = pid, .tid = tid, .ppid = ppid, .ptid = ppid,
	};

	sideband_add(s, &r.header);
}

static void comm(struct sideband *s, u32 pid, u32 tid, const char *name, bool exec)
{
	struct {
		struct perf_event_header header;
		u32 pid, tid;
		char comm[16];
	} r = { .header = { .type = PERF_RECORD_COMM, .size = sizeof(r) }, .pid = pid, .tid = tid };

	r.header.misc = exec ? PERF_RECORD_MISC_COMM_EXEC : 0;
	snprintf(r.comm, sizeof(r.comm), "%s", name);
	sideband_add(s, &r.header);
}

static void map(struct sideband *s, u32 pid, u64 addr, const char *name)
{
	struct {
		struct perf_event_header header;
		u32 pid, tid;
		u64 addr, len, pgoff;
		char name[16];
	} r = { .header = { .type = PERF_RECORD_MMAP, .size = sizeof(r) }, .pid = pid, .tid = pid, .addr = addr, .len = 4096 };

	snprintf(r.name, sizeof(r.name), "%s", name);
	sideband_add(s, &r.header);
}

/* Enough of it that all before is looked through; the first tasks are there still. */
static void churn(struct sideband *s, u32 first_pid)
{
	u32 i;

	for (i = 0; i < 30000; i++) {
		task(s, PERF_RECORD_FORK, first_pid + i, first_pid + i, 1);
		comm(s, first_pid + i, first_pid + i, "gone", true);
		map(s, first_pid + i, 0x1000, "gone.so");
		task(s, PERF_RECORD_EXIT, first_pid + i, first_pid + i, 1);
	}
}

/* How many records of a type are there, of a process? */
static u32 count(const struct sideband *s, u32 type, u32 pid)
{
	const char *p;
	u32 nr = 0;

	for (p = s->records.base; p < s->records.pos; p += ((const struct perf_event_header *)p)->size) {
		const struct comm_record *r = (const void *)p;

		nr += r->header.type == type && r->pid == pid;
	}
	return nr;
}

TEST(bounded)
{
	struct sideband s = { .compact = 0 };
	size_t most = 0;
	u32 i;

	map(&s, -1, 0x1000, "[kernel]");
	comm(&s, 1, 1, "init", false);
	map(&s, 1, 0x1000, "init");
	map(&s, 7, 0x1000, "no-comm");
	for (i = 0; i < 10; i++) {
		churn(&s, 1000 + 30000 * i);
		most = max(most, outbuf_len(&s.records));
	}
	/* A compaction comes after a megabyte at most: hardly anything is left each time. */
	assert_true(most < (3 << 20));
	assert_int_equal(count(&s, PERF_RECORD_COMM, 1), 1);
	assert_int_equal(count(&s, PERF_RECORD_MMAP, 1), 1);
	assert_int_equal(count(&s, PERF_RECORD_MMAP, 7), 1);
	assert_int_equal(count(&s, PERF_RECORD_MMAP, -1), 1);
	assert_int_equal(count(&s, PERF_RECORD_MMAP, 1000), 0);
	assert_int_equal(count(&s, PERF_RECORD_COMM, 1000), 0);
	sideband_deinit(&s);
}

TEST(families)
{
	struct sideband s = { .compact = 0 };
	u32 i;

	/* 10 exits, 11 has its mappings, and so has 12 of 11, which executed something since. */
	comm(&s, 10, 10, "parent", true);
	map(&s, 10, 0x1000, "shared.so");
	task(&s, PERF_RECORD_FORK, 11, 11, 10);
	map(&s, 11, 0x3000, "own.so");
	task(&s, PERF_RECORD_EXIT, 10, 10, 1);
	task(&s, PERF_RECORD_FORK, 12, 12, 11);
	comm(&s, 11, 11, "other", true);
	map(&s, 11, 0x3000, "other.so");
	/* 20 exits, and its child has executed something. */
	comm(&s, 20, 20, "shell", true);
	map(&s, 20, 0x1000, "shell.so");
	task(&s, PERF_RECORD_FORK, 21, 21, 20);
	comm(&s, 21, 21, "program", true);
	task(&s, PERF_RECORD_EXIT, 20, 20, 1);
	/* A thread has gone, its process exists, and maps the same address again and again. */
	comm(&s, 30, 30, "threads", true);
	task(&s, PERF_RECORD_FORK, 30, 31, 30);
	comm(&s, 30, 31, "thread", false);
	task(&s, PERF_RECORD_EXIT, 30, 31, 30);
	for (i = 0; i < 100; i++)
		map(&s, 30, 0x1000, "plugin.so");
	churn(&s, 1000);
	assert_int_equal(count(&s, PERF_RECORD_MMAP, 10), 1);
	assert_int_equal(count(&s, PERF_RECORD_EXIT, 10), 1);
	assert_int_equal(count(&s, PERF_RECORD_MMAP, 11), 2);
	assert_int_equal(count(&s, PERF_RECORD_FORK, 12), 1);
	assert_int_equal(count(&s, PERF_RECORD_MMAP, 20), 0);
	assert_int_equal(count(&s, PERF_RECORD_COMM, 21), 1);
	assert_int_equal(count(&s, PERF_RECORD_COMM, 30), 1);
	assert_int_equal(count(&s, PERF_RECORD_FORK, 30), 0);
	assert_int_equal(count(&s, PERF_RECORD_MMAP, 30), 1);
	sideband_deinit(&s);
}

UNIT_MAIN(NULL, NULL)
