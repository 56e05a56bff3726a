// SPDX-License-Identifier: GPL-2.0
/* Copies files piece by piece, each with a time limit: slow ones get time. It owns nothing. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "buildid/buildid_cache.h"
#include "cmd/record/keep/keep_private.h"
#include "host/host.h"

struct copy_request {
	u64 offset;
};

/* Copy from in[0] to in[1]. Return: as io_copy_piece(). */
static int copy_piece(void *arg, const int *in, int *out)
{
	struct copy_request *p = arg;
	_cleanup_close_ int from = -1;
	char path[64];

	if (place_ask(in[0]) < 0)
		return -ESTALE;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", in[0]);
	from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (from < 0)
		return -errno;
	return io_copy_piece(from, in[1], &p->offset);
}

static int copy_pieces(struct host *h, const struct copy *c, int to, u64 most, u64 *size)
{
	struct copy_request p = { 0 };
	struct aside_call call = { .fn = copy_piece, .arg = &p, .size = sizeof(p), .in = { c->from, to }, .nr_in = 2 };
	int n;

	*size = 0;
	while ((n = host_run(h, c->pid, c->path, &call)) > 0) {
		*size += n;
		if (*size > most)
			return -EFBIG;
	}
	return n;
}

struct share_request {
	char path[PATH_MAX], name[32];
};

/* Clone or hard-link in[0] into the folder in[1]. */
static int share_file(void *arg, const int *in, int *out __unused)
{
	const struct share_request *q = arg;

	if (place_ask(in[0]) < 0)
		return -ESTALE;
	return buildid_cache_share(in[0], q->path, in[1], q->name);
}

/* Return: 0; -EXDEV: the file must be copied; or another -errno. */
static int share(struct host *h, const struct copy *c, const char *tmp)
{
	struct share_request q;
	struct aside_call call = { .fn = share_file, .arg = &q, .size = sizeof(q), .in = { c->from, c->folder }, .nr_in = 2 };

	snprintf(q.path, sizeof(q.path), "%s", c->path);
	snprintf(q.name, sizeof(q.name), "%s", tmp);
	return host_run(h, c->pid, c->path, &call);
}

static int copy(struct host *h, struct budget *b, const struct copy *c, const char *tmp)
{
	u64 most = min(b->each, b->all - b->used), size;
	_cleanup_close_ int to = -1;
	int err;

	if (c->size > most)
		return -EFBIG;
	to = openat(c->folder, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0)
		return -errno;
	err = copy_pieces(h, c, to, most, &size);
	if (!err)
		b->used += size;
	return err;
}

/* Give a copy the time of change of its file; a hard link has it. */
static void set_time(const struct copy *c, const char *tmp)
{
	const struct timespec times[] = {
		{ .tv_nsec = UTIME_OMIT },
		{ .tv_sec = c->changed_ns / 1000000000, .tv_nsec = c->changed_ns % 1000000000 },
	};
	struct stat st;

	if (!fstatat(c->folder, tmp, &st, AT_SYMLINK_NOFOLLOW) && st.st_nlink == 1)
		utimensat(c->folder, tmp, times, AT_SYMLINK_NOFOLLOW);
}

int copy_file(struct host *h, struct budget *b, const struct copy *c)
{
	char tmp[32];
	int err;

	snprintf(tmp, sizeof(tmp), ".tmp.%d", getpid());
	err = c->may_share ? share(h, c, tmp) : -EXDEV;
	if (err == -EXDEV)
		err = copy(h, b, c, tmp);
	if (!err && c->changed_ns)
		set_time(c, tmp);
	if (!err)
		return buildid_cache_name(c->folder, tmp, c->name);
	unlinkat(c->folder, tmp, 0);
	return err;
}

const char *copy_error(int err)
{
	switch (-err) {
	case EFBIG:
		return "it takes too much room";
	case ETIMEDOUT:
		return "its file system does not answer";
	}
	return strerror(-err);
}
