// SPDX-License-Identifier: GPL-2.0
/*
 * A location (struct fs_place) is open as long as a known process lives there, and a round or two
 * longer, as records of different buffers are not in order. Openers access all but /proc.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "host/host.h"

#define ROUNDS_HELD	2
#define MAX_PLACES	256

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
	if (*out < 0 || place_ask(*out) < 0 || fstat(*out, &q->st) || stat("/", &ours))
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
static int add_place(struct places *r, u64 ns, int *ns_fd, const struct root_query *q, int *root)
{
	int i, free_slot = -1;

	for (i = 0; i < (int)r->nr; i++) {
		struct fs_place *p = &r->v[i];

		if (p->ns == ns && p->device == q->st.st_dev && p->inode == q->st.st_ino)
			return i;
		if (p->root < 0)
			free_slot = i;
	}
	if (free_slot < 0) {
		if (r->nr == MAX_PLACES)
			return -1;
		GROW(r->v, r->nr, r->cap);
		free_slot = r->nr++;
	}
	r->v[free_slot] = (struct fs_place){
		.ns = ns, .device = q->st.st_dev, .inode = q->st.st_ino,
		.ns_fd = no_close(*ns_fd), .root = no_close(*root),
	};
	return free_slot;
}

struct fs_place *places_get(struct places *r, u32 pid)
{
	struct root_query q = { .pid = pid };
	struct aside_call c = { .fn = open_root, .arg = &q, .size = sizeof(q) };
	_cleanup_close_ int ns_fd = -1, root = -1;
	u64 *slot = hash_find(&r->processes, pid, 0), ns;
	bool same_ns;
	char path[64];
	int i;

	if (slot)
		return &r->v[*slot - 1];
	snprintf(path, sizeof(path), "/proc/%u/ns/mnt", pid);
	ns_fd = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ns_fd);
	ns = ns_fd < 0 ? 0 : namespace_of(path);
	if (!ns)
		return NULL;
	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	if (host_run(r->host, pid, path, &c)) {
		cleanup_close(&c.out);
		return NULL;
	}
	root = c.out;
	same_ns = ns == namespace_of("/proc/self/ns/mnt");
	i = add_place(r, ns, &ns_fd, &q, &root);
	if (i < 0)
		return NULL;
	r->v[i].here = same_ns && q.here;
	r->v[i].nr_processes++;
	*hash_insert(&r->processes, pid, 0, NULL) = i + 1;
	return &r->v[i];
}

void places_forget(struct places *r, u32 pid)
{
	u64 *slot = hash_find(&r->processes, pid, 0);
	struct fs_place *p;

	if (!slot)
		return;
	p = &r->v[*slot - 1];
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

void places_round(struct places *r)
{
	u32 i;

	r->round++;
	for (i = 0; i < r->nr; i++) {
		struct fs_place *p = &r->v[i];

		if (p->root >= 0 && !p->nr_processes && r->round - p->left > ROUNDS_HELD)
			close_place(p);
	}
}

void places_deinit(struct places *r)
{
	u32 i;

	for (i = 0; i < r->nr; i++)
		if (r->v[i].root >= 0)
			close_place(&r->v[i]);
	free(r->v);
	hash_deinit(&r->processes);
}
