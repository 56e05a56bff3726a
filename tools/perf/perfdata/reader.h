/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording in any form: a file, a pipe, a directory, of either byte order, compressed or
 * not. The reader returns records in host byte order and file order, each with its offset.
 *
 * A seekable file is mapped and read in place. Records of the other byte order are swapped once
 * in the private mapping. Compressed records are unpacked into an unlinked temporary file that
 * is mapped, too, so that a second pass does not unpack again. A pipe is read window by window,
 * and only one window is in memory.
 */
#ifndef PERF_PERFDATA_READER_H
#define PERF_PERFDATA_READER_H

#include "base/error.h"
#include "event/event.h"
#include "perfdata/features.h"

struct reader;

struct record {
	const struct perf_event_header *header;	/* host byte order; 8-byte aligned */
	u64 offset;		/* in the file, as -D prints it (of the compressed record
				 * that held it for an unpacked one)
				 */
	u64 seq;		/* position in the stream; unique, ascending */
	const void *payload;	/* AUXTRACE, TRACING_DATA...: data after the record, not in header.size */
	u64 payload_size;
	u16 file;		/* which file of a directory, 0 the first */
};

/**
 * reader_open() - open a recording
 * @path: a file, a directory, or "-" for standard input
 * @force: do not insist that the file is ours
 * @r: where the reader goes
 *
 * Reads the file header, the attributes and the feature sections (of a pipe:
 * the records up to the first that is not a header record).
 *
 * Return: NULL, or why not.
 */
struct error *reader_open(const char *path, bool force, struct reader **r);

/**
 * reader_open_stored() - open a recording that is to be read twice
 * @path: as for reader_open()
 * @force: likewise
 * @r: likewise
 *
 * What comes through a pipe is stored in an unlinked temporary file first, up to its end or, where
 * interrupt_catch() was called, to ^C: interrupted() is false afterwards.
 *
 * Return: NULL, or why not.
 */
struct error *reader_open_stored(const char *path, bool force, struct reader **r);

/**
 * reader_close() - free everything, the events too
 * @r: the reader; NULL is fine
 */
void reader_close(struct reader *r);

/* The front part of every reader: records that reader_next() can hand out as they stand. */
struct reader_window {
	const u8 *pos, *end;	/* host byte order, 8-byte aligned, met before or not swapped */
	const u8 *base;
	u64 offset;		/* of @base in the file */
	u64 offset_mask;	/* 0: every record of the window has the same offset */
	u64 seq;		/* of the record at @pos */
	u16 file;
};

int reader_next_slow(struct reader *r, struct record *rec);

/**
 * reader_next() - the next record
 * @r: the reader
 * @rec: where to; valid until reader_release() (pipe) or reader_close()
 *
 * What can't be read (a size of 0 or past the end, garbage in a compressed
 * record) is reported once by diag_error() with its offset and ends the stream
 * there; a record that is too short for its type or holds a string without its
 * end is reported too and left out. reader_damaged() is true after both. A
 * PERF_RECORD_COMPRESSED record comes before the records that were in it.
 *
 * Every record but a sample is long enough for the fixed fields of its type
 * and its sample_id, and its strings end inside it.
 *
 * Return: 1 with a record, 0 at the end.
 */
static inline int reader_next(struct reader *r, struct record *rec)
{
	struct reader_window *w = (struct reader_window *)r;
	const struct perf_event_header *h = (const struct perf_event_header *)w->pos;

	if (likely((size_t)(w->end - w->pos) >= sizeof(*h) && h->type == PERF_RECORD_SAMPLE &&
		   !(h->size & 7) && h->size && h->size <= w->end - w->pos)) {
		rec->header = h;
		rec->offset = w->offset + ((w->pos - w->base) & w->offset_mask);
		rec->seq = w->seq++;
		rec->payload = NULL;
		rec->payload_size = 0;
		rec->file = w->file;
		w->pos += h->size;
		return 1;
	}
	return reader_next_slow(r, rec);
}

/**
 * reader_bad_records() - report records that their consumer found damaged
 * @r: the reader
 * @nr: how many
 * @rec: the first of them
 * @offset: where it is in its file
 * @reason: e.g. "a sample ends inside its callchain"
 *
 * The first of all is reported by diag_error(); the rest are counted, and reader_close()
 * reports the count with -v.
 * Context: the thread that reads. Other threads collect what they find and pass it on
 * (struct delivery).
 */
void reader_bad_records(struct reader *r, u64 nr, const struct perf_event_header *rec, u64 offset, const char *reason);

/* reader_bad_feature - report a feature section that its consumer found damaged, by diag_error() if it is the first damage */
void reader_bad_feature(struct reader *r, u32 bit, const char *reason);

/**
 * reader_rewind() - start over
 * @r: the reader
 *
 * Return: 0, or -ESPIPE for a pipe.
 */
int reader_rewind(struct reader *r);

/**
 * reader_release() - records before this one are no longer needed
 * @r: the reader
 * @seq: the first record still needed
 *
 * Frees a pipe's memory; a no-op for files.
 */
void reader_release(struct reader *r, u64 seq);

/**
 * reader_drop() - release the memory of mapped files
 * @r: the reader
 *
 * Pages are read again from the files on access. Called every few
 * megabytes it keeps a walk through a large file small.
 * Context: any thread, while others read records, too.
 */
void reader_drop(struct reader *r);

/* Facts about the recording. */
struct event_list *reader_events(struct reader *r);
const struct features *reader_features(const struct reader *r);
const char *reader_path(const struct reader *r);
bool reader_is_pipe(const struct reader *r);	/* cannot be rewound */
bool reader_is_swapped(const struct reader *r);
bool reader_damaged(const struct reader *r);	/* something could not be read */
bool reader_is_directory(const struct reader *r);	/* records of several files, one after the other */
u64 reader_bytes(const struct reader *r);	/* of its files, and of the unpacked data */
u64 reader_stored_bytes(const struct reader *r);	/* of its files alone */
u64 reader_size(const struct reader *r);	/* bytes of records, 0 for a pipe: for progress */
bool reader_pipe_format(const struct reader *r);	/* a pipe's stream, perhaps stored in a file */

/* What the file header holds, as --header prints it. */
struct reader_facts {
	s64 captured_on;	/* time_t: the file's */
	s64 written_ns;		/* the same in nanoseconds; 0: unknown */
	u32 version;
	u64 data_offset, data_size, feat_offset;
};
struct reader_facts reader_facts(const struct reader *r);

#endif /* PERF_PERFDATA_READER_H */
