// SPDX-License-Identifier: GPL-2.0
/*
 * Makes unwind tables by hand and registers them. The layout is that of
 * include/uapi/linux/unwind_table.h; nothing is shared with what makes or checks
 * tables elsewhere.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "table.h"
#include "test.h"

#define SHIFT	12
#define PAGE	(1UL << SHIFT)

/* A row, and the rule number that belongs to it; rule 0 is "unknown". */
static void put_row(struct table *t, u32 *nr, u64 off, int rule)
{
	table_rows(t)[*nr] = (struct unwind_table_row){ .off = off & (PAGE - 1), .rule = rule };
	(*nr)++;
}

struct table table_make(const struct table_code *code, int nr)
{
	u64 first = code[0].off & ~(PAGE - 1);
	struct unwind_table_head head = {
		.magic		= UNWIND_TABLE_MAGIC,
		.version	= UNWIND_TABLE_VERSION,
		.arch		= TABLE_ARCH,
		.first		= first,
		.nr_pages	= ((code[nr - 1].off - first) >> SHIFT) + 1,
		.nr_rows	= nr + (code[0].off != first),
		.nr_rules	= nr + 1,
		.head_size	= sizeof(head),
		.page_shift	= SHIFT,
	};
	struct table t;
	u32 page, rows = 0;
	int i = 0;

	head.size = sizeof(head) + head.nr_rules * sizeof(struct unwind_table_rule) +
		    (head.nr_pages + 1) * sizeof(u32) +
		    head.nr_rows * sizeof(struct unwind_table_row);
	t.bytes = head.size;
	t.data = calloc(1, t.bytes);
	if (!t.data)
		die("calloc");
	*table_head(&t) = head;
	for (i = 0; i < nr; i++)
		table_rules(&t)[i + 1] = code[i].rule;
	if (code[0].off != first)
		put_row(&t, &rows, first, 0);
	for (page = 0, i = 0; page < head.nr_pages; page++) {
		for (; i < nr && code[i].off < first + (page + 1) * PAGE; i++)
			put_row(&t, &rows, code[i].off, i + 1);
		table_pages(&t)[page + 1] = rows;
	}
	return t;
}

struct table table_of_size(size_t bytes)
{
	int i, nr = (bytes - 200) / 20;
	struct table_code *code = calloc(nr, sizeof(*code));
	struct table t;

	if (!code)
		die("calloc");
	for (i = 0; i < nr; i++)
		code[i].off = i;
	t = table_make(code, nr);
	free(code);
	return t;
}

struct table table_read(const char *path)
{
	struct table t = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return t;
	if (fstat(fd, &st))
		die("%s", path);
	t.bytes = st.st_size;
	t.data = malloc(t.bytes);
	if (!t.data || read(fd, t.data, t.bytes) != (ssize_t)t.bytes)
		die("%s", path);
	close(fd);
	return t;
}

void table_free(struct table *t)
{
	free(t->data);
	t->data = NULL;
}

int table_add_args(int event, const void *args)
{
	return ioctl(event, PERF_EVENT_IOC_UNWIND_TABLE, args) ? -errno : 0;
}

int table_add(int event, int fd, const struct table *t)
{
	struct unwind_table_add add = {
		.size = sizeof(add),
		.fd = fd,
		.addr = (unsigned long)t->data,
		.bytes = t->bytes,
	};

	return table_add_args(event, &add);
}

int table_add_vdso(int event, const struct table *t)
{
	struct unwind_table_add add = {
		.size = sizeof(add),
		.flags = UNWIND_TABLE_ADD_VDSO,
		.fd = -1,
		.addr = (unsigned long)t->data,
		.bytes = t->bytes,
	};

	return table_add_args(event, &add);
}

int table_add_file(int event, const char *file, const struct table *t)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		die("%s", file);
	err = table_add(event, fd, t);
	close(fd);
	return err;
}

int table_owner(void)
{
	struct perf_event_attr attr;
	int fd;

	attr_dummy(&attr);
	/* Any user may. */
	attr.exclude_kernel = 1;
	attr.exclude_callchain_kernel = 1;
	fd = event_open(&attr, 0, -1);
	if (fd < 0) {
		errno = -fd;
		die("an event for tables");
	}
	return fd;
}

bool have_tables(void)
{
	return read_long("/proc/sys/kernel/unwind_table_max_kb") >= 0;
}

bool have_plain_tables(void)
{
	return have_tables() && sizeof(long) == 8;
}

/* Mapped code and its table, for table_rule_at(). */
static struct code {
	unsigned long start, end, off;
	struct table t;
} codes[32];
static int nr_codes;

static void remember(unsigned long start, unsigned long end, unsigned long off, struct table *t)
{
	if (nr_codes == ARRAY_SIZE(codes))
		die("more than %d mappings of code", nr_codes);
	codes[nr_codes++] = (struct code){ start, end, off, *t };
}

static struct code *code_at(u64 addr)
{
	int i;

	for (i = 0; i < nr_codes; i++)
		if (addr >= codes[i].start && addr < codes[i].end)
			return &codes[i];
	return NULL;
}

u64 table_offset_of(u64 addr)
{
	struct code *c = code_at(addr);

	if (!c)
		die("no table for %#llx", (unsigned long long)addr);
	return addr - c->start + c->off;
}

struct unwind_table_rule table_rule_at(u64 ip)
{
	static const struct unwind_table_rule unknown;
	struct code *c = code_at(ip);
	struct unwind_table_head *head;
	u64 off, page;
	u32 row;

	if (!c)
		return unknown;
	head = table_head(&c->t);
	off = ip - c->start + c->off - head->first;
	page = off >> head->page_shift;
	if (page >= head->nr_pages)
		return unknown;
	off &= (1 << head->page_shift) - 1;
	row = table_pages(&c->t)[page];
	while (row < table_pages(&c->t)[page + 1] && table_rows(&c->t)[row].off <= off)
		row++;
	return table_rules(&c->t)[table_rows(&c->t)[row - 1].rule];
}

/* The table for what is mapped from @path: in @folder, or, for the vDSO, what came with the kernel. */
static struct table table_of(const char *folder, const char *path)
{
	char name[512];
	struct table t;

	snprintf(name, sizeof(name), "%s%s.table", folder, strrchr(path, '/'));
	t = table_read(name);
	if (t.data)
		return t;
	snprintf(name, sizeof(name), "/in%s.table", strrchr(path, '/'));
	return table_read(name);
}

int table_add_mapped(int event, const char *folder)
{
	char line[512], path[256], last[256] = "", perms[8];
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long start, end, off;
	struct table t;
	int err = 0;

	if (!f)
		die("/proc/self/maps");
	nr_codes = 0;
	while (!err && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %255s", &start, &end, perms, &off,
			   path) != 5 || perms[2] != 'x' || !strcmp(path, last))
			continue;
		strcpy(last, path);
		if (!strcmp(path, "[vdso]"))
			strcpy(path, "/vdso");
		else if (path[0] != '/')
			continue;
		t = table_of(folder, path);
		if (!t.data)
			continue;
		err = strcmp(path, "/vdso") ? table_add_file(event, path, &t) :
					      table_add_vdso(event, &t);
		if (err)
			diag("%s: %s", path, strerror(-err));
		remember(start, end, off, &t);
	}
	fclose(f);
	return err;
}

int add_tables(const char *folder)
{
	int event = table_owner();

	if (table_add_mapped(event, folder))
		die("tables of %s", folder);
	return event;
}
