/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording written from another one. The caller writes the records; header, attributes with
 * ids, and feature sections are copied here. A file becomes a file, or a stream if the output
 * is a pipe; a stream remains one. The output has host byte order and is not compressed.
 */
#ifndef PERF_PERFDATA_REWRITE_H
#define PERF_PERFDATA_REWRITE_H

#include "perfdata/reader.h"
#include "perfdata/writer.h"

struct moved_payload {
	u64 from, to;		/* offset of an AUXTRACE record in the input and in the output */
};

struct rewrite {
	struct reader *r;
	struct writer w;
	/* Set by the caller between rewrite_open() and rewrite_begin(). */
	void (*change)(struct perf_event_attr *attr, void *ctx);	/* called for each event */
	void *ctx;
	u32 compress_level;		/* level of the caller's COMPRESSED records; 0: none */
	struct outbuf build_ids;	/* set before rewrite_end(): additional entries */

	/*
	 * Sections of a file in output form; base NULL: absent. Between rewrite_open() and
	 * rewrite_begin() the caller may set sections from FEAT_OWN on, also for a stream.
	 */
	struct outbuf sections[FEAT_MAX];
	struct moved_payload *moved;
	size_t nr_moved, cap_moved;
	u32 left_out;			/* number of sections that could not be copied */
};

/**
 * rewrite_open() - create the output
 * @r: the recording; must support reader_rewind()
 * @path: the output, "-" for standard output
 *
 * rewrite_publish() replaces an existing file.
 * Return: NULL, or an error; call rewrite_discard() in that case too.
 */
struct error *rewrite_open(struct rewrite *rw, struct reader *r, const char *path);

/* rewrite_begin - write the header, attributes and ids. Return: NULL, or an error. */
struct error *rewrite_begin(struct rewrite *rw);

/**
 * rewrite_meta() - convert one of perf's own records
 * @rec: the record, of a type from REC_HEADER_ATTR on
 * @o: the converted records are appended, with the payload of @rec; nothing for compression
 *   records
 */
void rewrite_meta(struct rewrite *rw, const struct record *rec, struct outbuf *o);

/**
 * rewrite_payload_moved() - record the new offset of an AUXTRACE record
 * @from: its offset in the recording
 * @ahead: bytes of records that the caller still has to write before it
 *
 * The table of these records (FEAT_AUXTRACE) is updated.
 */
void rewrite_payload_moved(struct rewrite *rw, u64 from, u64 ahead);

/* rewrite_end - write the feature table and sections. Return: 0, or the first -errno of a write. */
int rewrite_end(struct rewrite *rw);

/*
 * rewrite_publish - close the output and give it its name; @rw: the output, ended. Return: NULL, or
 * an error; the output is then removed.
 */
struct error *rewrite_publish(struct rewrite *rw);

/* rewrite_discard - close and remove the output; an existing file is unchanged */
void rewrite_discard(struct rewrite *rw);

/**
 * feature_to_host() - convert a feature section of the other byte order
 * @bit: FEAT_*
 * @nr_cpus: the first number of FEAT_NRCPUS
 * @o: set to a memory buffer of the same size; base NULL if false is returned
 *
 * Return: false if the section is damaged or its layout unknown.
 */
bool feature_to_host(u32 bit, u32 nr_cpus, const void *data, size_t size, struct outbuf *o);

#endif /* PERF_PERFDATA_REWRITE_H */
