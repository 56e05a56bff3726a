// SPDX-License-Identifier: GPL-2.0
/*
 * perf script: the samples of a recording as text, on several threads unless a line depends on
 * the previous one.
 *
 * Calls go one way: script --> print --> data --> frames --> options, fields; script, options -->
 * python. Each thread has a struct script_worker with its own
 * printer; its output goes to the buffer of its chunk of samples, and the buffers are written in
 * the order of the chunks.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/outfile.h"
#include "base/progress.h"
#include "cmd/cmd.h"
#include "cmd/dump/dump.h"
#include "cmd/header/header.h"
#include "cmd/script/script.h"

struct split_file {
	char *path;
	struct outfile out;
	u64 samples;
	struct split_file *to;		/* the file of its path: this, or that of an event before */
};

static char *file_path(const char *recording, const char *event)
{
	size_t len = strlen(recording) + strlen(event) + sizeof("..dump");
	char *path = xmalloc(len), *c;

	snprintf(path, len, "%s.%s.dump", recording, event);
	/* "cpu/cycles/" must not be a directory */
	for (c = path + strlen(recording); *c; c++)
		if (*c == '/')
			*c = '_';
	return path;
}

static int open_file(struct split_file *files, const struct session *s, const struct event *ev)
{
	struct split_file *f = &files[ev->idx];
	int fd;

	f->path = file_path(reader_path(s->reader), ev->name);
	for (f->to = files; strcmp(f->to->path, f->path);)
		f->to++;
	if (f->to != f)
		return 0;
	/* Do not follow links: a part of the name is from the recording. */
	fd = open_output(f->path, O_WRONLY | O_NOFOLLOW, 0666, NULL);
	if (fd < 0)
		return diag_error("%s: %s", f->path, output_error(fd));
	outfile_init(&f->out, fd);
	return 0;
}

/* Close the files and report their sizes. Return: 0, or -1 after diag_error() */
static int close_files(struct split_file *files, u32 nr)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		struct split_file *f = &files[i];
		struct stat st;
		int err;

		if (f->out.text.base) {
			err = outfile_flush(&f->out);
			if (err)
				ret = diag_error("%s: %s", f->path, strerror(-err));
			else if (!fstat(f->out.fd, &st))
				printf("[ perf script: Wrote %.3f MB %s (%llu samples) ]\n",
				       st.st_size / 1048576.0, f->path, f->samples);
			close(f->out.fd);
			outfile_deinit(&f->out);
		}
		free(f->path);
	}
	free(files);
	return ret;
}

/*
 * Create a file for each event name of a recording, RECORDING.EVENT.dump: all events are known
 * at the beginning. Return: the files by event idx, or NULL after diag_error().
 */
static struct split_file *open_files(const struct session *s)
{
	struct split_file *files = xcalloc(s->events->nr, sizeof(*files));
	u32 i;

	for (i = 0; i < s->events->nr; i++)
		if (open_file(files, s, s->events->events[i])) {
			close_files(files, s->events->nr);
			return NULL;
		}
	return files;
}

struct gathering;

struct script_worker {
	struct printer p;
	struct split_file *split;	/* by event idx; NULL: one output */
	struct gathering *gathering;	/* NULL: a single worker */
	struct outfile *out;		/* of p.out; NULL: a chunk's buffer */
	u32 max_frames;
	u64 passed;			/* number of printed samples */
	struct missing_files missing;
};

static void print_to(struct script_worker *r, struct outfile *out)
{
	r->out = out;
	r->p.out = &out->text;
}

/* Print into the file of an event; @samples: to be counted in it */
static void print_to_event(struct script_worker *r, const struct event *ev, u32 samples)
{
	struct split_file *f = r->split[ev->idx].to;

	f->samples += samples;
	print_to(r, &f->out);
}

/* Count a sample in a missing file. Cheap until a first file was found missing. */
static void count_missing(struct script_worker *r, const struct visit *v)
{
	struct frame *f = frame_at(&r->p, v, v->sample->ip, v->sample->cpumode);

	if (f->dso && !f->sym)
		missing_files_add(&r->missing, f->dso, 1);
}

static int on_sample(void *ctx, const struct visit *v)
{
	struct script_worker *r = ctx;

	if (frame_cache_limit(&r->p.frames, r->max_frames))
		arena_deinit(&r->p.arena);
	if (!filter_visit(&r->p.opts->filter, r->p.frames, v))
		return 0;
	r->passed++;
	if (r->split)
		print_to_event(r, v->sample->event, 1);
	print_sample(&r->p, v);
	if (unlikely(dso_table_any_absent(r->p.s->dsos)))
		count_missing(r, v);
	return r->out ? outfile_drain(r->out) : 0;
}

static int on_record(void *ctx, const struct record *rec, const struct event *ev, u64 time)
{
	struct script_worker *r = ctx;

	if (r->split && ev)
		print_to_event(r, ev, 0);
	print_record(&r->p, rec, ev, time);
	return r->out ? outfile_drain(r->out) : 0;
}

/* Output buffers of several workers: each prints into the buffer of its current chunk. */
struct gathering {
	struct outbuf chunks[2 * SESSION_CHUNKS];
	struct outfile *out;
};

static void on_chunk(void *ctx, u32 chunk)
{
	struct script_worker *r = ctx;

	r->p.out = &r->gathering->chunks[chunk];
}

static int on_gather(void *ctx, u32 first, u32 nr)
{
	struct gathering *g = ctx;
	u32 i;

	for (i = first; i < first + nr; i++) {
		outfile_put(g->out, &g->chunks[i]);
		g->chunks[i].pos = g->chunks[i].base;
	}
	return g->out->err;
}

/* How the samples of each event are printed; NULL after diag_error(). */
static struct event_format *event_formats(const struct script_options *o, const struct session *s,
					  struct arena *arena)
{
	const struct event_list *events = s->events;
	struct event_format *formats = arena_alloc(arena, max(events->nr, 1u) * sizeof(*formats));
	size_t width = 0, len;
	u32 i;

	for (i = 0; i < events->nr; i++)
		width = max(width, strlen(events->events[i]->name));
	for (i = 0; i < events->nr; i++) {
		const struct event *ev = events->events[i];
		struct event_format *f = &formats[i];

		if (script_fields_check(&o->fields, ev, !o->hide_callchain, &f->fields))
			return NULL;
		if (f->fields & FIELD(TOD) && !s->features->clock_wall_ns) {
			diag_error("Can't provide 'tod' time, missing clock data. Please record with "
				   "-k/--clockid option.");
			return NULL;
		}
		f->callchain = !o->hide_callchain && f->fields & FIELD(IP) &&
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

/* The input of all workers. */
struct printing {
	const struct script_options *opts;
	struct session *s;
	const struct event_format *formats;
	struct outfile out;
	u64 passed;			/* samples that were printed */
	struct missing_files missing;
};

static void run_init(struct script_worker *r, const struct printing *j, u32 nr_workers)
{
	const struct script_options *o = j->opts;
	u32 i;

	*r = (struct script_worker){
		.max_frames = SCRIPT_MAX_FRAMES / nr_workers,
		.p = {
			.s = j->s, .opts = o, .formats = j->formats,
			.start_time = -1, .last_time = -1,
			.frames = frame_cache_create(j->s->timeline,
						     o->inlines ? FRAMES_INLINES : 0),
		},
	};
	for (i = 0; i < j->s->events->nr; i++)
		r->p.frame_fields |= j->formats[i].fields & SCRIPT_FRAME;
}

static void run_deinit(struct script_worker *r, struct printing *j)
{
	j->passed += r->passed;
	missing_files_merge(&j->missing, &r->missing);
	missing_files_deinit(&r->missing);
	outbuf_deinit(&r->p.scratch);
	frame_cache_destroy(r->p.frames);
	arena_deinit(&r->p.arena);
}

/* The number of workers: one if there is little to print, or lines depend on the previous one. */
static u32 nr_workers(const struct printing *j)
{
	const struct script_options *o = j->opts;

	if (script_shows_records(o) || o->reltime || o->deltatime || o->dump || o->per_event ||
	    event_switch_given(&o->filter.between))
		return 1;
	return session_workers(j->s, 0);
}

static int run_team(struct printing *j, u32 nr)
{
	const struct session_ops ops = {
		.sample = on_sample, .filter = &j->opts->filter, .chunk = on_chunk, .gather = on_gather,
	};
	struct gathering g = { .out = &j->out };
	struct script_worker runs[SESSION_WORKERS];
	void *workers[SESSION_WORKERS];
	u32 i;
	int ret;

	for (i = 0; i < nr; i++) {
		run_init(&runs[i], j, nr);
		runs[i].gathering = &g;
		workers[i] = &runs[i];
	}
	ret = session_run_team(j->s, &ops, workers, nr, &g);
	for (i = 0; i < nr; i++)
		run_deinit(&runs[i], j);
	for (i = 0; i < ARRAY_SIZE(g.chunks); i++)
		outbuf_deinit(&g.chunks[i]);
	return ret;
}

static int run_alone(struct printing *j)
{
	const struct session_ops ops = { .sample = on_sample, .filter = &j->opts->filter, .record = on_record };
	struct script_worker r;
	int ret;

	run_init(&r, j, 1);
	print_to(&r, &j->out);
	if (j->opts->per_event) {
		r.split = open_files(j->s);
		if (!r.split) {
			run_deinit(&r, j);
			return -EIO;
		}
	}
	ret = j->opts->dump ? dump_run(j->s, &j->out, &ops, &r) : session_run(j->s, &ops, &r);
	if (r.split && close_files(r.split, j->s->events->nr))
		ret = ret ?: -EIO;
	run_deinit(&r, j);
	return ret;
}

static void print_losses(const struct session_stats *st)
{
	if (st->lost_events)
		diag_warn("%llu records were lost in %llu places: record with more memory (-m) or "
			  "fewer samples", st->lost_events, st->lost_records);
	if (st->lost_samples)
		diag_warn("%llu samples were lost", st->lost_samples);
}

/* Print missing files, only on a terminal: programs may treat the message as a failure. */
static void print_missing(struct missing_files *missing, const struct session *s, u64 passed)
{
	_cleanup_outbuf_ struct outbuf text = { 0 };

	if (!missing || (verbose < 1 && !isatty(STDERR_FILENO)))
		return;
	missing_files_text(missing, s, passed, &text);
	if (outbuf_len(&text))
		diag_info(0, "perf script: %s", outbuf_text(&text));
}

/*
 * What is said when the session has run. @ret: as session_run(); @passed: printed samples;
 * @missing: counts of missing files, or NULL. Return: the exit status
 */
static int script_end(const struct script_options *o, const struct session *s, int ret, u64 passed,
		      struct missing_files *missing)
{
	const struct deferred_account *a = &s->stats.deferred;

	print_losses(&s->stats);
	print_missing(missing, s, passed);
	if (a->deferred || a->records)
		diag_info(1, "deferred callchains: %llu samples: %llu joined, %llu unreadable, "
			  "%llu lost, %llu never returned; %llu records, "
			  "%llu of them without a sample", a->deferred, a->joined, a->unreadable,
			  a->lost, a->never_returned, a->records, a->orphan_records);
	if (!o->dump && error_report(session_only_counts(s)))
		return 1;
	if (ret || s->reader->damaged)
		return 1;
	/* Did the options exclude all samples? */
	return !passed && s->stats.nr_samples && filter_given(&o->filter) &&
	       error_report(filter_nothing_passed(&o->filter, s, ""));
}

/* Return: the exit status. */
static int print_session(struct printing *j)
{
	const struct script_options *o = j->opts;
	struct session *s = j->s;
	u32 nr = nr_workers(j);
	int ret;

	outfile_init(&j->out, STDOUT_FILENO);
	interrupt_catch();
	if (o->header)
		header_print(s->reader, o->show_info, &j->out.text);
	ret = nr > 1 ? run_team(j, nr) : run_alone(j);
	/* A failed write is reported at exit; a closed pipe is not an error. */
	if (outfile_deinit(&j->out))
		return 0;
	if (ret == -EINTR)
		return 130;
	return script_end(o, s, ret, j->passed, &j->missing);
}

static int run_script(const struct script_options *o, struct session *s)
{
	u64 passed = 0;
	int ret = script_python(o, s, &passed);

	if (ret > 0)
		return ret;
	/* A script that ended early has not seen all. */
	if (o->gen_script || ret == -EPIPE)
		return s->reader->damaged;
	return script_end(o, s, ret, passed, NULL);
}

static int script(struct script_options *o)
{
	struct event_format *formats;
	_cleanup_arena_ struct arena arena = { 0 };
	struct session *s;
	struct printing job;
	int ret = 1;

	if (error_report(session_open(&o->config, &s)))
		return 1;
	if (o->dump_unsorted && s->reader->stream) {
		diag_error("--dump-unsorted-raw-trace reads files: store the pipe's data in one first");
	} else if (o->script || o->gen_script) {
		ret = error_report(filter_setup(&o->filter, s)) ? 1 : run_script(o, s);
	} else if ((formats = event_formats(o, s, &arena)) &&
		   !error_report(filter_setup(&o->filter, s))) {
		job = (struct printing){ .opts = o, .s = s, .formats = formats };
		ret = print_session(&job);
		missing_files_deinit(&job.missing);
	}
	session_close(s);
	return ret;
}

int cmd_script(int argc, char **argv)
{
	struct script_options o;
	int status;

	if (script_options_parse(&o, argc, argv))
		status = 129;
	else if (o.list)
		status = script_list();
	else if (o.header_only)
		status = header_print_only(o.config.input, o.config.force, o.show_info);
	else
		status = script(&o);
	filter_deinit(&o.filter);
	name_list_deinit(&o.stop_bt);
	return status;
}
