// SPDX-License-Identifier: GPL-2.0
/*
 * Writes perf.data such that its header has the size of the complete data, whatever fails: data,
 * its size, sections, their feature bits.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/progress.h"
#include "event/spans.h"
#include "perfdata/perfdata_private.h"
#include "perfdata/writer.h"

#define FIFO_LOOK_US 20000	/* poll interval for a reader */

static void release(struct writer *w)
{
	if (w->reserve >= 0)
		close(w->reserve);
	w->reserve = -1;
	w->limit = UINT64_MAX;
}

/* True if ^C was pressed. The recorder blocks the signals, so they are pending. */
static bool is_stopped(void)
{
	static const int stop[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t set;
	u32 i;

	sigpending(&set);
	for (i = 0; i < ARRAY_SIZE(stop); i++)
		if (sigismember(&set, stop[i]) == 1)
			return true;
	return interrupted();
}

/* Open a FIFO once it has a reader: if perf were one, too, writes would block after that exits. */
static int open_fifo(struct writer *w)
{
	do {
		w->fd = open_output(w->path, O_WRONLY | O_NONBLOCK, 0600, NULL);
		if (w->fd >= 0)
			return fcntl(w->fd, F_SETFL, O_WRONLY) ? -errno : 0;
		usleep(FIFO_LOOK_US);
	} while (w->fd == -ENXIO && !is_stopped());
	return w->fd == -ENXIO ? -EINTR : w->fd;
}

/* Open an existing file in place, or create it. */
static int open_direct(struct writer *w)
{
	w->fd = open_output(w->path, O_RDWR, 0600, &w->created);
	if (w->fd == -EACCES)
		w->fd = open_output(w->path, O_WRONLY, 0600, NULL);
	return min(w->fd, 0);
}

/* DIRECTORY/NAME; the caller frees it. */
static char *below(const char *directory, const char *name)
{
	char *path = xmalloc(strlen(directory) + strlen(name) + 2);

	sprintf(path, "%s/%s", directory, name);
	return path;
}

static char *temporary(const char *path)
{
	char *tmp = xmalloc(strlen(path) + sizeof(".XXXXXX"));

	sprintf(tmp, "%s.XXXXXX", path);
	return tmp;
}

/* A recording exists: the new one has a temporary name until recording has begun. */
static int open_beside(struct writer *w)
{
	w->tmp = temporary(w->path);
	w->fd = mkostemp(w->tmp, O_CLOEXEC);
	w->created = w->fd >= 0;
	return w->fd < 0 ? -errno : 0;
}

/* True if @path is a directory with a recording, as of writer_open_directory(). */
static bool is_recording_directory(const char *path)
{
	_cleanup_free_ char *data = below(path, "data");

	return !access(data, F_OK);
}

/* Remove a file, or a directory with a recording and nothing else. */
static void remove_recording(const char *path)
{
	_cleanup_close_ int fd = -1;
	char name[32] = "data";
	bool found = true;
	struct stat st;
	u32 i;

	if (!unlink(path) || errno != EISDIR)
		return;
	/* In /tmp anybody may have made it, and put a link there meanwhile. */
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || st.st_uid != geteuid())
		return;
	for (i = 0; found; i++) {
		found = !unlinkat(fd, name, 0);
		snprintf(name, sizeof(name), "data.%u", i);
	}
	rmdir(path);
}

struct error *writer_open(struct writer *w, const char *path)
{
	struct stat st;
	int err;

	*w = (struct writer){ .fd = -1, .reserve = -1, .limit = UINT64_MAX };
	w->path = xstrdup(path);
	if (!strcmp(path, "-")) {
		w->is_pipe = true;
		w->fd = dup(STDOUT_FILENO);
		if (w->fd < 0)
			return error_create(errno, "standard output: %m");
		if (isatty(w->fd))
			return error_create(ENOTTY, "-o -: a recording is not for a terminal: use -o FILE or a pipe");
		return NULL;
	}
	if (stat(path, &st))
		st = (struct stat){ 0 };
	if ((S_ISREG(st.st_mode) && st.st_size) || is_recording_directory(path))
		err = open_beside(w);
	else
		err = S_ISFIFO(st.st_mode) ? open_fifo(w) : open_direct(w);
	if (err)
		return error_file(path, -err, "%s", err == -EINTR ? "nobody reads this FIFO" : output_error(err));
	if (fstat(w->fd, &st))
		return error_file(path, errno, "%m");
	w->is_regular = S_ISREG(st.st_mode);
	/* A named pipe is not seekable either. */
	w->is_pipe = S_ISFIFO(st.st_mode);
	return NULL;
}

struct error *writer_open_directory(struct writer *w, const char *path)
{
	_cleanup_free_ char *data = NULL;
	struct stat st;

	*w = (struct writer){ .fd = -1, .reserve = -1, .limit = UINT64_MAX, .path = xstrdup(path) };
	if (!stat(path, &st) && !S_ISREG(st.st_mode) && !is_recording_directory(path))
		return error_file(path, EEXIST, "exists, and is no recording (--threads writes a directory)");
	w->tmp = temporary(path);
	if (!mkdtemp(w->tmp))
		return error_file(path, errno, "%m");
	w->created = w->is_regular = true;
	data = below(w->tmp, "data");
	w->fd = open(data, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return w->fd < 0 ? error_file(path, errno, "%m") : NULL;
}

struct error *writer_open_part(struct writer *part, const struct writer *w, u32 nr)
{
	_cleanup_free_ char *path = NULL;
	char name[32];

	snprintf(name, sizeof(name), "data.%u", nr);
	path = below(w->tmp, name);
	*part = (struct writer){
		.reserve = -1, .limit = w->limit, .is_regular = true, .path = below(w->path, name),
	};
	part->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return part->fd < 0 ? error_file(part->path, errno, "%m") : NULL;
}

static bool is_in_the_way(int err)
{
	return err == EISDIR || err == ENOTDIR || err == ENOTEMPTY || err == EEXIST;
}

/* Rename an earlier recording to PATH.old. It may be a directory, as the one that has this name. */
static int keep_old(const char *path, const char *old)
{
	int err = rename(path, old) && errno != ENOENT ? -1 : 0;

	if (!err || !is_in_the_way(errno))
		return err;
	remove_recording(old);
	return rename(path, old);
}

struct error *writer_replace(struct writer *w)
{
	if (!w->tmp)
		return NULL;
	if (rename(w->tmp, w->path))
		return error_file(w->tmp, errno, "cannot be renamed to %s: %m", w->path);
	free(w->tmp);
	w->tmp = NULL;
	return NULL;
}

struct error *writer_publish(struct writer *w)
{
	struct error *err = NULL;
	char *old;
	int failed, i = 0;

	if (!w->tmp)
		return NULL;
	old = xmalloc(strlen(w->path) + sizeof(".old.9"));
	sprintf(old, "%s.old", w->path);
	/* What another user has put there stays. */
	while ((failed = keep_old(w->path, old)) && i < 9 &&
	       (errno == EPERM || errno == EACCES || is_in_the_way(errno)))
		sprintf(old, "%s.old.%d", w->path, ++i);
	if (failed) {
		err = error_file(w->path, errno, "cannot be renamed to %s: %m", old);
	} else {
		err = writer_replace(w);
		if (err)
			rename(old, w->path);
	}
	free(old);
	return err;
}

void writer_discard(struct writer *w)
{
	if (w->created)
		remove_recording(w->tmp ?: w->path);
	else if (w->is_regular && ftruncate(w->fd, 0))
		diag_warn("%s: is of no use: %s", w->path, strerror(errno));
	writer_close(w);
}

void writer_reserve(struct writer *w, u64 size)
{
	_cleanup_free_ char *folder = NULL;
	struct rlimit rl;
	const char *slash;

	if (!w->is_regular)
		return;
	if (!getrlimit(RLIMIT_FSIZE, &rl) && rl.rlim_cur != RLIM_INFINITY && rl.rlim_cur > size)
		w->limit = rl.rlim_cur - size;
	slash = strrchr(w->path, '/');
	folder = slash ? xstrndup(w->path, slash + 1 - w->path) : xstrdup(".");
	w->reserve = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	/* Without O_TMPFILE support, the needed sections may still fit at the end. */
	if (w->reserve >= 0 && posix_fallocate(w->reserve, 0, size))
		release(w);
}

static int fail(struct writer *w, int err)
{
	if (err && !w->err)
		w->err = err;
	return w->err;
}

int writer_head(struct writer *w, const void *p, size_t size)
{
	w->data_offset = size;
	w->data_size = 0;
	return fail(w, write_all(w->fd, p, size));
}

int writer_begin(struct writer *w, const struct writer_event *events, u32 nr)
{
	struct file_header h = {	/* its space is written first, its contents last */
		.magic = PERFILE2_MAGIC, .size = sizeof(h), .attr_size = sizeof(struct file_attr),
	};
	_cleanup_outbuf_ struct outbuf o = { 0 };
	u64 ids = sizeof(h);
	u32 i;

	if (w->is_pipe) {
		struct pipe_header ph = { PERFILE2_MAGIC, sizeof(ph) };

		return fail(w, write_all(w->fd, &ph, sizeof(ph)));
	}
	outbuf_write(&o, &h, sizeof(h));
	for (i = 0; i < nr; i++)
		outbuf_write(&o, events[i].ids, events[i].nr_ids * sizeof(u64));
	h.attrs.offset = outbuf_len(&o);
	h.attrs.size = nr * sizeof(struct file_attr);
	for (i = 0; i < nr; i++) {
		struct file_attr a = { events[i].attr, { ids, events[i].nr_ids * sizeof(u64) } };

		outbuf_write(&o, &a, sizeof(a));
		ids += a.ids.size;
	}
	h.data.offset = outbuf_len(&o);
	memcpy(o.base, &h, sizeof(h));
	return writer_head(w, o.base, outbuf_len(&o));
}

/* Remove an incomplete record after a failed write, so that the file can be read. */
static void cut_back(struct writer *w, u64 excess)
{
	u64 end = w->data_offset + w->data_size;
	struct stat st;
	off_t at;

	if (w->is_regular) {
		if (ftruncate(w->fd, end) || lseek(w->fd, end, SEEK_SET) < 0)
			diag_warn("%s: cannot be cut back to its last whole record: %s", w->path, strerror(errno));
	} else if (excess && !fstat(w->fd, &st) && S_ISREG(st.st_mode)) {
		/* "-o - > FILE": the start of the data is unknown, only its end is known. */
		at = lseek(w->fd, 0, SEEK_CUR);
		if (at >= (off_t)excess && ftruncate(w->fd, at - excess))
			diag_warn("%s: cannot be cut back to its last whole record: %s", w->path, strerror(errno));
	}
}

/* Write the first @size bytes. Return: 0, or -errno; *@done: bytes written */
static int write_spans(int fd, const struct iovec *iov, u32 nr, u64 size, u64 *done)
{
	u64 at = 0, from;
	ssize_t n;
	u32 i;

	*done = 0;
	if (size == span_bytes(iov, nr)) {
		do {
			n = writev(fd, iov, nr);
		} while (n < 0 && io_again(fd, POLLOUT));
		if (n < 0)
			return -errno;
		*done = n;
	}
	/* Write the rest after a short write (rare). */
	for (i = 0; i < nr && *done < size; at += iov[i++].iov_len) {
		while (*done < min(at + iov[i].iov_len, size)) {
			from = *done - at;
			n = write(fd, (const char *)iov[i].iov_base + from, min(at + iov[i].iov_len, size) - *done);
			if (n < 0 && io_again(fd, POLLOUT))
				continue;
			if (n <= 0)
				return n ? -errno : -EIO;
			*done += n;
		}
	}
	return 0;
}

/* @whole: all records or none; otherwise as many records as fit. */
static int append(struct writer *w, const struct iovec *iov, u32 nr, bool whole)
{
	u64 size = span_bytes(iov, nr), end = w->data_offset + w->data_size, done, kept;
	bool fits = end + size <= w->limit;
	int err;

	if (w->err)
		return w->err;
	err = write_spans(w->fd, iov, nr, fits ? size : w->limit - min(end, w->limit), &done);
	if (!err && fits) {
		w->data_size += size;
		return 0;
	}
	kept = whole ? 0 : span_whole(iov, nr, done);
	w->data_size += kept;
	fail(w, err ?: -EFBIG);
	cut_back(w, done - kept);
	return w->err;
}

int writer_data(struct writer *w, const struct iovec *iov, u32 nr)
{
	return append(w, iov, nr, false);
}

int writer_record(struct writer *w, const void *p, size_t size)
{
	struct iovec iov = { (void *)p, size };

	return size ? append(w, &iov, 1, true) : w->err;
}

int writer_commit(struct writer *w)
{
	if (!w->is_regular || !w->data_size)
		return 0;
	return pwrite_all(w->fd, &w->data_size, sizeof(w->data_size),
			  offsetof(struct file_header, data.size));
}

/* Write the table and the @wanted sections. Return: 0, or -errno with the sections removed. */
static int put_sections(struct writer *w, const struct outbuf *sections, const bool *wanted, u64 *features)
{
	struct file_section table[FEAT_MAX];
	u64 pos = w->data_offset + w->data_size;
	u32 i, nr = 0;
	int err;

	for (i = 0; i < FEAT_MAX; i++)
		nr += wanted[i];
	pos += nr * sizeof(*table);
	nr = 0;
	for (i = 0; i < FEAT_MAX; i++) {
		if (!wanted[i])
			continue;
		features[i / 64] |= 1ULL << (i % 64);
		table[nr] = (struct file_section){ pos, outbuf_len(&sections[i]) };
		pos += table[nr++].size;
	}
	w->sections_size = pos - w->data_offset - w->data_size;
	err = write_all(w->fd, table, nr * sizeof(*table));
	for (i = 0; i < FEAT_MAX && !err; i++)
		if (wanted[i])
			err = write_all(w->fd, sections[i].base, outbuf_len(&sections[i]));
	if (err) {
		memset(features, 0, FEAT_MAX / 64 * sizeof(*features));
		cut_back(w, 0);
	}
	return err;
}

/* Sections that a reader needs, the largest last. */
static const u32 needed[] = {
	FEAT_DIR_FORMAT, FEAT_COMPRESSED, FEAT_EVENT_DESC, FEAT_BRANCH_STACK, FEAT_GROUP_DESC,
	FEAT_CLOCKID, FEAT_CLOCK_DATA,
	FEAT_SAMPLE_TIME, FEAT_STACK_COPIES, FEAT_CMDLINE, FEAT_TRACING_DATA,
};

int writer_end(struct writer *w, const struct outbuf *sections)
{
	bool wanted[FEAT_MAX] = { false };
	u64 features[FEAT_MAX / 64] = { 0 };
	u32 i, nr;
	int err;

	if (w->is_pipe)
		return w->err;
	release(w);
	err = writer_commit(w);
	/* Sections are located by the data's size: with a wrong size none may be written. */
	if (err || (!w->is_regular && lseek(w->fd, 0, SEEK_CUR) < 0))
		return fail(w, err);
	for (i = 0; i < FEAT_MAX; i++)
		wanted[i] = sections[i].base != NULL;
	err = put_sections(w, sections, wanted, features);
	for (nr = ARRAY_SIZE(needed); err && nr && w->is_regular; nr--) {
		fail(w, err);
		memset(wanted, 0, sizeof(wanted));
		for (i = 0; i < nr; i++)
			wanted[needed[i]] = sections[needed[i]].base != NULL;
		err = put_sections(w, sections, wanted, features);
	}
	if (!err && w->is_regular)
		err = pwrite_all(w->fd, features, sizeof(features),
				 offsetof(struct file_header, features));
	return fail(w, err);
}

int writer_close(struct writer *w)
{
	if (w->fd >= 0 && close(w->fd) && errno != EINTR)
		fail(w, -errno);
	w->fd = -1;
	release(w);
	free(w->path);
	free(w->tmp);
	w->path = w->tmp = NULL;
	return w->err;
}
