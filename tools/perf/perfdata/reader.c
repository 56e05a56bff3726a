// SPDX-License-Identifier: GPL-2.0
/*
 * The reader: opens recordings, and walks mapped files.
 *
 * Calls between the folder's files go one way: reader --> stream --> meta_records --> features,
 * header; reader --> directory --> unpack; check, swap and damage are called by all
 * of them. The writer is separate: rewrite --> writer, feature_swap; write_features -->
 * write_topology.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/progress.h"
#include "event/records.h"
#include "perfdata/perfdata_private.h"

/* Up to there aligned records are returned in place; take_record() copies others. */
static void window_end(struct reader *r, const u8 *end)
{
	r->window.end = (uintptr_t)r->window.pos & 7 || end < r->window.pos ? r->window.pos : end;
}

/* Move the window back to the file, at file_pos. */
static void enter_file(struct reader *r)
{
	struct data_file *f = &r->files[r->cur_file];

	r->in_piece = false;
	r->window.pos = r->file_pos;
	r->window.base = f->map;
	r->window.offset = -f->origin;
	r->window.offset_mask = ~0ULL;
	r->window.file = r->cur_file;
	window_end(r, r->swap ? f->swapped : f->map + f->end);
}

static void enter_piece(struct reader *r, u64 offset)
{
	struct data_file *f = &r->files[r->cur_file];
	struct piece *p = &f->unpack.pieces[r->cur_piece];

	/* Pages of the temporary file are dropped after the walk has passed them. */
	if (r->cur_piece && p[-1].segment != p->segment) {
		struct unpack_segment *s = &f->unpack.segments[p[-1].segment];

		if (s->temp && !r->swap)
			madvise(s->base, s->size, MADV_DONTNEED);
	}
	r->in_piece = true;
	r->window.pos = r->window.base = p->start;
	window_end(r, r->swap ? p->swapped : p->end);
	r->window.offset = offset;
	r->window.offset_mask = 0;
}

/* End of the current records, and of their swapped part. */
static u8 *limit(struct reader *r, u8 ***swapped)
{
	struct data_file *f = &r->files[r->cur_file];

	if (r->in_piece) {
		*swapped = &f->unpack.pieces[r->cur_piece].swapped;
		return f->unpack.pieces[r->cur_piece].end;
	}
	*swapped = &f->swapped;
	return f->map + f->end;
}

/* Enter the pieces of the compressed record that was just returned. */
static void open_packed(struct reader *r, const struct record *rec)
{
	struct data_file *f = &r->files[r->cur_file];
	struct packed *packed;
	const u8 *data;
	size_t size;

	if (r->cur_packed == f->unpack.nr_packed) {
		data = packed_bytes(rec->header, &size);
		if (!data) {
			bad_record(r, rec->offset, "a compressed record's size exceeds the record");
			size = 0;
		}
		unpack_record(r, f, data, size, rec->offset);
	}
	packed = &f->unpack.packed[r->cur_packed++];
	if (packed->bad)
		r->ended = true;
	if (!packed->nr_pieces)
		return;
	r->file_pos = (u8 *)r->window.pos;
	r->cur_piece = packed->first_piece;
	r->end_piece = packed->first_piece + packed->nr_pieces;
	enter_piece(r, rec->offset);
}

static void end_of_file(struct reader *r)
{
	struct data_file *f = &r->files[r->cur_file];

	if (r->truncated && !r->cur_file)
		damage(r, f->end - f->origin,
		       "the file ends %llu bytes before its data does: it was cut off",
		       r->header.data.size - (f->end - f->start));
	else if (unpack_left(&f->unpack) && !r->interrupted)
		damage(r, f->end - f->origin, "compressed data ends inside a record");
}

/* Move to the next file or piece. Return: false at the end. */
static bool advance(struct reader *r)
{
	u64 offset = r->window.offset;

	if (r->in_piece) {
		if (++r->cur_piece < r->end_piece) {
			enter_piece(r, offset);
			return true;
		}
		if (r->ended)
			return false;
		enter_file(r);
		return true;
	}
	if (r->ended)
		return false;
	end_of_file(r);
	while (r->cur_file + 1 < r->nr_files) {
		struct data_file *f = &r->files[++r->cur_file];

		r->cur_packed = 0;
		r->file_pos = f->map + f->start;
		if (f->start >= f->end)
			continue;
		enter_file(r);
		return true;
	}
	r->ended = true;
	return false;
}

/* The n-th copy of each pass is the same record, as passes read in the same order. */
static struct perf_event_header *aligned_copy(struct data_file *f, struct arena *arena, const u8 *p,
					      u16 size, bool *fresh)
{
	*fresh = f->next_copy == f->nr_copies;
	if (*fresh) {
		GROW(f->copies, f->nr_copies, f->cap_copies);
		f->copies[f->nr_copies++] = memcpy(arena_alloc(arena, size), p, size);
	}
	return f->copies[f->next_copy++];
}

/* End the walk. */
static bool stop(struct reader *r)
{
	r->ended = true;
	r->in_piece = false;
	r->window.end = r->window.pos;
	return false;
}

/* The payload after an AUXTRACE or TRACING_DATA record. */
static bool take_payload(struct reader *r, struct record *rec, const u8 *end)
{
	u64 size = record_payload_size(rec->header);

	if (size > (u64)(end - r->window.pos)) {
		damage(r, rec->offset, "a payload of %llu bytes reaches past the end of the data",
		       size);
		return stop(r);
	}
	rec->payload = r->window.pos;
	rec->payload_size = size;
	r->window.pos += size;
	return true;
}

/* Read the record at the window's position, which is before the limit. */
static int take_record(struct reader *r, struct record *rec)
{
	struct perf_event_header *h = (void *)r->window.pos;
	u8 **swapped, *p = (u8 *)r->window.pos, *end = limit(r, &swapped);
	/* Misaligned records are swapped in their copies. */
	bool fresh = r->swap && (p >= *swapped || ((uintptr_t)p & 7)), copied;
	const char *reason;
	u64 offset = r->window.offset + ((p - r->window.base) & r->window.offset_mask);
	u64 left = end - p;
	u16 size = 0;

	if (left >= sizeof(*h)) {
		/* Only records before the mark are in host byte order. */
		size = record_size(r, p);
		if (r->swap && !fresh)
			size = bswap_16(size);
	}
	if (left < sizeof(*h) || (size >= sizeof(*h) && size > left)) {
		/* The last record of an interrupted recording may be incomplete. */
		if (!r->interrupted && !(r->truncated && !r->cur_file))
			damage(r, offset, "a record of %u bytes reaches past the end of the data",
			       size);
		else
			end_of_file(r);
		return stop(r);
	}
	if (size < sizeof(*h)) {
		/* Space allocated in the file but never written. */
		if (!r->interrupted || size)
			damage(r, offset, "a record of size %u: the rest can't be read", size);
		return stop(r);
	}
	if ((uintptr_t)p & 7) {
		h = aligned_copy(&r->files[r->cur_file], &r->copies, p, size, &copied);
		fresh = r->swap && copied;
	}
	if (fresh)
		swap_record(h, &r->events);

	rec->header = h;
	rec->offset = offset;
	rec->seq = r->window.seq++;
	rec->payload = NULL;
	rec->payload_size = 0;
	rec->file = r->cur_file;
	r->window.pos = p + size;
	if (r->swap && r->window.pos > *swapped)
		*swapped = (u8 *)r->window.pos;
	reason = record_check(h, &r->events);
	/* Counted by the first pass that reads it. */
	if (reason && rec->seq >= r->bad_seq) {
		r->bad_seq = rec->seq + 1;
		bad_record(r, offset, reason);
	}
	if (!reason && (h->type == REC_AUXTRACE || h->type == REC_HEADER_TRACING_DATA) &&
	    !take_payload(r, rec, end))
		return 0;
	if (r->swap && r->window.pos > *swapped)
		*swapped = (u8 *)r->window.pos;
	/* Records from here on may be returned in place. */
	window_end(r, r->swap ? *swapped : end);
	if (reason)
		return -1;
	if (h->type >= REC_HEADER_ATTR && rec->seq >= r->meta_seq && meta_type(h->type)) {
		r->meta_seq = rec->seq + 1;
		meta_apply(r, rec);
	}
	if ((h->type == REC_COMPRESSED || h->type == REC_COMPRESSED2) && !r->in_piece)
		open_packed(r, rec);
	return 1;
}

int reader_next_slow(struct reader *r, struct record *rec)
{
	u8 **swapped;
	int ret;

	if (r->stream)
		return stream_next(r, rec);
	for (;;) {
		if (r->window.pos >= limit(r, &swapped)) {
			if (!advance(r))
				return 0;
			continue;
		}
		if (r->ended && !r->in_piece)
			return 0;
		ret = take_record(r, rec);
		if (ret >= 0)
			return ret;
	}
}

/* With up to 4095 files (one per CPU), a call for each takes longer than small steps save. */
#define DROP_BYTES (16ULL << 10)	/* for each file */

void reader_drop(struct reader *r, u64 bytes)
{
	u32 i;

	/* Dropped pages would lose the swapping in place. */
	if (r->swap || r->stream)
		return;
	if (__atomic_add_fetch(&r->undropped, bytes, __ATOMIC_RELAXED) < DROP_BYTES * r->nr_files)
		return;
	__atomic_store_n(&r->undropped, 0, __ATOMIC_RELAXED);
	for (i = 0; i < r->nr_files; i++)
		madvise(r->files[i].map, r->files[i].size, MADV_DONTNEED);
}

int reader_rewind(struct reader *r)
{
	u32 i;

	if (r->stream)
		return -ESPIPE;
	for (i = 0; i < r->nr_files; i++)
		r->files[i].next_copy = 0;
	r->cur_file = 0;
	r->cur_packed = 0;
	r->ended = false;
	r->file_pos = r->files[0].map + r->files[0].start;
	r->window.seq = 0;
	enter_file(r);
	return 0;
}

void reader_release(struct reader *r, u64 seq)
{
	if (r->stream)
		stream_release(r, seq);
}

static struct error *open_mapped(struct reader *r)
{
	struct error *err = header_read(r);
	struct record rec;

	if (err)
		return err;
	r->files[0].swapped = r->files[0].map + r->files[0].start;
	reader_rewind(r);
	if (!r->pipe_format)
		return NULL;
	/* The records at the start describe the recording. */
	while (reader_next(r, &rec) && meta_head(rec.header->type))
		;
	reader_rewind(r);
	return NULL;
}

/* Store a pipe in a temporary file, for seeking. */
static int spool(int fd, const u8 *head, size_t len)
{
	_cleanup_close_ int out = temp_file();
	_cleanup_free_ u8 *buf = xmalloc(1 << 16);
	ssize_t n = len;
	int err;

	if (out < 0)
		return out;
	memcpy(buf, head, len);
	while (n > 0) {
		err = write_all(out, buf, n);
		if (err)
			return err;
		do {
			n = interrupt_wait(fd) ? read(fd, buf, 1 << 16) : 0;
		} while (n < 0 && errno == EINTR);
	}
	if (n < 0)
		return -errno;
	/* The data read so far is used: forget ^C. */
	interrupt_forget();
	return no_close(out);
}

static struct error *open_pipe(struct reader *r, int fd)
{
	u8 head[PIPE_HEADER_SIZE];
	size_t len = 0;
	struct error *err;
	u64 size;

	while (len < sizeof(head)) {
		ssize_t n = read(fd, head + len, sizeof(head) - len);

		if (n < 0 && io_again(fd, POLLIN))
			continue;
		if (n < 0)
			return error_file(r->path, errno, "%m");
		if (!n)
			break;
		len += n;
	}
	memcpy(&size, head + 8, sizeof(size));
	if (!r->store && len == sizeof(head) && (size == PIPE_HEADER_SIZE || size == bswap_64(PIPE_HEADER_SIZE)))
		return stream_open(r, fd, head, len);
	/* To be read twice, or not in pipe format: store it. */
	{
		_cleanup_close_ int file = spool(fd, head, len);

		if (file < 0)
			return error_file(r->path, -file, "cannot be stored in a temporary file: %m");
		err = data_file_map(&r->files[0], file, r->path);
		return err ? err : open_mapped(r);
	}
}

static struct error *open_path(struct reader *r, bool force)
{
	_cleanup_close_ int fd = -1;
	struct error *err;
	struct statx made;
	struct stat st;

	if (r->is_stdin)
		fd = dup(STDIN_FILENO);
	else
		fd = open(r->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		const char *hint = errno == ENOENT ? " (perf record makes it; -i names another)" : "";

		return error_file(r->path, errno, "cannot be opened: %m%s", hint);
	}
	r->mtime_ns = st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec;
	if (!statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &made) && (made.stx_mask & STATX_BTIME))
		r->made_ns = made.stx_btime.tv_sec * 1000000000LL + made.stx_btime.tv_nsec;
	if (!force && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) && !r->is_stdin &&
	    geteuid() && st.st_uid && st.st_uid != geteuid())
		return error_file(r->path, EPERM,
				  "belongs to another user (-f reads it all the same)");
	if (S_ISDIR(st.st_mode)) {
		err = directory_open(r, fd);
		return err ? err : open_mapped(r);
	}
	if (!S_ISREG(st.st_mode))
		return open_pipe(r, fd);
	err = data_file_map(&r->files[0], fd, r->path);
	return err ? err : open_mapped(r);
}

struct error *reader_open_stored(const char *path, bool force, bool store, struct reader **rp)
{
	struct reader *r = xcalloc(1, sizeof(*r));
	struct error *err;

	r->is_stdin = !strcmp(path, "-");
	r->path = xstrdup(r->is_stdin ? "standard input" : path);
	r->store = store;
	r->files = xcalloc(1, sizeof(*r->files));
	r->files[0].unpack.temp_fd = -1;
	r->nr_files = 1;
	err = open_path(r, force);
	if (err) {
		reader_close(r);
		return err;
	}
	r->sealed = true;
	features_decode(r);
	*rp = r;
	return NULL;
}

struct error *reader_open(const char *path, bool force, struct reader **r)
{
	return reader_open_stored(path, force, false, r);
}

void reader_close(struct reader *r)
{
	u32 i;

	if (!r)
		return;
	if (r->bad_records)
		diag_info(1, "%s: %llu records were left out", r->path, r->bad_records);
	if (r->stream)
		stream_close(r);
	for (i = 0; i < r->nr_files; i++)
		data_file_deinit(&r->files[i]);
	event_list_deinit(&r->events);
	arena_deinit(&r->features.arena);
	free(r->features.names);
	free(r->features.build_ids);
	arena_deinit(&r->copies);
	free(r->files);
	free(r->path);
	free(r);
}

const char *reader_path(const struct reader *r)
{
	return r->is_stdin ? "-" : r->path;
}

u64 reader_size(const struct reader *r)
{
	u64 size = 0;
	u32 i;

	for (i = 0; i < r->nr_files; i++)
		size += r->files[i].end - r->files[i].start;
	return size;
}

u64 reader_stored_bytes(const struct reader *r)
{
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < r->nr_files; i++)
		bytes += r->files[i].size;
	return bytes;
}

u64 reader_bytes(const struct reader *r)
{
	u64 bytes = reader_stored_bytes(r);
	u32 i;

	for (i = 0; i < r->nr_files; i++)
		bytes += r->files[i].unpack.nr_out;
	return bytes;
}
