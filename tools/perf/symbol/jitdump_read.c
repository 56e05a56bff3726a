// SPDX-License-Identifier: GPL-2.0
/*
 * Decodes the records of a jit-PID.dump of either byte order. It is given an open file from any
 * writer: sizes are checked against the record, and memory is bounded. struct jitdump owns the
 * file and a buffer for one name.
 */
#include <byteswap.h>
#include <elf.h>
#include <unistd.h>

#include "base/arena.h"
#include "symbol/jitdump.h"

#define MAGIC		0x4a695444
#define MAX_NAME	65536
/* CPython 3.13 writes no machine. */
#ifdef __aarch64__
#define THIS_MACHINE	EM_AARCH64
#else
#define THIS_MACHINE	EM_X86_64
#endif

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
	/* followed by the name with its NUL, and the code */
};

struct code_move {
	u32 pid, tid;
	u64 vma, from, to, size, index;
};

struct debug_info {
	u64 addr, nr;
	/* followed by the entries; it describes the function of the next CODE_LOAD */
};

struct debug_entry {
	u64 addr;
	u32 line, column;
	/* followed by the file's name with its NUL; "\xff": as in the previous entry */
};

struct unwind_info {
	u64 size, hdr_size, mapped_size;
	/* followed by both tables */
};

static u32 get32(const struct jitdump *d, u32 v)
{
	return d->swap ? bswap_32(v) : v;
}

static u64 get64(const struct jitdump *d, u64 v)
{
	return d->swap ? bswap_64(v) : v;
}

int jitdump_open(struct jitdump *d, int fd)
{
	struct file_head h;

	*d = (struct jitdump){ .file = fdopen(fd, "re"), .name = xmalloc(MAX_NAME) };
	if (!d->file)
		close(fd);
	if (!d->file || fread(&h, sizeof(h), 1, d->file) != 1)
		return -EINVAL;
	d->swap = h.magic == bswap_32(MAGIC);
	d->machine = get32(d, h.machine) ?: THIS_MACHINE;
	d->flags = get64(d, h.flags);
	if ((!d->swap && h.magic != MAGIC) || get32(d, h.size) < sizeof(h))
		return -EINVAL;
	return fseek(d->file, get32(d, h.size), SEEK_SET) ? -EINVAL : 0;
}

void jitdump_close(struct jitdump *d)
{
	if (d->file)
		fclose(d->file);
	free(d->name);
}

static bool get(struct jitdump *d, void *p, size_t size)
{
	if (d->rest < size || fread(p, size, 1, d->file) != 1)
		return false;
	d->rest -= size;
	return true;
}

static bool get_load(struct jitdump *d, struct jitdump_record *r)
{
	struct code_load l;
	u64 len;

	if (!get(d, &l, sizeof(l)))
		return false;
	r->addr = get64(d, l.addr);
	r->size = get64(d, l.size);
	r->index = get64(d, l.index);
	/* If the record is too short for the code, it has only the name. */
	r->data_size = r->size < d->rest ? r->size : 0;
	len = min(d->rest - r->data_size, MAX_NAME - 1U);
	if (len && !get(d, d->name, len))
		return false;
	d->name[len] = 0;
	r->name = d->name;
	return true;
}

static bool get_move(struct jitdump *d, struct jitdump_record *r)
{
	struct code_move m;

	if (!get(d, &m, sizeof(m)))
		return false;
	r->from = get64(d, m.from);
	r->addr = get64(d, m.to);
	r->size = get64(d, m.size);
	r->index = get64(d, m.index);
	return true;
}

static bool get_lines(struct jitdump *d, struct jitdump_record *r)
{
	struct debug_info h;

	if (!get(d, &h, sizeof(h)))
		return false;
	r->addr = get64(d, h.addr);
	r->nr = get64(d, h.nr);
	return true;
}

static bool get_unwind(struct jitdump *d, struct jitdump_record *r)
{
	struct unwind_info u;

	if (!get(d, &u, sizeof(u)))
		return d->rest < sizeof(u);	/* too short; no compiler writes this: skip it */
	r->data_size = min(get64(d, u.size), (u64)d->rest);
	r->hdr_size = min(get64(d, u.hdr_size), (u64)r->data_size);
	r->mapped_size = min(get64(d, u.mapped_size), (u64)UINT32_MAX);
	return true;
}

bool jitdump_next(struct jitdump *d, struct jitdump_record *r)
{
	struct record_head h;

	if (d->rest && fseek(d->file, d->rest, SEEK_CUR))
		return false;
	d->rest = 0;
	if (fread(&h, sizeof(h), 1, d->file) != 1 || get32(d, h.size) < sizeof(h))
		return false;
	d->rest = get32(d, h.size) - sizeof(h);
	*r = (struct jitdump_record){ .id = get32(d, h.id), .time = get64(d, h.time) };
	switch (r->id) {
	case JITDUMP_LOAD:
		return get_load(d, r);
	case JITDUMP_MOVE:
		return get_move(d, r);
	case JITDUMP_LINES:
		return get_lines(d, r);
	case JITDUMP_UNWIND:
		return get_unwind(d, r);
	}
	return true;
}

/* Read a name, truncated to the buffer. Return: false at the end of the file. */
static bool get_name(struct jitdump *d)
{
	u32 len = 0;
	int c;

	while (d->rest) {
		c = getc(d->file);
		d->rest--;
		if (c == EOF)
			return false;
		if (!c)
			break;
		if (len < MAX_NAME - 1)
			d->name[len++] = c;
	}
	d->name[len] = 0;
	return true;
}

bool jitdump_next_entry(struct jitdump *d, struct jitdump_entry *e)
{
	struct debug_entry de;

	if (d->rest <= sizeof(de) || !get(d, &de, sizeof(de)) || !get_name(d))
		return false;
	*e = (struct jitdump_entry){ get64(d, de.addr), get32(d, de.line), d->name };
	return true;
}

bool jitdump_data(struct jitdump *d, const struct jitdump_record *r, void *data)
{
	u32 skip = r->id == JITDUMP_LOAD ? d->rest - r->data_size : 0;

	if (d->rest < r->data_size || (skip && fseek(d->file, skip, SEEK_CUR)))
		return false;
	d->rest -= skip;
	return get(d, data, r->data_size);
}

void jitdump_shift_note(struct jitdump_shift *s, u64 lowest)
{
	s->nr_at_head += lowest == sizeof(Elf64_Ehdr);
	s->nr_below += lowest < sizeof(Elf64_Ehdr);
}

u64 jitdump_shift(const struct jitdump_shift *s)
{
	return s->nr_at_head && !s->nr_below ? sizeof(Elf64_Ehdr) : 0;
}
