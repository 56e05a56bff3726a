// SPDX-License-Identifier: GPL-2.0
/*
 * The pool of children, and the file systems that do not answer, which openers read in shared
 * memory. The lock protects which children are taken, and the messages.
 */
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/hash.h"
#include "host/host.h"

#define CALL_MS		3000
#define MANY_SILENT	2	/* file systems that do not answer: others are given less time, */
#define MANY_CALL_MS	300	/* as their waits add up */
#define END_MS		1000	/* limit of all calls together at the end of the recording, */
#define END_CALL_MS	100ULL	/* and of each after that */
#define MAX_CHILDREN	256
#define REFUSED		1	/* second key of a file that is left out */

struct host {
	struct aside_silent *silent;
	/* under the lock */
	pthread_mutex_t lock;
	struct aside children[MAX_CHILDREN];
	bool taken[MAX_CHILDREN];
	struct hash refused;		/* (hash of a path, 0) -> times at fault; or REFUSED */
	u64 end;	/* atomic: time in ms when calls of the end are given up; 0: it goes on */
};

struct host *host_create(void)
{
	struct host *h = xcalloc(1, sizeof(*h));

	pthread_mutex_init(&h->lock, NULL);
	h->silent = mmap(NULL, sizeof(*h->silent), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (h->silent == MAP_FAILED)
		diag_fatal("out of memory");
	return h;
}

void host_free(struct host *h)
{
	u32 i;

	if (!h)
		return;
	for (i = 0; i < MAX_CHILDREN; i++)
		aside_end(&h->children[i]);
	for (i = 0; i < MAX_CHILDREN; i++)
		aside_free(&h->children[i]);
	hash_deinit(&h->refused);
	munmap(h->silent, sizeof(*h->silent));
	pthread_mutex_destroy(&h->lock);
	free(h);
}

void host_ending(struct host *h)
{
	const u64 end = now_ms() + END_MS;
	u64 until;
	u32 i;

	__atomic_store_n(&h->end, end, __ATOMIC_RELAXED);
	pthread_mutex_lock(&h->lock);
	for (i = 0; i < MAX_CHILDREN; i++) {
		until = __atomic_load_n(&h->children[i].until, __ATOMIC_RELAXED);
		__atomic_store_n(&h->children[i].ending, true, __ATOMIC_RELAXED);
		if (h->taken[i] && until > end)
			__atomic_store_n(&h->children[i].until, end, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&h->lock);
}

/* Return: a child of the kind, preferably one that runs; NULL: too many are taken. */
static struct aside *take(struct host *h, bool walker)
{
	struct aside *a = NULL;
	u32 i;

	pthread_mutex_lock(&h->lock);
	for (i = 0; i < MAX_CHILDREN; i++) {
		struct aside *c = &h->children[i];

		if (!h->taken[i] && (c->is_walker == walker || !c->page) &&
		    (!a || (c->pid && !a->pid)))
			a = c;
		if (a && a->pid)
			break;
	}
	if (a) {
		h->taken[a - h->children] = true;
		a->is_walker = walker;
		a->silent = h->silent;
	}
	pthread_mutex_unlock(&h->lock);
	return a;
}

void host_done(struct host *h, struct aside *a)
{
	pthread_mutex_lock(&h->lock);
	h->taken[a - h->children] = false;
	pthread_mutex_unlock(&h->lock);
}

static void note_silent(struct host *h, u64 device, u32 pid, const char *path)
{
	struct aside_silent *s = h->silent;
	bool known_already = !device;
	u32 i;

	pthread_mutex_lock(&h->lock);
	for (i = 0; i < s->nr; i++)
		known_already |= s->devices[i] == device;
	if (!known_already && s->nr < MAX_SILENT) {
		s->devices[s->nr] = device;
		__atomic_store_n(&s->nr, s->nr + 1, __ATOMIC_RELEASE);
	}
	if (s->nr == MAX_SILENT)
		s->local = true;
	pthread_mutex_unlock(&h->lock);
	if (!known_already && pid)
		diag_warn("%s of process %u: its file system does not answer: its files are left out", path, pid);
	else if (!known_already)
		diag_warn("%s: its file system does not answer: its files are left out", path);
}

u64 host_end(struct host *h)
{
	return __atomic_load_n(&h->end, __ATOMIC_RELAXED);
}

int host_run(struct host *h, u32 pid, const char *path, struct aside_call *c)
{
	struct aside *a = take(h, false);
	u64 now = now_ms(), end;
	bool many = __atomic_load_n(&h->silent->nr, __ATOMIC_RELAXED) >= MANY_SILENT;
	int ret, ms = many ? MANY_CALL_MS : CALL_MS;

	c->out = -1;
	if (!a)
		return -ETIMEDOUT;
	end = host_end(h);
	if (a->page)
		a->page->device = 0;
	ret = aside_run(a, c, end ? (int)(max(end, now + END_CALL_MS) - now) : ms);
	if (ret == -ETIMEDOUT)
		note_silent(h, a->page->device, pid, path);
	host_done(h, a);
	return ret == -ESTALE ? -ETIMEDOUT : ret;
}

/* In an opener: */

static int send_place(void *arg __unused, const int *in, int *out __unused)
{
	struct stat st;
	_cleanup_close_ int fd = place_ask(in[0]) < 0 ? -ESTALE : place_read(in[0], &st);

	return fd < 0 ? fd : walker_send(in[1], fd);
}

/* A walker may name any file: it gets programs and libraries, no core dump. */
static bool is_program(int fd)
{
	u8 head[EI_NIDENT + 2];	/* with .e_type, in either byte order */

	return pread(fd, head, sizeof(head), 0) == sizeof(head) && !memcmp(head, ELFMAG, SELFMAG) &&
	       head[EI_NIDENT] + head[EI_NIDENT + 1] != ET_CORE;
}

static int answer_question(void *arg, const int *in, int *out __unused)
{
	struct confined_question *q = arg;
	_cleanup_close_ int fd = -1;
	struct stat st;

	q->m.path = q->path;
	switch (q->kind) {
	case CONFINED_FILE:
		fd = mapped_open(&q->m, &st);
		if (fd >= 0 && !is_program(fd))
			return -ENOEXEC;
		break;
	case CONFINED_MAPS:
		fd = maps_of_process(q->m.pid, q->path);
		break;
	case CONFINED_PROCESSES:
		fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		break;
	case CONFINED_CODE:
		return own_code(q->m.pid, q->m.start, (u8 *)q->path);
	case CONFINED_LEFT_OUT:
		break;
	}
	return fd < 0 ? (fd == -EACCES ? fd : -ENOENT) : walker_send(in[0], fd);
}

/* In the recorder: */

static bool is_refused(struct host *h, const char *path)
{
	u64 key = hash_bytes(path, strlen(path));
	bool refused;

	pthread_mutex_lock(&h->lock);
	refused = hash_find(&h->refused, key, REFUSED);
	pthread_mutex_unlock(&h->lock);
	return refused;
}

/* Leave a file out. @strikes: as many calls lead to that */
static void refuse(struct host *h, const char *path, u32 strikes, const char *why)
{
	u64 key = hash_bytes(path, strlen(path)), *count;
	bool refused = false;

	pthread_mutex_lock(&h->lock);
	count = hash_insert(&h->refused, key, 0, NULL);
	if (++*count >= strikes)
		hash_insert(&h->refused, key, REFUSED, &refused);
	pthread_mutex_unlock(&h->lock);
	if (refused)
		diag_warn("%s: left out, callchains end there: %s", path, why);
}

void host_walker_failed(struct host *h, struct aside *a, int err)
{
	char path[sizeof(a->page->file)];

	memcpy(path, a->page->file, sizeof(path));
	path[sizeof(path) - 1] = a->page->file[0] = '\0';
	if (path[0])
		refuse(h, path, err == -EPIPE ? 2 : 1, err == -EPIPE ? "the process that read it died" :
		       err == -ETIME ? "to read it takes too much time" : "to read it takes too long");
}

static int answer(struct aside *a, void *question, void *ctx)
{
	struct confined_question *q = question;
	struct aside_call c = {
		.fn = answer_question, .arg = q, .size = sizeof(*q), .in = { a->wire }, .nr_in = 1,
	};
	int err;

	q->path[sizeof(q->path) - 1] = '\0';
	if (q->kind == CONFINED_LEFT_OUT) {
		refuse(ctx, q->path, 1, "its call frame information takes too much time");
		return 0;
	}
	if (q->kind == CONFINED_FILE && is_refused(ctx, q->path))
		return -EACCES;
	err = host_run(ctx, q->m.pid, q->path, &c);
	memcpy(a->page->reply, q->path, sizeof(q->path));
	return err;
}

void host_walker_init(struct host *h, struct aside *a)
{
	*a = (struct aside){
		.is_walker = true, .confine = confine, .silent = h->silent, .answer = answer,
		.ctx = h,
	};
}

struct aside *host_walker(struct host *h)
{
	struct aside *a = take(h, true);

	if (a && !a->ctx)
		host_walker_init(h, a);
	return a;
}

int host_walker_fd(struct host *h, struct aside *walker, u32 pid, const char *path, int place)
{
	struct aside_call c = { .fn = send_place, .arg = &place, .in = { place }, .nr_in = 2 };
	int err = aside_start(walker);

	c.in[1] = walker->wire;
	return err ?: host_run(h, pid, path, &c);
}
