// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of perf inject, read into struct inject_options, which points into argv.
 */
#include "base/diag.h"
#include "base/error.h"
#include "cmd/absent_options.h"
#include "cmd/inject/inject_options.h"
#include "cmd/values.h"
#include "session/sample_names.h"

#define MAX_LEVEL 22	/* of zstd */

static struct error *set_level(const struct opt *opt, const char *arg, bool unset)
{
	char *end;
	unsigned long v = unset ? 0 : strtoul(arg, &end, 10);

	if (!unset && (end == arg || *end || !v || v > MAX_LEVEL))
		return error_create(EINVAL, "option --compression-level needs a number from 1 to %d, not '%s'",
				    MAX_LEVEL, arg);
	*(int *)opt->value = v;
	return NULL;
}

#define USE_OTHER "use 'perf inject' of linux-perf on the output of this one"
#define USE_BUILD_IDS "-b adds the build-ids of the files that samples lie in"
#define USE_NOTHING "perf inject needs no kernel symbols"

int inject_options_parse(struct inject_options *o, int argc, char **argv)
{
	struct session_config *c = &o->config;
	const struct opt opts[] = {
		{ .kind = OPT_STRING, .short_name = 'i', .long_name = "input", .value = &c->input,
		  .arg_name = "file", .help = "Recording to read, - for standard input (default: perf.data, or standard input if it is a pipe)" },
		{ .kind = OPT_STRING, .short_name = 'o', .long_name = "output", .value = &o->output,
		  .arg_name = "file", .help = "Recording to write (default: -, standard output)" },
		{ .kind = OPT_CALLBACK, .short_name = 'z', .long_name = "compression-level",
		  .value = &o->compress_level, .arg_name = "n", .default_arg = "1",
		  .call = set_level, .help = "Compress with zstd (default level: 1)" },
		{ .kind = OPT_BOOL, .long_name = "convert-callchain", .value = &o->convert,
		  .help = "Turn copies of user stacks (--call-graph dwarf) and branch stacks (lbr) into callchains" },
		{ .kind = OPT_BOOL, .short_name = 'b', .long_name = "build-ids", .value = &o->build_ids,
		  .help = "Add the build-ids of files with samples" },
		{ .kind = OPT_BOOL, .short_name = 'j', .long_name = "jit", .value = &o->jit,
		  .help = "Write the code in jit-PID.dump files as jitted-PID-N.so, and mappings of these" },
		{ .kind = OPT_BOOL, .long_name = "embed", .value = &o->embed,
		  .help = "Add the names of functions and source lines: no other file is needed to show the output" },
		{ .kind = OPT_STRING, .long_name = "symfs", .value = &c->symbols.symfs,
		  .arg_name = "dir", .help = "With --convert-callchain, --embed: look for all files below this directory" },
		{ .kind = OPT_BOOL, .short_name = 'f', .long_name = "force", .value = &c->force,
		  .help = "Read recordings of other owners, too" },
		{ .kind = OPT_COUNT, .short_name = 'v', .long_name = "verbose", .value = &verbose,
		  .help = "Say more" },
		TRACES_OPT("itrace", &c->traces, ""),
		MAX_MEMORY_OPT,
		LEFT_OUT(0, "strip", "it removes events that --itrace decoded; --convert-callchain removes stack copies"),
		LEFT_OUT('s', "sched-stat", USE_OTHER),
		LEFT_OUT(0, "buildid-all", USE_BUILD_IDS),
		LEFT_OUT('B', "mmap2-buildids", USE_BUILD_IDS),
		LEFT_OUT(0, "mmap2-buildid-all", USE_BUILD_IDS),
		LEFT_OUT_ARG(0, "known-build-ids", "list", USE_BUILD_IDS),
		LEFT_OUT_ARG('k', "vmlinux", "file", USE_NOTHING),
		LEFT_OUT(0, "ignore-vmlinux", USE_NOTHING),
		LEFT_OUT_ARG(0, "kallsyms", "file", USE_NOTHING),
		LEFT_OUT_ARG(0, "vm-time-correlation", "opts", USE_OTHER),
		LEFT_OUT_ARG(0, "guest-data", "opts", USE_OTHER),
		LEFT_OUT_ARG(0, "guestmount", "dir", USE_OTHER),
		{ .kind = OPT_END },
	};
	int first;

	*o = (struct inject_options){
		.output = "-",
		.config = { .unordered = true, .no_progress = true, .store_pipe = true, .as_recorded = true },
	};
	if (error_report(argparse(argc, argv, opts, "perf inject [<options>]", false, &first)))
		return -1;
	if (first < argc)
		return diag_error("'%s': perf inject takes no operands: -i names the input, -o the output",
				  argv[first]);
	if (o->jit && o->embed)
		return diag_error("--jit makes files whose names --embed can add only to its output: run perf inject --embed on that");
	c->no_unwind = !o->convert && !o->embed;
	if (o->embed)
		sample_names_config(&c->symbols);
	return 0;
}
