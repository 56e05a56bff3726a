/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing a perf.data.
 *
 *	header	104 bytes: magic, sizes, where attributes and data are, feature bits
 *	ids	u64 each, event after event
 *	attrs	one perf_event_attr and the place of its ids each
 *	data	records
 *	table	{ offset, size } for each feature bit that is set, ascending
 *	features
 *
 * While recording goes on the header holds how much data is whole, so that a
 * file cut short by whatever means is read to its last whole record; the
 * feature bits come with the features at the end. A pipe has a header of 16
 * bytes and everything else as records.
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
	bool is_regular;	/* a file that can be cut and mapped */
	bool created;		/* by writer_open() */
	char *path;
	char *tmp;		/* its name until writer_publish(); NULL: @path */
	int reserve;		/* holds room on the disk for what comes after the data; -1: none */
	u64 limit;		/* data may end here, in bytes of the file */
	u64 data_offset;
	u64 data_size;		/* whole records written so far */
	u64 sections_size;	/* of the table and the sections after the data */
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
	u32 stack_copied;	/* its callchains were made of copies of stacks of so many bytes; 0: they were not */
};

/**
 * writer_open() - create the output
 * @w: the writer
 * @path: a file, or "-" for standard output
 *
 * While a file that is not empty is there already, the new one has a name of its own.
 * Return: NULL, or why not; then writer_discard() is called nevertheless.
 */
struct error *writer_open(struct writer *w, const char *path);

/**
 * writer_publish() - the recording has begun: the file gets its name
 * @w: the writer
 *
 * One that had this name becomes PATH.old.
 * Return: NULL, or why not.
 */
struct error *writer_publish(struct writer *w);

/**
 * writer_replace() - the file is complete: it gets its name
 * @w: the writer
 *
 * One that had this name is gone.
 * Return: NULL, or why not.
 */
struct error *writer_replace(struct writer *w);

/**
 * writer_discard() - the recording has not begun: remove the file, and close
 * @w: the writer; not published
 *
 * What writer_open() found is as it was.
 */
void writer_discard(struct writer *w);

/**
 * writer_reserve() - set room aside for what writer_end() will write
 * @w: the writer
 * @size: bytes
 *
 * As far as the file system and the limit of file sizes (RLIMIT_FSIZE) let us.
 */
void writer_reserve(struct writer *w, u64 size);

/**
 * writer_begin() - write what comes before the data
 * @w: the writer
 * @events: what is recorded
 * @nr: how many
 *
 * Return: 0, or -errno.
 */
int writer_begin(struct writer *w, const struct writer_event *events, u32 nr);

/**
 * writer_head() - write what comes before the data, made by the caller
 * @w: the writer; used in place of writer_begin()
 * @p: of a pipe its header; of a file header, ids and attributes, with the place of the data,
 *     which is after them, and without its size and the features
 * @size: bytes, a multiple of 8
 *
 * Return: 0, or -errno.
 */
int writer_head(struct writer *w, const void *p, size_t size);

/**
 * writer_data() - append records
 * @w: the writer
 * @iov: spans that together are whole records
 * @nr: how many spans
 *
 * Written as they are, by as few calls as possible. When that fails, the records that were
 * written whole are kept, and @w->data_size is their number of bytes; the rest is cut off.
 * Return: 0, or the first -errno of this writer.
 */
int writer_data(struct writer *w, const struct iovec *iov, u32 nr);

/**
 * writer_record() - append records that are of use only together
 * @w: the writer
 * @p: whole records
 * @size: bytes
 *
 * Return: as writer_data(); when it fails nothing of it is in the file.
 */
int writer_record(struct writer *w, const void *p, size_t size);

/**
 * writer_commit() - bring the size of the data in the header up to date
 * @w: the writer
 *
 * Return: 0, or -errno; then the header has the size of the last call.
 */
int writer_commit(struct writer *w);

/**
 * writer_end() - write the feature sections and the final header
 * @w: the writer
 * @sections: FEAT_MAX buffers, by bit number; base NULL: absent
 *
 * Where there is no room for all, those without which the data cannot be understood are
 * written; data is never given up for them.
 * Return: 0, or the first -errno of this writer.
 */
int writer_end(struct writer *w, const struct outbuf *sections);

/* writer_size - bytes of the output so far, what stands before its data included */
u64 writer_size(const struct writer *w);

/**
 * writer_close() - close the file
 * @w: the writer
 *
 * Return: 0, or the first -errno that this writer met.
 */
int writer_close(struct writer *w);

#endif /* PERF_PERFDATA_WRITER_H */
