// SPDX-License-Identifier: GPL-2.0
/*
 * What perf_fuzzer-table.patch adds to perf_fuzzer: unwind tables that come and go with its
 * events, and events that defer. Built in a copy of perf_fuzzer by tools/testing/fuzz/kernel/run.
 *
 * Half of the tables have a layout that the kernel takes, with rules that lead anywhere, for
 * the program itself, which is walked by them from then on; the others have some of their
 * bytes, or of the arguments, changed. The numbers are those of rand(), which perf_fuzzer
 * seeds: the same seed makes the same choices.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf_event.h"
#include "unwind_table.h"

#include "fuzz_table.h"

#define PAGE_SHIFT	12
#define MAX_ROWS	200
#define MAX_BYTES	(1 << 16)

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static unsigned int rnd(unsigned int n)
{
	return rand() % n;
}

void fuzz_table_attr(struct perf_event_attr *attr)
{
	if (!rnd(4))
		return;
	attr->defer_callchain = rnd(2);
	attr->defer_output = rnd(2);
	if (rnd(2)) {
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_TID;
		attr->exclude_callchain_user = 0;
	}
}

/* A rule that the kernel takes, whatever it leads to. */
static struct unwind_table_rule any_rule(void)
{
	static const int offs[] = { 0, 8, 16, 40, 256, 8192, -8, -4096, 1 << 30, -(1 << 30) };
	struct unwind_table_rule rule = { .kind = rnd(6) };

	if (rule.kind <= UNWIND_TABLE_OUTERMOST)
		return rule;
	rule.reg = 7;
	rule.off = offs[rnd(ARRAY_SIZE(offs))];
	if (rule.kind == UNWIND_TABLE_SIGNAL)
		return rule;
	if (rule.kind != UNWIND_TABLE_PLT)
		rule.reg = rnd(2) ? 6 : rnd(16);
	rule.fp = rnd(5);
	if (rule.fp != UNWIND_TABLE_FP_SAME && rule.fp != UNWIND_TABLE_FP_LOST)
		rule.fp_off = offs[rnd(ARRAY_SIZE(offs))];
	if (rule.kind == UNWIND_TABLE_PLT)
		rule.arg = rnd(16);
	else if (rule.kind == UNWIND_TABLE_DEREF)
		rule.arg = offs[rnd(ARRAY_SIZE(offs))];
	return rule;
}

/* A sound table of some pages of a file, with a row at least in each. The bytes it has. */
static size_t any_table(char *at)
{
	struct unwind_table_head head = {
		.magic = UNWIND_TABLE_MAGIC, .version = UNWIND_TABLE_VERSION, .arch = EM_X86_64,
		.nr_pages = 1 + rnd(32), .nr_rules = 1 + rnd(40), .head_size = sizeof(head),
		.first = (uint64_t)rnd(256) << PAGE_SHIFT, .page_shift = PAGE_SHIFT,
	};
	struct unwind_table_rule *rule = (void *)(at + sizeof(head));
	uint32_t *page = (void *)(rule + head.nr_rules), i;
	struct unwind_table_row *row = (void *)(page + head.nr_pages + 1);
	unsigned int off;

	for (i = 0; i < head.nr_rules; i++)
		rule[i] = any_rule();
	page[0] = 0;
	for (i = 0; i < head.nr_pages; i++) {
		/* Rows of a page rise; the first page has one at 0. */
		for (off = i ? rnd(64) : 0; off < 1 << PAGE_SHIFT && head.nr_rows < MAX_ROWS; off += 1 + rnd(2048))
			row[head.nr_rows++] = (struct unwind_table_row){ off, rnd(head.nr_rules) };
		page[i + 1] = head.nr_rows;
	}
	head.size = (char *)(row + head.nr_rows) - at;
	memcpy(at, &head, sizeof(head));
	return head.size;
}

/* Change some bytes, the first ones more often than their share. */
static void damage(char *data, size_t bytes)
{
	static const int64_t values[] = { 0, 1, 0x7f, 0xffff, 0x7fffffff, 0xffffffff, INT64_MAX, -1 };
	int n = 1 + rnd(6);
	size_t at, size;

	while (n--) {
		at = rnd(rnd(2) && bytes > 128 ? 128 : bytes);
		size = 1 << rnd(4);
		if (size > bytes - at)
			size = 1;
		if (rnd(2))
			data[at] = rand();
		else
			memcpy(data + at, &values[rnd(ARRAY_SIZE(values))], size);
	}
}

/* The program, a memfd, a file without a name, a folder, an event, or none. */
static int any_file(int event)
{
	int fd;

	switch (rnd(8)) {
	case 0:
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		if (fd >= 0 && ftruncate(fd, rnd(MAX_BYTES)))
			abort();
		return fd;
	case 1:
		return open("/tmp", O_TMPFILE | (rnd(2) ? O_RDWR : O_WRONLY), 0600);
	case 2:
		return open("/", O_RDONLY);
	case 3:
		return dup(event);
	case 4:
		return -1;
	default:
		return open("/proc/self/exe", rnd(8) ? O_RDONLY : O_PATH);
	}
}

int fuzz_table_ioctl(int event)
{
	static char *area;
	struct unwind_table_add add = { .size = sizeof(add), .flags = rnd(4) };
	int file = any_file(event), ret;
	size_t at;

	if (!area) {
		/* Nothing is mapped behind it. */
		area = mmap(NULL, 2 * MAX_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (area == MAP_FAILED)
			abort();
		munmap(area + MAX_BYTES, MAX_BYTES);
	}
	at = 4 * rnd(MAX_BYTES / 8);
	add.bytes = any_table(area + at);
	add.addr = (unsigned long)area + at;
	add.fd = add.flags & UNWIND_TABLE_ADD_VDSO ? -1 : file;
	if (!rnd(4))
		damage(area + at, add.bytes);
	if (!rnd(8))
		add.addr = (unsigned long)area + MAX_BYTES - rnd(add.bytes);
	if (!rnd(4))
		damage((char *)&add, sizeof(add));
	ret = ioctl(event, PERF_EVENT_IOC_UNWIND_TABLE, &add);
	if (file >= 0)
		close(file);
	return ret;
}
