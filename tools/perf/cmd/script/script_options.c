// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of perf script: one table, and a function for each option with a complex
 * argument.
 */
#include "base/argparse.h"
#include "base/diag.h"
#include "base/error.h"
#include "cmd/script/script.h"
#include "cmd/values.h"

#define MAX_STACK 127	/* the default of kernel.perf_event_max_stack */

static struct error *set_fields(const struct opt *opt, const char *arg, bool unset __unused)
{
	return script_fields_parse(opt->value, arg) ? error_reported(EINVAL) : NULL;
}

static struct error *set_max_stack(const struct opt *opt, const char *arg, bool unset)
{
	char *end;
	unsigned long v = unset ? MAX_STACK : strtoul(arg, &end, 0);

	if (!unset && (end == arg || *end || *arg == '-' || v > UINT32_MAX))
		return error_create(EINVAL, "option --max-stack needs a number, not '%s'", arg);
	*(u32 *)opt->value = v;
	return NULL;
}

#define USE_PIPE "pipe the output of 'perf script' into the program"
#define USE_INJECT "decode instruction traces with 'perf inject --itrace' of linux-perf first"
#define USE_KVM "symbols of guests are not read; 'perf kvm' of linux-perf does"
#define SWITCH(long, var, text)								\
	{ .kind = OPT_BOOL, .long_name = long, .value = &var, .help = text }

/* The error for script names such as "perf script flamegraph", with the replacement here. */
static int no_program(const char *name, const char *next)
{
	static const struct {
		const char *name, *use;
	} programs[] = {
		{ "flamegraph", "perf report --flamegraph" },
		{ "stackcollapse", "perf report --folded" },
		{ "syscall-counts", "perf report -s id" },
		{ "sched-migration", "perf report -s comm,orig_cpu,dest_cpu" },
		{ "gecko", "perf data convert --to-firefox" },
		{ "export-to-sqlite", "perf data convert --to-jsonl" },
		{ "export-to-postgresql", "perf data convert --to-jsonl" },
	};
	size_t i;

	if (next && (!strcmp(name, "record") || !strcmp(name, "report")))
		name = next;
	for (i = 0; i < ARRAY_SIZE(programs); i++)
		if (!strcmp(name, programs[i].name))
			return diag_error("perf script %s is not part of this perf: use %s", name,
					  programs[i].use);
	return diag_error("perf script %s: there is no such script; perf script -l lists them", name);
}

/* "python", "Python:file" and "python:file" mean the same; Perl is not run. */
static const char *of_language(const char *arg)
{
	return !strncasecmp(arg, "python", 6) && (!arg[6] || arg[6] == ':') ? arg + 6 + !!arg[6] : NULL;
}

static struct error *gen_script(const struct opt *opt, const char *arg, bool unset __unused)
{
	if (!of_language(arg))
		return error_create(EINVAL, "-g: '%s': scripts are written in python", arg);
	((struct script_options *)opt->value)->gen_script = true;
	return NULL;
}

bool script_shows_records(const struct script_options *o)
{
	return o->show_task || o->show_mmap || o->show_switch || o->show_lost ||
	       o->show_namespaces || o->show_bpf || o->show_cgroup || o->show_text_poke ||
	       o->show_rounds || o->show_deferred;
}

int script_options_parse(struct script_options *o, int argc, char **argv)
{
	struct session_config *c = &o->config;
	bool demangle = true, merge = true;
	const struct opt opts[] = {
		{ OPT_GROUP, .help = "Input" },
		{ OPT_STRING, 'i', "input", &c->input, "file", .help = "Recording to read (default: perf.data, or standard input if it is a pipe)" },
		{ OPT_BOOL, 'f', "force", &c->force, .help = "Read recordings of other owners, too" },
		{ OPT_COUNT, 'v', "verbose", &verbose, .help = "Say more; the account of deferred callchains" },
		{ OPT_GROUP, .help = "What is printed of a sample" },
		{ OPT_CALLBACK, 'F', "fields", &o->fields, "[kind:]field,...", .call = set_fields, .help = "Fields to print: a list, or +field and -field; 'help' lists them" },
		{ OPT_BOOL, 'G', "hide-call-graph", &o->hide_callchain, .help = "No callchains: one line a sample" },
		{ OPT_CALLBACK, 0, "max-stack", &o->max_stack, "n", .call = set_max_stack, .help = "Frames of a callchain (default: 127)" },
		{ OPT_CALLBACK, 0, "stop-bt", &o->stop_bt, "name,...", .call = filter_opt_names, .help = "End callchains at these symbols" },
		{ OPT_BOOL, 0, "merge-callchains", &merge, .help = "Join samples with their deferred user callchains (default)" },
		SWITCH("ns", o->ns, "Times with 9 decimal places"),
		SWITCH("reltime", o->reltime, "Times since the first sample"),
		SWITCH("deltatime", o->deltatime, "Times since the previous sample"),
		{ OPT_CALLBACK, 0, "inline", &o->inlines, .call = opt_switch, .help = "Show inlined functions (default)" },
		SWITCH("function-starts", c->symbols.function_starts,
		       "Name functions without symbols by where they begin: sort+0x8850"),
		SWITCH("full-source-path", o->full_srcline, "srcline with the file's whole path"),
		SWITCH("show-kernel-path", o->kernel_path, "The files of the kernel's symbols as dso"),
		SWITCH("per-event-dump", o->per_event, "Print into a file for each event, RECORDING.EVENT.dump"),
		{ OPT_GROUP, .help = "Which samples" },
		FILTER_OPTIONS(o->filter, 0),
		EVENT_SWITCH_OPTIONS(o->filter.between),
		{ OPT_GROUP, .help = "Other records" },
		SWITCH("show-task-events", o->show_task, "Show COMM, FORK, EXIT"),
		SWITCH("show-mmap-events", o->show_mmap, "Show MMAP, MMAP2"),
		SWITCH("show-switch-events", o->show_switch, "Show SWITCH, SWITCH_CPU_WIDE"),
		SWITCH("show-lost-events", o->show_lost, "Show LOST"),
		SWITCH("show-namespace-events", o->show_namespaces, "Show NAMESPACES"),
		SWITCH("show-cgroup-events", o->show_cgroup, "Show CGROUP"),
		SWITCH("show-bpf-events", o->show_bpf, "Show KSYMBOL, BPF_EVENT"),
		SWITCH("show-text-poke-events", o->show_text_poke, "Show TEXT_POKE, KSYMBOL"),
		SWITCH("show-round-events", o->show_rounds, "Show FINISHED_ROUND"),
		{ OPT_GROUP, .help = "The recording itself" },
		SWITCH("header", o->header, "Show the header first"),
		SWITCH("header-only", o->header_only, "Show only the header"),
		{ OPT_BOOL, 'I', "show-info", &o->show_info, .help = "With --header or --header-only: topologies and caches, too" },
		{ OPT_BOOL, 'D', "dump-raw-trace", &o->dump, .help = "Dump every record (as perf report -D) before its text" },
		SWITCH("dump-unsorted-raw-trace", o->dump_unsorted, "The same in the order of the file"),
		{ OPT_GROUP, .help = "Scripts in Python" },
		{ OPT_STRING, 's', "script", &o->script, "file", .help = "Give each sample to this script" },
		{ OPT_CALLBACK, 'g', "gen-script", o, "language", .call = gen_script, .help = "Write perf-script.py for the events of the recording" },
		{ OPT_BOOL, 'l', "list", &o->list, .help = "List the scripts that another perf has installed" },
		{ OPT_GROUP, .help = "Symbols" },
		{ OPT_STRING, 'k', "vmlinux", &c->symbols.vmlinux, "file", .help = "Kernel image" },
		{ OPT_STRING, 0, "kallsyms", &c->symbols.kallsyms, "file", .help = "Kernel symbols, as in /proc/kallsyms" },
		{ OPT_STRING, 0, "symfs", &c->symbols.symfs, "dir", .help = "Look for all files below this directory" },
		MAX_MEMORY_OPT,
		SWITCH("demangle", demangle, "Show names of C++, Rust, OCaml and Java readably (default)"),
		SWITCH("demangle-kernel", c->symbols.demangle_kernel, "Demangle kernel symbols, too"),
		LEFT_OUT('L', "Latency", "use -F to choose fields"),
		LEFT_OUT_ARG(0, "dlfilter", "file", USE_PIPE),
		LEFT_OUT_ARG(0, "dlarg", "arg", USE_PIPE),
		LEFT_OUT(0, "list-dlfilters", USE_PIPE),
		TRACES_OPT("itrace", &c->traces, ""),
		TRACES_OPT("max-blocks", &c->traces, NULL),
		LEFT_OUT_ARG(0, "insn-trace", "raw", USE_INJECT),
		LEFT_OUT(0, "xed", USE_INJECT),
		LEFT_OUT(0, "call-trace", USE_INJECT),
		LEFT_OUT(0, "call-ret-trace", USE_INJECT),
		LEFT_OUT_ARG(0, "graph-function", "name", USE_INJECT),
		LEFT_OUT(0, "stitch-lbr", "callchains of --call-graph lbr are shown as recorded, not joined with earlier ones"),
		LEFT_OUT('a', "all-cpus", "'perf record -a' records all CPUs"),
		LEFT_OUT('d', "debug-mode", "damage and losses are always reported"),
		LEFT_OUT_ARG(0, "addr2line", "program", "source lines are read without a program's help"),
		LEFT_OUT_ARG(0, "guestmount", "dir", USE_KVM),
		LEFT_OUT_ARG(0, "guestvmlinux", "file", USE_KVM),
		LEFT_OUT_ARG(0, "guestkallsyms", "file", USE_KVM),
		LEFT_OUT_ARG(0, "guestmodules", "file", USE_KVM),
		LEFT_OUT(0, "guest-code", USE_KVM),
		{ OPT_END },
	};
	int first;

	*o = (struct script_options){ .max_stack = MAX_STACK, .inlines = 1 };
	script_fields_init(&o->fields);
	if (error_report(argparse(argc, argv, opts, "perf script [<options>] [<script>]", true, &first)))
		return -1;
	o->arguments = argv + first;
	if (o->script) {
		o->script = of_language(o->script) ?: o->script;
		if (strlen(o->script) > 3 && !strcmp(o->script + strlen(o->script) - 3, ".pl"))
			return diag_error("-s %s: scripts in Perl are not run: " USE_PIPE, o->script);
	} else if (first < argc && script_named(argv + first, argc - first) == -ENOENT) {
		return no_program(argv[first], argv[first + 1]);
	} else if (first < argc) {
		return -1;
	}
	if (o->reltime && o->deltatime && !o->header_only)
		return diag_error("--reltime and --deltatime exclude each other");
	o->dump |= o->dump_unsorted;
	o->show_deferred = !merge;
	c->no_merge_callchains = !merge;
	c->unordered = o->dump_unsorted;
	c->symbols.no_demangle = !demangle;
	c->all_tasks = script_shows_records(o);
	c->no_unwind = o->hide_callchain;
	c->as_recorded = o->dump;
	return 0;
}
