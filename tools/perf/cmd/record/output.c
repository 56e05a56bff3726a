// SPDX-License-Identifier: GPL-2.0
/*
 * What goes into the file, and when: header, synthesis, rounds of the kernel's
 * buffers, features.
 */
#include <assert.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "cmd/record/record.h"
#include "event/spans.h"

/* As many buffers go into one writev(): their room is the kernel's again soon. */
#define SPANS_PER_WRITE	64
/* --mmap-flush: after so many rounds a buffer with little in it is read all the same. */
#define MAX_ROUNDS_HELD	16
/* Raw bytes of records that are compressed and written together: with the record that reaches
 * it, mostly one chunk of the compressor's.
 */
#define COMPRESS_AT_ONCE 31744
/* Room for sections: what grows until the end, and what the file system adds. */
#define SECTIONS_SLACK	8192
#define BUILD_IDS_GUESS	32768

static const struct perf_event_header finished_round = { .type = REC_FINISHED_ROUND, .size = 8 };
static const struct perf_event_header finished_init = { .type = REC_FINISHED_INIT, .size = 8 };

static const struct event_spec *tracking(const struct record *rec)
{
	u32 i;

	for (i = 0; i < rec->specs.nr; i++)
		if (rec->specs.v[i]->is_tracking)
			return rec->specs.v[i];
	return rec->specs.v[0];
}

/* What the writer wants to know of the events: their ids in one array each. */
static void describe_events(struct record *rec)
{
	u32 n = rec->rings.cpus.nr * rec->rings.threads.nr, i, j;

	if (rec->events)
		return;
	rec->events = xcalloc(rec->specs.nr, sizeof(*rec->events));
	for (i = 0; i < rec->specs.nr; i++) {
		const struct event_spec *s = rec->specs.v[i];
		struct writer_event *e = &rec->events[i];
		u64 *ids = xcalloc(n ?: 1, sizeof(u64));

		*e = (struct writer_event){
			.attr = s->attr, .name = s->name, .unit = s->unit, .scale = s->scale,
			.cpumask = s->cpumask, .ids = ids, .leader = s->leader,
			.group_members = s->group_members, .group_name = s->group_name,
		};
		for (j = 0; j < n; j++)
			if (rec->rings.events[i].fds[j] >= 0)
				ids[e->nr_ids++] = rec->rings.events[i].ids[j];
	}
}

/* ID_INDEX: which id counts where. Parts of at most 2000 entries: size is a u16. */
static void put_id_index(struct record *rec, struct synth *s)
{
	struct rings *r = &rec->rings;
	struct { u64 id, idx, cpu, tid; } e;
	u32 c, t, i, nr = 0, ring;
	size_t at = 0;
	u64 zero = 0;

	for (i = 0; i < rec->specs.nr; i++) {
		for (c = 0; c < r->cpus.nr; c++) {
			for (t = 0; t < r->threads.nr; t++) {
				if (r->events[i].fds[c * r->threads.nr + t] < 0)
					continue;
				ring = rec->ring.per_thread ? t : c;
				if (!nr) {
					at = synth_begin(s, REC_ID_INDEX, 0);
					synth_put(s, &zero, sizeof(zero));
				}
				e.id = r->events[i].ids[c * r->threads.nr + t];
				e.idx = ring;
				e.cpu = (s64)r->cpus.v[c];
				e.tid = (s64)r->threads.v[t];
				synth_put(s, &e, sizeof(e));
				nr++;
				memcpy(s->out.base + at + 8, (u64[]){ nr }, 8);
				if (nr == 2000) {
					synth_end(s, at, false);
					nr = 0;
				}
			}
		}
	}
	if (nr)
		synth_end(s, at, false);
}

/* EVENT_UPDATE: units, scales and CPU masks that sysfs gave. */
static void put_updates(struct record *rec, struct synth *s)
{
	enum { UPDATE_UNIT, UPDATE_SCALE };
	u32 i;

	for (i = 0; i < rec->specs.nr; i++) {
		const struct writer_event *e = &rec->events[i];
		struct { u64 type, id; } u = { UPDATE_UNIT, e->nr_ids ? e->ids[0] : 0 };
		size_t at;

		if (e->unit) {
			at = synth_begin(s, REC_EVENT_UPDATE, 0);
			synth_put(s, &u, sizeof(u));
			synth_string(s, e->unit, strlen(e->unit));
			synth_end(s, at, false);
		}
		if (e->scale != 1) {
			u.type = UPDATE_SCALE;
			at = synth_begin(s, REC_EVENT_UPDATE, 0);
			synth_put(s, &u, sizeof(u));
			synth_put(s, &e->scale, sizeof(e->scale));
			synth_end(s, at, false);
		}
	}
}

/* THREAD_MAP and CPU_MAP: whom and where. */
static void put_targets(struct record *rec, struct synth *s)
{
	const struct rings *r = &rec->rings;
	u64 nr = r->threads.nr;
	size_t at;
	u32 i;

	if (nr <= 2000) {
		at = synth_begin(s, REC_THREAD_MAP, 0);
		synth_put(s, &nr, sizeof(nr));
		for (i = 0; i < nr; i++) {
			struct { u64 pid; char comm[16]; } e = { (s64)r->threads.v[i], "" };

			synth_put(s, &e, sizeof(e));
		}
		synth_end(s, at, false);
	}
	if (r->cpus.v[0] >= 0 && r->cpus.nr < 16000) {
		u16 head[2] = { 0 /* a list */, r->cpus.nr };

		at = synth_begin(s, REC_CPU_MAP, 0);
		synth_put(s, head, sizeof(head));
		for (i = 0; i < r->cpus.nr; i++) {
			u16 cpu = r->cpus.v[i];

			synth_put(s, &cpu, sizeof(cpu));
		}
		while ((s->out.pos - s->out.base) % 8)
			synth_put(s, "", 1);
		synth_end(s, at, false);
	}
}

/* Everything that was there before; also again at the beginning of each file. */
static void synthesize(struct record *rec, struct synth *s)
{
	const struct rings *r = &rec->rings;

	s->build_ids = rec->ring.wants_build_ids;
	s->namespaces = rec->ring.namespaces;
	s->cgroups = rec->ring.cgroups && !(rec->synth_not & SYNTH_CGROUPS);
	s->no_tasks = rec->synth_not & SYNTH_TASKS;
	s->no_maps = rec->synth_not & SYNTH_MAPS;
	s->data_maps = tracking(rec)->attr.mmap_data;
	if (!tracking(rec)->attr.exclude_kernel || tracking(rec)->is_dummy)
		synth_kernel(s);
	if (s->restricted)
		diag_warn("kernel addresses are hidden (kernel.kptr_restrict): kernel samples will have no names");
	if (!rec->ring.no_bpf_event)
		synth_bpf(s);
	if (s->no_tasks && !s->cgroups)
		return;
	if (r->threads.v[0] == -1)
		synth_all(s);
	else if (rec->workload.pid && !rec->pids && !rec->tids && !rec->user && !rec->workload.ended &&
		 rec->workload.go >= 0)
		synth_workload(s, rec->workload.pid);
	else if (rec->follow)
		follow_synth(rec, s);
	else
		synth_threads(s, r->threads.v, r->threads.nr);
}

void output_prepare(struct record *rec)
{
	rec->prepared = xmalloc(sizeof(*rec->prepared));
	synth_init(rec->prepared, &tracking(rec)->attr);
	synthesize(rec, rec->prepared);
}

/* Records that are not the kernel's, or were kept from it. */
static int write_records(struct record *rec, const struct outbuf *o)
{
	size_t at;

	for (at = 0; rec->build_ids && at < (size_t)(o->pos - o->base);) {
		const struct perf_event_header *h = (const void *)(o->base + at);

		build_id_note(rec, h);
		at += h->size;
	}
	return writer_record(&rec->writer, o->base, o->pos - o->base);
}

static int write_synthesis(struct record *rec)
{
	int err;

	if (!rec->prepared)
		output_prepare(rec);
	err = write_records(rec, &rec->prepared->out);
	if (!err)
		err = writer_record(&rec->writer, &finished_init, sizeof(finished_init));
	return err;
}

static void prepared_free(struct record *rec)
{
	if (rec->prepared)
		synth_deinit(rec->prepared);
	free(rec->prepared);
	rec->prepared = NULL;
}

static void feature_input(struct record *rec, struct feature_input *in)
{
	u64 bytes = rec->writer.data_size;
	u32 i;

	*in = (struct feature_input){
		.argv = rec->argv, .argc = rec->argc, .events = rec->events, .nr_events = rec->specs.nr,
		.first_time = rec->rings.stats.first_time, .last_time = rec->rings.stats.last_time,
		.use_clockid = rec->ring.use_clockid, .clockid = rec->ring.clockid,
		.wall_ns = rec->wall_ns, .clock_ns = rec->clock_ns,
		.compress_level = rec->compress_level, .data_size = rec->rings.data_size,
	};
	for (i = 0; i < rec->specs.nr; i++)
		in->has_branch_stack |= !!(rec->specs.v[i]->attr.sample_type & PERF_SAMPLE_BRANCH_STACK);
	if (rec->compress_level && bytes)
		in->compress_ratio = max(1ULL, (rec->raw_bytes + bytes / 2) / bytes);
}

/* Of a pipe: attributes, features and tracing data are records too. */
static int write_pipe_header(struct record *rec)
{
	struct outbuf sections[FEAT_MAX] = { 0 };
	const struct outbuf *tracing = &rec->tracing;
	struct feature_input in;
	struct synth s;
	size_t at;
	u64 id;
	u32 i;
	int err;

	synth_init(&s, &tracking(rec)->attr);
	for (i = 0; i < rec->specs.nr; i++) {
		at = synth_begin(&s, REC_HEADER_ATTR, 0);
		synth_put(&s, &rec->events[i].attr, sizeof(rec->events[i].attr));
		synth_put(&s, rec->events[i].ids, rec->events[i].nr_ids * sizeof(u64));
		synth_end(&s, at, false);
	}
	feature_input(rec, &in);
	features_make(&in, sections);
	for (i = 0; i < FEAT_MAX; i++) {
		if (!sections[i].base)
			continue;
		id = i;
		at = synth_begin(&s, REC_HEADER_FEATURE, 0);
		synth_put(&s, &id, sizeof(id));
		synth_put(&s, sections[i].base, sections[i].pos - sections[i].base);
		while ((s.out.pos - s.out.base) % 8)
			synth_put(&s, "", 1);
		synth_end(&s, at, false);
	}
	features_free(sections);
	if (tracing->base) {
		u32 size = ALIGN_UP(tracing->pos - tracing->base, 8);

		at = synth_begin(&s, REC_HEADER_TRACING_DATA, 0);
		synth_put(&s, &size, sizeof(size));
		synth_end(&s, at, false);
		synth_put(&s, tracing->base, tracing->pos - tracing->base);
		while ((s.out.pos - s.out.base) % 8)
			synth_put(&s, "", 1);
	}
	err = writer_record(&rec->writer, s.out.base, s.out.pos - s.out.base);
	synth_deinit(&s);
	return err;
}

static void note_side(void *arg, const struct perf_event_header *h)
{
	struct record *rec = arg;

	late_note(rec, h);
	if (h->type == PERF_RECORD_SAMPLE)
		return;
	if (rec->build_ids)
		build_id_note(rec, h);
	follow_note(rec, h);
}

static u64 now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* What stands behind the data needs about so many bytes. */
static u64 sections_size(struct record *rec)
{
	struct outbuf sections[FEAT_MAX] = { 0 };
	struct feature_input in;
	u64 size = SECTIONS_SLACK;
	u32 i;

	feature_input(rec, &in);
	in.tracing_data = rec->tracing;
	features_make(&in, sections);
	for (i = 0; i < FEAT_MAX; i++)
		if (sections[i].base)
			size += sections[i].pos - sections[i].base;
	features_free(sections);
	return size + (rec->build_ids ? BUILD_IDS_GUESS : 0);
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

static int begin(struct record *rec, const char *path)
{
	struct synth s;
	int err;

	if (writer_open(&rec->writer, path))
		return -1;
	describe_events(rec);
	if (!rec->has_tracing)
		tracing_data(&rec->specs, &rec->tracing);
	rec->has_tracing = true;
	if (!rec->late)
		late_begin(rec);
	build_ids_begin(rec);
	rec->rings.stats.on_side = rec->build_ids || rec->follow ? note_side : NULL;
	rec->rings.stats.on_samples = rec->late;
	rec->rings.stats.arg = rec;
	rec->wall_ns = now_ns(CLOCK_REALTIME);
	if (rec->ring.use_clockid)
		rec->clock_ns = now_ns(rec->ring.clockid);
	rec->raw_bytes = 0;
	if (rec->writer.is_regular && !rec->sections_size)
		rec->sections_size = sections_size(rec);
	writer_reserve(&rec->writer, rec->sections_size);
	err = writer_begin(&rec->writer, rec->events, rec->specs.nr);
	if (!err && rec->writer.is_pipe)
		err = write_pipe_header(rec);
	if (!err) {
		synth_init(&s, &tracking(rec)->attr);
		put_id_index(rec, &s);
		put_updates(rec, &s);
		put_targets(rec, &s);
		err = writer_record(&rec->writer, s.out.base, s.out.pos - s.out.base);
		synth_deinit(&s);
	}
	/* What the last file ended with, this one begins with. */
	if (!err && (!rec->tail_synthesize || rec->prepared))
		err = write_synthesis(rec);
	prepared_free(rec);
	if (!err && follow_carried(rec))
		err = write_records(rec, follow_carried(rec));
	if (!err)
		err = writer_commit(&rec->writer);
	if (err)
		return diag_error("%s: %s", path, output_failure(err));
	return 0;
}

int output_begin(struct record *rec, const char *path)
{
	int err = begin(rec, path);

	rec->file = err ? NO_FILE : OPEN_FILE;
	if (err)
		writer_discard(&rec->writer);
	return err;
}

/*
 * Compress and write, as many whole records at a time as the compressor takes: what is in the
 * file then ends with a record when the rest cannot be written. *@done: bytes of @iov that are
 * in the file.
 */
static int put_compressed(struct record *rec, const struct iovec *iov, u32 nr, u64 *done)
{
	struct span_walk w = { .iov = iov, .nr = nr };
	struct iovec part[SPANS_PER_WRITE + 1];
	u64 head[SPAN_HEAD / 8], size = span_bytes(iov, nr);
	struct outbuf out;
	int err = 0;

	outbuf_init(&out, -1);
	for (*done = 0; !err && *done < size;) {
		while (w.at < *done + COMPRESS_AT_ONCE && span_next(&w, head))
			;
		assert(w.at > *done);	/* ring_spans() gives whole records */
		out.pos = out.base;
		err = compressor_spans(rec->compressor, part, span_cut(iov, nr, *done, w.at, part),
				       rec->rings.data_size, &out);
		if (!err)
			err = writer_record(&rec->writer, out.base, out.pos - out.base);
		if (!err)
			*done = w.at;
	}
	outbuf_deinit(&out);
	return err;
}

/*
 * Write spans, compressed if asked for. @before: what was counted before them; when they do
 * not fit, only the records that are in the file stay counted.
 */
static int put_spans(struct record *rec, const struct iovec *iov, u32 nr, const struct ring_stats *before)
{
	u64 at = rec->writer.data_size, done = 0;
	int err;

	if (rec->compressor) {
		err = put_compressed(rec, iov, nr, &done);
	} else {
		err = writer_data(&rec->writer, iov, nr);
		done = rec->writer.data_size - at;
	}
	rec->raw_bytes += done;
	if (err) {
		rec->rings.stats = *before;
		ring_stats_add(&rec->rings.stats, iov, nr, done);
	}
	return err;
}

/* Can a ring be written together with the one behind it? */
static bool together(const struct record *rec, u32 i)
{
	const struct ring *v = rec->rings.v;

	return affinity_place(&rec->affinity, v[i].cpu) == affinity_place(&rec->affinity, v[i + 1].cpu);
}

int output_round(struct record *rec)
{
	struct iovec iov[SPANS_PER_WRITE + 1];
	struct rings *r = &rec->rings;
	struct ring_stats before = r->stats;
	u64 least = rec->done || rec->rounds_held >= MAX_ROUNDS_HELD ? 0 : rec->mmap_flush;
	u32 first = 0, i, n = 0;
	bool any = false, held = false;
	int err = 0;

	for (i = 0; i < r->nr && !err; i++) {
		u64 pending = r->v[i].backward ? 0 : ring_pending(&r->v[i]);
		bool last = i + 1 == r->nr;

		if (pending && pending >= least) {
			affinity_move(&rec->affinity, r->v[i].cpu);
			n += ring_spans(&r->v[i], &r->stats, iov + n);
			any |= n > 0;
		} else {
			held |= pending > 0;
		}
		if (n + 2 > SPANS_PER_WRITE || last || !together(rec, i)) {
			/* A round is finished when nothing older can come. */
			if (last && any && !held) {
				iov[n].iov_base = (void *)&finished_round;
				iov[n++].iov_len = sizeof(finished_round);
			}
			if (n)
				err = put_spans(rec, iov, n, &before);
			before = r->stats;
			for (; first <= i; first++)
				if (!r->v[first].backward && r->v[first].page)
					ring_consume(&r->v[first]);
			n = 0;
		}
	}
	rec->rounds_held = held ? rec->rounds_held + 1 : 0;
	if (any && !err)
		err = writer_commit(&rec->writer);
	return err;
}

int output_snapshot(struct record *rec)
{
	struct rings *r = &rec->rings;
	struct ring_stats before = r->stats;
	struct iovec iov[3];
	u32 i, n;
	int err = 0;

	rings_pause(r, true);
	for (i = 0; i < r->nr && !err; i++) {
		if (!r->v[i].backward)
			continue;
		n = ring_spans_backward(&r->v[i], &r->stats, iov);
		if (n)
			err = put_spans(rec, iov, n, &before);
		before = r->stats;
		ring_consume(&r->v[i]);
	}
	rings_pause(r, false);
	if (!err)
		err = writer_commit(&rec->writer);
	return err;
}

/* Losses that no LOST record tells of: nothing was written after them. */
static void write_lost(struct record *rec)
{
	u64 sum = 0, told = rec->total_lost + rec->rings.stats.lost;	/* @sum: since the very beginning */
	u32 i;

	for (i = 0; i < rec->specs.nr; i++)
		sum += rings_lost(&rec->rings, i);
	if (sum <= told)
		return;
	rec->rings.stats.lost = sum - rec->total_lost;
	/* A LOST_SAMPLES record with the difference, for the first event. */
	{
		struct synth s;
		size_t at;
		u64 lost = sum - told;

		synth_init(&s, &tracking(rec)->attr);
		at = synth_begin(&s, PERF_RECORD_LOST_SAMPLES, 0);
		synth_put(&s, &lost, sizeof(lost));
		synth_end(&s, at, true);
		writer_record(&rec->writer, s.out.base, s.out.pos - s.out.base);
		synth_deinit(&s);
	}
}

void output_sections(struct record *rec, struct outbuf *sections)
{
	struct feature_input in;
	struct outbuf ids = { 0 };

	build_ids_end(rec, &ids);
	feature_input(rec, &in);
	in.build_ids = ids;
	in.tracing_data = rec->tracing;
	features_make(&in, sections);
	if (in.build_ids.base)
		outbuf_deinit(&in.build_ids);
}

/* A pipe had its sections first, but for the build-ids. */
static void end_pipe(struct record *rec)
{
	struct outbuf ids = { 0 };

	build_ids_end(rec, &ids);
	if (!ids.base)
		return;
	writer_record(&rec->writer, ids.base, ids.pos - ids.base);
	outbuf_deinit(&ids);
}

static int end(struct record *rec)
{
	struct outbuf sections[FEAT_MAX] = { 0 };

	if (rec->tail_synthesize)
		write_synthesis(rec);
	if (rec->done) {
		write_lost(rec);
		prepared_free(rec);
	}
	if (rec->writer.is_pipe) {
		end_pipe(rec);
		return writer_close(&rec->writer);
	}
	output_sections(rec, sections);
	if (!rec->done && late_wanted(rec) && !rec->writer.err) {
		char *path = output_rename(rec);

		if (path) {
			late_leave(rec, sections, path);
			return 0;
		}
	}
	writer_end(&rec->writer, sections);
	features_free(sections);
	return writer_close(&rec->writer);
}

int output_end(struct record *rec)
{
	int err = end(rec);

	rec->file = CLOSED_FILE;
	if (err && !rec->write_failed)
		diag_error("%s: %s: the samples can be read, what describes the recording is not complete",
			   rec->output, output_failure(err));
	return err ? -1 : 0;
}

char *output_timestamped(const char *name, u32 later)
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
