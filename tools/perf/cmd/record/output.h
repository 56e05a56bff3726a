/* SPDX-License-Identifier: GPL-2.0 */
/* The open output file. */
#ifndef PERF_CMD_RECORD_OUTPUT_H
#define PERF_CMD_RECORD_OUTPUT_H

#include "cmd/record/buildid.h"
#include "cmd/record/describe.h"
#include "perfdata/writer.h"

/* Maximum number of spans of output_spans(). */
#define OUTPUT_SPANS 65

enum output_state {
	OUTPUT_NONE,		/* output_begin() was not called, or failed */
	OUTPUT_OPEN,
	OUTPUT_CLOSED,		/* output_end() was called */
};

struct output {
	const struct record_options *opts;
	const struct description *desc;
	struct writer writer;
	enum output_state state;
	struct compressor *compressor;	/* NULL: off */
	bool table;			/* the file has a BUILD_ID section */
	struct build_ids build_ids;	/* of the open file */
	/*
	 * --threads: a file for each kernel buffer, of which writer, compressor and raw_bytes are
	 * used; part_bytes and raw_bytes are their sums. NULL: none
	 */
	struct output *parts;
	u32 nr_parts;
	u64 part_bytes;
	u64 raw_bytes;			/* of kernel buffers in this file, before compression */
	u64 wall_ns, clock_ns;		/* both clocks when the file began */
	u64 sections_size;		/* an estimate; 0: not computed yet */
	bool failed;			/* a write failed and was reported by output_failed() */
};

/* output_init - initialise, without a file. Return: 0, or -1. output_deinit() in either case */
int output_init(struct output *out, const struct record_options *opts, const struct description *desc);

/*
 * output_begin - create and describe the file or directory, which writer_publish() names, or none
 */
int output_begin(struct output *out);
/* output_records - write all of @o or nothing: synthesised or saved records. Return: -errno */
int output_records(struct output *out, const struct outbuf *o);

/*
 * output_spans - write complete records in @nr spans, OUTPUT_SPANS at most; @done: set to the bytes
 * of those written. Return: 0, or -errno; the file still ends with a complete record.
 */
int output_spans(struct output *out, const struct iovec *iov, u32 nr, u64 *done);
/* output_abandon - report why the file could not be started (-errno), and remove it. Return: -1. */
int output_abandon(struct output *out, int err);
/* output_discard - remove the open file: recording has not begun */
void output_discard(struct output *out);
/* output_bytes - bytes written, of all files */
static inline u64 output_bytes(const struct output *out)
{
	return out->writer.data_size + __atomic_load_n(&out->part_bytes, __ATOMIC_RELAXED);
}

/* output_sections - make a file's feature sections after its records; @sections: FEAT_MAX zeroed */
void output_sections(struct output *out, struct outbuf *sections);
/* output_names - --embed: create the section of symbol names, if the output is a regular file */
void output_names(struct output *out, struct outbuf *section);
/* output_end - write and free the sections, and close the file; errors are reported once */
int output_end(struct output *out, struct outbuf *sections);
/* output_failure - message for a write error; @err: -errno */
const char *output_failure(int err);
/* output_failed - report that samples could not be written (-errno): the end. Return: -1. */
int output_failed(struct output *out, int err);
void output_deinit(struct output *out);

#endif /* PERF_CMD_RECORD_OUTPUT_H */
