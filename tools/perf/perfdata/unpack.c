// SPDX-License-Identifier: GPL-2.0
/*
 * Unpacks a file's compressed records, one zstd stream, into segments that do not move, so that
 * both passes read in place: anonymous memory, then mappings of an unlinked file. Records may be
 * split between compressed ones.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "event/records.h"
#include "perfdata/perfdata_private.h"

#define FIRST_SEGMENT	(4UL << 20)
#define SEGMENT		(32UL << 20)
/* Limit for one compressed record: perf record compresses a ring buffer at most. */
#define MAX_UNPACKED	(1UL << 30)
/* Recordings unpack to 3 to 100 times their size, crafted data to 10000 times. */
#define MAX_RATIO	1000
#define MAX_ANY_RATIO	(256UL << 20)

int temp_file(void)
{
	const char *dirs[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(dirs); i++) {
		char path[4096];
		int fd;

		if (!dirs[i])
			continue;
		fd = open(dirs[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
		if (fd >= 0)
			return fd;
		snprintf(path, sizeof(path), "%s/perf-XXXXXX", dirs[i]);
		fd = mkostemp(path, O_CLOEXEC);
		if (fd >= 0) {
			unlink(path);
			return fd;
		}
	}
	return -errno;
}

const u8 *packed_bytes(const struct perf_event_header *h, size_t *size)
{
	const struct compressed_record *c = (const void *)h;
	const struct compressed2_record *c2 = (const void *)h;

	if (h->type == REC_COMPRESSED) {
		*size = h->size - sizeof(*c);
		return c->data;
	}
	if (c2->size > h->size - sizeof(*c2))
		return NULL;
	*size = c2->size;
	return c2->data;
}

/* Add a segment; it starts with the bytes of an incomplete record. */
static bool add_segment(struct unpack *u)
{
	struct unpack_segment s = { .size = u->nr_segments ? SEGMENT : FIRST_SEGMENT };
	struct unpack_segment *last = u->nr_segments ? &u->segments[u->nr_segments - 1] : NULL;
	size_t left = last ? last->used - u->parsed : 0;
	void *p = MAP_FAILED;

	if (last && u->temp_fd < 0)
		u->temp_fd = temp_file();
	if (last && u->temp_fd >= 0) {
		/* Now: on a full disk, writing to the mapping would be fatal. */
		if (posix_fallocate(u->temp_fd, u->temp_size, s.size))
			return false;
		p = mmap(NULL, s.size, PROT_READ | PROT_WRITE, MAP_SHARED, u->temp_fd,
			 u->temp_size);
		u->temp_size += s.size;
		s.temp = true;
	} else {
		p = mmap(NULL, s.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	if (p == MAP_FAILED)
		return false;
	s.base = p;
	s.used = left;
	if (left)
		memcpy(s.base, last->base + u->parsed, left);
	GROW(u->segments, u->nr_segments, u->cap_segments);
	u->segments[u->nr_segments++] = s;
	u->parsed = 0;
	return true;
}

/* Make a piece of the complete records between u->parsed and the end of the last segment. */
static bool take_piece(struct reader *r, struct unpack *u, u64 offset)
{
	struct unpack_segment *s = &u->segments[u->nr_segments - 1];
	size_t pos = u->parsed;
	bool ok = true;

	while (s->used - pos >= sizeof(struct perf_event_header)) {
		u16 size = record_size(r, s->base + pos);

		if (size < sizeof(struct perf_event_header)) {
			damage(r, offset, "a compressed record holds a record of size %u", size);
			ok = false;
			break;
		}
		if (size > s->used - pos)
			break;
		pos += size;
	}
	if (pos > u->parsed) {
		GROW(u->pieces, u->nr_pieces, u->cap_pieces);
		u->pieces[u->nr_pieces++] = (struct piece){
			.start = s->base + u->parsed, .end = s->base + pos,
			.swapped = s->base + u->parsed, .segment = u->nr_segments - 1,
		};
		u->parsed = pos;
	}
	return ok;
}

static bool unpack_bytes(struct reader *r, struct unpack *u, const u8 *data, size_t size,
			 u64 offset)
{
	ZSTD_inBuffer in = { .src = data, .size = size };
	size_t total = 0, before;
	bool full = false;

	if (!u->dstream)
		u->dstream = ZSTD_createDStream();
	u->nr_in += size;
	while (in.pos < in.size || full) {
		struct unpack_segment *s;
		ZSTD_outBuffer out;
		size_t ret;

		s = u->nr_segments ? &u->segments[u->nr_segments - 1] : NULL;
		if (!s || s->used == s->size) {
			if (s && !take_piece(r, u, offset))
				return false;
			if (!add_segment(u)) {
				damage(r, offset, "no room to unpack compressed records (TMPDIR names a place)");
				return false;
			}
			s = &u->segments[u->nr_segments - 1];
		}
		out = (ZSTD_outBuffer){ .dst = s->base, .size = s->size, .pos = s->used };
		before = in.pos;
		ret = ZSTD_decompressStream(u->dstream, &out, &in);
		if (ZSTD_isError(ret)) {
			damage(r, offset, "compressed data can't be unpacked: %s",
			       ZSTD_getErrorName(ret));
			return false;
		}
		total += out.pos - s->used;
		u->nr_out += out.pos - s->used;
		if (u->nr_out > MAX_ANY_RATIO + MAX_RATIO * u->nr_in) {
			damage(r, offset, "compressed data unpacks to more than %u times its size",
			       MAX_RATIO);
			return false;
		}
		if (total > MAX_UNPACKED) {
			damage(r, offset, "a compressed record unpacks to more than it can hold");
			return false;
		}
		if (out.pos == s->used && in.pos == before && !full)
			break;		/* no progress: the stream needs more input */
		full = out.pos == out.size;
		s->used = out.pos;
	}
	return true;
}

void unpack_record(struct reader *r, struct data_file *f, const u8 *data, size_t size, u64 offset)
{
	struct unpack *u = &f->unpack;
	struct packed packed = { .first_piece = u->nr_pieces };

	if (!unpack_bytes(r, u, data, size, offset))
		packed.bad = true;
	if (u->nr_segments && !take_piece(r, u, offset))
		packed.bad = true;
	packed.nr_pieces = u->nr_pieces - packed.first_piece;
	GROW(u->packed, u->nr_packed, u->cap_packed);
	u->packed[u->nr_packed++] = packed;
}

size_t unpack_left(const struct unpack *u)
{
	return u->nr_segments ? u->segments[u->nr_segments - 1].used - u->parsed : 0;
}

void unpack_deinit(struct unpack *u)
{
	u32 i;

	for (i = 0; i < u->nr_segments; i++)
		munmap(u->segments[i].base, u->segments[i].size);
	if (u->temp_fd >= 0)
		close(u->temp_fd);
	ZSTD_freeDStream(u->dstream);
	free(u->segments);
	free(u->pieces);
	free(u->packed);
}
