// SPDX-License-Identifier: GPL-2.0
/*
 * The open output file, from header to feature sections; it ends with a complete record at any
 * time. struct output owns the writer, the compressor and the build-id table.
 */
#include <assert.h>

#include "base/clock.h"
#include "base/diag.h"
#include "cmd/record/recorder.h"
#include "event/spans.h"
#include "session/sample_files.h"

/* Raw bytes compressed and written together: with the last record, usually one zstd chunk. */
#define COMPRESS_AT_ONCE 31744
/* Space for sections that grow until the end, and for the file system's overhead. */
#define SECTIONS_SLACK	8192
#define BUILD_IDS_GUESS	32768

int output_init(struct output *out, const struct record_options *opts, const struct description *desc)
{
	const struct ring_options *r = &opts->ring;

	*out = (struct output){
		.opts = opts, .desc = desc,
		.table = !r->no_buildid && (!r->wants_build_ids || opts->buildid_all),
	};
	if (!opts->compress_level)
		return 0;
	out->compressor = compressor_create(opts->compress_level);
	return out->compressor ? 0 : diag_error("out of memory for compression");
}

void output_deinit(struct output *out)
{
	compressor_free(out->compressor);
}

/* Fill the input of the feature sections, except build-ids and tracing data. */
static void feature_input(const struct output *out, struct feature_input *in)
{
	u64 bytes = output_bytes(out);

	description_features(out->desc, in);
	in->wall_ns = out->wall_ns;
	in->clock_ns = out->clock_ns;
	in->directory = out->opts->threads;
	if (out->compressor && bytes)
		in->compress_ratio = max(1ULL, (out->raw_bytes + bytes / 2) / bytes);
}

/* Estimate of the bytes needed by the feature sections. */
static u64 sections_size(const struct output *out)
{
	struct outbuf sections[FEAT_MAX] = { 0 };
	struct feature_input in;
	u64 size = SECTIONS_SLACK;
	u32 i;

	feature_input(out, &in);
	in.tracing_data = out->desc->tracing;
	features_make(&in, sections);
	for (i = 0; i < FEAT_MAX; i++)
		if (sections[i].base)
			size += outbuf_len(&sections[i]);
	features_free(sections);
	return size + (out->table ? BUILD_IDS_GUESS : 0);
}

const char *output_failure(int err)
{
	switch (-err) {
	case EPIPE:
		return "whoever read the recording is gone";
	case ENOSPC:
		return "no space left on the device";
	case EDQUOT:
		return "the disk quota is used up";
	case EFBIG:
		return "the limit of file sizes is reached (ulimit -f)";
	}
	return strerror(-err);
}

int output_failed(struct output *out, int err)
{
	bool kept = err != -EPIPE;

	diag_error("%s: %s%s", out->writer.path, output_failure(err),
		   kept ? ": the recording ends here; what was written before can be read" : "");
	out->failed = true;
	return -1;
}

static int write_description(struct output *out)
{
	struct outbuf sections[FEAT_MAX] = { 0 };
	struct feature_input in;
	struct synth s;
	int err;

	synth_init(&s, description_layout(out->desc));
	/* In a pipe, attributes, features and tracing data are records. */
	if (out->writer.is_pipe) {
		feature_input(out, &in);
		features_make(&in, sections);
		description_pipe_records(out->desc, sections, &s);
		features_free(sections);
	}
	description_records(out->desc, &s);
	err = writer_record(&out->writer, s.out.base, outbuf_len(&s.out));
	synth_deinit(&s);
	return err;
}

static int write_beginning(struct output *out)
{
	const struct record_options *o = out->opts;
	struct writer *w = &out->writer;
	int err;

	out->wall_ns = clock_ns(CLOCK_REALTIME);
	if (o->ring.use_clockid)
		out->clock_ns = clock_ns(o->ring.clockid);
	out->raw_bytes = 0;
	if (w->is_regular && !out->sections_size)
		out->sections_size = sections_size(out);
	writer_reserve(w, out->sections_size);
	err = writer_begin(w, out->desc->events, out->desc->nr_events);
	return err ?: write_description(out);
}

/* --threads: create the files of the kernel's buffers. */
static int open_parts(struct output *out)
{
	u32 nr = out->desc->rings->nr;

	out->parts = xcalloc(nr, sizeof(*out->parts));
	while (out->nr_parts < nr) {
		struct output *part = &out->parts[out->nr_parts];

		if (output_init(part, out->opts, out->desc) ||
		    error_report(writer_open_part(&part->writer, &out->writer, out->nr_parts++)))
			return -1;
	}
	return 0;
}

/* Return: 0, or the first error of their writes. */
static int close_parts(struct output *out)
{
	int first = 0, err;
	u32 i;

	for (i = 0; i < out->nr_parts; i++) {
		err = writer_close(&out->parts[i].writer);
		first = first ?: err;
		output_deinit(&out->parts[i]);
	}
	free(out->parts);
	out->parts = NULL;
	out->nr_parts = 0;
	return first;
}

int output_begin(struct output *out)
{
	const char *path = out->opts->output;
	int err;

	assert(out->state != OUTPUT_OPEN);
	out->state = OUTPUT_NONE;
	if (error_report(out->opts->threads ? writer_open_directory(&out->writer, path) :
			 writer_open(&out->writer, path))) {
		writer_discard(&out->writer);
		return -1;
	}
	if (out->compressor)
		compressor_reset(out->compressor);
	if (out->table)
		build_ids_init(&out->build_ids, out->desc->host);
	out->state = OUTPUT_OPEN;
	err = write_beginning(out);
	if (err)
		return output_abandon(out, err);
	if (out->opts->threads && open_parts(out)) {
		output_discard(out);
		return -1;
	}
	return 0;
}

int output_abandon(struct output *out, int err)
{
	diag_error("%s: %s", out->opts->output, output_failure(err));
	output_discard(out);
	return -1;
}

void output_discard(struct output *out)
{
	if (out->table)
		build_ids_deinit(&out->build_ids);
	close_parts(out);
	writer_discard(&out->writer);
	out->state = OUTPUT_NONE;
}

int output_records(struct output *out, const struct outbuf *o)
{
	const char *p;

	for (p = o->base; out->table && p < o->pos; p += ((const struct perf_event_header *)p)->size)
		build_ids_note(&out->build_ids, (const struct perf_event_header *)p);
	return writer_record(&out->writer, o->base, outbuf_len(o));
}

/* Compress and write, chunk by chunk. *@done: bytes of @iov whose records were written */
static int put_compressed(struct output *out, const struct iovec *iov, u32 nr, u64 *done)
{
	struct span_walk w = { .iov = iov, .nr = nr };
	struct iovec part[OUTPUT_SPANS];
	u64 head[SPAN_HEAD / 8], size = span_bytes(iov, nr);
	struct outbuf packed = { 0 };
	int err = 0;

	for (*done = 0; !err && *done < size;) {
		while (w.at < *done + COMPRESS_AT_ONCE && span_next(&w, head))
			;
		assert(w.at > *done);	/* ring_spans() returns complete records */
		packed.pos = packed.base;
		err = compressor_spans(out->compressor, part, span_cut(iov, nr, *done, w.at, part),
				       out->desc->rings->data_size, &packed);
		err = err ?: writer_record(&out->writer, packed.base, outbuf_len(&packed));
		if (!err)
			*done = w.at;
	}
	outbuf_deinit(&packed);
	return err;
}

int output_spans(struct output *out, const struct iovec *iov, u32 nr, u64 *done)
{
	u64 at = out->writer.data_size;
	int err;

	assert(nr <= OUTPUT_SPANS);
	if (out->compressor) {
		err = put_compressed(out, iov, nr, done);
	} else {
		err = writer_data(&out->writer, iov, nr);
		*done = out->writer.data_size - at;
	}
	out->raw_bytes += *done;
	return err;
}

static const struct outbuf *finish_table(struct output *out)
{
	if (!out->opts->buildid_all && out->writer.is_regular && !out->writer.err) {
		writer_commit(&out->writer);
		build_ids_keep_hit(&out->build_ids, out->writer.path);
	}
	build_ids_find(&out->build_ids);
	return &out->build_ids.out;
}

void output_sections(struct output *out, struct outbuf *sections)
{
	struct feature_input in;

	feature_input(out, &in);
	in.tracing_data = out->desc->tracing;
	if (out->table)
		in.build_ids = *finish_table(out);
	features_make(&in, sections);
	if (out->table)
		build_ids_deinit(&out->build_ids);
}

void output_names(struct output *out, struct outbuf *section)
{
	struct outbuf names = { 0 };

	if (!out->writer.is_regular || out->writer.err)
		return;
	writer_commit(&out->writer);
	if (!record_names(out->writer.path, &names) && outbuf_len(&names))
		*section = names;
	else
		outbuf_deinit(&names);
}

/* The sections of a pipe were written first, except the build-ids. */
static void end_pipe(struct output *out)
{
	const struct outbuf *ids;

	if (!out->table)
		return;
	ids = finish_table(out);
	writer_record(&out->writer, ids->base, outbuf_len(ids));
	build_ids_deinit(&out->build_ids);
}

int output_end(struct output *out, struct outbuf *sections)
{
	int err, part_err;

	assert(out->state == OUTPUT_OPEN);
	if (out->writer.is_pipe) {
		end_pipe(out);
	} else {
		writer_end(&out->writer, sections);
		features_free(sections);
	}
	part_err = close_parts(out);
	err = writer_close(&out->writer) ?: part_err;
	out->state = OUTPUT_CLOSED;
	if (err && !out->failed)
		diag_error("%s: %s: the samples can be read, what describes the recording is not complete",
			   out->opts->output, output_failure(err));
	return err ? -1 : 0;
}
