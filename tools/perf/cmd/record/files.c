// SPDX-License-Identifier: GPL-2.0
/*
 * The files of a recording, one or, with --switch-output, several, each readable on its own and
 * with its final name, a timestamp, when it is closed. What outlives a file is here, too:
 * synthesis, followed processes, the file that waits for deferred records, the keeper, names.
 */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/diag.h"
#include "cmd/record/recorder.h"
#include "measure/attr.h"

/* Timeout for the names of JIT code, at a switch and at the end, in milliseconds. */
#define KEEP_MS		5000
#define KEEP_LOOK_MS	20
#define LAST_LOOK_MS	200

static const struct perf_event_header finished_init = { .type = REC_FINISHED_INIT, .size = 8 };

void files_init(struct recorder *rec)
{
	const struct record_options *o = &rec->opts;
	const struct description *desc = &rec->desc;

	rec->follows = o->switch_output;
	rec->waits = o->switch_output && chain_deferred(&o->specs);
	rec->files.told = xcalloc(desc->nr_events, sizeof(*rec->files.told));
	if (rec->follows)
		follow_init(&rec->follow, &rec->rings.threads,
			    !o->ring.per_thread && !o->ring.no_inherit);
	if (rec->waits)
		unanswered_init(&rec->unanswered, desc);
	rec->keep = keep_create(desc->host, description_layout(desc),
				!o->no_buildid_cache && !o->ring.no_buildid,
				!o->no_buildid_cache, o->buildid_cache_size);
}

void files_deinit(struct recorder *rec)
{
	u32 i;

	for (i = 0; i < rec->files.nr_names; i++)
		free(rec->files.names[i]);
	free(rec->files.names);
	free(rec->files.told);
	free(rec->files.cut_line);
	synthesis_forget(rec);
	if (rec->follows)
		follow_deinit(&rec->follow);
	if (rec->waits)
		unanswered_deinit(&rec->unanswered);
	keep_end(rec->keep);
}

static int write_synthesis(struct recorder *rec)
{
	const struct outbuf *records = synthesis_records(rec);
	int err = output_records(&rec->out, records);

	keep_note_all(rec->keep, records);
	return err ?: writer_record(&rec->out.writer, &finished_init, sizeof(finished_init));
}

int files_begin(struct recorder *rec)
{
	/* --tail-synthesize: the next file starts with the records of this one's end. */
	bool synthesis = !rec->opts.tail_synthesize || rec->synthesis.made;
	int err = 0;

	rec->rings.stats = (struct ring_stats){ .time_offset = rec->rings.stats.time_offset };
	if (output_begin(&rec->out))
		return -1;
	if (live_begin(rec->live, synthesis ? synthesis_records(rec) : NULL)) {
		output_discard(&rec->out);
		return -1;
	}
	if (synthesis)
		err = write_synthesis(rec);
	synthesis_forget(rec);
	if (!err && outbuf_len(&rec->follow.carry))
		err = output_records(&rec->out, &rec->follow.carry);
	if (!err)
		err = writer_commit(&rec->out.writer);
	return err ? output_abandon(&rec->out, err) : 0;
}

/* NAME.YYYYMMDDhhmmsscc, @later hundredths of a second after now; the caller frees it. */
static char *timestamped(const char *name, u32 later)
{
	const struct timespec ts = time_after(10 * later);
	struct tm tm;
	char stamp[64];
	char *path;
	size_t n;

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
static void finished(struct recorder *rec, char *path)
{
	u32 most = rec->opts.switch_max_files;

	GROW(rec->files.names, rec->files.nr_names, rec->files.cap_names);
	rec->files.names[rec->files.nr_names++] = path;
	if (verbose >= 0)
		fprintf(stderr, "[ perf record: Dump %s ]\n", path);
	while (most && rec->files.nr_names - rec->files.nr_removed > most) {
		const char *oldest = rec->files.names[rec->files.nr_removed++];

		if (unlink(oldest))
			diag_warn("%s: cannot be removed: %s", oldest, strerror(errno));
	}
}

/* The shorter of two timeouts; -1: unlimited. */
static int sooner(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

int files_timeout(const struct recorder *rec)
{
	int ms = rec->waits && unanswered_waiting(&rec->unanswered) ? UNANSWERED_MS : -1;

	if (rec->tables)
		ms = sooner(ms, tables_timeout(rec->tables, rec->loop.maps.epoll < 0));
	return sooner(sooner(ms, live_timeout(rec->live)), keep_timeout(rec->keep));
}

static int close_waiting(struct recorder *rec)
{
	char *path;
	int err;

	if (!rec->waits || !unanswered_waiting(&rec->unanswered))
		return 0;
	err = unanswered_close(&rec->unanswered, &path);
	if (!err) {
		keep_finished(rec->keep, path);
		finished(rec, path);
		return 0;
	}
	diag_error("%s: %s", path, output_failure(err));
	free(path);
	return -1;
}

int files_poll(struct recorder *rec)
{
	if (rec->tables)
		tables_poll(rec->tables);
	return rec->waits && unanswered_due(&rec->unanswered) ? close_waiting(rec) : 0;
}

/*
 * The last rounds of a file: the buffers are written to it while /proc is read, and once more. The
 * next file starts with what was read, and a copy of these rounds' side-band records.
 */
static int last_rounds(struct recorder *rec)
{
	int err = 0;

	follow_carry(&rec->follow, true);
	synthesis_start(rec);
	while (!err && !synthesis_done(rec, KEEP_LOOK_MS))
		err = drain_round(rec, false);
	if (!err)
		err = drain_snapshot(rec) ?: drain_round(rec, true) ?: drain_live(rec);
	follow_carry(&rec->follow, false);
	return err;
}

/* Write a LOST_SAMPLES record of @event, with its id, at time @ns. */
static void write_lost_samples(struct recorder *rec, u32 event, u64 lost, u64 ns)
{
	const struct description *desc = &rec->desc;
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
	writer_record(&rec->out.writer, h, h->size);
	synth_deinit(&s);
	event_list_deinit(&layout);
}

/* A count of 0 carries the end of the recording: until then threads not switched in are blocked. */
static void write_end_time(struct recorder *rec)
{
	write_lost_samples(rec, description_tracking(&rec->desc), 0, clock_ns(rec->opts.ring.clockid));
}

/* Write the records that name the kept JIT files, in the next file those not ready within @ms. */
static void write_kept(struct recorder *rec, int ms, bool last)
{
	struct outbuf records = { 0 };

	keep_ask(rec->keep, last);
	keep_answered(rec->keep, ms);
	keep_take_records(rec->keep, &records);
	if (outbuf_len(&records))
		output_records(&rec->out, &records);
	outbuf_deinit(&records);
}

/* Write what each event lost in this file. LOST records, where another one followed, repeat it. */
static void write_lost(struct recorder *rec)
{
	u64 lost;
	u32 i;

	rec->files.counted = 0;
	for (i = 0; i < rec->desc.nr_events; i++) {
		lost = rings_lost(&rec->rings, i);
		if (lost > rec->files.told[i])
			write_lost_samples(rec, i, lost - rec->files.told[i], 0);
		rec->files.told[i] = lost;
		rec->files.counted += lost;
	}
}

/* Write what is known of a file at its end only. @ms, @last: as write_kept() */
static void write_last(struct recorder *rec, int ms, bool last)
{
	if (rec->opts.tail_synthesize)
		write_synthesis(rec);
	write_kept(rec, ms, last);
	write_lost(rec);
	if (rec->opts.off_cpu || rec->opts.off_cpu_only)
		write_end_time(rec);
	frames_file_ends(rec->frames);
	live_file_ends(rec->live);
}

/* Close this file, or leave it open until the deferred records of its samples are written. */
static int leave(struct recorder *rec)
{
	struct outbuf sections[FEAT_MAX] = { 0 };
	struct output *out = &rec->out;
	bool wait = rec->waits && unanswered_wanted(&rec->unanswered);
	char *path;

	write_last(rec, LAST_LOOK_MS, false);
	output_sections(out, sections);
	if (wait && !out->writer.err) {
		path = rename_finished(rec->opts.output);
		if (!path) {
			output_end(out, sections);
			return -1;
		}
		unanswered_leave(&rec->unanswered, &out->writer, sections, path);
		out->state = OUTPUT_CLOSED;	/* the writer has a new owner */
		return 0;
	}
	if (output_end(out, sections))
		return -1;
	path = rename_finished(rec->opts.output);
	if (!path)
		return -1;
	keep_finished(rec->keep, path);
	finished(rec, path);
	return 0;
}

/* Let the keeper copy files before the last round; the kernel's buffers are drained meanwhile. */
static int let_keep(struct recorder *rec)
{
	int err = 0, ms;

	keep_ask(rec->keep, false);
	for (ms = KEEP_MS; !err && ms > 0; ms -= KEEP_LOOK_MS) {
		if (keep_answered(rec->keep, KEEP_LOOK_MS))
			break;
		err = drain_round(rec, false);
	}
	return err;
}

int files_switch(struct recorder *rec)
{
	int err = let_keep(rec) ?: last_rounds(rec);

	if (err)
		return output_failed(&rec->out, err);
	if (close_waiting(rec) || leave(rec))
		return -1;
	rec->files.lost += rec->rings.stats.lost;
	if (files_begin(rec))
		return -1;
	return error_report(writer_publish(&rec->out.writer));
}

int files_end(struct recorder *rec, bool discard)
{
	struct outbuf sections[FEAT_MAX] = { 0 };
	struct hash hits = { 0 };
	int err = close_waiting(rec);

	if (discard) {
		output_discard(&rec->out);
		return err;
	}
	if (rec->out.state != OUTPUT_OPEN)
		return err;
	write_last(rec, KEEP_MS, true);
	/* Names are looked up later, as some files are found only in the cache. */
	if (rec->opts.embed && rec->out.writer.is_regular) {
		writer_commit(&rec->out.writer);
		keep_finished(rec->keep, rec->opts.output);
		keep_end(rec->keep);
		rec->keep = NULL;
	}
	if (!rec->out.writer.is_pipe)
		output_sections(&rec->out, sections);
	if (rec->opts.embed)
		output_names(&rec->out, &sections[FEAT_NAMES]);
	if (output_end(&rec->out, sections))
		err = -1;
	if (err)
		return err;
	if (record_look(&rec->opts, &rec->out, rec->tables, &hits, &rec->files.cut_line))
		keep_finished_files(rec->keep, &hits);
	else if (rec->out.writer.is_regular)
		keep_finished(rec->keep, rec->opts.output);
	hash_deinit(&hits);
	keep_end(rec->keep);
	rec->keep = NULL;
	return 0;
}

const char *files_final_name(struct recorder *rec)
{
	const struct record_options *o = &rec->opts;
	char *path;

	if (rec->out.writer.is_pipe || (!o->timestamp_filename && !o->switch_output))
		return o->output;
	path = rename_finished(o->output);
	if (!path)
		return o->output;
	finished(rec, path);
	return path;
}
