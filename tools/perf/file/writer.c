// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "file/writer.h"

struct section {
	u64 offset, size;
};

struct file_header {
	u64 magic;
	u64 size;
	u64 attr_size;
	struct section attrs, data, event_types;
	u64 features[4];
};

struct pipe_header {
	u64 magic;
	u64 size;
};

struct file_attr {
	struct perf_event_attr attr;
	struct section ids;
};

/* write() until all is written. Return: 0, or -errno. */
static int write_all(int fd, const void *p, size_t size)
{
	const char *pos = p;

	while (size) {
		ssize_t n = write(fd, pos, size);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		pos += n;
		size -= n;
	}
	return 0;
}

static int pwrite_all(int fd, const void *p, size_t size, u64 offset)
{
	const char *pos = p;

	while (size) {
		ssize_t n = pwrite(fd, pos, size, offset);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		pos += n;
		offset += n;
		size -= n;
	}
	return 0;
}

int writer_open(struct writer *w, const char *path)
{
	struct stat st;
	char old[4096];

	*w = (struct writer){ .fd = -1 };
	w->path = xstrdup(path);
	if (!strcmp(path, "-")) {
		w->is_pipe = true;
		w->fd = dup(STDOUT_FILENO);
		if (w->fd < 0)
			return diag_error("standard output: %s", strerror(errno));
		if (isatty(w->fd))
			return diag_error("-o -: a recording is not for a terminal: use -o FILE or a pipe");
		return 0;
	}
	if (!stat(path, &st) && S_ISREG(st.st_mode) && st.st_size) {
		snprintf(old, sizeof(old), "%s.old", path);
		if (rename(path, old) && errno != ENOENT)
			return diag_error("%s: cannot be renamed to %s: %s", path, old, strerror(errno));
	}
	w->fd = open(path, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600);
	if (w->fd < 0 && errno == EACCES)
		w->fd = open(path, O_WRONLY | O_CLOEXEC);
	if (w->fd < 0)
		return diag_error("%s: %s", path, strerror(errno));
	if (fstat(w->fd, &st))
		return diag_error("%s: %s", path, strerror(errno));
	w->is_regular = S_ISREG(st.st_mode);
	/* A named pipe can't be sought in either. */
	w->is_pipe = S_ISFIFO(st.st_mode);
	return 0;
}

static int fail(struct writer *w, int err)
{
	if (err && !w->err)
		w->err = err;
	return w->err;
}

static void fill_header(const struct writer *w, struct file_header *h)
{
	*h = (struct file_header){
		.magic = PERFILE2_MAGIC,
		.size = sizeof(*h),
		.attr_size = sizeof(struct file_attr),
		.data = { w->data_offset, w->data_size },
	};
}

int writer_begin(struct writer *w, const struct writer_event *events, u32 nr)
{
	struct file_header h;
	struct outbuf o;
	u64 ids = sizeof(h);
	u32 i;
	int err;

	if (w->is_pipe) {
		struct pipe_header ph = { PERFILE2_MAGIC, sizeof(ph) };

		return fail(w, write_all(w->fd, &ph, sizeof(ph)));
	}
	outbuf_init(&o, -1);
	outbuf_write(&o, &h, sizeof(h));
	for (i = 0; i < nr; i++)
		outbuf_write(&o, events[i].ids, events[i].nr_ids * sizeof(u64));
	fill_header(w, &h);
	h.attrs.offset = o.pos - o.base;
	h.attrs.size = nr * sizeof(struct file_attr);
	for (i = 0; i < nr; i++) {
		struct file_attr a = { events[i].attr, { ids, events[i].nr_ids * sizeof(u64) } };

		outbuf_write(&o, &a, sizeof(a));
		ids += a.ids.size;
	}
	w->data_offset = o.pos - o.base;
	w->data_size = 0;
	h.data.offset = w->data_offset;
	memcpy(o.base, &h, sizeof(h));
	err = write_all(w->fd, o.base, o.pos - o.base);
	outbuf_deinit(&o);
	return fail(w, err);
}

/* No room: cut what is not whole, so that what is there can be read. */
static void cut_back(struct writer *w)
{
	u64 end = w->data_offset + w->data_size;

	if (!w->is_regular)
		return;
	if (ftruncate(w->fd, end) || lseek(w->fd, end, SEEK_SET) < 0)
		diag_warn("%s: cannot be cut back to its last whole record: %s", w->path, strerror(errno));
}

int writer_data(struct writer *w, struct iovec *iov, u32 nr)
{
	u64 size = 0;
	u32 i;

	if (w->err)
		return w->err;
	for (i = 0; i < nr; i++)
		size += iov[i].iov_len;
	for (i = 0; i < nr;) {
		ssize_t n = writev(w->fd, iov + i, nr - i);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			fail(w, -errno);
			cut_back(w);
			return w->err;
		}
		while (i < nr && (size_t)n >= iov[i].iov_len)
			n -= iov[i++].iov_len;
		if (i < nr) {
			iov[i].iov_base = (char *)iov[i].iov_base + n;
			iov[i].iov_len -= n;
		}
	}
	w->data_size += size;
	return 0;
}

int writer_record(struct writer *w, const void *p, size_t size)
{
	struct iovec iov = { (void *)p, size };

	return size ? writer_data(w, &iov, 1) : w->err;
}

void writer_commit(struct writer *w)
{
	if (!w->is_regular || !w->data_size)
		return;
	/* Best effort: a reader falls back to the file's size. */
	pwrite_all(w->fd, &w->data_size, sizeof(w->data_size),
		   offsetof(struct file_header, data.size));
}

int writer_end(struct writer *w, const struct outbuf *sections)
{
	struct section table[FEAT_MAX];
	u64 features[4] = { 0 }, pos;
	u32 i, nr = 0;
	int err = 0;

	if (w->is_pipe)
		return w->err;
	writer_commit(w);
	if (!w->is_regular && lseek(w->fd, 0, SEEK_CUR) < 0)
		return w->err;
	for (i = 0; i < FEAT_MAX; i++)
		nr += sections[i].base != NULL;
	pos = w->data_offset + w->data_size + nr * sizeof(*table);
	nr = 0;
	for (i = 0; i < FEAT_MAX; i++) {
		if (!sections[i].base)
			continue;
		features[i / 64] |= 1ULL << (i % 64);
		table[nr] = (struct section){ pos, sections[i].pos - sections[i].base };
		pos += table[nr++].size;
	}
	err = write_all(w->fd, table, nr * sizeof(*table));
	for (i = 0; i < FEAT_MAX && !err; i++)
		if (sections[i].base)
			err = write_all(w->fd, sections[i].base, sections[i].pos - sections[i].base);
	if (err) {
		/* The data stays readable without them. */
		cut_back(w);
		return fail(w, err);
	}
	if (w->is_regular)
		err = pwrite_all(w->fd, features, sizeof(features),
				 offsetof(struct file_header, features));
	return fail(w, err);
}

int writer_close(struct writer *w)
{
	if (w->fd >= 0 && close(w->fd) && errno != EINTR)
		fail(w, -errno);
	w->fd = -1;
	free(w->path);
	w->path = NULL;
	return w->err;
}
