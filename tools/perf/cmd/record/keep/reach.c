// SPDX-License-Identifier: GPL-2.0
/*
 * Resolves paths of other processes.
 *
 * A location (struct fs_place) is a mount namespace and a root in it. It is kept open as long as
 * one of its known processes lives, and one or two rounds longer, since records of different
 * buffers are not in time order.
 *
 * Only /proc is accessed directly. The child of struct aside makes all other accesses. A folder
 * with a file that does not answer is not accessed again.
 */
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "cmd/record/keep/reach.h"

#define CALL_MS		3000
#define ROUNDS_HELD	2
#define MAX_PLACES	256

void reach_init(struct reach *r)
{
	*r = (struct reach){ .patience = CALL_MS };
}

int open_within(int root, const char *path, u64 flags)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | flags, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd = syscall(SYS_openat2, root, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

static u64 folder_key(const char *path)
{
	const char *name = strrchr(path, '/');

	return hash_bytes(path, name ? name - path : 0);
}

int reach_run(struct reach *r, const struct fs_place *p, u32 pid, const char *path, struct aside_call *c)
{
	bool ending = __atomic_load_n(&r->ending, __ATOMIC_RELAXED);
	u64 ns = p ? p->ns : 0, key = folder_key(path);
	int ret = -ETIMEDOUT, ms = ending ? r->patience : CALL_MS;

	c->out = -1;
	if (!hash_find(&r->silent, ns, key)) {
		ret = aside_run(&r->aside, c, ms);
		if (ret == -ETIMEDOUT)
			hash_insert(&r->silent, ns, key, NULL);
		if (ret == -ETIMEDOUT && ending)
			r->patience = 0;
	}
	if (ret != -ETIMEDOUT)
		return ret;
	if (!r->nr_silent++) {
		r->first = xstrdup(path);
		r->first_pid = pid;
	}
	return ret;
}

struct root_query {
	u32 pid;
	bool here;
	struct stat st;
};

static int open_root(void *arg, const int *in, int *out)
{
	struct root_query *q = arg;
	struct stat ours;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/root", q->pid);
	*out = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*out < 0 || fstat(*out, &q->st) || stat("/", &ours))
		return -errno;
	q->here = q->st.st_dev == ours.st_dev && q->st.st_ino == ours.st_ino;
	return 0;
}

static u64 namespace_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ino;
}

/* Return: the index of the location, or -1. Takes ownership of both descriptors. */
static int add_place(struct reach *r, u64 ns, int *ns_fd, const struct root_query *q, int *root)
{
	int i, free_slot = -1;

	for (i = 0; i < (int)r->nr; i++) {
		struct fs_place *p = &r->places[i];

		if (p->ns == ns && p->device == q->st.st_dev && p->inode == q->st.st_ino)
			return i;
		if (p->root < 0)
			free_slot = i;
	}
	if (free_slot < 0) {
		if (r->nr == MAX_PLACES)
			return -1;
		GROW(r->places, r->nr, r->cap);
		free_slot = r->nr++;
	}
	r->places[free_slot] = (struct fs_place){
		.ns = ns, .device = q->st.st_dev, .inode = q->st.st_ino, .ns_fd = no_close(*ns_fd), .root = no_close(*root),
	};
	return free_slot;
}

struct fs_place *reach_place(struct reach *r, u32 pid)
{
	struct root_query q = { .pid = pid };
	struct aside_call c = { .fn = open_root, .arg = &q, .size = sizeof(q) };
	_cleanup_close_ int ns_fd = -1, root = -1;
	u64 *slot = hash_find(&r->processes, pid, 0), ns;
	bool same_ns;
	char path[64];
	int i;

	if (slot)
		return &r->places[*slot - 1];
	snprintf(path, sizeof(path), "/proc/%u/ns/mnt", pid);
	ns_fd = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ns_fd);
	ns = ns_fd < 0 ? 0 : namespace_of(path);
	if (!ns)
		return NULL;
	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	if (reach_run(r, NULL, pid, path, &c)) {
		cleanup_close(&c.out);
		return NULL;
	}
	root = c.out;
	same_ns = ns == namespace_of("/proc/self/ns/mnt");
	i = add_place(r, ns, &ns_fd, &q, &root);
	if (i < 0)
		return NULL;
	r->places[i].here = same_ns && q.here;
	r->places[i].nr_processes++;
	*hash_insert(&r->processes, pid, 0, NULL) = i + 1;
	return &r->places[i];
}

void reach_forget(struct reach *r, u32 pid)
{
	u64 *slot = hash_find(&r->processes, pid, 0);
	struct fs_place *p;

	if (!slot)
		return;
	p = &r->places[*slot - 1];
	if (!--p->nr_processes)
		p->left = r->round;
	hash_remove(&r->processes, pid, 0);
}

static void close_place(struct fs_place *p)
{
	close(p->ns_fd);
	close(p->root);
	*p = (struct fs_place){ .ns_fd = -1, .root = -1 };
}

void reach_round(struct reach *r)
{
	u32 i;

	r->round++;
	for (i = 0; i < r->nr; i++) {
		struct fs_place *p = &r->places[i];

		if (p->root >= 0 && !p->nr_processes && r->round - p->left > ROUNDS_HELD)
			close_place(p);
	}
}

void reach_deinit(struct reach *r)
{
	u32 i;

	for (i = 0; i < r->nr; i++)
		if (r->places[i].root >= 0)
			close_place(&r->places[i]);
	aside_deinit(&r->aside);
	free(r->places);
	free(r->first);
	hash_deinit(&r->processes);
	hash_deinit(&r->silent);
}
