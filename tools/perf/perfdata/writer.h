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
	const char *cpumask;	/* NULL: none */
	const u64 *ids;
	u32 nr_ids;
	u32 leader, group_members;
	const char *group_name;
	/* maximum bytes of the copied stacks of its callchains, or STACK_IN_PLACE; 0: none */
	u32 stack_copied;
};

/*
 * writer_open - create the output; @path: a file, or "-" for standard output. If a non-empty file
 * exists, the new one has a temporary name. Return: NULL, or an error; call writer_discard() after
 * an error too.
 */
struct error *writer_open(struct writer *w, const char *path);

/*
 * writer_open_directory - create the output as a directory with a file "data"; @w: the writer,
 * which writes "data". It has a temporary name until writer_publish(). An existing directory is
 * replaced only if it is a recording. Return: as writer_open().
 */
struct error *writer_open_directory(struct writer *w, const char *path);

/**
 * writer_open_part() - create a file of records without a header, "data.N"
 * @part: its writer: writer_data(), writer_close()
 * @w: from writer_open_directory(), not published
 * @nr: N
 *
 * Return: NULL, or an error; call writer_close() after an error too.
 */
struct error *writer_open_part(struct writer *part, const struct writer *w, u32 nr);

/*
 * writer_publish - rename the file to its final name when recording has begun. An existing file
 * becomes PATH.old. Return: NULL, or an error.
 */
struct error *writer_publish(struct writer *w);

/*
 * writer_replace - rename the complete file to its final name. Replaces an existing file. Return:
 * NULL, or an error.
 */
struct error *writer_replace(struct writer *w);

/*
 * writer_discard - remove and close the file when recording has not begun; @w: the writer; not
 * published. An existing file is unchanged.
 */
void writer_discard(struct writer *w);

/*
 * writer_reserve - reserve disk space for writer_end(). Within the limits of the file system and
 * RLIMIT_FSIZE.
 */
void writer_reserve(struct writer *w, u64 size);

/*
 * writer_begin - write the header, attributes and ids; @events: the recorded events. Return: 0, or
 * -errno.
 */
int writer_begin(struct writer *w, const struct writer_event *events, u32 nr);

/**
 * writer_head() - write a header created by the caller
 * @w: the writer; used instead of writer_begin()
 * @p: a pipe's header; or a file's header, ids and attributes, with the offset of the data, which
 *   follows them, and with a data size and features of 0
 * @size: bytes, a multiple of 8
 *
 * Return: 0, or -errno.
 */
int writer_head(struct writer *w, const void *p, size_t size);

/*
 * writer_data - append records; @iov: spans that together are complete records. Written unchanged,
 * with as few calls as possible. After an error, completely written records are kept, and
 * @w->data_size is their size; the rest is removed. Return: 0, or the first -errno of this writer.
 */
int writer_data(struct writer *w, const struct iovec *iov, u32 nr);

/*
 * writer_record - append records, all or none; @p: complete records. Return: as writer_data();
 * after an error the file has none of them.
 */
int writer_record(struct writer *w, const void *p, size_t size);

/*
 * writer_commit - update the size of the data in the header. Return: 0, or -errno, with the header
 * unchanged.
 */
int writer_commit(struct writer *w);

/**
 * writer_end() - write the feature sections and the final header
 * @sections: FEAT_MAX buffers, by bit number; base NULL: absent
 *
 * If space is short, only the sections that a reader needs are written; data is never removed for
 * them.
 * Return: 0, or the first -errno of this writer.
 */
int writer_end(struct writer *w, const struct outbuf *sections);

/* writer_size - bytes of the output so far, including the header */
u64 writer_size(const struct writer *w);

/* writer_close - close the file. Return: 0, or the first -errno of this writer. */
int writer_close(struct writer *w);

struct compressor;

/*
 * compressor_create - create a compressor at the start of a stream; @level: zstd compression level.
 * Return: the compressor, or NULL if memory allocation failed.
 */
struct compressor *compressor_create(int level);

/* compressor_free - free a compressor; @c: the compressor, or NULL */
void compressor_free(struct compressor *c);

/**
 * compressor_spans() - compress records
 * @iov: spans of records
 * @limit: maximum unpacked size of a COMPRESSED record, in bytes
 * @out: the COMPRESSED records are appended here
 *
 * Return: 0, or -errno, which the caller reports.
 */
int compressor_spans(struct compressor *c, const struct iovec *iov, u32 nr, u64 limit,
		     struct outbuf *out);

/* compressor_reset - start a new stream, for a new file */
void compressor_reset(struct compressor *c);

#endif /* PERF_PERFDATA_WRITER_H */
