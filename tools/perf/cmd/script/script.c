// SPDX-License-Identifier: GPL-2.0
/*
 * perf script: the samples of a recording as text.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/argparse.h"
#include "base/diag.h"
#include "base/progress.h"
#include "cmd/cmd.h"
#include "cmd/dump/dump.h"
#include "cmd/header/header.h"
#include "cmd/script/script.h"

#define MAX_WORKERS 16

/* Frames that all workers together keep: more than programs have, less than a file can make up. */
#define MAX_FRAMES (1u << 18)
#define MAX_STACK 127	/* as much as the kernel records unless it is told otherwise */

static struct session_config config;
static struct script_options options = { .max_stack = MAX_STACK };
static struct script_fields fields;
static bool demangle = true, merge = true;
static int inlines = -1;		/* -1: as the recording suggests */

static int set_fields(const struct opt *opt __unused, const char *arg, bool unset __unused)
{
	return script_fields_parse(&fields, arg);
}

static int set_max_stack(const struct opt *opt __unused, const char *arg, bool unset)
{
	char *end;
	unsigned long v = unset ? MAX_STACK : strtoul(arg, &end, 0);

	if (!unset && (end == arg || *end || *arg == '-' || v > UINT32_MAX))
		return diag_error("option --max-stack wants a number, not '%s'", arg);
	options.max_stack = v;
	return 0;
}

static int set_inlines(const struct opt *opt __unused, const char *arg __unused, bool unset)
{
	inlines = !unset;
	return 0;
}

/* Options that other perfs have: one line says what to use. */
static int left_out(const struct opt *opt, const char *arg __unused, bool unset __unused)
{
	return diag_error("--%s is not part of this perf: %s", opt->long_name,
			  (const char *)opt->value);
}

#define USE_PIPE "pipe the output of 'perf script' into the program"
#define USE_INJECT "decode instruction traces with 'perf inject --itrace' of linux-perf first"
#define USE_KVM "symbols of guests are not read; 'perf kvm' of linux-perf does"
#define LEFT_OUT(short, long, arg, instead)						\
	{ .kind = OPT_CALLBACK, .short_name = short, .long_name = long, .arg_name = arg,	\
	  .call = left_out, .value = instead, .hidden = true, .default_arg = arg ? "" : NULL }
#define SWITCH(long, var, text)								\
	{ .kind = OPT_BOOL, .long_name = long, .value = &var, .help = text }

static bool header, header_only, show_info, dump, dump_unsorted, per_event;

static const struct opt opts[] = {
	{ .kind = OPT_GROUP, .help = "Input" },
	{ .kind = OPT_STRING, .short_name = 'i', .long_name = "input", .value = &config.input,
	  .arg_name = "file", .help = "Recording to read (default: perf.data, or standard input if it is a pipe)" },
	{ .kind = OPT_BOOL, .short_name = 'f', .long_name = "force", .value = &config.force,
	  .help = "Read recordings of other owners, too" },
	{ .kind = OPT_COUNT, .short_name = 'v', .long_name = "verbose", .value = &verbose,
	  .help = "Say more; the account of deferred callchains" },
	{ .kind = OPT_GROUP, .help = "What is printed of a sample" },
	{ .kind = OPT_CALLBACK, .short_name = 'F', .long_name = "fields", .arg_name = "[kind:]field,...",
	  .help = "Fields to print: a list, or +field and -field; 'help' lists them",
	  .call = set_fields },
	{ .kind = OPT_BOOL, .short_name = 'G', .long_name = "hide-call-graph",
	  .value = &options.hide_callchain, .help = "No callchains: one line a sample" },
	{ .kind = OPT_CALLBACK, .long_name = "max-stack", .arg_name = "n",
	  .help = "Frames of a callchain (default: 127)", .call = set_max_stack },
	{ .kind = OPT_CALLBACK, .long_name = "stop-bt", .value = &options.stop_bt,
	  .arg_name = "name,...", .help = "End callchains at these symbols",
	  .call = filter_opt_names },
	{ .kind = OPT_BOOL, .long_name = "merge-callchains", .value = &merge,
	  .help = "Join samples with their deferred user callchains (default)" },
	SWITCH("ns", options.ns, "Times with 9 digits behind the point"),
	SWITCH("reltime", options.reltime, "Times since the first sample"),
	SWITCH("deltatime", options.deltatime, "Times since the sample before"),
	{ .kind = OPT_CALLBACK, .long_name = "inline", .call = set_inlines,
	  .help = "Show inlined functions (default for dwarf recordings)" },
	SWITCH("full-source-path", options.full_srcline, "srcline with the file's whole path"),
	SWITCH("show-kernel-path", options.kernel_path, "The files of the kernel's symbols as dso"),
	SWITCH("per-event-dump", per_event, "Print into a file for each event, RECORDING.EVENT.dump"),
	{ .kind = OPT_GROUP, .help = "Which samples" },
	FILTER_OPTIONS(options.filter, 0),
	{ .kind = OPT_STRING, .long_name = "switch-on", .value = &options.switch_on,
	  .arg_name = "event", .help = "Only from where this event comes" },
	{ .kind = OPT_STRING, .long_name = "switch-off", .value = &options.switch_off,
	  .arg_name = "event", .help = "Only up to where this event comes" },
	SWITCH("show-on-off-events", options.show_on_off, "These two, too"),
	{ .kind = OPT_GROUP, .help = "Other records" },
	SWITCH("show-task-events", options.show_task, "Show COMM, FORK, EXIT"),
	SWITCH("show-mmap-events", options.show_mmap, "Show MMAP, MMAP2"),
	SWITCH("show-switch-events", options.show_switch, "Show SWITCH, SWITCH_CPU_WIDE"),
	SWITCH("show-lost-events", options.show_lost, "Show LOST"),
	SWITCH("show-namespace-events", options.show_namespaces, "Show NAMESPACES"),
	SWITCH("show-cgroup-events", options.show_cgroup, "Show CGROUP"),
	SWITCH("show-bpf-events", options.show_bpf, "Show KSYMBOL, BPF_EVENT"),
	SWITCH("show-text-poke-events", options.show_text_poke, "Show TEXT_POKE, KSYMBOL"),
	SWITCH("show-round-events", options.show_rounds, "Show FINISHED_ROUND"),
	{ .kind = OPT_GROUP, .help = "The recording itself" },
	SWITCH("header", header, "Show the header first"),
	SWITCH("header-only", header_only, "Show only the header"),
	{ .kind = OPT_BOOL, .short_name = 'I', .long_name = "show-info", .value = &show_info,
	  .help = "Show the header with topologies and caches" },
	{ .kind = OPT_BOOL, .short_name = 'D', .long_name = "dump-raw-trace", .value = &dump,
	  .help = "Dump every record (as perf report -D) in front of what is printed of it" },
	SWITCH("dump-unsorted-raw-trace", dump_unsorted, "The same in the order of the file"),
	{ .kind = OPT_GROUP, .help = "Symbols" },
	{ .kind = OPT_STRING, .short_name = 'k', .long_name = "vmlinux",
	  .value = &config.symbols.vmlinux, .arg_name = "file", .help = "Kernel image" },
	{ .kind = OPT_STRING, .long_name = "kallsyms", .value = &config.symbols.kallsyms,
	  .arg_name = "file", .help = "Kernel symbols, as in /proc/kallsyms" },
	{ .kind = OPT_STRING, .long_name = "symfs", .value = &config.symbols.symfs,
	  .arg_name = "dir", .help = "Look for all files below this directory" },
	SWITCH("demangle", demangle, "Show C++ and Rust names readably (default)"),
	SWITCH("demangle-kernel", config.symbols.demangle_kernel, "Demangle kernel symbols, too"),
	LEFT_OUT('s', "script", "file", USE_PIPE),
	LEFT_OUT('g', "gen-script", "lang", USE_PIPE),
	LEFT_OUT('l', "list", NULL, USE_PIPE),
	LEFT_OUT('L', "Latency", NULL, "use -F to choose fields"),
	LEFT_OUT(0, "dlfilter", "file", USE_PIPE),
	LEFT_OUT(0, "dlarg", "arg", USE_PIPE),
	LEFT_OUT(0, "list-dlfilters", NULL, USE_PIPE),
	LEFT_OUT(0, "itrace", "opts", USE_INJECT),
	LEFT_OUT(0, "insn-trace", "raw", USE_INJECT),
	LEFT_OUT(0, "xed", NULL, USE_INJECT),
	LEFT_OUT(0, "call-trace", NULL, USE_INJECT),
	LEFT_OUT(0, "call-ret-trace", NULL, USE_INJECT),
	LEFT_OUT(0, "graph-function", "name", USE_INJECT),
	LEFT_OUT(0, "max-blocks", "n", USE_INJECT),
	LEFT_OUT(0, "stitch-lbr", NULL, "record with --call-graph fp or dwarf for whole callchains"),
	LEFT_OUT('a', "all-cpus", NULL, "'perf record -a' records all CPUs"),
	LEFT_OUT('d', "debug-mode", NULL, "damage and losses are always told"),
	LEFT_OUT(0, "addr2line", "program", "source lines are read without a program's help"),
	LEFT_OUT(0, "guestmount", "dir", USE_KVM),
	LEFT_OUT(0, "guestvmlinux", "file", USE_KVM),
	LEFT_OUT(0, "guestkallsyms", "file", USE_KVM),
	LEFT_OUT(0, "guestmodules", "file", USE_KVM),
	LEFT_OUT(0, "guest-code", NULL, USE_KVM),
	{ .kind = OPT_END },
};

struct gathering;

struct run {
	struct session *s;
	struct printer p;
	struct script_split *split;	/* NULL: all goes to one place */
	struct gathering *gathering;	/* NULL: this is the only one */
	u32 max_frames;
	u64 passed;			/* samples */
};

/* Start over with none: what is still needed is found again. */
static void forget_frames(struct run *r)
{
	frame_cache_destroy(r->p.frames);
	arena_deinit(&r->p.arena);
	r->p.frames = frame_cache_create(r->s->timeline, options.inlines);
}

/* Between the events that switch printing on and off? */
static bool switched_on(const struct script_options *o, struct printer *p, const struct event *ev)
{
	const char *turn = p->switched_off ? o->switch_on : o->switch_off;

	if (!turn || strcmp(ev->name, turn))
		return !p->switched_off;
	p->switched_off = !p->switched_off;
	return o->show_on_off;
}

static bool wanted(const struct script_options *o, struct printer *p, const struct sample *s,
		   const struct callchain *cc, const struct thread *t)
{
	const struct filter *filter = &o->filter;
	struct timeline *tl = p->s->timeline;
	char tmp[THREAD_NAME_SIZE];
	const struct frame *f;

	if ((o->switch_on || o->switch_off) && !switched_on(o, p, s->event))
		return false;
	if (!filter_sample(filter, s))
		return false;
	if (!filter_task(filter, s, filter->comms.arg ?
			 thread_comm_at(tl, t, cc->time, -1, tmp) : NULL))
		return false;
	if (!filter_wants_place(filter))
		return true;
	f = frame_resolve(p->frames, timeline_space(tl, t, s->cpumode, cc->time), s->ip, s->cpumode,
			  cc->time);
	return filter_place(filter, f->dso, f->sym, filter_address(filter, f));
}

static int on_sample(void *ctx, const struct sample *s, const struct callchain *cc,
		     const struct thread *t)
{
	struct run *r = ctx;

	if (unlikely(frame_cache_nr(r->p.frames) > r->max_frames))
		forget_frames(r);
	if (!wanted(&options, &r->p, s, cc, t))
		return 0;
	r->passed++;
	if (r->split) {
		r->p.out = script_split_out(r->split, s->event, true);
		if (!r->p.out)
			return -EIO;
	}
	print_sample(&r->p, s, cc, t);
	return r->p.out->err;
}

static int on_record(void *ctx, const struct record *rec, const struct event *ev, u64 time)
{
	struct run *r = ctx;

	if (r->split && ev) {
		r->p.out = script_split_out(r->split, ev, false);
		if (!r->p.out)
			return -EIO;
	}
	print_record(&r->p, rec, ev, time);
	return r->p.out->err;
}

/* On several cores: each worker prints into the buffer of the chunk that it works on. */
struct gathering {
	struct outbuf chunks[SESSION_CHUNKS];
	struct outbuf *out;
};

static void on_chunk(void *ctx, u32 chunk)
{
	struct run *r = ctx;

	r->p.out = &r->gathering->chunks[chunk];
}

static int on_gather(void *ctx, u32 nr)
{
	struct gathering *g = ctx;
	u32 i;

	for (i = 0; i < nr; i++) {
		outbuf_write(g->out, g->chunks[i].base, g->chunks[i].pos - g->chunks[i].base);
		g->chunks[i].pos = g->chunks[i].base;
	}
	return g->out->err;
}

/* How the samples of each event are printed; NULL after diag_error(). */
static struct event_format *event_formats(const struct session *s, struct arena *arena)
{
	const struct event_list *events = s->events;
	struct event_format *formats = arena_alloc(arena, events->nr * sizeof(*formats));
	size_t width = 0, len;
	u32 i;

	for (i = 0; i < events->nr; i++)
		width = max(width, strlen(events->events[i]->name));
	for (i = 0; i < events->nr; i++) {
		const struct event *ev = events->events[i];
		struct event_format *f = &formats[i];

		if (script_fields_check(&fields, ev, !options.hide_callchain, &f->fields))
			return NULL;
		if (f->fields & FIELD(TOD) && !s->features->clock_wall_ns) {
			diag_error("-F: tod needs the time of day, which is recorded with 'perf record "
				   "-k CLOCK'");
			return NULL;
		}
		f->callchain = !options.hide_callchain && f->fields & FIELD(IP) &&
			       ev->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
		len = strlen(ev->name);
		f->name = arena_alloc(arena, width + 3);
		memset(f->name, ' ', width - len);
		memcpy(f->name + width - len, ev->name, len);
		memcpy(f->name + width, ": ", 3);
		f->name_len = width + 2;
	}
	return formats;
}

/* The fields with which most frames will be printed. */
static u64 frame_fields(const struct session *s, const struct event_format *formats)
{
	u64 all = 0;
	u32 i;

	for (i = 0; i < s->events->nr; i++)
		all |= formats[i].fields & SCRIPT_FRAME;
	return all;
}

static void print_account(const struct deferred_account *a)
{
	if (!a->deferred && !a->records)
		return;
	diag_info(1, "deferred callchains: %llu samples: %llu stitched, %llu unreadable, "
		  "%llu lost, %llu never returned; %llu records, %llu of them without a sample",
		  a->deferred, a->stitched, a->unreadable, a->lost, a->never_returned, a->records,
		  a->orphan_records);
}

static void run_init(struct run *r, struct session *s, const struct event_format *formats,
		     u32 nr_workers)
{
	*r = (struct run){
		.s = s, .max_frames = MAX_FRAMES / nr_workers,
		.p = {
			.s = s, .opts = &options, .formats = formats,
			.frame_fields = frame_fields(s, formats),
			.start_time = -1, .last_time = -1, .switched_off = options.switch_on,
			.frames = frame_cache_create(s->timeline, options.inlines),
		},
	};
	outbuf_init(&r->p.scratch, -1);
}

static void run_deinit(struct run *r)
{
	outbuf_deinit(&r->p.scratch);
	frame_cache_destroy(r->p.frames);
	arena_deinit(&r->p.arena);
}

/* Are records shown that are not samples? */
static bool shows_records(const struct script_options *o)
{
	return o->show_task || o->show_mmap || o->show_switch || o->show_lost ||
	       o->show_namespaces || o->show_bpf || o->show_cgroup || o->show_text_poke ||
	       o->show_rounds || o->show_deferred;
}

/* Several cores pay when there is much to print, and no line depends on the one before. */
static u32 nr_workers(const struct session *s)
{
	const struct script_options *o = &options;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (shows_records(o) || o->reltime || o->deltatime || dump || per_event || o->switch_on ||
	    o->switch_off)
		return 1;
	if (s->stats.nr_samples < 20000 || !session_team_possible(s))
		return 1;
	return max(1L, min(cpus, (long)MAX_WORKERS));
}

static int run_team(struct session *s, const struct event_format *formats, struct outbuf *out,
		    u32 nr, u64 *passed)
{
	struct session_ops ops = { .sample = on_sample, .chunk = on_chunk, .gather = on_gather };
	struct gathering g = { .out = out };
	struct run runs[MAX_WORKERS];
	void *workers[MAX_WORKERS];
	u32 i;
	int ret;

	for (i = 0; i < SESSION_CHUNKS; i++)
		outbuf_init(&g.chunks[i], -1);
	for (i = 0; i < nr; i++) {
		run_init(&runs[i], s, formats, nr);
		runs[i].gathering = &g;
		workers[i] = &runs[i];
	}
	ret = session_run_team(s, &ops, workers, nr, &g);
	for (i = 0; i < nr; i++) {
		*passed += runs[i].passed;
		run_deinit(&runs[i]);
	}
	for (i = 0; i < SESSION_CHUNKS; i++)
		outbuf_deinit(&g.chunks[i]);
	return ret;
}

static int run_alone(struct session *s, const struct event_format *formats, struct outbuf *out,
		     u64 *passed)
{
	struct session_ops ops = { .sample = on_sample, .record = on_record };
	struct run r;
	int ret;

	run_init(&r, s, formats, 1);
	r.p.out = out;
	if (per_event) {
		r.split = script_split_open(s);
		if (!r.split) {
			run_deinit(&r);
			return -EIO;
		}
	}
	ret = dump ? dump_run(s, out, &ops, &r) : session_run(s, &ops, &r);
	if (r.split && script_split_close(r.split))
		ret = ret ?: -EIO;
	*passed = r.passed;
	run_deinit(&r);
	return ret;
}

/* Samples that are there and not shown; is that the work of the options? */
static int check_passed(const struct session *s, u64 passed)
{
	const struct script_options *o = &options;
	struct outbuf more;

	if (passed || !s->stats.nr_samples ||
	    (!filter_given(&o->filter) && !o->switch_on && !o->switch_off))
		return 0;
	outbuf_init(&more, -1);
	if (o->switch_on)
		outbuf_printf(&more, " --switch-on %s", o->switch_on);
	if (o->switch_off)
		outbuf_printf(&more, " --switch-off %s", o->switch_off);
	filter_nothing_passed(&o->filter, s, outbuf_text(&more));
	outbuf_deinit(&more);
	return 1;
}

static int print_session(struct session *s, const struct event_format *formats)
{
	struct outbuf out;
	u32 nr = nr_workers(s);
	u64 passed = 0;
	int ret;

	outbuf_init(&out, STDOUT_FILENO);
	interrupt_catch();
	if (header || show_info)
		header_print(s->reader, show_info, &out);
	ret = nr > 1 ? run_team(s, formats, &out, nr, &passed) : run_alone(s, formats, &out, &passed);
	/* A write that failed is reported at exit; a reader that has gone is no failure. */
	if (outbuf_deinit(&out))
		return 0;
	if (ret == -EINTR)
		return 130;
	if (s->stats.lost_events)
		diag_warn("%llu records were lost in %llu places: record with more memory (-m) or "
			  "fewer samples", s->stats.lost_events, s->stats.lost_records);
	if (s->stats.lost_samples)
		diag_warn("%llu samples were lost", s->stats.lost_samples);
	print_account(&s->stats.deferred);
	return ret || reader_damaged(s->reader) || check_passed(s, passed);
}

static int has_event(const struct session *s, const char *name, const char *option)
{
	u32 i;

	for (i = 0; name && i < s->events->nr; i++)
		if (!strcmp(s->events->events[i]->name, name))
			return 0;
	return name ? diag_error("--%s: the recording has no event '%s'", option, name) : 0;
}

/* Fit the filters to the recording. Return: 0, or -1 after diag_error(). */
static int setup_filters(const struct session *s)
{
	if (has_event(s, options.switch_on, "switch-on") ||
	    has_event(s, options.switch_off, "switch-off"))
		return -1;
	return filter_setup(&options.filter, s);
}

static int script(void)
{
	struct event_format *formats;
	struct arena arena = { 0 };
	struct session *s;
	int ret = 1;

	if (session_open(&config, &s))
		return 1;
	if (dump_unsorted && reader_is_pipe(s->reader)) {
		diag_error("--dump-unsorted-raw-trace reads files: store the pipe's data in one first");
		session_close(s);
		return 1;
	}
	options.inlines = inlines >= 0 ? inlines :
			  !!(s->events->sample_type & PERF_SAMPLE_STACK_USER);
	formats = event_formats(s, &arena);
	if (formats && !setup_filters(s))
		ret = print_session(s, formats);
	filter_deinit(&options.filter);
	name_list_deinit(&options.stop_bt);
	session_close(s);
	arena_deinit(&arena);
	return ret;
}

int cmd_script(int argc, char **argv)
{
	int first;

	script_fields_init(&fields);
	first = argparse(argc, argv, opts, "perf script [<options>]", false);
	if (first < 0)
		return 129;
	if (first < argc) {
		diag_error("'%s': programs in Perl and Python are not part of this perf: "
			   USE_PIPE, argv[first]);
		return 129;
	}
	if (header_only)
		return header_print_only(config.input, config.force, show_info);
	config.no_merge_callchains = !merge;
	config.unordered = dump_unsorted;
	dump |= dump_unsorted;
	config.symbols.no_demangle = !demangle;
	if (options.reltime && options.deltatime) {
		diag_error("--reltime and --deltatime exclude each other");
		return 129;
	}
	options.show_deferred = config.no_merge_callchains;
	config.all_tasks = shows_records(&options);
	config.no_unwind = options.hide_callchain;
	return script();
}
