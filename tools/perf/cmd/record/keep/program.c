// SPDX-License-Identifier: GPL-2.0
/*
 * Adds programs and libraries with samples to the build-id cache (~/.debug), for their symbols
 * after a rebuild or an upgrade. Each is opened while its process lives, as its path may lead
 * elsewhere later: removed, replaced, a memfd, another mount namespace or root. At the end those
 * without samples are closed, the others cloned, linked or copied, with the kernel's symbol list.
 * Files of the first 100 ms are opened after these; a shorter recording, and the last round, open
 * only files with samples.
 *
 * If a process has exited, its file is looked for in all known locations: another process of the
 * container may have provided one. The build-id tells. A file without (Go before 1.24) is known by
 * its inode, and its copy has its time of change: perf report uses none younger than the recording.
 *
 * A container's files are untrusted: only regular files of limited size with the recorded build-id
 * are copied, and no links followed in the cache. struct programs owns the descriptors, a fraction
 * of RLIMIT_NOFILE.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/path.h"
#include "buildid/buildid_cache.h"
#include "cmd/record/keep/keep_private.h"
#include "elf/open.h"
#include "session/sample_files.h"
#include "symbol/dso.h"
#include "symbol/kallsyms.h"
#include "synth/synth.h"

#define MAX_OPEN	1024
#define PART_OPEN	4	/* use 1/4 of RLIMIT_NOFILE */
#define MAX_TRIES	16
#define DONE		UINT64_MAX

struct kept_program {
	int fd;				/* O_PATH; -1: not found yet */
	u64 size;
	u8 id[BUILD_ID_MAX], id_size;
	u64 ino;			/* of a file without build-id, @id: buildid_of_inode() */
	u64 changed_ns;			/* time of the file's last change */
	u64 key[2];			/* hashes of the build-id and the path */
	u8 tries;
	bool silent;			/* its file system did not answer */
	bool cached;			/* in perf's cache */
	bool here;			/* its path leads to it from here */
	char hex[2 * BUILD_ID_MAX + 1];
	u32 pid;			/* of the last mapping */
	u64 start, end;
	char *path;			/* path in the process's namespace */
};

static u32 most_open(void)
{
	struct rlimit lim;

	return getrlimit(RLIMIT_NOFILE, &lim) ? MAX_OPEN : min(lim.rlim_cur / PART_OPEN, (rlim_t)MAX_OPEN);
}

bool programs_init(struct programs *p, struct places *r, bool enabled, u64 cache_size)
{
	const u64 most = min(cache_size, 4ULL << 30);

	*p = (struct programs){
		.places = r, .most_open = most_open(),
		.budget = { .each = 2ULL << 30, .all = most },
		.cache = { .fd = -1 }, .cache_size = cache_size,
	};
	if (enabled)
		buildid_cache_open(&p->cache, NULL, false);
	p->enabled = p->cache.dir;
	return p->enabled;
}

/* True if no component of the path is "..": the kernel never records one. */
static bool is_plain_path(const char *path)
{
	size_t len = strlen(path);

	return path[0] == '/' && path[1] != '/' && !strstr(path, "/../") && (len < 3 || strcmp(path + len - 3, "/.."));
}

/* Subfolders of the cache with other contents, whose file names are chosen by perf. */
static bool is_in_cache(const char *path)
{
	static const char *const own[] = { "/.build-id/", "/.jit/", "/.unwind/" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(own); i++)
		if (!strncmp(path, own[i], strlen(own[i])))
			return true;
	return false;
}

bool programs_wants(const struct programs *p, const struct perf_event_header *h)
{
	const struct mmap2_record *m = (const void *)h;

	return p->enabled && (mmap2_has_build_id(h) || (m->ino && m->prot & PROT_EXEC)) &&
	       is_plain_path(m->filename) && !is_in_cache(m->filename);
}

struct program_query {
	u32 pid;			/* 0: it has exited */
	u64 start, end;			/* of the mapping */
	u8 id[BUILD_ID_MAX], id_size;
	u64 ino;			/* 0: the file has the build-id @id */
	u64 size, changed_ns;		/* set to the file's; @changed_ns not 0: it is known */
	char path[PATH_MAX];
};

static u64 change_time(const struct stat *st)
{
	return st->st_mtim.tv_sec * 1000000000ULL + st->st_mtim.tv_nsec;
}

static bool is_elf(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char magic[4];

	return read(fd, magic, sizeof(magic)) == sizeof(magic) && !memcmp(magic, "\177ELF", 4);
}

static bool has_id(const struct program_query *q, const char *path)
{
	u8 id[BUILD_ID_MAX];
	struct stat st;

	if (!q->ino)
		return build_id_read(path, id) == q->id_size && !memcmp(id, q->id, q->id_size);
	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_ino == q->ino &&
	       (!q->changed_ns || q->changed_ns == change_time(&st)) && is_elf(path);
}

/* Return: 0 if the file has the right build-id. Takes ownership of @fd. */
static int check(struct program_query *q, int fd, int *out)
{
	struct stat st;
	char path[64];

	if (fd < 0)
		return fd == -ESTALE ? fd : -ENOENT;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (place_ask(fd) < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !has_id(q, path)) {
		close(fd);
		return -ENOENT;
	}
	/* The tables of such a file are not read either. */
	q->size = (u64)st.st_size > elf_file_most(&st) ? UINT64_MAX : (u64)st.st_size;
	q->changed_ns = change_time(&st);
	*out = fd;
	return 0;
}

/* True if the file exists but cannot be read. It is then assumed to be the right one. */
static bool is_unreadable(const char *path)
{
	_cleanup_close_ int place = host_within(-1, path, 0);
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", place);
	return place == -EACCES || (place >= 0 && access(link, R_OK) && errno == EACCES);
}

/* Open the file of a mapping; in[0]: its location's root. Return: -EEXIST: perf report finds it */
static int find_program(void *arg, const int *in, int *out)
{
	struct program_query *q = arg;
	char path[96];
	/* Open it even if the path works now: the file may be removed later. */
	int err = check(q, host_within(-1, q->path, 0), out);

	if (err != -ENOENT)
		return err;
	if (q->pid) {
		snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", q->pid, q->start, q->end);
		if (!check(q, open(path, O_PATH | O_CLOEXEC), out))
			return 0;
		snprintf(path, sizeof(path), "/proc/%u/exe", q->pid);
		if (!check(q, open(path, O_PATH | O_CLOEXEC), out))
			return 0;
	}
	err = check(q, in[0] < 0 ? -ENOENT : host_within(in[0], q->path, 0), out);
	if (err != -ENOENT)
		return err;
	return is_unreadable(q->path) ? -EEXIST : -ENOENT;
}

/*
 * Does the path lead to the file now? in[0]: the file, if found. Return: -EEXIST: it does; 0: no;
 * -ENOENT: no, and the file is missing or has changed.
 */
static int look_again(void *arg, const int *in, int *out __unused)
{
	struct program_query *q = arg;
	_cleanup_close_ int place = host_within(-1, q->path, 0);
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	if (place >= 0 && has_id(q, path))
		return -EEXIST;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", in[0]);
	return in[0] >= 0 && place_ask(in[0]) > 0 && has_id(q, path) ? 0 : -ENOENT;
}

/* Have find_program() called. Return: what it returned, or -ETIMEDOUT. */
static int take_file(struct programs *p, struct kept_program *f, struct aside_call *c)
{
	const struct program_query *q = c->arg;
	int err = host_run(p->places->host, f->pid, f->path, c);

	if (err)
		return err;
	f->fd = c->out;
	p->nr_open++;
	f->size = q->size;
	f->changed_ns = q->changed_ns;
	return 0;
}

static struct program_query query_of(const struct kept_program *f)
{
	struct program_query q = { .id_size = f->id_size, .ino = f->ino };

	memcpy(q.id, f->id, f->id_size);
	snprintf(q.path, sizeof(q.path), "%s", f->path);
	return q;
}

/* @place: NULL: unknown. Return: as take_file(). */
static int find_in(struct programs *p, struct kept_program *f, const struct fs_place *place, bool lives)
{
	struct program_query q = query_of(f);
	struct aside_call c = { .fn = find_program, .arg = &q, .size = sizeof(q), .in = { -1, -1 } };
	int ret;

	q.pid = lives ? f->pid : 0;
	q.start = f->start;
	q.end = f->end;
	if (place) {
		c.in[0] = place->root;
		c.nr_in = 1;
	}
	ret = take_file(p, f, &c);
	f->silent |= ret == -ETIMEDOUT;
	return ret;
}

static int find(struct programs *p, struct kept_program *f)
{
	const struct fs_place *place = places_get(p->places, f->pid);
	int err;
	u32 i;

	f->tries++;
	if (place)
		return find_in(p, f, place, true);
	err = find_in(p, f, NULL, false);
	for (i = 0; err == -ENOENT && i < p->places->nr; i++) {
		place = &p->places->v[i];
		if (place->root >= 0 && !place->here)
			err = find_in(p, f, place, false);
	}
	return err;
}

static void forget(struct programs *p, struct kept_program *f)
{
	if (f->fd >= 0) {
		close(f->fd);
		p->nr_open--;
	}
	free(f->path);
	*hash_insert(&p->ids, f->key[0], f->key[1], NULL) = DONE;
	if (f != &p->v[--p->nr]) {
		*f = p->v[p->nr];
		*hash_insert(&p->ids, f->key[0], f->key[1], NULL) = f - p->v + 1;
	}
}

static void add(struct programs *p, const struct mmap2_record *m, const u64 key[2])
{
	struct kept_program *f;

	GROW(p->v, p->nr, p->cap);
	f = &p->v[p->nr++];
	*f = (struct kept_program){
		.fd = -1, .key = { key[0], key[1] },
		.path = xstrndup(m->filename, path_without_deleted(m->filename)),
	};
	if (mmap2_has_build_id(&m->header)) {
		f->id_size = m->build_id_size;
		memcpy(f->id, m->build_id, f->id_size);
	} else {
		f->ino = m->ino;
		f->id_size = BUILDID_OF_INODE;
		buildid_of_inode(f->path, m->ino, m->ino_generation, f->id);
	}
	build_id_hex(f->id, f->id_size, f->hex);
	f->cached = !f->ino && buildid_cache_has(&p->cache, f->hex, "elf");
}

void programs_note(struct programs *p, const struct mmap2_record *m, bool open)
{
	bool has_id = mmap2_has_build_id(&m->header);
	const u64 key[] = {
		has_id ? hash_bytes(m->build_id, m->build_id_size) : hash_mix(m->ino, m->ino_generation),
		hash_bytes(m->filename, strlen(m->filename)),
	};
	u64 *slot = hash_insert(&p->ids, key[0], key[1], NULL);
	struct kept_program *f;

	if (*slot == DONE)
		return;
	if (!*slot) {
		add(p, m, key);
		*slot = p->nr;
	}
	f = &p->v[*slot - 1];
	if (f->cached || f->fd >= 0 || f->tries == MAX_TRIES)
		return;
	f->pid = m->pid;
	f->start = m->addr;
	f->end = m->addr + ALIGN_UP(m->len, (u64)4096);
	if (!open)
		return;
	if (p->nr_open >= p->most_open) {
		diag_info(1, "%s of process %u is not kept if it is removed: too many files are open", m->filename, m->pid);
		return;
	}
	if (find(p, f) == -EEXIST)
		forget(p, f);
}

static int keep(struct programs *p, const struct kept_program *f)
{
	struct copy c = {
		.pid = f->pid, .path = f->path, .from = f->fd, .size = f->size, .name = "elf",
		.may_share = f->here, .changed_ns = f->ino ? f->changed_ns : 0,
	};
	_cleanup_close_ int folder = buildid_cache_folder(&p->cache, f->path, f->hex);
	int err;

	if (folder < 0)
		return folder;
	c.folder = folder;
	err = copy_file(p->places->host, &p->budget, &c);
	return err ?: buildid_cache_link(&p->cache, f->path, f->hex);
}

static void count_lost(struct programs *p, const struct kept_program *f)
{
	if (p->nr_lost++)
		return;
	p->lost = xstrdup(f->path);
	p->lost_pid = f->pid;
}

static bool create_cache(struct programs *p)
{
	int err;

	if (p->cache.fd >= 0)
		return true;
	buildid_cache_close(&p->cache);
	err = buildid_cache_open(&p->cache, NULL, true);
	if (err)
		diag_warn("%s: %s: no files are kept, and perf report has no symbols of programs that are rebuilt or removed (-N: keep none)",
			  p->cache.dir, strerror(-err));
	p->enabled = !err;
	return p->enabled;
}

/* Open by its path a file for which too many were open. Return: -ENOENT: missing or changed. */
static int look_here(struct programs *p, struct kept_program *f)
{
	struct program_query q = query_of(f);
	struct aside_call c = { .fn = look_again, .arg = &q, .size = sizeof(q), .in = { f->fd, -1 }, .nr_in = f->fd >= 0 };
	int err;

	q.changed_ns = f->changed_ns;
	err = host_run(p->places->host, f->pid, f->path, &c);
	f->here = err == -EEXIST;
	if (f->fd >= 0)
		return err == -ENOENT ? err : 0;
	if (!f->here)
		return -ENOENT;
	c = (struct aside_call){ .fn = find_program, .arg = &q, .size = sizeof(q), .in = { -1, -1 } };
	return take_file(p, f, &c);
}

/* Does the cache have the file? Of one without build-id it may have an earlier state. */
static bool is_cached(const struct programs *p, const struct kept_program *f)
{
	char name[BUILDID_HEX + 32];
	struct stat st;

	if (!f->ino)
		return f->cached || buildid_cache_has(&p->cache, f->hex, "elf");
	snprintf(name, sizeof(name), ".build-id/%.2s/%s/elf", f->hex, f->hex + 2);
	return !fstatat(p->cache.fd, name, &st, 0) && change_time(&st) == f->changed_ns;
}

/* Add a file with samples to the cache. */
static void finish_one(struct programs *p, struct kept_program *f)
{
	int err;

	if (is_cached(p, f)) {
		buildid_cache_used(&p->cache, f->hex);
		return;
	}
	err = look_here(p, f);
	if (err == -ENOENT && !f->tries)
		err = find(p, f);
	err = err ?: keep(p, f);
	if (!err)
		p->kept = true;
	/* On an overlay the inode of a file may be another than that of its mapping. */
	else if (err == -ENOENT && !f->silent && !f->ino)
		count_lost(p, f);
	/* Print one line only, for example if the disk is full. */
	else if (err != -ENOENT && err != -EEXIST && err != -ETIMEDOUT && !p->failed) {
		p->failed = true;
		diag_warn("%s can't be kept in %s: %s", f->path, p->cache.dir, copy_error(err));
	}
}

/* Add the kernel's symbol list if there are kernel samples. */
static void keep_kernel(struct programs *p, const struct hash *hit)
{
	u8 id[BUILD_ID_MAX], size = build_id_of_notes(KERNEL_NOTES, id);
	char hex[2 * BUILD_ID_MAX + 1];

	if (!size || !hash_find(hit, hash_bytes(id, size), SAMPLE_FILES_BUILD_ID))
		return;
	build_id_hex(id, size, hex);
	if (!kallsyms_keep(&p->cache, hex))
		p->kept = true;
}

static bool has_samples(const struct kept_program *f, const struct hash *hit)
{
	if (f->ino)
		return hash_find(hit, f->key[1], 0);
	return hash_find(hit, hash_bytes(f->id, f->id_size), SAMPLE_FILES_BUILD_ID);
}

void programs_finish(struct programs *p, const struct hash *hit)
{
	u32 i;

	if (!hit->nr || !create_cache(p))
		return;
	for (i = 0; i < p->nr;) {
		struct kept_program *f = &p->v[i];

		if (!has_samples(f, hit)) {
			i++;
			continue;
		}
		finish_one(p, f);
		forget(p, f);
	}
	keep_kernel(p, hit);
}

void programs_deinit(struct programs *p)
{
	while (p->nr)
		forget(p, &p->v[0]);
	if (p->kept)
		buildid_cache_trim(&p->cache, p->cache_size);
	buildid_cache_close(&p->cache);
	free(p->v);
	free(p->lost);
	hash_deinit(&p->ids);
}
