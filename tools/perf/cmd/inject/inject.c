// SPDX-License-Identifier: GPL-2.0
/*
 * perf inject: copies a recording with deferred callchains or stack copies into one that every
 * reader of perf.data understands.
 *
 * The session joins the halves of callchains; samples and records are written in file order. struct
 * injection owns the output and unwritten data: records of the kernel wait in one buffer for
 * compression (-z), data for the file in another. With --jit mapping records are inserted (jit.c).
 */
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/progress.h"
#include "cmd/cmd.h"
#include "cmd/cut_chains.h"
#include "cmd/inject/jit.h"
#include "cmd/plain_sample.h"
#include "cmd/record/buildid.h"
#include "cmd/record/output.h"
#include "cmd/values.h"
#include "host/host.h"
#include "perfdata/rewrite.h"
#include "perfdata/write_features.h"
#include "perfdata/writer.h"
#include "session/sample_files.h"
#include "session/session.h"

struct inject_options {
	struct session_config config;
	const char *output;
	int compress_level;		/* 0: not compressed */
	bool convert;			/* convert stack copies to callchains */
	bool build_ids;			/* add build-ids of files with samples */
	bool embed;			/* add names to the output */
	bool jit;			/* write JIT code to files */
};

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

/* Read the command line. Return: 0, or -1 after diag_error(). */
static int inject_options_parse(struct inject_options *o, int argc, char **argv)
{
	struct session_config *c = &o->config;
	const struct opt opts[] = {
		{ OPT_STRING, 'i', "input", &c->input, "file", .help = "Recording to read, - for standard input (default: perf.data, or standard input if it is a pipe)" },
		{ OPT_STRING, 'o', "output", &o->output, "file", .help = "Recording to write (default: -, standard output)" },
		{ OPT_CALLBACK, 'z', "compression-level", &o->compress_level, "n", .call = set_level,
		  .default_arg = "1", .help = "Compress with zstd (default level: 1)" },
		{ OPT_BOOL, 0, "convert-callchain", &o->convert, .help = "Turn copies of user stacks (--call-graph dwarf) and branch stacks (lbr) into callchains" },
		{ OPT_BOOL, 'b', "build-ids", &o->build_ids, .help = "Add the build-ids of files with samples" },
		{ OPT_BOOL, 'j', "jit", &o->jit, .help = "Write the code in jit-PID.dump files as jitted-PID-N.so, and mappings of these" },
		{ OPT_BOOL, 0, "embed", &o->embed, .help = "Add the names of functions and source lines: no other file is needed to show the output" },
		{ OPT_STRING, 0, "symfs", &c->symbols.symfs, "dir", .help = "With --convert-callchain, --embed: look for all files below this directory" },
		{ OPT_BOOL, 'f', "force", &c->force, .help = "Read recordings of other owners, too" },
		{ OPT_COUNT, 'v', "verbose", &verbose, .help = "Say more" },
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
		{ OPT_END },
	};
	int first;

	*o = (struct inject_options){
		.output = "-",
		.config = { .unordered = true, .no_progress = true, .store_pipe = true,
			    .as_recorded = true },
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

#define BLOCK	(256u << 10)	/* bytes per write */
#define CHUNK	32768		/* maximum unpacked size of a compressed record */

struct injection {
	const struct inject_options *opts;
	struct session *s;
	struct rewrite rw;
	struct plain_plan *plans;	/* by the event's idx */
	struct compressor *compressor;	/* NULL: off */
	struct outbuf records;		/* with -z: not yet compressed */
	struct outbuf ready;		/* not yet written */
	struct build_ids build_ids;	/* -b */
	struct sample_files files;
	struct hash hits;		/* their names and build-ids */
	struct inject_jit jit;		/* --jit */
	struct cuts *cuts;		/* --convert-callchain */
	struct frame_cache *frames;	/* of deferred callchains */
	u64 *ips;			/* lower()'s result */
	u32 cap_ips;
	u64 samples, converted, no_stack, cut_samples, cut_frames;
};

static int write_ready(struct injection *in)
{
	int err = writer_record(&in->rw.w, in->ready.base, outbuf_len(&in->ready));

	in->ready.pos = in->ready.base;
	return err;
}

static int compress(struct injection *in)
{
	struct iovec iov = { in->records.base, outbuf_len(&in->records) };
	int err = iov.iov_len ? compressor_spans(in->compressor, &iov, 1, CHUNK, &in->ready) : 0;

	in->records.pos = in->records.base;
	return err;
}

/* Compress and write full buffers, after records were appended. Return: 0, or -errno. */
static int appended(struct injection *in)
{
	int err = 0;

	if (in->compressor && outbuf_len(&in->records) >= CHUNK)
		err = compress(in);
	return !err && outbuf_len(&in->ready) >= BLOCK ? write_ready(in) : err;
}

static int put_kernel_record(struct injection *in, const struct perf_event_header *h)
{
	outbuf_write(in->compressor ? &in->records : &in->ready, h, h->size);
	return appended(in);
}

/* Write the mappings of JIT code that existed before @time. */
static int put_jit(struct injection *in, u64 time)
{
	const struct perf_event_header *h;
	int err = 0;

	while (!err && (h = inject_jit_next(&in->jit, time)))
		err = put_kernel_record(in, h);
	return err;
}

/* Write a record other than a sample, with the changes of --jit. */
static int put_record(struct injection *in, const struct perf_event_header *h, const struct event *ev, u64 time)
{
	int err;

	if (!in->opts->jit)
		return put_kernel_record(in, h);
	if (inject_jit_drops(&in->jit, h))
		return 0;
	err = put_jit(in, time) ?: put_kernel_record(in, h);
	inject_jit_note(&in->jit, h, ev, time);
	return err ?: put_jit(in, time);
}

/*
 * A deferred user half has return addresses. It is written like those that perf walks: with
 * addresses in the calls, by which every reader finds their lines.
 */
static void lower(struct injection *in, struct chain_span *half, const struct thread *t)
{
	const struct space *sp = timeline_space(in->s->timeline, t, half->cpumode, half->time);
	struct frame *f = NULL;
	u32 i;

	GROW_TO(in->ips, half->nr, in->cap_ips);
	for (i = 0; i < half->nr; i++) {
		f = span_frame(in->frames, sp, half, i, f);
		in->ips[i] = half->ips[i] - (f->addr - f->code);
	}
	half->ips = in->ips;
}

static int on_sample(void *ctx, const struct visit *v)
{
	struct callchain cc = *v->chain;
	const struct sample *s = v->sample;
	struct injection *in = ctx;
	const struct plain_plan *plan = &in->plans[s->event->idx];
	int err = put_jit(in, cc.time);
	u32 cut;

	if (err)
		return err;
	in->samples++;
	if (in->opts->build_ids)
		sample_files_note(&in->files, in->s->timeline, v);
	if (!plain_changes(plan, s))
		return put_kernel_record(in, s->header);
	if (cc.user_half == USER_HALF_DEFERRED)
		lower(in, &cc.spans[cc.nr_spans - 1], v->thread);
	cut = plain_sample(in->compressor ? &in->records : &in->ready, s, &cc, plan);
	in->cut_samples += !!cut;
	in->cut_frames += cut;
	if (plan->drop_stack || plan->put_lbr) {
		in->converted += !!cc.user_half;
		in->no_stack += !cc.user_half;
	}
	return appended(in);
}

/* Called for each event of a sample; the sample was already written. */
static int on_event(void *ctx, const struct visit *v)
{
	struct injection *in = ctx;

	if (in->opts->convert)
		cuts_count(in->cuts, v);
	return 0;
}

static void note_build_id(struct injection *in, const struct perf_event_header *h)
{
	const struct build_id_record *b = (const void *)h;

	if (h->type == REC_HEADER_BUILD_ID)
		build_ids_known(&in->build_ids, b->filename,
				strnlen(b->filename, h->size - sizeof(*b)));
	else
		build_ids_note(&in->build_ids, h);
}

static int on_record(void *ctx, const struct record *rec, const struct event *ev, u64 time)
{
	struct injection *in = ctx;
	u32 type = rec->header->type;
	int err;

	if (type == REC_CALLCHAIN_DEFERRED)
		return 0;
	if (in->opts->build_ids)
		note_build_id(in, rec->header);
	if (type < REC_HEADER_ATTR)
		return put_record(in, rec->header, ev, time);
	/* perf's own records are not compressed: write earlier records first. */
	err = in->compressor ? compress(in) : 0;
	if (type == REC_AUXTRACE)
		rewrite_payload_moved(&in->rw, rec->offset, outbuf_len(&in->ready));
	rewrite_meta(&in->rw, rec, &in->ready);
	return err ?: appended(in);
}

static void change_attr(struct perf_event_attr *attr, void *ctx)
{
	const struct injection *in = ctx;

	plain_attr(attr, in->opts->convert);
}

/* Return: 0, or -1 after diag_error(). */
static int make_plans(struct injection *in)
{
	const struct event_list *events = in->s->events;
	bool any = false;
	u32 i;

	in->plans = xcalloc(events->nr, sizeof(*in->plans));
	for (i = 0; i < events->nr; i++) {
		in->plans[i] = plain_plan(&events->events[i]->attr, in->opts->convert);
		any |= in->plans[i].drop_stack || in->plans[i].put_lbr;
	}
	if (in->opts->convert && in->s->foreign_stacks)
		return diag_error("%s: --convert-callchain: its stacks are not walked here, and would be lost",
				  in->s->reader->path);
	if (in->opts->convert && !any)
		return diag_error("%s: --convert-callchain: no event of it has copies of stacks or branch stacks of calls (perf record --call-graph dwarf, lbr)",
				  in->s->reader->path);
	return 0;
}

/* Return: 0, or -1 after diag_error(). */
static int start_build_ids(struct injection *in)
{
	const struct features *f = in->s->features;
	u32 i;

	if (!in->opts->build_ids)
		return 0;
	if (!in->s->recorded_here)	/* build-ids are read from this machine's files */
		return diag_error("%s: -b: it was recorded on another machine or kernel, so the files here may be others",
				  in->s->reader->path);
	for (i = 0; i < f->nr_build_ids; i++)
		build_ids_known(&in->build_ids, f->build_ids[i].name, strlen(f->build_ids[i].name));
	return 0;
}

/* Record that callchains were made from stack copies: nothing else in the output shows it. */
static void put_stack_copies(struct injection *in)
{
	const struct event_list *events = in->s->events;
	_cleanup_free_ u32 *bytes = xcalloc(events->nr, sizeof(*bytes));
	bool any = false;
	u32 i;

	for (i = 0; i < events->nr; i++) {
		const struct event *ev = events->events[i];

		bytes[i] = in->plans[i].drop_stack ? ev->attr.sample_stack_user : ev->stack_copied;
		any |= in->plans[i].drop_stack;
	}
	if (any)
		feature_stack_copies(bytes, events->nr, &in->rw.sections[FEAT_STACK_COPIES]);
}

/* Return: 0, -EINTR, or another negative value after diag_error(). */
static int begin(struct injection *in)
{
	struct outbuf *names = &in->rw.sections[FEAT_NAMES];
	const struct inject_options *o = in->opts;
	int err;

	if (make_plans(in) || start_build_ids(in))
		return -1;
	if (o->compress_level) {
		in->compressor = compressor_create(o->compress_level);
		if (!in->compressor)
			return diag_error("out of memory for compression");
	}
	err = error_report(rewrite_open(&in->rw, in->s->reader, o->output));
	if (!err) {
		put_stack_copies(in);
		/* Names precede the data of a stream. */
		err = o->embed ? sample_names(in->s, names) : 0;
		if (o->embed && (err || !outbuf_len(names)))
			outbuf_deinit(names);
	}
	if (!err) {
		in->rw.change = change_attr;
		in->rw.ctx = in;
		in->rw.compress_level = o->compress_level;
		err = error_report(rewrite_begin(&in->rw));
	}
	if (err)
		rewrite_discard(&in->rw);
	return err;
}

/* Return: 0, the session's value, or -errno of a write. */
static int run(struct injection *in)
{
	const struct session_ops ops = {
		.sample = on_event, .whole_sample = on_sample, .record = on_record, .all_records = true,
	};
	int ret = session_run(in->s, &ops, in);

	if (!ret && in->compressor)
		ret = compress(in);
	if (!ret)
		ret = write_ready(in);
	if (ret)
		return ret;
	if (in->opts->build_ids) {
		build_ids_keep(&in->build_ids, &in->hits);
		build_ids_find(&in->build_ids);
		in->rw.build_ids = in->build_ids.out;
	}
	return rewrite_end(&in->rw);
}

static void summary(const struct injection *in)
{
	const struct deferred_account *d = &in->s->stats.deferred;
	const struct writer *w = &in->rw.w;
	_cleanup_outbuf_ struct outbuf o = { 0 };

	outbuf_printf(&o, "%llu samples", in->samples);
	if (d->deferred || d->records)
		outbuf_printf(&o, ", %llu joined, %llu without their half (%llu never returned, %llu lost, %llu unreadable)",
			      d->joined, d->deferred - d->joined, d->never_returned, d->lost,
			      d->unreadable);
	if (in->opts->convert)
		outbuf_printf(&o, ", %llu stacks converted, %llu without one", in->converted, in->no_stack);
	if (in->opts->jit)
		outbuf_printf(&o, ", %llu functions of JIT compilers in %llu files", in->jit.nr_maps, in->jit.nr_files);
	if (in->cut_samples)
		outbuf_printf(&o, ", %llu callchains cut by %llu frames", in->cut_samples, in->cut_frames);
	diag_info(0, "perf inject: %s; %llu -> %llu bytes", outbuf_text(&o),
		  reader_stored_bytes(in->s->reader),
			w->data_offset + w->data_size + w->sections_size);
	if (!in->opts->convert || !cuts_percent(in->cuts))
		return;
	o.pos = o.base;
	cuts_text(in->cuts, NULL, NULL, &o);
	diag_info(0, "perf inject: %s", outbuf_text(&o));
}

/* Rename the output to its final name, or remove it. Return: the exit status. */
static int finish(struct injection *in, int ret)
{
	const struct writer *w = &in->rw.w;

	if (ret && ret != -EINTR)
		diag_error("%s: offset %#llx: %s%s", in->opts->output, w->data_offset + w->data_size,
			   output_failure(ret), w->is_regular ? ": nothing was replaced" : "");
	if (ret) {
		rewrite_discard(&in->rw);
		return ret == -EINTR ? 130 : 1;
	}
	summary(in);
	if (error_report(rewrite_publish(&in->rw)))
		return 1;
	return in->jit.failed || in->s->reader->damaged;
}

static void deinit(struct injection *in)
{
	compressor_free(in->compressor);
	outbuf_deinit(&in->records);
	outbuf_deinit(&in->ready);
	host_free(in->build_ids.host);
	build_ids_deinit(&in->build_ids);
	hash_deinit(&in->files.seen);
	hash_deinit(&in->hits);
	inject_jit_deinit(&in->jit);
	free(in->plans);
	cuts_destroy(in->cuts);
	frame_cache_destroy(in->frames);
	free(in->ips);
	session_close(in->s);
}

int cmd_inject(int argc, char **argv)
{
	struct inject_options o;
	struct injection in = { .opts = &o };
	int status;

	if (inject_options_parse(&o, argc, argv))
		return 129;
	interrupt_catch_ends();
	if (error_report(session_open(&o.config, &in.s)))
		return 1;
	in.files = (struct sample_files){ .fn = sample_files_insert, .arg = &in.hits };
	build_ids_init(&in.build_ids, host_create());
	in.jit = (struct inject_jit){ .s = in.s, .soonest = UINT64_MAX };
	in.cuts = cuts_create(in.s);
	in.frames = frame_cache_create(in.s->timeline, FRAMES_NAMELESS);
	status = begin(&in);
	status = status == -EINTR ? 130 : status ? 1 : finish(&in, run(&in));
	deinit(&in);
	return status;
}
