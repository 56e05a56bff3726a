// SPDX-License-Identifier: GPL-2.0
/*
 * The files in which JIT compilers name their code: /tmp/perf-PID.map, and jit-PID.dump, which is mapped. perf
 * report finds them by these names; those of a container only through /proc/PID/root, while the process lives. So
 * when a process in another mount or PID namespace maps memory without a file as code, its /tmp is opened here
 * (and a dump that it maps), and when it ends, or the recording does, the file is copied to ~/.debug/.jit. A record
 * MMAP2 of the process, of no address, has the path of the copy.
 *
 * What a container has in its /tmp is not trusted: links are followed within its own root only, the file must be a
 * regular one of root, of ours or of the process's user, and sizes are bounded. struct jit_files owns the
 * descriptors, at most two for each of MAX_HELD processes.
 */
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/private_dir.h"
#include "cmd/record/jit_files.h"
#include "symbol/jit.h"
#include "synth/synth.h"

#define MAX_HELD	256
#define MAX_COPIES	1024
#define MAX_COPY	(256ULL << 20)	/* bytes of a file: a larger one is not copied */
#define MAX_ALL		(512ULL << 20)	/* bytes of all copies of a recording */
#define CACHE_LIMIT	(1ULL << 30)	/* bytes of all copies in the cache */
#define LOOK_MS		1000
#define NOT_KEPT	UINT64_MAX	/* in place of an index: report finds what the process writes */

struct jit_writer {
	u32 pid, inner;			/* here, and in its own PID namespace */
	uid_t uid;
	int tmp;			/* its /tmp; -1: perf report finds the map there by itself */
	int dump;			/* the last jit-PID.dump that it mapped; -1: none, or found there */
};

void jit_files_init(struct jit_files *j, const struct description *desc, bool enabled)
{
	*j = (struct jit_files){ .desc = desc, .enabled = enabled && getenv("HOME"), .cache = -1 };
	outbuf_init(&j->records, -1);
}

/* Open a path as a process finds it. Return: a descriptor that is only good to be opened again, or -errno. */
static int open_within(u32 pid, const char *path, u64 flags)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | flags, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	_cleanup_close_ int root = -1;
	char root_path[64];
	int fd;

	snprintf(root_path, sizeof(root_path), "/proc/%u/root", pid);
	root = open(root_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
	return fd < 0 ? -errno : fd;
}

/* Is it what the path leads to here, too? */
static bool is_here(int fd, const char *path)
{
	struct stat there, here;

	return !fstat(fd, &there) && !stat(path, &here) && there.st_dev == here.st_dev &&
	       there.st_ino == here.st_ino;
}

/* A new process with code of its own. Return: its entry; NULL: nothing of it has to be kept. */
static struct jit_writer *hold(struct jit_files *j, u32 pid)
{
	struct jit_writer p = { .pid = pid, .inner = jit_inner_pid(pid), .tmp = -1, .dump = -1 };
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	if (stat(path, &st))
		return NULL;
	p.uid = st.st_uid;
	p.tmp = open_within(pid, "/tmp", O_DIRECTORY);
	if (p.tmp < 0)
		return NULL;
	if (p.inner == pid && is_here(p.tmp, "/tmp")) {
		close(p.tmp);
		return NULL;
	}
	if (j->nr == MAX_HELD) {
		diag_info(1, "process %u: its names of JIT code are not kept: too many processes have some", pid);
		close(p.tmp);
		return NULL;
	}
	GROW(j->v, j->nr, j->cap);
	j->v[j->nr++] = p;
	return &j->v[j->nr - 1];
}

static void let_go(struct jit_files *j, u32 pid)
{
	u64 *slot = hash_find(&j->processes, pid, 0), *moved;
	struct jit_writer *p;

	p = &j->v[*slot - 1];
	close(p->tmp);
	if (p->dump >= 0)
		close(p->dump);
	*p = j->v[--j->nr];
	moved = hash_find(&j->processes, p->pid, 0);
	if (moved)
		*moved = *slot;
	*slot = 0;
}

/* The process of a mapping, held if it is to be. */
static struct jit_writer *process_of(struct jit_files *j, u32 pid)
{
	struct jit_writer *p;
	u64 *slot = hash_insert(&j->processes, pid, 0, NULL);

	if (*slot)
		return *slot == NOT_KEPT ? NULL : &j->v[*slot - 1];
	p = hold(j, pid);
	*slot = p ? j->nr : NOT_KEPT;
	return p;
}

static void hold_dump(struct jit_files *j, u32 pid, const char *path)
{
	struct jit_writer *p = process_of(j, pid);
	int fd = p ? open_within(pid, path, O_NOFOLLOW) : -1;

	if (fd < 0)
		return;
	if (p->dump >= 0)
		close(p->dump);
	p->dump = fd;
	if (is_here(fd, path)) {
		close(fd);
		p->dump = -1;
	}
}

static bool open_cache(struct jit_files *j)
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
	j->enabled = j->cache >= 0;	/* it is said once */
	return j->enabled;
}

/* Write a record that names the copy. */
static void put_record(struct jit_files *j, u32 pid, const char *name)
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
	synth_init(&s, description_layout(j->desc));
	at = synth_fixed(&s, &r.header);
	synth_string(&s, path, strlen(path));
	synth_end(&s, at, true);
	outbuf_write(&j->records, s.out.base, outbuf_len(&s.out));
	synth_deinit(&s);
}

/* @path leads to the file, @flags: O_NOFOLLOW or 0. @format: of the copy's name. */
static void copy(struct jit_files *j, const struct jit_writer *p, const char *path, int flags, const char *format)
{
	struct stat st;
	_cleanup_close_ int from = open_regular(path, flags, &st), to = -1;
	u64 most = min(MAX_COPY, MAX_ALL - j->bytes);
	struct timespec now;
	char name[80];
	int err;

	if (from < 0 || (st.st_uid && st.st_uid != geteuid() && st.st_uid != p->uid) || !open_cache(j))
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(name, sizeof(name), format, p->pid, now.tv_sec * 1000000000ULL + now.tv_nsec);
	to = openat(j->cache, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	err = to < 0 ? -errno : j->nr_copies == MAX_COPIES || (u64)st.st_size > most ? -EFBIG :
	      io_copy(from, to, most);
	if (!err) {
		j->bytes += st.st_size;
		j->nr_copies++;
		put_record(j, p->pid, name);
		return;
	}
	diag_warn("process %u: its names of JIT code can't be kept in %s/.jit: %s", p->pid, j->cache_path,
		  err == -EFBIG ? "they take too much room" : strerror(-err));
	if (to >= 0)
		unlinkat(j->cache, name, 0);
}

static void copy_files(struct jit_files *j, const struct jit_writer *p)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/self/fd/%d/perf-%u.map", p->tmp, p->inner);
	copy(j, p, path, O_NOFOLLOW, "perf-%u-%llx.map");
	if (p->dump < 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", p->dump);
	copy(j, p, path, 0, "jit-%u-%llx.dump");
}

static void note_end(struct jit_files *j, const struct task_record *t)
{
	u64 *slot = t->pid == t->tid ? hash_find(&j->processes, t->pid, 0) : NULL;

	if (!slot || !*slot)
		return;
	if (*slot == NOT_KEPT) {
		*slot = 0;	/* the next process of this PID */
		return;
	}
	copy_files(j, &j->v[*slot - 1]);
	let_go(j, t->pid);
}

void jit_files_note(struct jit_files *j, const struct perf_event_header *h)
{
	const struct mmap2_record *m = (const void *)h;

	if (!j->enabled)
		return;
	if (h->type == PERF_RECORD_EXIT)
		note_end(j, (const void *)h);
	if (h->type != PERF_RECORD_MMAP2 || (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER ||
	    h->misc & PERF_RECORD_MISC_MMAP_DATA)
		return;
	if (jit_is_code(m->filename))
		process_of(j, m->pid);
	else if (jit_is_dump(m->filename))
		hold_dump(j, m->pid, m->filename);
}

void jit_files_note_all(struct jit_files *j, const struct outbuf *records)
{
	const char *p;

	for (p = records->base; p < records->pos; p += ((const struct perf_event_header *)p)->size)
		jit_files_note(j, (const void *)p);
}

int jit_files_timeout(const struct jit_files *j)
{
	return j->enabled ? LOOK_MS : -1;
}

struct outbuf *jit_files_records(struct jit_files *j)
{
	u32 i;

	for (i = 0; j->enabled && i < j->nr; i++)
		copy_files(j, &j->v[i]);
	return &j->records;
}

void jit_files_deinit(struct jit_files *j)
{
	while (j->nr)
		let_go(j, j->v[0].pid);
	if (j->cache >= 0) {
		private_dir_trim(j->cache, CACHE_LIMIT);
		close(j->cache);
	}
	free(j->cache_path);
	free(j->v);
	hash_deinit(&j->processes);
	outbuf_deinit(&j->records);
}
