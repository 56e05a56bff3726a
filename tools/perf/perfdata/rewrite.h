/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording written from another one: the caller writes the records; header, attributes with ids,
 * and sections are copied here. A file becomes a file or, for a pipe, a stream; a stream remains
 * one. Host byte order, not compressed.
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
	 * sections in output form; base NULL: absent. The caller may set those from FEAT_OWN on
	 * before rewrite_begin(), also for a stream
	 */
	struct outbuf sections[FEAT_MAX];
	struct moved_payload *moved;
	size_t nr_moved, cap_moved;
	u32 left_out;			/* number of sections that could not be copied */
};

/*
 * rewrite_open - create the output, "-": standard output; @r: must support reader_rewind(). Return:
 * NULL, or an error: rewrite_discard() all the same.
 */
struct error *rewrite_open(struct rewrite *rw, struct reader *r, const char *path);

/* rewrite_begin - write the header, attributes and ids. Return: NULL, or an error. */
struct error *rewrite_begin(struct rewrite *rw);

/* rewrite_meta - append a record from REC_HEADER_ATTR on, with its payload, uncompressed */
void rewrite_meta(struct rewrite *rw, const struct record *rec, struct outbuf *o);

/*
 * rewrite_payload_moved - note for FEAT_AUXTRACE that an AUXTRACE record was at @from, and comes
 * @ahead bytes behind what is written
 */
void rewrite_payload_moved(struct rewrite *rw, u64 from, u64 ahead);

/* rewrite_end - write the feature table and sections. Return: 0, or the first -errno of a write. */
int rewrite_end(struct rewrite *rw);

/* rewrite_publish - close the output and give it its name. Return: NULL, or an error: removed. */
struct error *rewrite_publish(struct rewrite *rw);

/* rewrite_discard - close and remove the output; an existing file is unchanged */
void rewrite_discard(struct rewrite *rw);

/*
 * feature_to_host - make @o a copy of section @bit in our byte order; @nr_cpus: the first number of
 * FEAT_NRCPUS. Return: false: it is damaged or unknown, base is NULL.
 */
bool feature_to_host(u32 bit, u32 nr_cpus, const void *data, size_t size, struct outbuf *o);

#endif /* PERF_PERFDATA_REWRITE_H */
