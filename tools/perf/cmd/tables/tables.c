// SPDX-License-Identifier: GPL-2.0
/*
 * Creates and registers the unwind tables of mapped files.
 *
 * The thread that reads the kernel's buffers looks at mappings, first in /proc, then in records,
 * and queues a job for each new file. Workers have it opened and its table found in the cache or
 * made, by an opener and a walker (host/host.h), and registered: a slow disk does not delay the
 * draining. Jobs for processes that slept when the system's were listed begin later, on a thread
 * that pauses after each: there are many, and most sleep on.
 *
 * A file has one job. A record tells it by device, inode and generation, or by name and build-id in
 * its process's view, as containers have different files of equal ones; jobs for one file by
 * several of these are told by inode and change time, and the kernel rejects a second table. A file
 * that could not be opened, as its process ended, is queued again.
 *
 * The lock protects @noted, the queue and the results. The event that holds the tables is closed
 * last.
 */
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/queue.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/thread.h"
#include "bpf/layout.h"
#include "bpf/walk.h"
#include "cfi/cache.h"
#include "cfi/elf.h"
#include "cfi/needed.h"
#include "cfi/table.h"
#include "cmd/tables/cache.h"
#include "cmd/tables/tables.h"
#include "elf/open.h"
#include "event/records.h"
#include "host/host.h"
#include "measure/kernel_features.h"
#include "measure/table.h"
#include "runtime/python.h"
#include "synth/synth.h"

#define MAX_THREADS	64
/* Poll interval of the ring buffers, in ms, while tables are being registered. */
#define LOOK_MS		20
/* Poll interval before events are enabled, when buffers fill slowly. */
#define SETTLE_MS	20
/* When jobs for processes that slept begin, ms after events are enabled */
#define SLEEPERS_MS	10
/* Their thread pauses as long as each took, at most so long: the end of the recording waits for it.
 */
#define PAUSE_MAX_MS	100ULL
/* Time limits, in ms, for creating the table of an open file. */
#define MAKE_MS		20000
#define MAKE_CPU_MS	10000
/* Limit of queued jobs; further files are skipped. */
#define MAX_JOBS	65536

struct table_job {
	STAILQ_ENTRY(table_job) next;
	struct mapped m;
	u64 nr;				/* job number, from 1; 0: of a process that slept */
	u64 a, b;			/* key in @noted */
	int fd;				/* image of the vDSO, or an open file; -1: open @m */
	bool vdso;
	bool late;			/* events may have been enabled before */
	char path[];
};

STAILQ_HEAD(table_jobs, table_job);

/* A file, and the result of its job. */
struct table_file {
	char *path;
	char *why;			/* NULL: it has a table */
	bool late;
};

struct tables {
	struct host *host;
	int event;			/* holds the tables; -1: @walk has them */
	struct bpf_walk *walk;
	struct unwind_cache *cache;	/* NULL: none */
	u64 cache_limit;
	u64 limit;			/* bytes of all tables */
	bool full;			/* a table exceeded it */
	bool enabled;			/* events may be enabled */
	bool wait;			/* for tables of sleeping processes, too */
	u64 sleepers_due;		/* time at which jobs for processes that slept begin, in ms */
	pid_t viewer;			/* process of the last record with a build-id */
	u64 view;			/* its view_of_process() */
	pthread_t threads[MAX_THREADS];
	u32 nr_threads, max_threads;
	/* under the lock */
	pthread_mutex_t lock;
	pthread_cond_t wake, done;
	struct table_jobs jobs, sleepers;	/* the latter are for a thread of their own */
	u64 nr_jobs, nr_begun;		/* jobs are begun in order */
	u32 nr_sleepers;
	bool sleepers_begun;
	pthread_t *sleepers_thread;	/* NULL: not started */
	u64 settle;			/* tables_settled() waits for jobs up to this number */
	u64 running[MAX_THREADS];	/* current job of each thread; 0: none */
	u32 idle;			/* threads without a job */
	bool ending;
	struct hash noted;		/* files for which a job was queued */
	struct hash opened;		/* files that were opened */
	int *held;			/* files of @walk's tables: their inodes are not reused */
	u32 nr_held, cap_held;
	struct table_file *files;
	u32 nr_files, cap_files;
	u64 nr_tables, bytes, nr_refused;
};

static u64 change_key(const struct stat *st)
{
	return hash_mix(st->st_ino, st->st_ctim.tv_sec * 1000000000ULL + st->st_ctim.tv_nsec);
}

/* Worker threads */

static void *thread_main(void *arg);

static void put_result(struct tables *t, const char *path, const char *why, size_t size, bool late)
{
	diag_info(1, "unwind table of %s: %s", path, why ? why : "registered");
	pthread_mutex_lock(&t->lock);
	GROW(t->files, t->nr_files, t->cap_files);
	t->files[t->nr_files++] = (struct table_file){
		.path = xstrdup(path), .why = why ? xstrdup(why) : NULL, .late = late,
	};
	t->nr_tables += !why;
	t->nr_refused += !!why;
	t->bytes += why ? 0 : size;
	pthread_mutex_unlock(&t->lock);
}

static bool opened_before(struct tables *t, const struct stat *st)
{
	bool added;

	pthread_mutex_lock(&t->lock);
	hash_insert(&t->opened, st->st_dev, change_key(st), &added);
	pthread_mutex_unlock(&t->lock);
	return !added;
}

/* In an opener: */

struct open_question {
	struct mapped m;
	bool is_open;			/* it is in[0] */
	bool vdso;
	bool walk;			/* find its key */
	/* set by the call */
	struct stat st;
	struct statfs fs;		/* zeros: it says nothing */
	u64 key;
	bool refused;			/* it has no key */
	char path[PATH_MAX];
};

/* Find and open a file, O_PATH: @out. Last of @in: the BPF program that finds keys. -errno */
static int open_question(void *arg, const int *in, int *out)
{
	struct open_question *q = arg;
	_cleanup_close_ int fd = -1;
	int err;

	q->m.path = q->path;
	if (!q->is_open)
		*out = mapped_find(&q->m, &q->st);
	else if (place_ask(in[0]) < 0)
		return -ESTALE;
	fd = q->is_open ? place_read(in[0], &q->st) : *out < 0 ? *out : place_read(*out, &q->st);
	if (fd < 0)
		return fd;
	if (fstatfs(fd, &q->fs))
		q->fs = (struct statfs){ 0 };
	if (!q->walk)
		return 0;
	err = bpf_walk_key(in[q->is_open], q->vdso ? -1 : fd, &q->key);
	q->refused = err;
	return err;
}

struct add_question {
	bool vdso;
	u64 size;			/* of the table */
};

/* Register a table. in: file, event, table. Return: 0; -EEXIST: the file has one; or -errno. */
static int add_question(void *arg, const int *in, int *out __unused)
{
	const struct add_question *q = arg;
	_cleanup_close_ int fd = -1;
	struct stat st;
	void *data;
	int err;

	if (place_ask(in[0]) < 0)
		return -ESTALE;
	fd = place_read(in[0], &st);
	if (fd < 0)
		return fd;
	data = mmap(NULL, q->size, PROT_READ, MAP_PRIVATE, in[2], 0);
	if (data == MAP_FAILED)
		return -errno;
	err = table_event_add(in[1], q->vdso ? -1 : fd, data, q->size);
	munmap(data, q->size);
	return err;
}

/* In a walker: */

struct make_question {
	bool there;			/* the table is not wanted */
	bool again;			/* the file is that of the last call */
	bool make;			/* make the table, in the window; else only its key */
	u64 size;			/* set to the size of the table */
	char key[UNWIND_ELF_KEY];	/* set to its name in the cache */
	char why[200]; /* set to the reason why the table is missing or incomplete */
	bool find_python;
	bool has_python;		/* set: the file has the interpreter @python */
	struct python_image python;
};

static int make_question(void *arg, const int *in __unused, int *out __unused)
{
	static struct unwind_elf *elf;
	struct make_question *q = arg;
	struct unwind_made made = { 0 };
	const char *why = NULL;
	char path[64];
	int err = 0, fd;

	if (!q->again) {
		fd = walker_file();
		if (fd < 0)
			return fd;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (!q->there)
			err = unwind_elf_open(path, &elf, &why);
		if (q->find_python)
			q->has_python = !python_image_find(path, &q->python);
		close(fd);
	}
	if (!err && q->make) {
		err = unwind_elf_make(elf, &made, &why);
		q->size = made.size;
		if (!err && made.size <= ASIDE_WINDOW)
			memcpy(aside_window(), made.data, made.size);
		free(made.data);
	} else if (!err && !q->there) {
		unwind_elf_key(elf, q->key);
	}
	snprintf(q->why, sizeof(q->why), "%s", why ?: "");
	if (err || q->make || q->there) {
		if (!q->there)
			unwind_elf_close(elf);
		elf_files_close();
	}
	return err;
}

/* Open a job's file. @q: what is found. Return: the file; -EEXIST: it had a job; or -errno. */
static int open_job(struct tables *t, const struct table_job *job, struct open_question *q)
{
	struct aside_call c = { .fn = open_question, .arg = q, .size = sizeof(*q), .out = -1 };
	int err;

	*q = (struct open_question){
		.m = job->m, .is_open = job->fd >= 0, .vdso = job->vdso, .walk = t->walk,
	};
	snprintf(q->path, sizeof(q->path), "%s", job->path);
	if (q->is_open)
		c.in[c.nr_in++] = job->fd;
	if (t->walk)
		c.in[c.nr_in++] = bpf_walk_key_program(t->walk);
	err = host_run(t->host, q->m.pid, q->path, &c);
	if (q->is_open)
		c.out = job->fd;
	if (!err && opened_before(t, &q->st))
		err = -EEXIST;
	if (err)
		cleanup_close(&c.out);
	return err ?: c.out;
}

/* Take a table from the walker, which is not believed. Return: 0, or -errno. */
static int take_table(const struct aside *walker, u64 size, struct unwind_image *image)
{
	struct unwind_table table;

	if (size > ASIDE_WINDOW)
		return -EFBIG;
	*image = (struct unwind_image){ .data = xmalloc(size + 1), .size = size };
	memcpy(image->data, walker->window, size);
	madvise(walker->window, size, MADV_REMOVE);
	if (!unwind_table_check(image->data, size, &table))
		return 0;
	unwind_image_free(image);
	return -EBADMSG;
}

/* The answer is not believed, beyond the table of this file. Return: 0, or -errno. */
static int ask_walker(struct aside *walker, struct make_question *q)
{
	struct aside_call c = {
		.fn = make_question, .arg = q, .size = sizeof(*q), .cpu_ms = MAKE_CPU_MS,
	};
	int err = aside_run(walker, &c, MAKE_MS);

	q->why[sizeof(q->why) - 1] = q->key[sizeof(q->key) - 1] = '\0';
	return err ?: q->key[strspn(q->key, "0123456789abcdef")] ? -EBADMSG : 0;
}

/*
 * Find the table of file @fd in the cache, or have it made. A walker that has read somebody else's
 * file may be taken over by it: it reads that owner's only, who gets its tables.
 */
static int get_table(struct tables *t, struct aside *walker, const struct open_question *file,
		     int fd, struct make_question *q, struct unwind_image *image)
{
	char alias[UNWIND_ELF_KEY] = "", key[UNWIND_ELF_KEY + 12];
	bool trusted = file->vdso || file_is_ours(&file->st);
	int err;

	q->there = t->cache && unwind_cache_alias(t->cache, &file->st, &file->fs, alias) &&
		   unwind_cache_load(t->cache, alias, t->walk, image);
	q->make = !t->cache;
	/* Names of Python functions are kept in ~/.debug. */
	q->find_python = t->walk && t->cache;
	if (q->there && !q->find_python)
		return 0;
	err = walker ? host_walker_fd(t->host, walker, file->m.pid, file->path, fd) : -EAGAIN;
	err = err ?: ask_walker(walker, q);
	if (q->there)
		return 0;
	snprintf(key, sizeof(key), trusted ? "%s" : "%s.%u", q->key, file->st.st_uid);
	if (!err && !q->make && !unwind_cache_load(t->cache, key, t->walk, image)) {
		q->make = q->again = true;
		err = ask_walker(walker, q);
	}
	if (!err && q->make)
		err = take_table(walker, q->size, image);
	if (walker && !trusted)
		aside_deinit(walker);
	if (err || !t->cache)
		return err;
	if (q->again && !q->why[0] &&
	    !unwind_cache_save(t->cache, key, image->data, image->size))
		snprintf(q->why, sizeof(q->why), "it cannot be kept in perf's cache");
	else if (!q->why[0])
		unwind_cache_link(t->cache, key, alias);
	return 0;
}

/* Add a table to the BPF program, which then holds the file, *@fd. Return: 0, or -errno. */
static int add_to_walk(struct tables *t, u64 key, const struct unwind_image *image,
		       const struct python_image *python, int *fd)
{
	int err;

	pthread_mutex_lock(&t->lock);
	err = bpf_walk_add(t->walk, key, image->data, image->size, python);
	if (!err) {
		GROW(t->held, t->nr_held, t->cap_held);
		t->held[t->nr_held++] = *fd;
		*fd = -1;
	}
	pthread_mutex_unlock(&t->lock);
	return err;
}

/* Register a table with the kernel. @fd: the file. Return: as add_question(). */
static int add_to_event(struct tables *t, const struct table_job *job,
			const struct unwind_image *image, int fd)
{
	struct add_question q = { .vdso = job->vdso, .size = image->size };
	_cleanup_close_ int table = memfd_create("table", MFD_CLOEXEC);
	struct aside_call c = {
		.fn = add_question, .arg = &q, .size = sizeof(q),
		.in = { fd, t->event, table }, .nr_in = 3,
	};

	return table < 0 ? -errno : write_all(table, image->data, image->size) ?:
		host_run(t->host, job->m.pid, job->path, &c);
}

static bool has_room(struct tables *t, u64 size)
{
	bool room;

	pthread_mutex_lock(&t->lock);
	room = size <= t->limit - min(t->limit, t->bytes);
	t->full |= !room;
	pthread_mutex_unlock(&t->lock);
	return room;
}

static u64 device_key(u32 major, u32 minor)
{
	return (u64)major << 32 | minor;
}

/* Called with the lock held. */
static void start_thread(struct tables *t)
{
	if (t->nr_threads < t->max_threads && !thread_start_usual(&t->threads[t->nr_threads], thread_main, t))
		t->nr_threads++;
}

/* Queue a job for a mapping's file. @fd: open, or -1; @idle: its process sleeps; @a, @b: its key */
static void put_job(struct tables *t, const struct mapped *m, int fd, bool idle, u64 a, u64 b)
{
	const size_t path_size = strlen(m->path) + 1;
	struct table_job *job;
	bool added;

	pthread_mutex_lock(&t->lock);
	hash_insert(&t->noted, a, b, &added);
	if (!added || t->nr_jobs - t->nr_begun + t->nr_sleepers >= MAX_JOBS) {
		pthread_mutex_unlock(&t->lock);
		cleanup_close(&fd);
		return;
	}
	job = xcalloc(1, sizeof(*job) + path_size);
	job->m = *m;
	job->m.path = memcpy(job->path, m->path, path_size);
	job->a = a;
	job->b = b;
	job->fd = fd;
	job->vdso = m->path[0] == '[';
	job->late = t->enabled || idle;
	if (idle) {
		STAILQ_INSERT_TAIL(&t->sleepers, job, next);
		t->nr_sleepers++;
	} else {
		job->nr = ++t->nr_jobs;
		STAILQ_INSERT_TAIL(&t->jobs, job, next);
		if (t->idle < t->nr_jobs - t->nr_begun)
			start_thread(t);
		pthread_cond_signal(&t->wake);
	}
	pthread_mutex_unlock(&t->lock);
}

/* Let the next mapping of a job's file queue a job. */
static void forget(struct tables *t, const struct table_job *job)
{
	pthread_mutex_lock(&t->lock);
	hash_remove(&t->noted, job->a, job->b);
	pthread_mutex_unlock(&t->lock);
}

/* @refused: by the kernel or the BPF program */
static const char *why_not(const struct tables *t, int err, bool refused)
{
	if (refused)
		return t->walk && err == -ENOSPC ? "the BPF program has no more room for tables" :
						   table_refused(err);
	switch (-err) {
	case ENOENT:
		return "it is deleted, and only root can open it";
	case EACCES:
	case EPERM:
		return "it may not be read";
	case ETIMEDOUT:
		return "its file system does not answer";
	case ETIME:
		return "it takes too much time";
	case EPIPE:
		return "the process that read it died";
	case EBADMSG:
		return "the table is damaged";
	case EDQUOT:
		return "it exceeds the limit of all tables";
	}
	return strerror(-err);
}

static void do_job(struct tables *t, struct table_job *job, struct aside *walker)
{
	struct unwind_image image = { 0 };
	struct make_question q = { 0 };
	struct open_question file;
	_cleanup_close_ int fd = open_job(t, job, &file);
	bool refused = false;
	int err, none;

	if (fd < 0) {
		if (fd != -EEXIST)
			put_result(t, job->path, why_not(t, fd, file.refused), 0, job->late);
		if (fd == -ENOENT && job->b)
			forget(t, job);
		return;
	}
	none = get_table(t, walker, &file, fd, &q, &image);
	err = none;
	if (!none && !has_room(t, image.size)) {
		err = -EDQUOT;
	} else if (t->walk) {
		/* Also that there is none. */
		err = add_to_walk(t, file.key, &image, q.has_python ? &q.python : NULL, &fd) ?:
		      none;
		refused = !none;
	} else if (!none) {
		err = add_to_event(t, job, &image, fd);
		refused = true;
	}
	if (q.python.version && !q.has_python)
		python_image_refuse(&q.python, job->path);
	if (!err && q.why[0])
		diag_info(1, "unwind table of %s: %s", job->path, q.why);
	/* Two names of one file, for example on an overlay. */
	if (err != -EEXIST)
		put_result(t, job->path,
			   !err ? NULL : none && q.why[0] ? q.why : why_not(t, err, refused),
			   image.size, job->late);
	unwind_image_free(&image);
}

/* Called with the lock held. */
static void wait_for_job(struct tables *t)
{
	t->idle++;
	pthread_cond_wait(&t->wake, &t->lock);
	t->idle--;
}

/* Return: the next job, or NULL. Called with the lock held. */
static struct table_job *take_job(struct tables *t, bool sleepers)
{
	struct table_jobs *jobs = sleepers ? &t->sleepers : &t->jobs;
	struct table_job *job = STAILQ_FIRST(jobs);

	if (!job)
		return NULL;
	STAILQ_REMOVE_HEAD(jobs, next);
	t->nr_sleepers -= sleepers;
	t->nr_begun = sleepers ? t->nr_begun : job->nr;
	return job;
}

static void *thread_main(void *arg)
{
	struct tables *t = arg;
	struct aside *walker = host_walker(t->host);
	struct table_job *job;
	bool sleepers;
	u64 begun;
	u32 self;

	pthread_mutex_lock(&t->lock);
	for (self = 0; !pthread_equal(t->threads[self], pthread_self());)
		self++;
	sleepers = t->sleepers_thread == &t->threads[self];
	for (;;) {
		job = NULL;
		while (!t->ending && !(job = take_job(t, sleepers)) && !sleepers)
			wait_for_job(t);
		if (!job)
			break;
		t->running[self] = job->nr;
		pthread_mutex_unlock(&t->lock);
		begun = now_ms();
		do_job(t, job, walker);
		/* Not by priority: the kernel registers one table at a time, and a task that starts waits for its own. */
		if (sleepers)
			usleep(min(now_ms() - begun + 1, PAUSE_MAX_MS) * 1000);
		pthread_mutex_lock(&t->lock);
		free(job);
		t->running[self] = 0;
		pthread_cond_signal(&t->done);
	}
	pthread_mutex_unlock(&t->lock);
	if (walker)
		host_done(t->host, walker);
	return NULL;
}

/* Reading thread */

static void note_synth(void *arg, const struct synth_map *m)
{
	struct tables *t = arg;

	if (m->file.path[0] == '/')
		put_job(t, &m->file, -1, m->idle && !t->wait, device_key(m->major, m->minor),
			m->file.inode);
}

/* Mount namespace and root of a process: what its paths mean. 0: it has ended. */
static u64 view_of_process(pid_t pid)
{
	char path[64], root[PATH_MAX];
	struct stat st;
	ssize_t len;

	/* Neither call accesses the file system of the root. */
	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	len = readlink(path, root, sizeof(root));
	if (len < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", pid);
	return hash_mix(stat(path, &st) ? 0 : st.st_ino, hash_bytes(root, len));
}

static u64 view_of_record(struct tables *t, pid_t pid)
{
	if (t->viewer != pid) {
		t->viewer = pid;
		t->view = view_of_process(pid);
	}
	return t->view;
}

/* Key of a file with a build-id, beside the view of its process. */
static u64 mapped_key(const u8 *id, u8 id_size, const char *path)
{
	return hash_mix(hash_bytes(id, id_size), hash_bytes(path, strlen(path)));
}

static void note_mmap2(struct tables *t, const struct mmap2_record *r)
{
	struct mapped m = { .pid = r->pid, .start = r->addr, .end = r->addr + r->len, .path = r->filename };
	u64 id;

	if (!(r->prot & PROT_EXEC))
		return;
	if (mmap2_has_build_id(&r->header)) {
		id = mapped_key(r->build_id, r->build_id_size, m.path);
		put_job(t, &m, -1, false, id, view_of_record(t, m.pid));
		return;
	}
	m.inode = r->ino;
	put_job(t, &m, -1, false, device_key(r->maj, r->min),
		r->ino_generation ? hash_mix(r->ino, r->ino_generation) : r->ino);
}

void tables_note(struct tables *t, const struct perf_event_header *h)
{
	const struct mmap2_record *mmap2 = (const void *)h;

	/* Programs change their root and execute another one. */
	if (h->type == PERF_RECORD_COMM && h->misc & PERF_RECORD_MISC_COMM_EXEC)
		t->viewer = 0;
	if (h->type != PERF_RECORD_MMAP2 || h->misc & PERF_RECORD_MISC_MMAP_DATA ||
	    (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
		return;
	/* "//anon" and similar names are not files. */
	if (mmap2->filename[0] == '/' && mmap2->filename[1] != '/')
		note_mmap2(t, mmap2);
}

/* Queue a job for a file that the command will map; the kernel records its resolved path. */
static void note_path(void *arg, const char *path, int fd)
{
	_cleanup_free_ char *real = realpath(path, NULL);
	const struct mapped m = { .path = real ? real : path };
	struct tables *t = arg;
	u8 id[BUILD_ID_MAX], id_size = fd < 0 ? 0 : build_id_of_file(fd, id);

	put_job(t, &m, fd, false, 0, hash_bytes(m.path, strlen(m.path)));
	if (!id_size)
		return;
	/* The records of these mappings queue no second job. */
	pthread_mutex_lock(&t->lock);
	hash_insert(&t->noted, mapped_key(id, id_size, m.path), view_of_record(t, getpid()), NULL);
	pthread_mutex_unlock(&t->lock);
}

/* All processes have the same vDSO image. */
static void note_vdso(struct tables *t)
{
	const struct mapped m = { .path = "[vdso]" };
	const Elf64_Ehdr *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t size;
	int fd;

	if (!image || sizeof(long) != 8)
		return;
	/* The image ends with the section headers. */
	size = image->e_shoff + image->e_shnum * image->e_shentsize;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, image, size) == (ssize_t)size)
		put_job(t, &m, fd, false, 0, 0);
	else if (fd >= 0)
		close(fd);
}

void tables_synth(struct tables *t, struct synth *s, bool wait)
{
	t->wait = wait;
	s->on_code = note_synth;
	s->arg = t;
}

int tables_create(struct host *host, struct bpf_walk *walk, bool keep, struct tables **ret)
{
	struct tables *t = xcalloc(1, sizeof(*t));
	const char *why = NULL;
	int err = 0;

	*ret = NULL;
	*t = (struct tables){ .host = host, .walk = walk, .limit = UINT64_MAX };
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->wake, NULL);
	pthread_cond_init(&t->done, NULL);
	STAILQ_INIT(&t->jobs);
	STAILQ_INIT(&t->sleepers);
	t->event = walk ? -1 : table_event_open();
	if (walk)
		raise_fd_limit(WALK_MAX_FILES + 1024);
	else if (t->event < 0)
		err = diag_error("cannot open the event that holds unwind tables: %s", strerror(-t->event));
	if (err || (keep && unwind_open_cache(&t->cache, &t->cache_limit, &why))) {
		tables_free(t);
		return -1;
	}
	if (why)
		diag_info(1, "unwind tables are not kept in ~/.debug/.unwind: %s", why);
	*ret = t;
	t->max_threads = max(1L, min(sysconf(_SC_NPROCESSORS_ONLN), MAX_THREADS - 1L));
	note_vdso(t);
	return 0;
}

void tables_command(struct tables *t, const char *command)
{
	needed_files(command, note_path, t);
}

/* True if all jobs up to @nr are done. Called with the lock held. */
static bool done_to(const struct tables *t, u64 nr)
{
	u32 i;

	if (t->nr_begun < nr)
		return false;
	for (i = 0; i < t->nr_threads; i++)
		if (t->running[i] && t->running[i] <= nr)
			return false;
	return true;
}

void tables_settle(struct tables *t)
{
	pthread_mutex_lock(&t->lock);
	t->settle = t->nr_jobs;
	pthread_mutex_unlock(&t->lock);
}

bool tables_settled(struct tables *t)
{
	const struct timespec until = time_after(SETTLE_MS);
	bool done, late = false;

	pthread_mutex_lock(&t->lock);
	while (!(done = !t->nr_threads || done_to(t, t->settle)) && !late)
		late = pthread_cond_timedwait(&t->done, &t->lock, &until) == ETIMEDOUT;
	if (done)
		diag_info(1, "%llu unwind tables of %llu bytes are registered", t->nr_tables, t->bytes);
	pthread_mutex_unlock(&t->lock);
	t->enabled = done;
	t->sleepers_due = now_ms() + SLEEPERS_MS;
	return done;
}

int tables_timeout(const struct tables *t, bool poll)
{
	return !t->sleepers_begun ? SLEEPERS_MS : poll ? LOOK_MS : -1;
}

void tables_poll(struct tables *t)
{
	if (t->sleepers_begun || now_ms() < t->sleepers_due)
		return;
	pthread_mutex_lock(&t->lock);
	t->sleepers_begun = true;
	if (t->nr_sleepers) {
		t->sleepers_thread = &t->threads[t->nr_threads];
		t->max_threads++;
		start_thread(t);
	}
	pthread_mutex_unlock(&t->lock);
}

void tables_limit(struct tables *t, u64 bytes)
{
	t->limit = bytes;
}

void tables_figures(struct tables *t, struct tables_figures *f)
{
	pthread_mutex_lock(&t->lock);
	*f = (struct tables_figures){
		.registered = t->nr_tables, .bytes = t->bytes, .refused = t->nr_refused, .files = t->noted.nr,
		.waiting = t->nr_jobs - t->nr_begun, .full = t->full,
	};
	pthread_mutex_unlock(&t->lock);
}

void tables_end(struct tables *t)
{
	struct table_job *job;
	u32 i;

	pthread_mutex_lock(&t->lock);
	t->ending = true;
	pthread_cond_broadcast(&t->wake);
	pthread_mutex_unlock(&t->lock);
	host_ending(t->host);
	for (i = 0; i < t->nr_threads; i++)
		pthread_join(t->threads[i], NULL);
	t->nr_threads = 0;
	STAILQ_CONCAT(&t->jobs, &t->sleepers);
	while ((job = STAILQ_FIRST(&t->jobs))) {
		STAILQ_REMOVE_HEAD(&t->jobs, next);
		cleanup_close(&job->fd);
		free(job);
	}
	diag_info(1, "%llu mappings were searched for unwind tables", t->nr_begun);
	if (t->cache)
		unwind_cache_trim(t->cache, t->cache_limit);
}

const char *tables_why(const struct tables *t, const char *path)
{
	const struct table_file *found = NULL;
	u32 i;

	/* The last file with this name is the current one. */
	for (i = 0; i < t->nr_files; i++)
		if (!strcmp(t->files[i].path, path))
			found = &t->files[i];
	if (!found)
		return "it ended before a table could be made";
	if (found->why)
		return found->why;
	return found->late ? "before its table was made" : NULL;
}

void tables_free(struct tables *t)
{
	u32 i;

	if (!t)
		return;
	cleanup_close(&t->event);
	for (i = 0; i < t->nr_held; i++)
		close(t->held[i]);
	free(t->held);
	unwind_cache_close(t->cache);
	for (i = 0; i < t->nr_files; i++) {
		free(t->files[i].path);
		free(t->files[i].why);
	}
	free(t->files);
	hash_deinit(&t->noted);
	hash_deinit(&t->opened);
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->wake);
	pthread_cond_destroy(&t->done);
	free(t);
}
