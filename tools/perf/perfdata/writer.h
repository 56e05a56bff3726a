/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing a perf.data.
 *
 *	header	104 bytes: magic, sizes, locations of attributes and data, feature bits
 *	ids	u64 each, event after event
 *	attrs	for each event: perf_event_attr and the location of its ids
 *	data	records
 *	table	{ offset, size } for each feature bit that is set, ascending
 *	features
 *
 * During a recording the header has the size of the complete data, so that a truncated file can be
 * read up to its last complete record. The feature bits are written at the end, with the features.
 * A pipe has a header of 16 bytes and only records after it.
 */
#ifndef PERF_PERFDATA_WRITER_H
#define PERF_PERFDATA_WRITER_H

#include <sys/uio.h>

#include "base/error.h"
#include "base/outbuf.h"
#include "event/abi.h"

struct writer {
	int fd;
	bool is_pipe;		/* pipe format: no seeking */
	bool is_regular;	/* a file that can be truncated and mapped */
	bool created;		/* by writer_open() */
	char *path;
	char *tmp;		/* temporary name until writer_publish(); NULL: none */
	int reserve;		/* file that reserves disk space for the sections; -1: none */
	u64 limit;		/* maximum end of the data, as a file offset */
	u64 data_offset;
	u64 data_size;		/* bytes of complete records written */
	u64 sections_size;	/* size of the table and the sections after the data */
	int err;		/* first -errno of a write; nothing is written after it */
};

struct writer_event {
	struct perf_event_attr attr;
	const char *name;
	const char *unit;	/* NULL: none */
	double scale;
	const u64 *ids;
	u32 nr_ids;
	u32 leader, group_members;
	const char *group_name;
	/* maximum bytes of the copied stacks of its callchains, or STACK_IN_PLACE; 0: none */
	u32 stack_copied;
};

/*
 * writer_open - create the output, "-": standard output, with a temporary name beside a non-empty
 * file. Return: NULL, or an error: writer_discard() all the same.
 */
struct error *writer_open(struct writer *w, const char *path);

/* writer_open_directory - the same, with a file "data"; it replaces only such a directory */
struct error *writer_open_directory(struct writer *w, const char *path);

/*
 * writer_open_part - create "data.@nr" of @w's directory: records for writer_data(), without
 * header. Return: NULL, or an error: writer_close() all the same.
 */
struct error *writer_open_part(struct writer *part, const struct writer *w, u32 nr);

/* writer_publish - recording has begun: give the file its name; a former one becomes PATH.old */
struct error *writer_publish(struct writer *w);

/* writer_replace - it is complete: the same, without PATH.old */
struct error *writer_replace(struct writer *w);

/* writer_discard - remove and close a file that is not published */
void writer_discard(struct writer *w);

/* writer_reserve - reserve disk space for writer_end(), as far as that is possible */
void writer_reserve(struct writer *w, u64 size);

/* writer_begin - write the header, and the events with their ids. Return: 0, or -errno. */
int writer_begin(struct writer *w, const struct writer_event *events, u32 nr);

/*
 * writer_head - write the caller's header, a multiple of 8 bytes: a pipe's, or a file's with ids
 * and attributes, the offset of the data behind them, and size and features 0
 */
int writer_head(struct writer *w, const void *p, size_t size);

/*
 * writer_data - append spans that together are complete records. After an error those written
 * completely are kept: @w->data_size. Return: 0, or the first -errno of this writer.
 */
int writer_data(struct writer *w, const struct iovec *iov, u32 nr);

/* writer_record - append complete records, all or none. Return: as writer_data(). */
int writer_record(struct writer *w, const void *p, size_t size);

/* writer_commit - update the data's size in the header. Return: 0, or -errno: it is unchanged. */
int writer_commit(struct writer *w);

/*
 * writer_end - write the final header and the sections, FEAT_MAX buffers, base NULL: absent; if
 * space is short those that a reader needs, never at the data's cost
 */
int writer_end(struct writer *w, const struct outbuf *sections);

/* writer_close - close the file. Return: 0, or the first -errno of this writer. */
int writer_close(struct writer *w);

struct compressor;

/* compressor_create - begin a zstd stream; NULL: out of memory */
struct compressor *compressor_create(int level);

void compressor_free(struct compressor *c);

/* compressor_spans - append COMPRESSED records of @limit unpacked bytes. Return: 0, or -errno. */
int compressor_spans(struct compressor *c, const struct iovec *iov, u32 nr, u64 limit,
		     struct outbuf *out);

/* compressor_reset - start a new stream, for a new file */
void compressor_reset(struct compressor *c);

#endif /* PERF_PERFDATA_WRITER_H */
