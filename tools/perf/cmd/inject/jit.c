// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the jit-PID.dump of each process that has mapped one, writes an ELF file for each function
 * in it (runtime/code_elf.c), and makes an MMAP2 record for each address range of the function.
 * struct inject_jit owns the data of each process. A dump may belong to any user trusted by
 * jitdump_find(); files are newly created in its folder, and links are not followed.
 *
 * The dump's times are of CLOCK_MONOTONIC. If the recording's are, too (perf record -k mono), a
 * function is mapped from its creation on; otherwise all are mapped with the dump, in the order of
 * creation: the last one at an address gets its samples, as in perf report of the recording.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/sort.h"
#include "cmd/inject/jit.h"
#include "event/records.h"
#include "runtime/code_elf.h"
#include "symbol/jit.h"
#include "symbol/jitdump.h"

#define MAX_CODE (64u << 20)	/* bytes of a function */

/* A function at an address. */
struct jit_place {
	u64 time, addr, size;
	u64 file;		/* N of jitted-PID-N.so */
};

struct jit_process {
	u32 pid;
	char *path;		/* of the dump */
	struct outbuf trailer;	/* the sample_id of the record that mapped it */
	u16 time_from_end;	/* position of the time in it; 0: none, or unchanged */
	struct jit_place *places;
	u32 nr, cap, next;
	u64 lowest, highest;	/* address range of all places */
};

/* A dump while it is read. */
struct jit_reading {
	struct inject_jit *j;
	struct jit_process *p;
	struct jitdump in;
	int folder;
	bool exact;		/* times are those of the recording */
	u64 time;		/* of the record that mapped it, then of the last function */
	struct arena arena;	/* names of files with source */
	struct code_elf_line *lines;	/* of the next function; addresses instead of offsets */
	u32 nr_lines, cap_lines;
	u64 lines_addr;
	void *unwind;		/* the same; NULL: none */
	u32 unwind_size, unwind_hdr, unwind_mapped;
	struct jitdump_shift shift;
	struct hash by_addr;	/* index + 1 of the last place at the address */
	struct hash numbers;	/* used values of N */
	u64 last_number;
};

void inject_jit_deinit(struct inject_jit *j)
{
	u32 i;

	for (i = 0; i < j->nr; i++) {
		free(j->v[i].path);
		free(j->v[i].places);
		outbuf_deinit(&j->v[i].trailer);
	}
	free(j->v);
	hash_deinit(&j->by_pid);
	outbuf_deinit(&j->record);
}

/* The name of a user mapping (MMAP or MMAP2); NULL: another record, or the kernel's. */
static const char *mapped(const struct perf_event_header *h)
{
	if ((h->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
		return NULL;
	if (h->type == PERF_RECORD_MMAP2)
		return ((const struct mmap2_record *)h)->filename;
	return h->type == PERF_RECORD_MMAP ? ((const struct mmap_record *)h)->filename : NULL;
}

static struct jit_process *find(const struct inject_jit *j, u32 pid)
{
	const u64 *slot = hash_find(&j->by_pid, pid, 0);

	return slot && *slot ? &j->v[*slot - 1] : NULL;
}

bool inject_jit_drops(const struct inject_jit *j, const struct perf_event_header *h)
{
	const struct mmap_record *m = (const void *)h;
	const char *name = j->nr ? mapped(h) : NULL;
	const struct jit_process *p = name ? find(j, m->pid) : NULL;

	return p && m->addr < p->highest && m->addr + m->len > p->lowest && jit_is_code(name);
}

static void find_soonest(struct inject_jit *j)
{
	u32 i;

	j->soonest = UINT64_MAX;
	for (i = 0; i < j->nr; i++)
		if (j->v[i].next < j->v[i].nr)
			j->soonest = min(j->soonest, j->v[i].places[j->v[i].next].time);
}

static void make_record(struct inject_jit *j, const struct jit_process *p, const struct jit_place *place)
{
	struct mmap2_record m = {
		.header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER },
		.pid = p->pid, .tid = p->pid, .addr = place->addr, .len = place->size, .pgoff = CODE_ELF_BEGIN,
		.prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE,
	};
	size_t name;
	struct outbuf *o = &j->record;

	o->pos = o->base;
	outbuf_write(o, &m, sizeof(m));
	name = outbuf_len(o);
	outbuf_printf(o, "%.*sjitted-%u-%llu.so", (int)(strrchr(p->path, '/') + 1 - p->path), p->path, p->pid, place->file);
	do
		outbuf_putc(o, 0);
	while ((outbuf_len(o) - name) % 8);
	outbuf_append(o, &p->trailer);
	if (p->time_from_end)
		memcpy(o->pos - p->time_from_end, &place->time, sizeof(place->time));
	((struct perf_event_header *)o->base)->size = outbuf_len(o);
}

const struct perf_event_header *inject_jit_next(struct inject_jit *j, u64 time)
{
	struct jit_process *p = j->v;

	if (likely(j->soonest > time || j->soonest == UINT64_MAX))
		return NULL;
	while (p->next == p->nr || p->places[p->next].time != j->soonest)
		p++;
	make_record(j, p, &p->places[p->next++]);
	j->nr_maps++;
	find_soonest(j);
	return (const void *)j->record.base;
}

static void add_place(struct jit_reading *d, const struct jitdump_record *r, u64 file)
{
	struct jit_process *p = d->p;

	if (!r->size || r->addr + r->size < r->addr)
		return;
	if (d->exact)
		d->time = max(d->time, r->time);
	GROW(p->places, p->nr, p->cap);
	p->places[p->nr++] = (struct jit_place){ d->exact ? d->time : 0, r->addr, r->size, file };
	*hash_insert(&d->by_addr, r->addr, 0, NULL) = p->nr;
	p->lowest = min(p->lowest, r->addr);
	p->highest = max(p->highest, r->addr + r->size);
}

static void read_lines(struct jit_reading *d, const struct jitdump_record *r)
{
	const char *file = NULL;
	struct jitdump_entry e;
	u64 i;

	d->nr_lines = 0;
	d->lines_addr = r->addr;
	for (i = 0; i < r->nr && jitdump_next_entry(&d->in, &e); i++) {
		if (strcmp(e.file, "\xff") && (!file || strcmp(e.file, file)))
			file = arena_strndup(&d->arena, e.file, strlen(e.file));
		if (!file || !*file)
			continue;
		GROW(d->lines, d->nr_lines, d->cap_lines);
		d->lines[d->nr_lines++] = (struct code_elf_line){ e.addr, file, e.line };
	}
}

static bool line_before(const struct code_elf_line *x, const struct code_elf_line *y)
{
	return x->offset < y->offset;
}

DEFINE_MERGE_SORT(sort_elf_lines, struct code_elf_line, line_before)

/* Convert the addresses of lines to sorted offsets. Lines outside of the function are removed. */
static void settle_lines(struct jit_reading *d, const struct jitdump_record *r)
{
	struct sort_room room = { 0 };
	u64 shift = jitdump_shift(&d->shift);
	u32 i, n = 0;

	for (i = 0; d->lines_addr == r->addr && i < d->nr_lines; i++) {
		struct code_elf_line l = d->lines[i];

		l.offset -= r->addr + shift;
		if (l.offset < r->size)
			d->lines[n++] = l;
	}
	d->nr_lines = n;
	sort_elf_lines(d->lines, n, &room);
	sort_room_deinit(&room);
}

/* The number in a file's name: the compiler's, unless it is used. */
static u64 number(struct jit_reading *d, u64 index)
{
	bool added;

	hash_insert(&d->numbers, index, 0, &added);
	while (!added)
		hash_insert(&d->numbers, index = ++d->last_number, 0, &added);
	return index;
}

/* Return: 0, or -errno. */
static int write_file(struct jit_reading *d, const struct code_elf *elf, u64 nr)
{
	_cleanup_outbuf_ struct outbuf o = { 0 };
	char name[64];
	int fd, err;

	snprintf(name, sizeof(name), "jitted-%u-%llu.so", d->p->pid, nr);
	unlinkat(d->folder, name, 0);
	fd = openat(d->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	code_elf_make(elf, &o);
	err = write_all(fd, o.base, outbuf_len(&o));
	if (close(fd) && !err)
		err = -errno;
	/* Remove an incomplete file. */
	if (err)
		unlinkat(d->folder, name, 0);
	d->j->nr_files += !err;
	return err;
}

/*
 * Is the address in a mapped file? V8's dumps include functions of the program, which has symbols.
 */
static bool in_file(struct jit_reading *d, const struct jitdump_record *r)
{
	struct session *s = d->j->s;
	u64 time = d->exact ? max(d->time, r->time) : s->has_time ? s->last_time : UINT64_MAX - 1;
	const struct thread *t = timeline_thread(s->timeline, d->p->pid, d->p->pid, time);
	const struct map *m = space_find(s->timeline, thread_space(s->timeline, t, time), r->addr, time, NULL);

	return m && m->dso->kind != DSO_ANON;
}

/* Process a LOAD record. Functions without code or name are skipped. Return: 0, or -errno. */
static int read_load(struct jit_reading *d, const struct jitdump_record *r)
{
	struct code_elf elf = { .size = r->data_size, .machine = d->in.machine };
	_cleanup_free_ char *name = NULL;
	_cleanup_free_ void *code = NULL;
	struct jitdump_record mapped;
	u64 nr;
	int err;

	if (!r->data_size || r->data_size > MAX_CODE || !*r->name || in_file(d, r))
		return 0;
	name = xstrdup(r->name);
	code = malloc(r->data_size);
	if (!code || !jitdump_data(&d->in, r, code))
		return 0;
	settle_lines(d, r);
	elf.functions = &(struct code_elf_function){ name, 0, elf.size };
	elf.nr_functions = 1;
	elf.code = code;
	elf.lines = d->lines;
	elf.nr_lines = d->nr_lines;
	elf.unwind = d->unwind;
	elf.unwind_size = d->unwind_size;
	elf.unwind_hdr = d->unwind_hdr;
	nr = number(d, r->index);
	err = write_file(d, &elf, nr);
	/* Debian's perf reads the tables where they are mapped behind the function. */
	mapped = *r;
	if (d->unwind && d->unwind_mapped)
		mapped.size = ALIGN_UP(r->size, 16ULL) + d->unwind_mapped;
	if (!err)
		add_place(d, &mapped, nr);
	return err;
}

static void forget_unwind(struct jit_reading *d)
{
	free(d->unwind);
	d->unwind = NULL;
}

static void read_unwind(struct jit_reading *d, const struct jitdump_record *r)
{
	forget_unwind(d);
	if (!r->data_size || r->data_size > MAX_CODE)
		return;
	d->unwind = malloc(r->data_size);
	d->unwind_size = r->data_size;
	d->unwind_hdr = r->hdr_size;
	d->unwind_mapped = r->mapped_size;
	if (d->unwind && !jitdump_data(&d->in, r, d->unwind))
		forget_unwind(d);
}

static int read_record(struct jit_reading *d, const struct jitdump_record *r)
{
	const u64 *at;
	int err = 0;

	switch (r->id) {
	case JITDUMP_LOAD:
		err = read_load(d, r);
		d->nr_lines = 0;
		forget_unwind(d);
		break;
	case JITDUMP_MOVE:
		at = hash_find(&d->by_addr, r->from, 0);
		if (at)
			add_place(d, r, d->p->places[*at - 1].file);
		break;
	case JITDUMP_LINES:
		read_lines(d, r);
		break;
	case JITDUMP_UNWIND:
		read_unwind(d, r);
		break;
	}
	return err;
}

/* First pass: find the shift of the lines' addresses. */
static void find_shift(struct jit_reading *d)
{
	struct jitdump_record r;
	u64 lowest;
	u32 i;

	while (jitdump_next(&d->in, &r)) {
		if (r.id == JITDUMP_LINES)
			read_lines(d, &r);
		if (r.id != JITDUMP_LOAD)
			continue;
		for (lowest = UINT64_MAX, i = 0; d->lines_addr == r.addr && i < d->nr_lines; i++)
			if (d->lines[i].offset - r.addr < r.size)
				lowest = min(lowest, d->lines[i].offset - r.addr);
		jitdump_shift_note(&d->shift, lowest);
		d->nr_lines = 0;
	}
}

/*
 * Open the folder that a dump is in. Return: a descriptor, or -errno: -ENOTDIR: it is in another.
 */
static int open_folder(const char *path, int dump)
{
	_cleanup_free_ char *folder = xstrndup(path, strrchr(path, '/') + 1 - path);
	_cleanup_close_ int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat there, here;

	if (fd < 0)
		return -errno;
	if (fstat(dump, &there) || fstatat(fd, strrchr(path, '/') + 1, &here, AT_SYMLINK_NOFOLLOW) ||
	    there.st_dev != here.st_dev || there.st_ino != here.st_ino)
		return -ENOTDIR;
	return no_close(fd);
}

/* Return: 0, or -errno. */
static int read_dump(struct jit_reading *d, int fd)
{
	struct jitdump_record r;
	int again = dup(fd), err = jitdump_open(&d->in, fd);

	if (d->in.flags & JITDUMP_ARCH_TIME)
		d->exact = false;
	if (!err)
		find_shift(d);
	jitdump_close(&d->in);
	d->nr_lines = 0;
	if (again < 0)
		return err ?: -EMFILE;
	if (!err && lseek(again, 0, SEEK_SET) < 0)
		err = -errno;
	if (err) {
		close(again);
		return err;
	}
	err = jitdump_open(&d->in, again);
	while (!err && jitdump_next(&d->in, &r))
		err = read_record(d, &r);
	jitdump_close(&d->in);
	return err;
}

static void read_process(struct inject_jit *j, struct jit_process *p, int fd, bool exact, u64 time)
{
	struct jit_reading d = { .j = j, .p = p, .exact = exact, .time = time, .folder = -1 };
	int err;

	d.folder = open_folder(p->path, fd);
	if (d.folder < 0)
		close(fd);
	err = d.folder < 0 ? d.folder : read_dump(&d, fd);
	if (err) {
		diag_error("%s: %s", p->path, err == -EINVAL ? "is no jitdump file" : err == -ENOTDIR ?
			   "it is not in this folder, in which files would be written beside it" : strerror(-err));
		j->failed++;
	}
	if (!d.exact)
		p->time_from_end = 0;
	if (d.folder >= 0)
		close(d.folder);
	free(d.lines);
	free(d.unwind);
	arena_deinit(&d.arena);
	hash_deinit(&d.by_addr);
	hash_deinit(&d.numbers);
}

void inject_jit_note(struct inject_jit *j, const struct perf_event_header *h, const struct event *ev, u64 time)
{
	const struct mmap_record *m = (const void *)h;
	struct jit_process p = { .lowest = UINT64_MAX };
	const char *name = mapped(h), *path;
	bool added;
	u64 *slot;
	int fd;

	if (!name || !jit_is_dump(name))
		return;
	slot = hash_insert(&j->by_pid, m->pid, 0, &added);
	if (!added)
		return;
	if (!ev && !j->s->events->nr) {
		diag_error("%s: it is mapped before the stream describes an event", name);
		j->failed++;
		return;
	}
	fd = jitdump_find(j->s->dsos, m->pid, &path);
	if (fd < 0) {
		if (fd != -EPERM)
			diag_error("%s: %s", path, strerror(fd == -ESTALE ? ENOENT : -fd));
		j->failed++;
		return;
	}
	if (!ev)
		ev = j->s->events->events[0];
	p.pid = m->pid;
	p.path = xstrdup(path);
	outbuf_write(&p.trailer, (const char *)h + h->size - ev->layout.id_size, ev->layout.id_size);
	/* Its clock is the default one of dumps. */
	if (ev->attr.use_clockid && ev->attr.clockid == CLOCK_MONOTONIC)
		p.time_from_end = ev->layout.id_time;
	read_process(j, &p, fd, p.time_from_end, time);
	GROW(j->v, j->nr, j->cap);
	j->v[j->nr++] = p;
	*slot = j->nr;
	find_soonest(j);
}
