/* SPDX-License-Identifier: GPL-2.0 */
/* Internal to the reader and writer. Layout of perf.data: Documentation/perf-data.rst. */
#ifndef PERF_PERFDATA_PERFDATA_PRIVATE_H
#define PERF_PERFDATA_PERFDATA_PRIVATE_H

#include <byteswap.h>

#include "base/arena.h"
#include "base/hash.h"
#include "event/abi.h"
#include "perfdata/reader.h"

/* The only header of a pipe. */
struct pipe_header {
	u64 magic, size;
};
#define PIPE_HEADER_SIZE 16
_Static_assert(sizeof(struct pipe_header) == PIPE_HEADER_SIZE, "pipe_header");

/* An entry of the attribute table, in the size that we write. */
struct file_attr {
	struct perf_event_attr attr;
	struct file_section ids;
};

/* Limits of memory use for crafted files. Real recordings are far below. */
#define MAX_EVENTS	(1U << 16)
#define MAX_IDS		(1U << 21)
#define MAX_DIR_FILES	4096
#define MAX_NAMES	(64U << 20)	/* packed bytes of a stream's names */

/* A run of complete unpacked records. */
struct piece {
	u8 *start, *end;
	u8 *swapped;		/* in host byte order up to here */
	u32 segment;
};

/* A compressed record of a file: its pieces are [first_piece, first_piece + nr_pieces). */
struct packed {
	u32 first_piece, nr_pieces;
	bool bad;		/* the stream is damaged after the pieces */
};

struct unpack_segment {
	u8 *base;
	size_t size, used;
	bool temp;		/* in the temporary file */
};

/* Unpacked contents of one file. */
struct unpack {
	void *dstream;			/* ZSTD_DStream */
	int temp_fd;
	u64 temp_size;
	struct unpack_segment *segments;
	u32 nr_segments, cap_segments;
	u64 nr_in, nr_out;		/* total bytes of all records, packed and unpacked */
	size_t parsed;			/* in the last segment: offset of the incomplete record */
	struct piece *pieces;
	u32 nr_pieces, cap_pieces;
	struct packed *packed;
	u32 nr_packed, cap_packed;
};

/* One mapped file. */
struct data_file {
	char *path;
	u8 *map;
	size_t size;
	u64 start, end;			/* offset of the first record; end of the last */
	u64 origin;			/* subtracted from offsets in messages */
	u8 *swapped;			/* in host byte order up to here */
	void **copies;			/* of misaligned records, in file order */
	size_t nr_copies, cap_copies;
	size_t next_copy;		/* index of the walk's next copy */
	struct unpack unpack;
};

/* damage.c */
/*
 * damage_in() - report the first damage of a recording, in one line; damage(): in the current file.
 * The caller decides whether to continue.
 */
void damage_in(struct reader *r, const struct data_file *f, u64 offset, const char *fmt, ...) __printf(4, 5);
#define damage(r, offset, ...) damage_in(r, &(r)->files[(r)->cur_file], offset, __VA_ARGS__)
/* bad_record() - report a skipped record of the current file */
void bad_record(struct reader *r, u64 offset, const char *reason);
static inline u64 get64(const struct reader *r, u64 v)
{
	return r->swap ? bswap_64(v) : v;
}
static inline u32 get32(const struct reader *r, u32 v)
{
	return r->swap ? bswap_32(v) : v;
}
/* record_size - size of a record, which may be of the other byte order and misaligned */
static inline u16 record_size(const struct reader *r, const u8 *p)
{
	u16 size;

	memcpy(&size, p + offsetof(struct perf_event_header, size), sizeof(size));
	return r->swap ? bswap_16(size) : size;
}

/* header.c */
struct error *header_read(struct reader *r);
/*
 * header_event - add an event, of @size bytes at @offset; @swap: of the other byte order. Reports
 * unknown attributes, and an event whose records cannot be told from those of earlier ones.
 */
struct event *header_event(struct reader *r, const u8 *p, size_t size, bool swap, u64 offset);

/* directory.c */
struct error *directory_open(struct reader *r, int dirfd);

/* data_file_map - map a whole file of records; @path: for messages */
struct error *data_file_map(struct data_file *f, int fd, const char *path);
void data_file_deinit(struct data_file *f);

/* swap.c */
void swap_header(struct perf_event_header *h);
void swap_record(struct perf_event_header *h, const struct event_list *events);
void swap_attr(u8 *attr, size_t size);

/* check.c */
const char *record_check(const struct perf_event_header *h, const struct event_list *events);

/* meta_records.c: records that describe the recording */
bool meta_type(u32 type);
bool meta_head(u32 type);	/* may precede the last event's attributes */
void meta_apply(struct reader *r, const struct record *rec);

/* unpack.c */
/* unpack_record - unpack a compressed record of a file, at @offset, into a new @f->unpack.packed */
void unpack_record(struct reader *r, struct data_file *f, const u8 *data, size_t size, u64 offset);
/* packed_bytes - payload of a compressed record; NULL if the record is shorter than its count */
const u8 *packed_bytes(const struct perf_event_header *h, size_t *size);
size_t unpack_left(const struct unpack *u);	/* bytes of an incomplete record */
void unpack_deinit(struct unpack *u);
int temp_file(void);			/* an unlinked temporary file, or -errno */

/* stream.c */
struct error *stream_open(struct reader *r, int fd, const u8 *head, size_t len);
void stream_close(struct reader *r);
int stream_next(struct reader *r, struct record *rec);
void stream_release(struct reader *r, u64 seq);

/* features.c */
void features_decode(struct reader *r);
void feature_decode(struct features *f, u32 bit, bool swap, struct event_list *events);
void feature_build_id(struct features *f, const struct perf_event_header *h);

#endif /* PERF_PERFDATA_PERFDATA_PRIVATE_H */
