// SPDX-License-Identifier: GPL-2.0
/*
 * Names of JIT code from jit-PID.dump files, as specified in the kernel's
 * tools/perf/Documentation/jitdump-specification.txt (version 2). A program maps its file
 * executable for a moment, so that a recording has the path.
 *
 * It is given such paths, each for a process, and reads addresses, names and source lines of
 * functions, not their code. One piece of memory holds several functions one after another. A
 * look-up has no time, so it finds the last function written there, and none that it overwrote.
 */
#include <elf.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/sort.h"
#include "base/text.h"
#include "symbol/jitdump.h"
#include "symbol/symbol_private.h"

#define MAX_CODE	64	/* bytes of a function whose code is kept: a trampoline */
#define MAX_PLACES	16	/* mean number of addresses of a line, by moves of its function */

/* The lines of a function, and the distance by which it was moved since they were written. */
struct jit_lines {
	u32 first, nr;
	u64 moved;
};

/* A file being read. @tab: functions in the order of the file. */
struct jit_file {
	struct jitdump in;
	struct dso_file *f;
	struct symtab tab;
	struct hash by_start;	/* index + 1 in @tab of the last function there */
	struct jit_line *lines;
	u32 nr_lines, cap_lines;
	u64 nr_looked;		/* lines of the functions that add_lines() looked at */
	u32 pending;		/* index of the first line of the next function, */
	u64 pending_addr;	/* whose start address this is */
	struct jit_lines *of;	/* by index in @tab */
	u32 nr_of, cap_of;
	struct jitdump_shift shift;
};

static void add(struct jit_file *d, u64 start, u64 size, const char *name, const struct jit_lines *lines)
{
	if (!size || start + size < start)
		return;
	symtab_add(&d->tab, start, start + size, name, STB_GLOBAL);
	*hash_insert(&d->by_start, start, 0, NULL) = d->tab.nr;
	GROW(d->of, d->nr_of, d->cap_of);
	d->of[d->nr_of++] = *lines;
}

static void read_lines(struct jit_file *d, const struct jitdump_record *r)
{
	const char *file = NULL;
	struct jitdump_entry e;
	u64 i;

	d->nr_lines = d->pending;
	d->pending_addr = r->addr;
	for (i = 0; i < r->nr && jitdump_next_entry(&d->in, &e); i++) {
		if (strcmp(e.file, "\xff") && (!file || strcmp(e.file, file)))
			file = printable_copy(&d->f->arena, arena_strndup(&d->f->arena, e.file, strlen(e.file)));
		if (!file || !*file)
			continue;
		GROW(d->lines, d->nr_lines, d->cap_lines);
		d->lines[d->nr_lines++] = (struct jit_line){ e.addr, { file, e.line } };
	}
}

/* Take the lines before a function's record, if they are for its address. */
static struct jit_lines take_lines(struct jit_file *d, u64 start, u64 size)
{
	struct jit_lines l = { .first = d->pending, .nr = d->nr_lines - d->pending };
	u64 lowest = UINT64_MAX;
	u32 i;

	if (d->pending_addr != start)
		l.nr = 0;
	for (i = l.first; i < l.first + l.nr; i++)
		if (d->lines[i].addr - start < size)
			lowest = min(lowest, d->lines[i].addr - start);
	jitdump_shift_note(&d->shift, lowest);
	d->nr_lines = l.first + l.nr;
	d->pending = d->nr_lines;
	return l;
}

static void read_load(struct jit_file *d, const struct jitdump_record *r)
{
	struct jit_lines lines = take_lines(d, r->addr, r->size);
	u64 *slot;
	u8 *code;

	if (r->data_size && r->data_size <= MAX_CODE && r->data_size == r->size) {
		code = arena_alloc(&d->f->arena, r->data_size);
		slot = hash_insert(&d->f->jit_code, r->addr, r->addr + r->size, NULL);
		*slot = jitdump_data(&d->in, r, code) ? (uintptr_t)code : 0;
	}
	if (*r->name)
		add(d, r->addr, r->size, arena_strndup(&d->f->arena, r->name, strlen(r->name)), &lines);
}

static void read_move(struct jit_file *d, const struct jitdump_record *r)
{
	const u64 *at = hash_find(&d->by_start, r->from, 0);
	struct jit_lines lines;

	if (!at)
		return;
	lines = d->of[*at - 1];
	lines.moved += r->addr - r->from;
	add(d, r->addr, r->size, d->tab.syms[*at - 1].name, &lines);
}

/* Read all records. An incomplete record at the end, of a program that was killed, is ignored. */
static void read_records(struct jit_file *d)
{
	struct jitdump_record r;

	while (jitdump_next(&d->in, &r)) {
		if (r.id == JITDUMP_LOAD)
			read_load(d, &r);
		else if (r.id == JITDUMP_MOVE)
			read_move(d, &r);
		else if (r.id == JITDUMP_LINES)
			read_lines(d, &r);
	}
}

struct span {
	u64 start, end;
	u32 seq;
};

static bool starts_before(const struct span *x, const struct span *y)
{
	return x->start < y->start;
}

DEFINE_MERGE_SORT(sort_spans, struct span, starts_before)

static bool line_before(const struct jit_line *x, const struct jit_line *y)
{
	return x->addr < y->addr;
}

DEFINE_MERGE_SORT(sort_lines, struct jit_line, line_before)

static void add_line(struct dso_file *f, const struct jit_line *line)
{
	GROW(f->jit_lines, f->nr_jit_lines, f->cap_jit_lines);
	f->jit_lines[f->nr_jit_lines++] = *line;
}

/* Add the lines of a function. Functions are added in the order of addresses. */
static void add_lines(struct jit_file *d, const struct span *v, struct sort_room *room)
{
	const struct jit_lines *l = &d->of[v->seq];
	u64 shift = jitdump_shift(&d->shift);
	u32 i;

	if (!l->nr || d->nr_looked > (u64)MAX_PLACES * d->nr_lines)
		return;
	d->nr_looked += l->nr;
	sort_lines(d->lines + l->first, l->nr, room);
	for (i = l->first; i < l->first + l->nr; i++) {
		struct jit_line line = d->lines[i];

		line.addr += l->moved - shift;
		if (line.addr >= v->start && line.addr < v->end)
			add_line(d->f, &line);
	}
	add_line(d->f, &(struct jit_line){ .addr = v->end });
}

/* Add the functions that no later one overlaps to the dso's table. */
static void add_last(struct jit_file *d)
{
	const struct symtab *from = &d->tab;
	_cleanup_free_ struct span *v = xcalloc(from->nr ?: 1, sizeof(*v));
	struct sort_room room = { 0 }, lines_room = { 0 };
	u32 i, n = 0;

	for (i = 0; i < from->nr; i++)
		v[i] = (struct span){ from->syms[i].start, from->syms[i].end, i };
	sort_spans(v, from->nr, &room);
	sort_room_deinit(&room);
	/* v[0 .. n) do not overlap each other; only v[n - 1] can overlap the next function. */
	for (i = 0; i < from->nr; i++) {
		if (n && v[n - 1].end > v[i].start) {
			if (v[i].seq < v[n - 1].seq)
				continue;
			n--;
		}
		v[n++] = v[i];
	}
	for (i = 0; i < n; i++) {
		symtab_add(&d->f->tab, v[i].start, v[i].end, from->syms[v[i].seq].name, STB_GLOBAL);
		add_lines(d, &v[i], &lines_room);
	}
	sort_room_deinit(&lines_room);
}

struct source_line jitdump_line(const struct dso_file *f, u64 addr)
{
	u32 behind = LOWER_BOUND(0, f->nr_jit_lines, i, f->jit_lines[i].addr <= addr);

	return behind ? f->jit_lines[behind - 1].at : (struct source_line){ 0 };
}

int jitdump_read(struct dso_file *f, int fd)
{
	struct jit_file d = { .f = f };
	int err = jitdump_open(&d.in, fd);

	if (!err) {
		read_records(&d);
		add_last(&d);
	}
	jitdump_close(&d.in);
	symtab_deinit(&d.tab);
	free(d.lines);
	free(d.of);
	hash_deinit(&d.by_start);
	return err;
}
