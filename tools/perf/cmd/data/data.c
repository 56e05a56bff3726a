// SPDX-License-Identifier: GPL-2.0
/*
 * perf data convert: a recording in the formats of other profilers. The command reads its
 * options, opens the session and writes each named file, which gets its name when it is
 * complete.
 */
#include <unistd.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/progress.h"
#include "cmd/cmd.h"
#include "cmd/data/conversion.h"
#include "cmd/values.h"
#include "perfdata/writer.h"

/* Of opentelemetry-proto: profiles are alpha there, and change. */
#define OTLP_VERSION "1.10.0"

enum { TO_FOLDED, TO_SPEEDSCOPE, TO_FIREFOX, TO_JSON, TO_JSONL, TO_PPROF, TO_OTLP, TO_PERFETTO,
       NR_FORMATS };

struct data_options {
	struct session_config config;
	struct filter filter;
	const char *output[NR_FORMATS];	/* NULL: not wanted */
	bool no_inline;
};

/* Writes one file. Return: the exit status. */
static int write_output(const char *path, int (*write)(void *ctx, struct outfile *o), void *ctx)
{
	struct writer w;
	struct outfile o;
	struct error *err;
	int ret;

	if (!strcmp(path, "-")) {
		outfile_init(&o, STDOUT_FILENO);
		ret = write(ctx, &o);
		outfile_deinit(&o);
		return ret;
	}
	err = writer_open(&w, path);
	if (err) {
		writer_discard(&w);
		return -error_report(err);
	}
	outfile_init(&o, w.fd);
	ret = write(ctx, &o);
	if (outfile_deinit(&o)) {
		diag_error("%s: cannot be written: %s", path, strerror(-o.err));
		ret = 1;
	}
	/* Keep the output of the readable part of a damaged recording. */
	err = o.err || ret == 130 ? error_reported(EIO) : writer_replace(&w);
	if (err)
		writer_discard(&w);
	else
		writer_close(&w);
	return error_report(err) ? ret ?: 1 : ret;
}

struct format_job {
	const struct conversion *c;
	void (*put)(const struct conversion *c, struct outfile *o);
};

static int put_format(void *ctx, struct outfile *o)
{
	const struct format_job *job = ctx;

	job->put(job->c, o);
	return 0;
}

/* The exit status for what session_run() returned: that no sample passed the filter is an error. */
static int source_status(const struct conv_source *src, int ret)
{
	int status = ret == -EINTR ? 130 : ret || src->s->reader->damaged;

	status = status ?: !!error_report(session_only_counts(src->s));
	if (status || src->nr_passed || !src->s->stats.nr_samples || !filter_given(src->filter))
		return status;
	return error_report(filter_nothing_passed(src->filter, src->s, "")) ? 1 : 0;
}

static int put_json(void *ctx, struct outfile *o)
{
	return source_status(ctx, conv_json(ctx, o));
}

static int put_jsonl(void *ctx, struct outfile *o)
{
	return source_status(ctx, conv_jsonl(ctx, o));
}

static int convert(const struct data_options *o, struct session *s)
{
	static const struct {
		void (*put)(const struct conversion *c, struct outfile *o);
		enum conv_keep keep;
	} formats[NR_FORMATS] = {
		[TO_FOLDED] = { conv_folded, CONV_NAMES },
		[TO_PPROF] = { conv_pprof, CONV_THREADS }, [TO_OTLP] = { conv_otlp, CONV_THREADS },
		[TO_PERFETTO] = { conv_perfetto, CONV_SAMPLES },
		[TO_SPEEDSCOPE] = { conv_speedscope, CONV_SAMPLES },
		[TO_FIREFOX] = { conv_firefox, CONV_SAMPLES },
	};
	struct conv_source src = { .s = s, .filter = &o->filter, .inlines = !o->no_inline };
	struct conversion *c;
	int status, i, ret;

	if (o->output[TO_JSONL])
		return write_output(o->output[TO_JSONL], put_jsonl, &src);
	if (o->output[TO_JSON])
		return write_output(o->output[TO_JSON], put_json, &src);
	for (i = 0; i < NR_FORMATS; i++)
		if (o->output[i])
			src.keep = max(src.keep, formats[i].keep);
	status = source_status(&src, conversion_run(&src, &c));
	for (i = 0; i < NR_FORMATS && status != 130; i++) {
		struct format_job job = { c, formats[i].put };

		ret = o->output[i] ? write_output(o->output[i], put_format, &job) : 0;
		status = status ?: ret;
	}
	conversion_free(c);
	return status;
}

/* Return: 0, or -1 after diag_error(). */
static int parse(struct data_options *o, int argc, char **argv)
{
	struct session_config *c = &o->config;
	const struct opt opts[] = {
		{ OPT_GROUP, .help = "Output; - is standard output" },
		{ OPT_STRING, 0, "to-folded", &o->output[TO_FOLDED], "file",
		  .help = "Folded stacks, a line each (flamegraph.pl, inferno)" },
		{ OPT_STRING, 0, "to-speedscope", &o->output[TO_SPEEDSCOPE], "file",
		  .help = "JSON for speedscope" },
		{ OPT_STRING, 0, "to-firefox", &o->output[TO_FIREFOX], "file",
		  .help = "JSON for the Firefox Profiler" },
		{ OPT_STRING, 0, "to-pprof", &o->output[TO_PPROF], "file",
		  .help = "Gzipped protobuf for pprof" },
		{ OPT_STRING, 0, "to-otlp", &o->output[TO_OTLP], "file",
		  .help = "OpenTelemetry profiles, OTLP " OTLP_VERSION " (alpha)" },
		{ OPT_STRING, 0, "to-perfetto", &o->output[TO_PERFETTO], "file",
		  .help = "A trace for Perfetto (ui.perfetto.dev)" },
		{ OPT_STRING, 0, "to-json", &o->output[TO_JSON], "file",
		  .help = "JSON, an object for each sample" },
		{ OPT_STRING, 0, "to-jsonl", &o->output[TO_JSONL], "file",
		  .help = "A flat JSON object a line for each sample (DuckDB, ClickHouse, Spark)" },
		{ OPT_GROUP, .help = "Input" },
		{ OPT_STRING, 'i', "input", &c->input, "file",
		  .help = "Recording to read (default: perf.data, or standard input if it is a pipe)" },
		{ OPT_BOOL, 'f', "force", &c->force, .help = "Read recordings of other owners, too" },
		{ OPT_COUNT, 'v', "verbose", &verbose, .help = "Say more" },
		{ OPT_GROUP, .help = "Which samples" },
		FILTER_OPTIONS(o->filter, 'd'),
		{ OPT_GROUP, .help = "Symbols" },
		{ OPT_BOOL, 0, "no-inline", &o->no_inline, .help = "No frames for inlined functions" },
		{ OPT_BOOL, 0, "function-starts", &c->symbols.function_starts,
		  .help = "Name functions without symbols by where they begin: sort+0x8850 (default)" },
		{ OPT_STRING, 'k', "vmlinux", &c->symbols.vmlinux, "file", .help = "Kernel image" },
		{ OPT_STRING, 0, "kallsyms", &c->symbols.kallsyms, "file",
		  .help = "Kernel symbols, as in /proc/kallsyms" },
		{ OPT_STRING, 0, "symfs", &c->symbols.symfs, "dir",
		  .help = "Look for all files below this directory" },
		MAX_MEMORY_OPT,
		LEFT_OUT_ARG(0, "to-ctf", "dir", "--to-json is for programs"),
		LEFT_OUT(0, "all", "'perf script' shows other records"),
		LEFT_OUT(0, "tod", "'perf script -F tod' shows the time of day"),
		{ .kind = OPT_END },
	};
	int first, i, nr = 0;

	c->symbols.function_starts = true;
	if (error_report(argparse(argc, argv, opts, "perf data convert --to-FORMAT <file> [<options>]", false, &first)))
		return -1;
	if (first == argc || strcmp(argv[first], "convert") || first + 1 < argc)
		return diag_error("perf data has one command: perf data convert --to-FORMAT FILE");
	for (i = 0; i < NR_FORMATS; i++)
		nr += o->output[i] != NULL;
	if (!nr)
		return diag_error("no format: --to-folded, --to-speedscope, --to-firefox, --to-pprof, --to-otlp, --to-perfetto, --to-json or --to-jsonl FILE");
	if (o->output[TO_OTLP])
		diag_warn("--to-otlp: OTLP " OTLP_VERSION ", whose profiles are alpha: readers need that version");
	c->symbols.linkage = o->output[TO_PPROF] || o->output[TO_OTLP];
	if (nr > 1 && (o->output[TO_JSON] || o->output[TO_JSONL]))
		return diag_error("%s goes alone", o->output[TO_JSON] ? "--to-json" : "--to-jsonl");
	return 0;
}

int cmd_data(int argc, char **argv)
{
	struct data_options o = { .config = { .no_progress = true } };
	struct session *s;
	int status = 1;

	if (parse(&o, argc, argv))
		return 129;
	interrupt_catch_ends();
	if (!error_report(session_open(&o.config, &s))) {
		if (!error_report(filter_setup(&o.filter, s)))
			status = convert(&o, s);
		session_close(s);
	}
	filter_deinit(&o.filter);
	return status;
}
