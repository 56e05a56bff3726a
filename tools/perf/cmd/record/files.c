// SPDX-License-Identifier: GPL-2.0
/*
 * The files of a recording: one, or several in sequence with --switch-output, each readable on its
 * own. A file gets its final name, with a timestamp, when it is closed.
 *
 * struct files owns the state that outlives one file: the synthesis, the list of followed
 * processes, the file that waits for deferred records, the keeper of other processes' files, and
 * the names of finished files. The recorder owns the output, the drain and the watch, which passes
 * the kernel's records to these components.
 */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "cmd/record/cut_summary.h"
#include "cmd/record/files.h"

/* Timeout for the names of JIT code, at a switch and at the end, in milliseconds. */
#define KEEP_MS		5000
#define KEEP_LOOK_MS	20
#define LAST_LOOK_MS	200

static const struct perf_event_header finished_init = { .type = REC_FINISHED_INIT, .size = 8 };

static bool defers(const struct description *d)
{
	bool defer = false;
	u32 i;

	for (i = 0; i < d->nr_events; i++)
		defer |= !!(attr_flags(&d->events[i].attr) & ATTR_DEFER_CALLCHAIN);
	return defer;
}

void files_init(struct files *f, const struct record_options *opts, const struct description *desc,
		const struct workload *workload, struct rings *rings, struct tables *tables,
		struct watch *watch, struct drain *drain, struct output *out)
{
	*f = (struct files){
		.opts = opts, .rings = rings, .watch = watch, .tables = tables, .drain = drain, .live = drain->live, .out = out,
		.follows = opts->switch_output, .waits = opts->switch_output && defers(desc),
	};
	if (f->follows)
		follow_init(&f->follow, &rings->threads, !opts->ring.per_thread && !opts->ring.no_inherit);
	if (f->waits)
		unanswered_init(&f->unanswered, desc->events, desc->nr_events);
	f->keep = keep_create(description_layout(desc), !opts->no_buildid_cache && !opts->ring.no_buildid,
			      !opts->no_buildid_cache, opts->buildid_cache_size);
	synthesis_init(&f->synthesis, opts, desc, workload, tables, f->follows ? &f->follow : NULL);
	watch->out = out->table ? out : NULL;
	watch->follow = f->follows ? &f->follow : NULL;
	watch->unanswered = f->waits ? &f->unanswered : NULL;
	watch->tables = tables;
	watch->keep = f->keep;
}

void files_deinit(struct files *f)
{
	u32 i;

	for (i = 0; i < f->nr_names; i++)
		free(f->names[i]);
	free(f->names);
	free(f->cut_line);
	synthesis_forget(&f->synthesis);
	if (f->follows)
		follow_deinit(&f->follow);
	if (f->waits)
		unanswered_deinit(&f->unanswered);
	keep_end(f->keep);
}

static int write_synthesis(struct files *f)
{
	const struct outbuf *records = synthesis_records(&f->synthesis);
	int err = output_records(f->out, records);

	keep_note_all(f->keep, records);
	return err ?: writer_record(&f->out->writer, &finished_init, sizeof(finished_init));
}

int files_begin(struct files *f)
{
	const struct outbuf *carried = f->follows ? follow_carried(&f->follow) : NULL;
	/*
	 * --tail-synthesize: the next file starts with the records synthesised at this file's end.
	 */
	bool synthesis = !f->opts->tail_synthesize || f->synthesis.made;
	int err = 0;

	f->rings->stats = (struct ring_stats){ .time_offset = f->rings->stats.time_offset };
	if (output_begin(f->out))
		return -1;
	if (live_begin(f->live, synthesis ? synthesis_records(&f->synthesis) : NULL)) {
		output_discard(f->out);
		return -1;
	}
	if (synthesis)
		err = write_synthesis(f);
	synthesis_forget(&f->synthesis);
	if (!err && carried)
		err = output_records(f->out, carried);
	if (!err)
		err = writer_commit(&f->out->writer);
	return err ? output_abandon(f->out, err) : 0;
}

/* NAME.YYYYMMDDhhmmsscc, @later hundredths of a second after now; the caller frees it. */
static char *timestamped(const char *name, u32 later)
{
	struct timespec ts;
	struct tm tm;
	char stamp[64];
	char *path;
	size_t n;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_nsec += later * 10000000ULL;
	ts.tv_sec += ts.tv_nsec / 1000000000;
	ts.tv_nsec %= 1000000000;
	localtime_r(&ts.tv_sec, &tm);
	n = strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &tm);
	snprintf(stamp + n, sizeof(stamp) - n, "%02ld", ts.tv_nsec / 10000000);
	path = xmalloc(strlen(name) + strlen(stamp) + 2);
	sprintf(path, "%s.%s", name, stamp);
	return path;
}

/* Give a file its final name. Return: that name, which the caller frees; NULL after diag_error(). */
static char *rename_finished(const char *name)
{
	u32 later = 0;
	char *path;

	/* If the name exists (two files in 1/100 s), use the next hundredth. */
	path = timestamped(name, later);
	while (renameat2(AT_FDCWD, name, AT_FDCWD, path, RENAME_NOREPLACE)) {
		if (errno == EEXIST && ++later < 1000) {
			free(path);
			path = timestamped(name, later);
			continue;
		}
		if (errno == EINVAL && !rename(name, path))
			break;		/* a file system without NOREPLACE */
		diag_error("%s: cannot be renamed to %s: %s", name, path, strerror(errno));
		free(path);
		return NULL;
	}
	return path;
}

/* Print a complete file's name, and remove the oldest file above the limit. Takes over @path. */
static void finished(struct files *f, char *path)
{
	u32 most = f->opts->switch_max_files;

	GROW(f->names, f->nr_names, f->cap_names);
	f->names[f->nr_names++] = path;
	if (verbose >= 0)
		fprintf(stderr, "[ perf record: Dump %s ]\n", path);
	while (most && f->nr_names - f->nr_removed > most) {
		const char *oldest = f->names[f->nr_removed++];

		if (unlink(oldest))
			diag_warn("%s: cannot be removed: %s", oldest, strerror(errno));
	}
}

/* The shorter of two timeouts; -1: unlimited. */
static int sooner(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

int files_timeout(const struct files *f, bool poll_tables)
{
	int ms = f->waits && unanswered_waiting(&f->unanswered) ? unanswered_timeout() : -1;

	if (f->tables)
		ms = sooner(ms, tables_timeout(f->tables, poll_tables));
	return sooner(sooner(ms, live_timeout(f->live)), keep_timeout(f->keep));
}

/* Close the file that waits for deferred records, if any. */
static int close_waiting(struct files *f)
{
	char *path;
	int err;

	if (!f->waits || !unanswered_waiting(&f->unanswered))
		return 0;
	err = unanswered_close(&f->unanswered, &path);
	if (!err) {
		keep_finished(f->keep, path);
		finished(f, path);
		return 0;
	}
	diag_error("%s: %s", path, output_failure(err));
	free(path);
	return -1;
}

int files_poll(struct files *f)
{
	if (f->tables)
		tables_poll(f->tables);
	return f->waits && unanswered_due(&f->unanswered) ? close_waiting(f) : 0;
}

/*
 * The last rounds of a file before a switch. The kernel's buffers are written to this file while
 * /proc is read, and once more after it. The next file starts with the records of both: the side-band
 * records of these rounds are copied to it.
 */
static int last_rounds(struct files *f)
{
	int err = 0;

	follow_carry(&f->follow, true);
	synthesis_start(&f->synthesis);
	while (!err && !synthesis_done(&f->synthesis, KEEP_LOOK_MS))
		err = drain_round(f->drain, false);
	if (!err && rings_backward(f->rings))
		err = drain_snapshot(f->drain);
	if (!err)
		err = drain_round(f->drain, true) ?: drain_live(f->drain);
	follow_carry(&f->follow, false);
	return err;
}

/* Write a LOST_SAMPLES record of @event, with its id, at time @ns. */
static void write_lost_samples(struct files *f, u32 event, u64 lost, u64 ns)
{
	const struct description *desc = f->out->desc;
	const struct writer_event *e = &desc->events[desc->events[event].nr_ids ? event : 0];
	u64 id = e->nr_ids ? e->ids[0] : 0;
	struct event_list layout = { 0 };
	const struct sample_layout *l = &event_list_add(&layout, &e->attr)->layout;
	const struct { u16 from_end; u64 v; } words[] = {
		{ l->id_time, ns }, { l->id_id, id }, { l->id_identifier, id },
	};
	struct perf_event_header *h;
	struct synth s;
	size_t at;
	u32 i;

	synth_init(&s, &e->attr);
	at = synth_begin(&s, PERF_RECORD_LOST_SAMPLES, 0);
	synth_put(&s, &lost, sizeof(lost));
	synth_end(&s, at, true);
	h = (void *)s.out.base;
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].from_end)
			memcpy((char *)h + h->size - words[i].from_end, &words[i].v, sizeof(u64));
	writer_record(&f->out->writer, h, h->size);
	synth_deinit(&s);
	event_list_deinit(&layout);
}

/*
 * A thread that blocks until the end of the recording has no switch-in record. A LOST_SAMPLES
 * record with a count of 0 carries the end time, up to which the reader counts blocked time.
 */
static void write_end_time(struct files *f)
{
	struct timespec now;

	clock_gettime(f->opts->ring.clockid, &now);
	write_lost_samples(f, description_tracking(f->out->desc), 0, now.tv_sec * 1000000000ULL + now.tv_nsec);
}

/*
 * Write the records that name the kept JIT files. Records not ready within @ms go to the next file.
 * A write error is reported by output_end().
 */
static void write_kept(struct files *f, int ms, bool last)
{
	struct outbuf records;

	outbuf_init(&records, -1);
	keep_ask(f->keep, last);
	keep_answered(f->keep, ms);
	keep_take_records(f->keep, &records);
	if (outbuf_len(&records))
		output_records(f->out, &records);
	outbuf_deinit(&records);
}

/* Close this file, or leave it open until the deferred records of its samples are written. */
static int leave(struct files *f)
{
	struct outbuf sections[FEAT_MAX] = { 0 };
	struct output *out = f->out;
	bool wait = f->waits && unanswered_wanted(&f->unanswered);
	char *path;

	if (f->opts->tail_synthesize)
		write_synthesis(f);
	write_kept(f, LAST_LOOK_MS, false);
	if (f->opts->off_cpu || f->opts->off_cpu_only)
		write_end_time(f);
	output_sections(out, sections);
	if (wait && !out->writer.err) {
		path = rename_finished(f->opts->output);
		if (!path) {
			output_end(out, sections);
			return -1;
		}
		unanswered_leave(&f->unanswered, &out->writer, sections, path);
		output_left(out);
		return 0;
	}
	if (output_end(out, sections))
		return -1;
	path = rename_finished(f->opts->output);
	if (!path)
		return -1;
	keep_finished(f->keep, path);
	finished(f, path);
	return 0;
}

/* Let the keeper copy files before the last round; the kernel's buffers are drained meanwhile. */
static int let_keep(struct files *f)
{
	int err = 0, ms;

	keep_ask(f->keep, false);
	for (ms = KEEP_MS; !err && ms > 0 && !keep_answered(f->keep, KEEP_LOOK_MS); ms -= KEEP_LOOK_MS)
		err = drain_round(f->drain, false);
	return err;
}

int files_switch(struct files *f)
{
	int err = let_keep(f) ?: last_rounds(f);

	if (err)
		return output_failed(f->out, err);
	if (close_waiting(f) || leave(f))
		return -1;
	f->lost += f->rings->stats.lost;
	if (files_begin(f))
		return -1;
	return error_report(writer_publish(&f->out->writer));
}

/* Write the losses of the whole recording that were not followed by a LOST record. */
static void write_lost(struct files *f)
{
	u64 sum = 0, known = f->lost + f->rings->stats.lost, lost;
	u32 i, most = 0;

	for (i = 0; i < f->out->desc->nr_events; i++) {
		lost = rings_lost(f->rings, i);
		sum += lost;
		if (lost > rings_lost(f->rings, most))
			most = i;
	}
	if (sum <= known)
		return;
	f->rings->stats.lost = sum - f->lost;
	/* LOST records have no event: the rest is attributed to the event with most losses. */
	write_lost_samples(f, most, sum - known, 0);
}

/* Keep the files with samples. */
static void keep_last(struct files *f)
{
	if (f->out->writer.is_regular)
		keep_finished(f->keep, f->opts->output);
}

static void end_keep(struct files *f)
{
	keep_end(f->keep);
	f->keep = f->watch->keep = NULL;
}

int files_end(struct files *f, bool discard)
{
	struct outbuf sections[FEAT_MAX] = { 0 };
	struct hash hits = { 0 };
	int err = close_waiting(f);

	if (discard) {
		output_discard(f->out);
		return err;
	}
	if (f->out->state != OUTPUT_OPEN)
		return err;
	if (f->opts->tail_synthesize)
		write_synthesis(f);
	write_kept(f, KEEP_MS, true);
	write_lost(f);
	if (f->opts->off_cpu || f->opts->off_cpu_only)
		write_end_time(f);
	/* Names are looked up later, as some files are found only in the cache. */
	if (f->opts->embed && f->out->writer.is_regular) {
		writer_commit(&f->out->writer);
		keep_last(f);
		end_keep(f);
	}
	if (!f->out->writer.is_pipe)
		output_sections(f->out, sections);
	if (f->opts->embed)
		output_names(f->out, &sections[FEAT_NAMES]);
	if (output_end(f->out, sections))
		err = -1;
	if (err)
		return err;
	if (record_look(f->opts, f->out, f->tables, &hits, &f->cut_line))
		keep_finished_files(f->keep, &hits);
	else
		keep_last(f);
	hash_deinit(&hits);
	end_keep(f);
	return 0;
}

const char *files_final_name(struct files *f)
{
	const struct record_options *o = f->opts;
	char *path;

	if (f->out->writer.is_pipe || (!o->timestamp_filename && !o->switch_output))
		return o->output;
	path = rename_finished(o->output);
	if (!path)
		return o->output;
	finished(f, path);
	return path;
}
