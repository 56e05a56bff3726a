/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: the file that is being written.
 */
#ifndef PERF_CMD_RECORD_OUTPUT_H
#define PERF_CMD_RECORD_OUTPUT_H

#include "cmd/record/buildid.h"
#include "cmd/record/describe.h"
#include "perfdata/compress.h"

/* As many spans output_spans() takes at most. */
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
	bool table;			/* the file has a table of build-ids */
	struct build_ids build_ids;	/* of the open file */
	u64 raw_bytes;			/* of records from kernel buffers in this file, before compression */
	u64 wall_ns, clock_ns;		/* both clocks when the file began */
	u64 sections_size;		/* of a file, about; 0: not known yet */
	bool failed;			/* a write failed and output_failed() has reported it */
};

/**
 * output_init() - begin, without a file
 * @out: what to fill
 * @opts: the options
 * @desc: the events
 *
 * Return: 0, or -1 after diag_error(); output_deinit() is called in either case.
 */
int output_init(struct output *out, const struct record_options *opts, const struct description *desc);

/**
 * output_begin() - create the file and write what describes the events
 * @out: the output, without an open file
 *
 * The file is @opts->output; it gets this name from writer_publish().
 * Return: 0, or -1 after diag_error(), with no file left.
 */
int output_begin(struct output *out);

/**
 * output_records() - write records that are of use only together
 * @out: the output
 * @o: records that do not come from a kernel buffer, or were kept from one
 *
 * Return: 0, or -errno.
 */
int output_records(struct output *out, const struct outbuf *o);

/**
 * output_spans() - write records of kernel buffers, compressed if -z was given
 * @out: the output
 * @iov: spans that together are whole records
 * @nr: how many, up to OUTPUT_SPANS
 * @done: gets the number of bytes of @iov whose records are in the file
 *
 * Return: 0, or -errno; then the file still ends with a whole record.
 */
int output_spans(struct output *out, const struct iovec *iov, u32 nr, u64 *done);

/**
 * output_abandon() - report why the file could not be begun, and remove it
 * @out: the output, with an open file
 * @err: -errno
 *
 * Return: -1.
 */
int output_abandon(struct output *out, int err);

/* output_discard - remove the open file: the recording has not begun */
void output_discard(struct output *out);

/* output_note - look at a record from a kernel buffer that is no sample */
static inline void output_note(struct output *out, const struct perf_event_header *h)
{
	if (out->table)
		build_ids_note(&out->build_ids, h);
}

/**
 * output_sections() - make what stands behind the data of a file, not a pipe
 * @out: the output, all its records written
 * @sections: FEAT_MAX buffers, all zero
 */
void output_sections(struct output *out, struct outbuf *sections);

/**
 * output_names() - the names of all addresses (--embed)
 * @out: the output, all its records written
 * @section: gets them, unless the recording is no file
 */
void output_names(struct output *out, struct outbuf *section);

/**
 * output_end() - write what stands behind the data and close the file
 * @out: the output, with an open file
 * @sections: of output_sections(), freed here; not looked at for a pipe
 *
 * Return: 0, or -1 after diag_error(), which is not repeated for a write that failed before.
 */
int output_end(struct output *out, struct outbuf *sections);

/* output_left - the writer was taken over (late_leave()): nothing is open here any more */
static inline void output_left(struct output *out)
{
	out->state = OUTPUT_CLOSED;
}

/* output_failure - why a file could not be written, in words; @err: -errno */
const char *output_failure(int err);

/**
 * output_failed() - report that samples could not be written: the recording ends
 * @out: the output
 * @err: -errno
 *
 * Return: -1.
 */
int output_failed(struct output *out, int err);

void output_deinit(struct output *out);

#endif /* PERF_CMD_RECORD_OUTPUT_H */
