// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of perf report: one table, and functions for options with structured arguments.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/argparse.h"
#include "base/diag.h"
#include "base/error.h"
#include "cmd/report/report.h"
#include "cmd/values.h"
#include "tui/tui.h"

static struct error *opt_chain(const struct opt *opt, const char *arg, bool unset)
{
	struct report_options *o = opt->value;

	o->chain_set = true;
	if (unset) {
		o->hist.chain.mode = CHAIN_NONE;
		return NULL;
	}
	return chain_opt_parse(arg, &o->hist.chain);
}

static struct error *opt_percent_limit(const struct opt *opt, const char *arg, bool unset __unused)
{
	struct report_options *o = opt->value;
	char *end;
	double v = strtod(arg ? arg : "", &end);

	if (!arg || end == arg || *end || !(v >= 0) || v > 100)
		return error_create(EINVAL, "--percent-limit: '%s' is not a percentage", arg ? arg : "");
	o->stdio.percent_limit = v;
	o->hist.chain.min_percent = v;
	return NULL;
}

static struct error *opt_interface(const struct opt *opt, const char *arg __unused, bool unset)
{
	enum report_ui *ui = opt->value;
	bool text = !strcmp(opt->long_name, "stdio");

	*ui = text == unset ? UI_TUI : UI_STDIO;
	return NULL;
}

static struct error *opt_gtk(const struct opt *opt __unused, const char *arg __unused,
			     bool unset __unused)
{
	diag_warn("--gtk: there are --stdio and --tui");
	return NULL;
}

static struct error *opt_colour(const struct opt *opt, const char *arg, bool unset)
{
	struct report_options *o = opt->value;

	o->colour = unset ? "never" : arg;
	return NULL;
}

static struct error *opt_verbose_quiet(const struct opt *opt, const char *arg __unused, bool unset)
{
	struct report_options *o = opt->value;

	verbose = unset ? 0 : -1;
	o->quiet = !unset;
	return NULL;
}

static struct error *opt_compute(const struct opt *opt, const char *arg, bool unset __unused)
{
	static const char *const names[] = {
		[DIFF_DELTA_ABS] = "delta-abs", [DIFF_DELTA] = "delta", [DIFF_RATIO] = "ratio",
	};
	u32 i;

	for (i = 0; arg && i < ARRAY_SIZE(names); i++) {
		if (!strcmp(arg, names[i])) {
			*(enum diff_compute *)opt->value = i;
			return NULL;
		}
	}
	return error_create(EINVAL, "--compute: '%s' is not delta-abs, delta or ratio", arg ?: "");
}

static struct error *opt_quantum(const struct opt *opt, const char *arg, bool unset __unused)
{
	struct report_options *o = opt->value;
	char *end;
	double v = strtod(arg ? arg : "", &end);
	double scale = !strcmp(end, "s") || !*end ? 1e9 : !strcmp(end, "ms") ? 1e6 :
		       !strcmp(end, "us") ? 1e3 : !strcmp(end, "ns") ? 1 : 0;

	if (end == arg || !scale || !(v * scale >= 1) || v * scale > 1e18)
		return error_create(EINVAL, "--time-quantum: '%s' is not a time such as 100ms", arg);
	o->hist.time_quantum = v * scale;
	return NULL;
}

/* Reject invalid values and combinations of options. Return: 0, or -1 after diag_error(). */
static int check_options(struct report_options *o, const char *percentage)
{
	struct hist_config *c = &o->hist;

	if (percentage) {
		c->relative = !strcmp(percentage, "relative");
		if (!c->relative && strcmp(percentage, "absolute"))
			return diag_error("--percentage: '%s' is neither relative nor absolute", percentage);
	}
	if (o->kernel_side && o->user_side)
		return diag_error("--kernel and --user exclude each other");
	if (o->jobs < 0)
		return diag_error("--jobs: %d is not a number of CPUs", o->jobs);
	if (o->max_stack < 0)
		return diag_error("--max-stack: %d is not a number of frames", o->max_stack);
	c->max_stack = o->max_stack;
	if (o->stdio.sep) {
		o->hist.full_names = true;
		if (!strcmp(o->stdio.sep, "\\t"))
			o->stdio.sep = "\t";
		if (!strcmp(o->stdio.sep, "."))
			return diag_error("-t: '.' stands for the separator in names; choose another");
	}
	if (o->inverted)
		c->chain.caller = c->chain.order_set = true;
	if (o->nr_more && o->flamegraph)
		return diag_error("--flamegraph: a picture is of two recordings, not %u", 2 + o->nr_more);
	if (o->diff && !o->flamegraph) {
		if (o->dump || o->stats || o->tasks || o->mmaps || o->total_cycles ||
		    o->hierarchy || o->threads)
			return diag_error("--diff: a difference is a table, --folded or --flamegraph");
		o->diff_paths = o->chain_set && !o->folded && c->chain.mode != CHAIN_NONE;
		o->folded |= o->diff_paths;
		o->children = o->children > 0;
		if (!o->sort && !o->folded)
			o->sort = "dso,symbol";
		if (!o->folded)
			c->chain.mode = CHAIN_NONE;
	}
	if (o->hierarchy && o->fields)
		return diag_error("--hierarchy and --fields cannot be used together");
	o->stdio.hierarchy = o->hierarchy;
	o->stdio.socket = o->socket;
	o->stdio.no_comments = o->quiet;
	return 0;
}

/* @option: -1: neither --function-starts nor --no-function-starts was given */
static int function_starts(struct report_options *o, int option)
{
	const char *value;
	bool on = true;

	if (setting_get("report.function-starts", &value))
		return -1;
	if (value)
		value_bool(value, &on);
	o->cfg.symbols.function_starts = option < 0 ? on : option;
	return 0;
}

/* Choose text or browser by command line and settings. Return: 0, or -1 after diag_error() */
static int choose_ui(struct report_options *o)
{
	const char *value, *missing, *other = o->diff ? "--diff" : o->dump ? "-D" : o->flamegraph ? "--flamegraph" :
		o->folded ? "--folded" : o->stats ? "--stats" : o->tasks ? "--tasks" :
		o->mmaps ? "--mmaps" : o->total_cycles ? "--total-cycles" : o->hierarchy ? "--hierarchy" : NULL;
	/* Options about text, and PERF_PAGER, imply it. */
	bool text = o->stdio.sep || o->stdio.widths || o->colour || o->header || o->hierarchy ||
		    o->quiet || getenv("PERF_PAGER");
	bool asked = o->ui == UI_TUI;

	if (setting_get("report.ui", &value))
		return -1;
	if (o->ui == UI_AUTO && value && strcmp(value, "auto"))
		o->ui = strcmp(value, "tui") ? UI_STDIO : UI_TUI;
	if (other && asked)
		return diag_error("--tui: %s is not shown in the browser", other);
	if (other || o->ui == UI_STDIO || (o->ui == UI_AUTO && text)) {
		o->ui = UI_STDIO;
		return 0;
	}
	missing = tui_missing();
	if (missing && asked)
		return diag_error("--tui: %s; --stdio prints text", missing);
	o->ui = missing ? UI_STDIO : UI_TUI;
	return 0;
}

/* perf diff compares OLD NEW..., perf.data.old and perf.data, or two times of one recording. */
static int diff_operands(struct report_options *o, char **files, int nr)
{
	if (o->cfg.input || (o->before_time && nr > 1))
		return diag_error("perf diff takes recordings as operands: OLD NEW..., with --before-time one");
	o->cfg.input = !nr ? "perf.data" : files[nr > 1];
	o->diff = o->before_time ? o->cfg.input : nr > 1 ? files[0] : "perf.data.old";
	o->more = files + 2;
	o->nr_more = nr > 2 ? nr - 2 : 0;
	return 0;
}

static void __attribute__((noreturn)) list_keys(void)
{
	_cleanup_outbuf_ struct outbuf o = { 0 };

	hist_key_names(&o);
	puts(outbuf_text(&o));
	exit(0);
}

/* True if sort keys need data symbols. */
static bool names_data(const char *keys)
{
	return keys && (strcasestr(keys, "daddr") || strcasestr(keys, "dcacheline"));
}

int report_options_parse(struct report_options *o, char **words, int argc, char **argv)
{
	struct hist_config *c = &o->hist;
	struct symbol_config *sym = &o->cfg.symbols;
	bool demangle = true, inlines = true;
	const char *percentage = NULL, *prefix = NULL, *prefix_strip = NULL;
	int operand, starts = -1;
	const struct opt opts[] = {
		{ OPT_GROUP, .help = "What to read" },
		{ OPT_STRING, 'i', "input", &o->cfg.input, "file", .help = "the recording (perf.data; - for a pipe)" },
		{ OPT_BOOL, 'f', "force", &o->cfg.force, .help = "do not insist that the file is ours" },
		{ OPT_STRING, 'k', "vmlinux", &sym->vmlinux, "file", .help = "kernel symbols from this vmlinux" },
		{ OPT_STRING, 0, "kallsyms", &sym->kallsyms, "file", .help = "kernel symbols from this kallsyms" },
		{ OPT_STRING, 0, "symfs", &sym->symfs, "dir", .help = "look for files with symbols under this directory" },
		{ OPT_BOOL, 0, "demangle", &demangle, .help = "show names of C++, Rust, OCaml and Java as in the source" },
		{ OPT_BOOL, 0, "demangle-kernel", &sym->demangle_kernel, .help = "kernel names, too" },
		{ OPT_BOOL, 0, "inline", &inlines, .help = "show inlined functions (default)" },

		{ OPT_INT, 'j', "jobs", &o->jobs, "n", .help = "work on so many CPUs (all)" },
		MAX_MEMORY_OPT,

		{ OPT_GROUP, .help = "What to show" },
		{ OPT_STRING, 's', "sort", &o->sort, "keys", .help = "tell rows apart by these (comm,dso,symbol); 'help' lists them" },
		{ OPT_STRING, 'F', "fields", &o->fields, "fields", .help = "columns; +field adds to the default" },
		{ OPT_CALLBACK, 'g', "call-graph", o, "how", "graph|flat|fractal|folded|none, a threshold "
		  "in %, a print limit, caller|callee, function|address|srcline, percent|period|count",
		  .default_arg = "", .takes_next = true, .call = opt_chain },
		{ OPT_BOOL, 'G', "inverted", &o->inverted, .help = "call graphs from the outermost caller down" },
		{ OPT_CALLBACK, 'b', "branch-stack", &o->branches, .call = opt_switch,
		  .help = "a row for branches of a kind, where they were recorded" },
		{ OPT_BOOL, 0, "branch-history", &o->branch_history, .help = "call graphs of the branches before each sample (record -b)" },
		{ OPT_BOOL, 0, "mem-mode", &o->mem_mode, .help = "rows of memory accesses, by weight (perf mem record, record -d -W)" },
		{ OPT_CALLBACK, 0, "children", &o->children, .call = opt_switch,
		  .help = "add callees' samples to their callers' rows" },
		{ OPT_BOOL, 0, "latency", &o->latency, .help = "order rows by how much wall-clock time they took "
		  "(record --latency)" },
		{ OPT_BOOL, 'n', "show-nr-samples", &o->nr_samples, .help = "a column of the samples" },
		{ OPT_BOOL, 0, "show-total-period", &o->total_period, .help = "a column of the periods" },
		{ OPT_BOOL, 0, "total-period", &o->total_period, .help = "likewise", .hidden = true },
		{ OPT_BOOL, 0, "show-cpu-utilization", &o->sys_us, .help = "columns of kernel and user side" },
		{ OPT_BOOL, 0, "showcpuutilization", &o->sys_us, .help = "the same" },
		{ OPT_CALLBACK, 0, "percent-limit", o, "percent", "hide rows and call graphs under this",
		  .call = opt_percent_limit },
		{ OPT_STRING, 0, "percentage", &percentage, "how", .help = "relative to what the filters leave, or absolute" },
		{ OPT_CALLBACK, 0, "group", &o->group, .help = "events of a group in one table", .call = opt_switch },
		{ OPT_INT, 0, "group-sort-idx", &o->group_sort_idx, "n", .help = "sort by this member of the group" },
		{ OPT_BOOL, 0, "hierarchy", &o->hierarchy, .help = "nest rows by their keys" },
		{ OPT_INT, 0, "max-stack", &o->max_stack, "n", .help = "look at so many frames of a stack" },
		{ OPT_STRING, 0, "ignore-callees", &o->ignore_callees, "regex", .help = "end stacks at these functions" },
		{ OPT_STRING, 'p', "parent", &o->parent, "regex", .help = "caller that the sort key parent looks for" },
		{ OPT_BOOL, 'x', "exclude-other", &o->exclude_other, .help = "only samples with such a parent" },
		{ OPT_CALLBACK, 0, "time-quantum", o, "time", "resolution of the sort key time (100ms)",
		  .call = opt_quantum },
		{ OPT_BOOL, 0, "ns", &c->time_ns, .help = "times in nanoseconds" },
		{ OPT_BOOL, 0, "full-names", &c->full_names, .help = "long names of functions in full" },
		{ OPT_BOOL, 0, "full-source-path", &c->full_srcline, .help = "whole paths of source files" },
		{ OPT_BOOL, 0, "raw-trace", &c->raw_trace, .help = "tracepoint fields as recorded" },

		{ OPT_GROUP, .help = "Which samples" },
		FILTER_OPTIONS(o->filter, 'd'),
		{ OPT_CALLBACK, 0, "parallelism", &o->filter.parallelism, "n,...",
		  "while so many threads ran: 1,4-8", .call = filter_opt_numbers },
		EVENT_SWITCH_OPTIONS(o->filter.between),
		{ OPT_STRING, 0, "symbol-filter", &c->symbol_filter, "part", .help = "in functions with this in their name" },
		{ OPT_INT, 0, "socket-filter", &o->socket, "n", .help = "on this processor socket" },
		{ OPT_BOOL, 'U', "hide-unresolved", &o->hide_unresolved, .help = "only with a known function" },
		{ OPT_BOOL, 0, "kernel", &o->kernel_side, .help = "only the kernel side of stacks" },
		{ OPT_BOOL, 0, "user", &o->user_side, .help = "only the user side of stacks" },

		{ OPT_GROUP, .help = "How to print it" },
		{ OPT_BOOL, 0, "total-cycles", &o->total_cycles, .help = "blocks of code by the cycles they took (record -b)" },
		{ OPT_BOOL, 'T', "threads", &o->threads, .help = "also the counts of each thread (record -s)" },
		{ OPT_CALLBACK, 0, "stdio", &o->ui, .help = "as text", .call = opt_interface },
		{ OPT_CALLBACK, 0, "stdio-color", o, "when", "always, never or auto", .default_arg = "always",
		  .takes_next = true, .call = opt_colour },
		{ OPT_CALLBACK, 0, "tui", &o->ui, .help = "in a browser on the terminal (default there)",
		  .call = opt_interface },
		{ OPT_CALLBACK, 0, "gtk", .call = opt_gtk, .hidden = true },
		{ OPT_STRING, 't', "field-separator", &o->stdio.sep, "sep", .help = "between columns, without padding" },
		{ OPT_STRING, 'w', "column-widths", &o->stdio.widths, "n,n...", .help = "0: as wide as needed" },
		{ OPT_BOOL, 0, "header", &o->header, .help = "also what the recording says of itself" },
		{ OPT_BOOL, 0, "header-only", &o->header_only, .help = "nothing else" },
		{ OPT_BOOL, 'I', "show-info", &o->show_info, .help = "all of it" },
		{ OPT_STRING, 0, "flamegraph", &o->flamegraph, "file", .help = "a flame graph as SVG (flamegraph.svg)",
		  .default_arg = "flamegraph.svg" },
		{ OPT_STRING, 0, "diff", &o->diff, "file", .help = "what changed since this recording: perf-diff(1); a flame graph is coloured by it" },
		/* For perf diff, which has their help */
		{ OPT_STRING, 0, "before-time", &o->before_time, "start,stop", .hidden = true },
		{ OPT_CALLBACK, 0, "compute", &o->compute, "how", .call = opt_compute, .hidden = true },
		{ OPT_BOOL, 0, "baseline-only", &o->baseline_only, .hidden = true },
		{ OPT_INT, 0, "order", &o->diff_order, "n", .hidden = true },
		{ OPT_BOOL, 0, "folded", &o->folded, .help = "one line a stack: a;b;c COUNT" },
		{ OPT_CALLBACK, 0, "function-starts", &starts, .call = opt_switch,
		  .help = "name functions without symbols by where they begin: sort+0x8850 (default)" },
		{ OPT_BOOL, 0, "stats", &o->stats, .help = "only count the records" },
		{ OPT_BOOL, 0, "tasks", &o->tasks, .help = "only the recorded tasks" },
		{ OPT_BOOL, 0, "mmaps", &o->mmaps, .help = "tasks with their maps" },
		{ OPT_BOOL, 'D', "dump-raw-trace", &o->dump, .help = "the records as they stand in the file" },
		{ OPT_BOOL, 0, "skip-empty", &o->skip_empty, .help = "no column for an event of a group that has no samples" },
		{ OPT_COUNT, 'v', "verbose", &verbose, .help = "say more" },
		{ OPT_CALLBACK, 'q', "quiet", o, .help = "say nothing but the answer", .call = opt_verbose_quiet },

		/* Accepted by mainline; without effect on text output. */
		IGNORED('m', "modules", NULL),
		IGNORED('M', "disassembler-style", "style"),
		IGNORED(0, "source", NULL),
		IGNORED(0, "asm-raw", NULL),
		IGNORED(0, "objdump", "path"),
		IGNORED(0, "addr2line", "path"),
		IGNORED(0, "pretty", "key"),
		IGNORED(0, "samples", "n"),
		IGNORED(0, "ignore-vmlinux", NULL),
		IGNORED(0, "disable-order", NULL),
		IGNORED(0, "percent-type", "type"),
		TRACES_OPT("itrace", &o->cfg.traces, ""),
		{ OPT_CALLBACK, 0, "stitch-lbr", .help = "callchains of --call-graph lbr are shown as they were recorded, not joined with those before",
		  .call = opt_not_here, .hidden = true },
		{ OPT_CALLBACK, 0, "max-blocks", NULL, "n", "branch records are added up by block for --total-cycles alone",
		  .call = opt_not_here, .hidden = true },
		{ OPT_CALLBACK, 0, "show-ref-call-graph", .help = "-g shows what each event has recorded",
		  .call = opt_not_here, .hidden = true },
		/* For annotated sources, which text output does not have. */
		{ OPT_STRING, 0, "prefix", &prefix, "dir", .hidden = true },
		{ OPT_STRING, 0, "prefix-strip", &prefix_strip, "n", .hidden = true },
		{ .kind = OPT_END },
	};

	*o = (struct report_options){ .hist.chain = CHAIN_OPT_DEFAULT, .words = words };
	o->socket = o->children = o->branches = o->group = -1;
	o->skip_empty = true;
	o->diff_order = 1;
	c->time_quantum = 100000000;
	if (error_report(argparse(argc, argv, opts, "perf report [<options>]", false, &operand)))
		return -1;
	if ((o->sort && !strcmp(o->sort, "help")) || (o->fields && !strcmp(o->fields, "help")))
		list_keys();
	if (o->diff && !*o->diff) {
		if (diff_operands(o, argv + operand, argc - operand))
			return -1;
	} else if (operand < argc) {
		/* perf report FILE is accepted; a second operand is an error. */
		if (o->cfg.input || operand + 1 < argc)
			return diag_error("'%s': perf report takes one recording: -i FILE", argv[argc - 1]);
		o->cfg.input = argv[operand];
	}
	if (prefix_strip && !prefix)
		return diag_error("--prefix-strip: of which prefix? It needs --prefix");
	sym->no_demangle = !demangle;
	sym->data = o->mem_mode || names_data(o->sort) || names_data(o->fields);
	if (function_starts(o, starts))
		return -1;
	c->inlines = inlines;
	if (check_options(o, percentage) || choose_ui(o))
		return -1;
	if (o->dump)
		o->cfg.no_merge_callchains = o->cfg.no_unwind = o->cfg.as_recorded = true;
	o->cfg.parallelism = !o->dump && !o->stats && !o->tasks && !o->mmaps;
	return 0;
}

void report_options_deinit(struct report_options *o)
{
	filter_deinit(&o->filter);
}
