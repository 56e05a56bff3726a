// SPDX-License-Identifier: GPL-2.0
/*
 * The files in which JIT compilers write the code that they make: jit-PID.dump, as specified in the
 * kernel's tools/perf/Documentation/jitdump-specification.txt (version 2). A program maps its
 * file executable for a moment, so that a recording of it has the path.
 *
 * Given are such paths, each for a process; read are the functions' addresses and names, not their code. One
 * piece of memory holds one function after another. A look-up does not say when, so the last function that
 * was written there is found, and none that it overwrote.
 */
#include <byteswap.h>
#include <elf.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/sort.h"
#include "symbol/private.h"

#define MAGIC		0x4a695444
#define MAX_NAME	65536

enum { CODE_LOAD = 0, CODE_MOVE = 1 };

struct file_head {
	u32 magic, version, size, machine, pad, pid;
	u64 time, flags;
};

struct record_head {
	u32 id, size;
	u64 time;
};

struct code_load {
	u32 pid, tid;
	u64 vma, addr, size, index;
	/* a name with its NUL, the code */
};

struct code_move {
	u32 pid, tid;
	u64 vma, from, to, size, index;
};

/* A file on its way into @tab: functions in the order in which they were made. */
struct jit_file {
	FILE *file;
	bool swap;		/* the other byte order */
	struct dso_file *f;
	struct symtab tab;
	struct hash by_start;	/* index + 1 in @tab of the last function there */
};

static u32 get32(const struct jit_file *d, u32 v)
{
	return d->swap ? bswap_32(v) : v;
}

static u64 get64(const struct jit_file *d, u64 v)
{
	return d->swap ? bswap_64(v) : v;
}

static void add(struct jit_file *d, u64 start, u64 size, const char *name)
{
	if (!size || start + size < start)
		return;
	symtab_add(&d->tab, start, start + size, name, STB_GLOBAL);
	*hash_insert(&d->by_start, start, 0, NULL) = d->tab.nr;
}

/* @rest: bytes of the record behind its head. Return: whether the file is in order up to its end. */
static bool read_load(struct jit_file *d, u32 rest, char *name)
{
	struct code_load l;
	u64 size, len;

	if (rest < sizeof(l) || fread(&l, sizeof(l), 1, d->file) != 1)
		return false;
	rest -= sizeof(l);
	size = get64(d, l.size);
	/* What has no code in the file has its name only. */
	len = min(size < rest ? rest - size : rest, (u64)MAX_NAME - 1);
	if (len && fread(name, len, 1, d->file) != 1)
		return false;
	name[len] = 0;
	if (*name)
		add(d, get64(d, l.addr), size, arena_strndup(&d->f->arena, name, len));
	return !fseek(d->file, rest - len, SEEK_CUR);
}

static bool read_move(struct jit_file *d, u32 rest)
{
	struct code_move m;
	const u64 *at;

	if (rest < sizeof(m) || fread(&m, sizeof(m), 1, d->file) != 1)
		return false;
	at = hash_find(&d->by_start, get64(d, m.from), 0);
	if (at)
		add(d, get64(d, m.to), get64(d, m.size), d->tab.syms[*at - 1].name);
	return !fseek(d->file, rest - sizeof(m), SEEK_CUR);
}

/* What a program that was killed did not write to its end is left out. */
static void read_records(struct jit_file *d)
{
	_cleanup_free_ char *name = xmalloc(MAX_NAME);
	struct record_head h;
	bool good = true;
	u32 size;

	while (good && fread(&h, sizeof(h), 1, d->file) == 1) {
		size = get32(d, h.size);
		if (size < sizeof(h))
			return;
		size -= sizeof(h);
		switch (get32(d, h.id)) {
		case CODE_LOAD:
			good = read_load(d, size, name);
			break;
		case CODE_MOVE:
			good = read_move(d, size);
			break;
		default:
			good = !fseek(d->file, size, SEEK_CUR);
		}
	}
}

static bool read_head(struct jit_file *d)
{
	struct file_head h;

	if (fread(&h, sizeof(h), 1, d->file) != 1)
		return false;
	d->swap = h.magic == bswap_32(MAGIC);
	return (d->swap || h.magic == MAGIC) && get32(d, h.size) >= sizeof(h) &&
	       !fseek(d->file, get32(d, h.size), SEEK_SET);
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

/* Add to @tab the functions that no later one overlaps. */
static void add_last(const struct symtab *from, struct symtab *tab)
{
	_cleanup_free_ struct span *v = xcalloc(from->nr ?: 1, sizeof(*v));
	struct sort_room room = { 0 };
	u32 i, n = 0;

	for (i = 0; i < from->nr; i++)
		v[i] = (struct span){ from->syms[i].start, from->syms[i].end, i };
	sort_spans(v, from->nr, &room);
	sort_room_deinit(&room);
	/* v[0 .. n) do not overlap each other; of these only the last can overlap the next. */
	for (i = 0; i < from->nr; i++) {
		if (n && v[n - 1].end > v[i].start) {
			if (v[i].seq < v[n - 1].seq)
				continue;
			n--;
		}
		v[n++] = v[i];
	}
	for (i = 0; i < n; i++)
		symtab_add(tab, v[i].start, v[i].end, from->syms[v[i].seq].name, STB_GLOBAL);
}

int jitdump_read(struct dso_file *f, int fd)
{
	_cleanup_fclose_ FILE *file = fdopen(fd, "re");
	struct jit_file d = { .file = file, .f = f };

	if (!file || !read_head(&d))
		return -EINVAL;
	read_records(&d);
	add_last(&d.tab, &f->tab);
	symtab_deinit(&d.tab);
	hash_deinit(&d.by_start);
	return 0;
}
