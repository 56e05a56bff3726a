// SPDX-License-Identifier: GPL-2.0
/*
 * The files in which JIT compilers name their code, where perf report finds them:
 * /tmp/perf-PID.map, and jit-PID.dump, which is mapped. A container's are reached only through
 * /proc/PID/root, while the process lives. So the location of a process of another mount or PID
 * namespace that maps anonymous code is kept open, and its dump; when it or a file of the recording
 * ends changed ones are copied to ~/.debug/.jit. Each file of the recording has MMAP2 records, with
 * address 0, of all copies that it needs.
 *
 * A container's /tmp is untrusted: links are followed within its root only; the file must be a
 * regular one of root, us or the process's user; sizes are limited per file of the recording and in
 * the cache, which drops the oldest. struct jit owns a descriptor for each dump.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/private_dir.h"
#include "cmd/record/keep/keep_private.h"
#include "symbol/jit.h"
#include "synth/synth.h"

#define CACHE_LIMIT	(1ULL << 30)	/* limit of all copies in the cache, in bytes */
/* in place of an index: perf report finds the process's files itself */
#define NOT_KEPT	UINT64_MAX

/* The last copy of a file. */
struct jit_copy {
	struct stat st;			/* of the original file */
	char name[80];			/* in the cache; "": none */
	u32 file;			/* number of the last file of the recording that names it */
};

struct jit_maker {
	u32 pid, inner;			/* PID here, and in its own PID namespace */
	uid_t uid;
	int dump;			/* last jit-PID.dump, O_PATH; -1: none, or not needed */
	struct jit_copy copies[2];	/* of the map and of the dump */
};

bool jit_init(struct jit *j, struct places *r, const struct perf_event_attr *layout, bool enabled)
{
	*j = (struct jit){
		.places = r, .layout = layout, .enabled = enabled && getenv("HOME"), .file = 1,
		.cache = -1,
		.budget = { .each = 256ULL << 20, .all = 512ULL << 20 },
	};
	return j->enabled;
}

bool jit_wants(const struct perf_event_header *h)
{
	const struct mmap2_record *m = (const void *)h;

	return jit_is_code(m->filename) || jit_is_dump(m->filename);
}

struct jit_query {
	bool not_here;		/* fail if @path leads to the same file here */
	u64 flags;
	struct stat st;		/* set by the call */
	bool itself;		/* the file is in[0] itself */
	char path[PATH_MAX];
};

/* in[0]: the location's root. Return: 0; -EEXIST: @path is the same file here; or -errno. */
static int open_jit_file(void *arg, const int *in, int *out)
{
	struct jit_query *q = arg;
	_cleanup_close_ int fd = q->itself ? dup(in[0]) : host_within(in[0], q->path, q->flags);
	_cleanup_close_ int ours = -1;
	struct stat here;

	if (fd < 0)
		return fd;
	if (place_ask(fd) < 0 || fstat(fd, &q->st))
		return -ESTALE;
	ours = q->not_here ? host_within(-1, q->path, 0) : -1;
	if (ours >= 0 && !fstat(ours, &here) && here.st_dev == q->st.st_dev &&
	    here.st_ino == q->st.st_ino)
		return -EEXIST;
	*out = no_close(fd);
	return 0;
}

/* @root: a location's root, or the file itself. Return: an O_PATH descriptor, or -errno. */
static int find(struct jit *j, u32 pid, int root, struct jit_query *q)
{
	struct aside_call c = {
		.fn = open_jit_file, .arg = q, .size = sizeof(*q), .in = { root }, .nr_in = 1,
	};
	int err = host_run(j->places->host, pid, q->path, &c);

	return err ?: c.out;
}

/* Add a process that has JIT code. Return: true if its files must be kept. */
static bool add(struct jit *j, u32 pid)
{
	struct jit_maker p = { .pid = pid, .inner = jit_inner_pid(pid), .dump = -1 };
	struct jit_query q = { .flags = O_DIRECTORY, .path = "/tmp" };
	const struct fs_place *place = places_get(j->places, pid);
	char path[64];
	struct stat st;
	int tmp;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	if (!place || stat(path, &st))
		return false;
	p.uid = st.st_uid;
	q.not_here = p.inner == pid;
	tmp = find(j, pid, place->root, &q);
	if (tmp < 0)
		return false;
	close(tmp);
	GROW(j->v, j->nr, j->cap);
	j->v[j->nr++] = p;
	return true;
}

/* The process of a mapping; NULL: its files are not kept. */
static struct jit_maker *process_of(struct jit *j, u32 pid)
{
	u64 *slot = hash_insert(&j->processes, pid, 0, NULL);

	if (!*slot)
		*slot = add(j, pid) ? j->nr : NOT_KEPT;
	return *slot == NOT_KEPT ? NULL : &j->v[*slot - 1];
}

static void hold_dump(struct jit *j, struct jit_maker *p, const char *path)
{
	struct jit_query q = { .not_here = true, .flags = O_NOFOLLOW };
	const struct fs_place *place = places_get(j->places, p->pid);
	int fd;

	if (!place)
		return;
	snprintf(q.path, sizeof(q.path), "%s", path);
	fd = find(j, p->pid, place->root, &q);
	if (fd < 0 && fd != -EEXIST)
		return;
	cleanup_close(&p->dump);
	p->dump = max(fd, -1);
}

void jit_note(struct jit *j, const struct mmap2_record *m)
{
	struct jit_maker *p = j->enabled ? process_of(j, m->pid) : NULL;

	if (p && jit_is_dump(m->filename))
		hold_dump(j, p, m->filename);
}

static bool open_cache(struct jit *j)
{
	const char *home = getenv("HOME");

	if (j->cache >= 0)
		return true;
	if (!j->cache_path && asprintf(&j->cache_path, "%s/.debug", home) < 0)
		diag_fatal("out of memory");
	j->cache = private_dir_open(j->cache_path, ".jit");
	if (j->cache < 0)
		diag_warn("%s/.jit: %s: names of JIT code in containers are not kept", j->cache_path, j->cache == -EPERM ?
			  "it is another user's, or can be written by others" : strerror(-j->cache));
	j->enabled = j->cache >= 0;	/* report the error once */
	return j->enabled;
}

static void put_record(struct jit *j, u32 pid, const char *name, struct outbuf *records)
{
	struct mmap2_record r = {
		.header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA },
		.pid = pid, .tid = pid, .prot = PROT_READ, .flags = MAP_PRIVATE,
	};
	_cleanup_free_ char *path = NULL;
	struct synth s;
	size_t at;

	if (asprintf(&path, "%s/.jit/%s", j->cache_path, name) < 0)
		diag_fatal("out of memory");
	synth_init(&s, j->layout);
	at = synth_fixed(&s, &r.header);
	synth_string(&s, path, strlen(path));
	synth_end(&s, at, true);
	outbuf_write(records, s.out.base, outbuf_len(&s.out));
	synth_deinit(&s);
}

static bool unchanged(const struct jit *j, const struct jit_copy *c, const struct stat *st)
{
	return c->name[0] && c->st.st_dev == st->st_dev && c->st.st_ino == st->st_ino && c->st.st_size == st->st_size &&
	       c->st.st_mtim.tv_sec == st->st_mtim.tv_sec && c->st.st_mtim.tv_nsec == st->st_mtim.tv_nsec &&
	       /* Mark it as used: the cache drops the oldest. */
	       !utimensat(j->cache, c->name, NULL, AT_SYMLINK_NOFOLLOW);
}

/* Copy the file of @fd unless it is unchanged; append its record. @format: of the copy's name */
static void copy(struct jit *j, const struct jit_maker *p, struct jit_copy *c, int fd, const struct jit_query *q,
		 const char *format, struct outbuf *records)
{
	const struct stat *st = &q->st;
	struct copy what = {
		.pid = p->pid, .path = q->path, .from = fd, .size = st->st_size,
	};
	char name[80];
	int err = 0;

	if (!S_ISREG(st->st_mode) || (st->st_uid && st->st_uid != geteuid() && st->st_uid != p->uid) || !open_cache(j))
		return;
	if (!unchanged(j, c, st)) {
		snprintf(name, sizeof(name), format, p->pid, clock_ns(CLOCK_REALTIME));
		what.folder = j->cache;
		what.name = name;
		err = copy_file(j->places->host, &j->budget, &what);
		if (!err) {
			c->st = *st;
			snprintf(c->name, sizeof(c->name), "%s", name);
			j->copied = true;
		}
	} else if (c->file == j->file) {
		return;
	} else {
		j->budget.used += st->st_size;
	}
	if (!err)
		put_record(j, p->pid, c->name, records);
	else if (err != -ETIMEDOUT)
		diag_warn("process %u: its names of JIT code can't be kept in %s/.jit: %s", p->pid, j->cache_path,
			  copy_error(err));
	c->file = j->file;
}

static void copy_files(struct jit *j, struct jit_maker *p, struct outbuf *records)
{
	const struct fs_place *place = places_get(j->places, p->pid);
	struct jit_query q = { .flags = O_NOFOLLOW };
	int fd = -1;

	snprintf(q.path, sizeof(q.path), "/tmp/perf-%u.map", p->inner);
	if (place && j->enabled)
		fd = find(j, p->pid, place->root, &q);
	if (fd >= 0) {
		copy(j, p, &p->copies[0], fd, &q, "perf-%u-%llx.map", records);
		close(fd);
	}
	q.itself = true;
	snprintf(q.path, sizeof(q.path), "/tmp/jit-%u.dump", p->inner);
	fd = p->dump >= 0 && j->enabled ? find(j, p->pid, p->dump, &q) : -1;
	if (fd < 0)
		return;
	copy(j, p, &p->copies[1], fd, &q, "jit-%u-%llx.dump", records);
	close(fd);
}

static void forget(struct jit *j, struct jit_maker *p)
{
	hash_remove(&j->processes, p->pid, 0);
	cleanup_close(&p->dump);
	if (p != &j->v[--j->nr]) {
		*p = j->v[j->nr];
		*hash_insert(&j->processes, p->pid, 0, NULL) = p - j->v + 1;
	}
}

void jit_ended(struct jit *j, u32 pid, struct outbuf *records)
{
	u64 *slot = hash_find(&j->processes, pid, 0);

	if (!slot)
		return;
	if (*slot == NOT_KEPT) {
		hash_remove(&j->processes, pid, 0);	/* the PID may be reused */
		return;
	}
	copy_files(j, &j->v[*slot - 1], records);
	forget(j, &j->v[*slot - 1]);
}

void jit_finish(struct jit *j, struct outbuf *records)
{
	u32 i;

	for (i = 0; i < j->nr; i++)
		if (j->v[i].copies[0].file != j->file && j->v[i].copies[1].file != j->file)
			copy_files(j, &j->v[i], records);
	if (j->copied)
		private_dir_trim(j->cache, CACHE_LIMIT);
	j->copied = false;
}

void jit_next_file(struct jit *j)
{
	j->file++;
	j->budget.used = 0;
}

void jit_deinit(struct jit *j)
{
	while (j->nr)
		forget(j, &j->v[0]);
	cleanup_close(&j->cache);
	free(j->cache_path);
	free(j->v);
	hash_deinit(&j->processes);
}
