// SPDX-License-Identifier: GPL-2.0
/*
 * A recording from a pipe: records are copied, aligned, into blocks that reader_release() frees;
 * one window is in memory. Compressed records are unpacked one buffer at a time.
 */
#include <sys/mman.h>
#include <sys/queue.h>
#include <unistd.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/progress.h"
#include "event/records.h"
#include "perfdata/perfdata_private.h"

#define BLOCK_SIZE	(1UL << 20)
#define INPUT_SIZE	(1UL << 18)
#define MAX_RECORD	(1UL << 16)
#define MAX_TRACING	(1UL << 28)

/* Records in a block are consecutive. */
struct block {
	TAILQ_ENTRY(block) next;
	u64 last_seq;
	size_t used, size;
	u64 data[];
};

/* Bytes read, not split into records yet. */
struct buffer {
	u8 *data;
	size_t start, end, size;
};

struct stream {
	int fd;
	bool eof;
	bool interrupted;		/* ended by ^C: the last record may be incomplete */
	struct buffer in;
	u64 offset;			/* stream offset of in.data[in.start] */
	TAILQ_HEAD(blocks, block) blocks;
	u64 seq;
	/* The current compressed record. */
	void *dstream;
	struct buffer out;
	u8 *packed;
	size_t packed_pos, packed_size;
	bool out_full;
	u64 packed_offset;
	/* Records read at opening, returned first. */
	struct record *pending;
	u32 nr_pending, cap_pending, pos_pending;
	/* Payload of the last record with a payload. */
	u8 *payload;
};

static void buffer_init(struct buffer *b, size_t size)
{
	b->data = xmalloc(size);
	b->size = size;
	b->start = b->end = 0;
}

static size_t buffered(const struct buffer *b)
{
	return b->end - b->start;
}

/* Move the remaining bytes to the front. */
static void compact(struct buffer *b)
{
	memmove(b->data, b->data + b->start, buffered(b));
	b->end -= b->start;
	b->start = 0;
}

/* Ensure that @n bytes are buffered, n <= INPUT_SIZE. Return: false at the end of input. */
static bool fill(struct reader *r, size_t n)
{
	struct stream *s = r->stream;

	if (buffered(&s->in) >= n)
		return true;
	compact(&s->in);
	while (buffered(&s->in) < n && !s->eof) {
		ssize_t got;

		if (!interrupt_wait(s->fd)) {
			s->eof = s->interrupted = true;
			break;
		}
		got = read(s->fd, s->in.data + s->in.end, s->in.size - s->in.end);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			damage(r, s->offset, "%s", strerror(errno));
		if (got <= 0)
			s->eof = true;
		else
			s->in.end += got;
	}
	return buffered(&s->in) >= n;
}

static void consume(struct stream *s, size_t n)
{
	s->in.start += n;
	s->offset += n;
}

static struct perf_event_header *store(struct stream *s, const u8 *p, size_t size)
{
	size_t room = ALIGN_UP(size, 8ul);
	struct block *b = TAILQ_LAST(&s->blocks, blocks);
	void *to;

	if (!b || b->size - b->used < room) {
		b = xmalloc(sizeof(*b) + BLOCK_SIZE);
		b->used = 0;
		b->size = BLOCK_SIZE;
		TAILQ_INSERT_TAIL(&s->blocks, b, next);
	}
	to = (u8 *)b->data + b->used;
	b->used += room;
	b->last_seq = s->seq;
	memcpy(to, p, size);
	return to;
}

/* The payload of TRACING_DATA is kept; that of AUXTRACE is skipped, as nothing reads it. */
static bool take_payload(struct reader *r, struct record *rec)
{
	struct stream *s = r->stream;
	u64 size = record_payload_size(rec->header), done = 0;
	bool keep = rec->header->type == REC_HEADER_TRACING_DATA && size <= MAX_TRACING;
	size_t cap = 0;

	rec->payload_size = size;
	while (done < size) {
		size_t n = min(size - done, (u64)INPUT_SIZE);

		if (!fill(r, 1)) {
			if (!s->interrupted)
				damage(r, rec->offset,
				       "the stream ends inside a payload of %llu bytes: it was cut off", size);
			return false;
		}
		n = min(n, buffered(&s->in));
		if (keep) {
			GROW_TO(s->payload, done + n, cap);
			memcpy(s->payload + done, s->in.data + s->in.start, n);
		}
		consume(s, n);
		done += n;
	}
	if (keep && size)
		rec->payload = s->payload;
	return true;
}

/* Return the record at @p. Return: -1: it is skipped. */
static int deliver_record(struct reader *r, const u8 *p, u16 size, u64 offset, struct record *rec)
{
	struct stream *s = r->stream;
	struct perf_event_header *h = store(s, p, size);
	const char *reason;

	if (r->swap)
		swap_record(h, &r->events);
	memset(rec, 0, sizeof(*rec));
	rec->header = h;
	rec->offset = offset;
	rec->seq = s->seq++;
	reason = record_check(h, &r->events);
	if (reason) {
		bad_record(r, offset, reason);
		return -1;
	}
	return 1;
}

/* A record from the unpacked bytes. Return: 0: no more in this compressed record. */
static int next_unpacked(struct reader *r, struct record *rec)
{
	struct stream *s = r->stream;

	for (;;) {
		size_t have = buffered(&s->out);
		ZSTD_outBuffer out;
		ZSTD_inBuffer in;
		size_t ret, before;

		if (have >= sizeof(struct perf_event_header)) {
			const u8 *p = s->out.data + s->out.start;
			u16 size = record_size(r, p);

			if (size < sizeof(struct perf_event_header)) {
				damage(r, s->packed_offset,
				       "a compressed record holds a record of size %u", size);
				r->ended = true;
				return 0;
			}
			if (size <= have) {
				s->out.start += size;
				return deliver_record(r, p, size, s->packed_offset, rec);
			}
		}
		if (s->packed_pos == s->packed_size && !s->out_full)
			return 0;
		compact(&s->out);
		out = (ZSTD_outBuffer){ .dst = s->out.data, .size = s->out.size, .pos = s->out.end };
		in = (ZSTD_inBuffer){ .src = s->packed, .size = s->packed_size,
				      .pos = s->packed_pos };
		before = in.pos;
		ret = ZSTD_decompressStream(s->dstream, &out, &in);
		if (ZSTD_isError(ret)) {
			damage(r, s->packed_offset, "compressed data can't be unpacked: %s",
			       ZSTD_getErrorName(ret));
			r->ended = true;
			return 0;
		}
		s->out_full = out.pos == out.size;
		if (out.pos == s->out.end && in.pos == before)
			s->packed_pos = s->packed_size;
		else
			s->packed_pos = in.pos;
		s->out.end = out.pos;
	}
}

static void open_packed(struct reader *r, const struct record *rec)
{
	struct stream *s = r->stream;
	const u8 *data;
	size_t size;

	data = packed_bytes(rec->header, &size);
	if (!data) {
		bad_record(r, rec->offset, "a compressed record's size exceeds the record");
		return;
	}
	if (!s->dstream) {
		s->dstream = ZSTD_createDStream();
		s->packed = xmalloc(MAX_RECORD);
		buffer_init(&s->out, INPUT_SIZE);
	}
	memcpy(s->packed, data, size);
	s->packed_pos = 0;
	s->packed_size = size;
	s->packed_offset = rec->offset;
}

/* An uncompressed record of the stream. */
static int next_plain(struct reader *r, struct record *rec)
{
	struct stream *s = r->stream;
	u64 offset = s->offset;
	u16 size;
	int ret;

	if (!fill(r, sizeof(struct perf_event_header))) {
		if (s->interrupted)
			return 0;
		if (buffered(&s->in))
			damage(r, offset, "the stream ends inside a record: it was cut off");
		else if (s->dstream && buffered(&s->out))
			damage(r, offset, "compressed data ends inside a record");
		return 0;
	}
	size = record_size(r, s->in.data + s->in.start);
	if (size < sizeof(struct perf_event_header)) {
		damage(r, offset, "a record of size %u: the rest can't be read", size);
		return 0;
	}
	if (!fill(r, size)) {
		if (!s->interrupted)
			damage(r, offset, "the stream ends inside a record of %u bytes: it was cut off",
			       size);
		return 0;
	}
	ret = deliver_record(r, s->in.data + s->in.start, size, offset, rec);
	consume(s, size);
	if (ret < 0)
		return ret;
	switch (rec->header->type) {
	case REC_AUXTRACE:
	case REC_HEADER_TRACING_DATA:
		if (!take_payload(r, rec))
			return 0;
		break;
	case REC_COMPRESSED:
	case REC_COMPRESSED2:
		open_packed(r, rec);
		break;
	}
	if (meta_type(rec->header->type))
		meta_apply(r, rec);
	return 1;
}

int stream_next(struct reader *r, struct record *rec)
{
	struct stream *s = r->stream;
	int ret = -1;

	if (s->pos_pending < s->nr_pending) {
		*rec = s->pending[s->pos_pending++];
		return 1;
	}
	while (ret < 0 && !r->ended) {
		ret = s->dstream ? next_unpacked(r, rec) : 0;
		if (ret)
			continue;
		if (r->ended)
			break;
		ret = next_plain(r, rec);
		if (!ret)
			r->ended = true;
	}
	return ret > 0;
}

/* Read the records up to the first that is not a description: all events are known then. */
struct error *stream_open(struct reader *r, int fd, const u8 *head, size_t len)
{
	struct stream *s = r->stream = xcalloc(1, sizeof(*s));
	struct record rec;
	u64 magic;

	s->fd = dup(fd);
	memcpy(&magic, head, sizeof(magic));
	if (s->fd < 0 || (magic != PERFILE2_MAGIC && magic != bswap_64(PERFILE2_MAGIC)))
		return error_file(r->path, EINVAL, "offset 0: no magic PERFILE2: this is not a recording of perf record");
	r->swap = magic != PERFILE2_MAGIC;
	r->pipe_format = true;
	TAILQ_INIT(&s->blocks);
	buffer_init(&s->in, INPUT_SIZE);
	while (stream_next(r, &rec)) {
		GROW(s->pending, s->nr_pending, s->cap_pending);
		s->pending[s->nr_pending++] = rec;
		/* Otherwise the next call would return it again. */
		s->pos_pending = s->nr_pending;
		if (!meta_head(rec.header->type) || s->nr_pending > MAX_EVENTS)
			break;
	}
	s->pos_pending = 0;
	return NULL;
}

void stream_release(struct reader *r, u64 seq)
{
	struct stream *s = r->stream;
	struct block *b;

	if (s->pos_pending < s->nr_pending)
		seq = min(seq, s->pending[s->pos_pending].seq);
	while ((b = TAILQ_FIRST(&s->blocks)) && TAILQ_NEXT(b, next) && b->last_seq < seq) {
		TAILQ_REMOVE(&s->blocks, b, next);
		free(b);
	}
}

void stream_close(struct reader *r)
{
	struct stream *s = r->stream;

	stream_release(r, UINT64_MAX);
	free(TAILQ_FIRST(&s->blocks));
	cleanup_close(&s->fd);
	ZSTD_freeDStream(s->dstream);
	free(s->in.data);
	free(s->out.data);
	free(s->packed);
	free(s->pending);
	free(s->payload);
	free(s);
}
