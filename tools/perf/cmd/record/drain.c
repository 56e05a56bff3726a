// SPDX-License-Identifier: GPL-2.0
/*
 * Copies records from the kernel's buffers to the file: a round writes the contents of all with few
 * calls, directly from the kernel's memory, and then releases the space. The rings' statistics
 * count what was written: after a failed write they are reset to that part.
 */
#include "base/diag.h"
#include "cmd/record/recorder.h"
#include "event/spans.h"

static void note_side_band(struct recorder *rec, const struct perf_event_header *h)
{
	if (rec->out.table)
		build_ids_note(&rec->out.build_ids, h);
	if (rec->follows)
		follow_note(&rec->follow, h);
	if (rec->tables)
		tables_note(rec->tables, h);
	keep_note(rec->keep, h);
}

/*
 * Count records and pass them to the components that track processes, mappings and deferred
 * records. @iov: spans that together are complete records
 */
static void watch_spans(struct recorder *rec, const struct iovec *iov, u32 nr)
{
	struct span_walk walk = { .iov = iov, .nr = nr };
	/* Without a stage, records are written as they are read. */
	bool counts = !rec->live && !rec->frames && !rec->opts.threads;
	static u64 room[SPAN_ROOM / sizeof(u64)];
	const struct perf_event_header *h;

	while ((h = span_record(&walk, rec->waits, room))) {
		if (counts)
			ring_stats_count(&rec->rings.stats, h);
		if (rec->waits)
			unanswered_note(&rec->unanswered, h);
		if (h->type != PERF_RECORD_SAMPLE)
			note_side_band(rec, h);
	}
	keep_wake(rec->keep);
}

/* Spans per writev() without the FINISHED_ROUND; few, to release space to the kernel soon. */
#define SPANS_PER_WRITE	(OUTPUT_SPANS - 1)
/* --mmap-flush: number of rounds after which a nearly empty buffer is read anyway. */
#define MAX_ROUNDS_HELD	16

static const struct perf_event_header finished_round = { .type = REC_FINISHED_ROUND, .size = 8 };

void drain_init(struct recorder *rec)
{
	const struct record_options *opts = &rec->opts;
	u64 most = rec->rings.data_size / 4;

	rec->drain.least = opts->mmap_flush;
	if (rec->drain.least > most) {
		diag_warn("--mmap-flush: %llu bytes is more than a quarter of a buffer: using %llu", rec->drain.least,
			  most);
		rec->drain.least = most;
	}
	if (opts->affinity_mode != AFFINITY_SYS && opts->ring.per_thread)
		diag_warn("--affinity: the buffers of --per-thread belong to no CPU: it does not apply");
	affinity_init(&rec->drain.affinity, opts->affinity_mode);
	pthread_mutex_init(&rec->drain.lock, NULL);
}

void drain_deinit(struct recorder *rec)
{
	affinity_deinit(&rec->drain.affinity);
	pthread_mutex_destroy(&rec->drain.lock);
}

/* Write the output of a stage, and count it. */
static int put_records(struct recorder *rec, const struct outbuf *o)
{
	const struct iovec iov = { o->base, outbuf_len(o) };
	u64 done;
	int err;

	if (!iov.iov_len)
		return 0;
	err = output_spans(&rec->out, &iov, 1, &done);
	ring_stats_add(&rec->rings.stats, &iov, 1, done);
	return err;
}

/* --threads: write spans of a buffer to its file. Only written records are counted. */
static int put_part(struct recorder *rec, const struct iovec *iov, u32 nr, u32 ring)
{
	struct output *part = &rec->out.parts[ring];
	u64 done = 0, before = part->writer.data_size;
	int err;

	pthread_mutex_lock(&rec->drain.lock);
	watch_spans(rec, iov, nr);
	pthread_mutex_unlock(&rec->drain.lock);
	err = output_spans(part, iov, nr, &done);
	pthread_mutex_lock(&rec->drain.lock);
	ring_stats_add(&rec->rings.stats, iov, nr, done);
	rec->out.raw_bytes += done;
	pthread_mutex_unlock(&rec->drain.lock);
	__atomic_add_fetch(&rec->out.part_bytes, part->writer.data_size - before, __ATOMIC_RELAXED);
	return err;
}

/*
 * Write spans of the buffers, and count what was written. @ring: index of the last buffer; with
 * --call-graph bpf or --threads, of the only one
 */
static int put_spans(struct recorder *rec, const struct iovec *iov, u32 nr, u32 ring)
{
	const struct ring_stats before = rec->rings.stats;
	struct iovec joined;
	u64 done = 0;
	int err;

	if (rec->out.parts)
		return put_part(rec, iov, nr, ring);
	watch_spans(rec, iov, nr);
	if (rec->frames) {
		const struct outbuf *o = frames_join(rec->frames, ring, iov, nr);

		if (!rec->live)
			return put_records(rec, o);
		joined = (struct iovec){ o->base, outbuf_len(o) };
		iov = &joined;
		nr = 1;
	}
	if (rec->live) {
		live_take(rec->live, iov, nr);
		return 0;
	}
	err = output_spans(&rec->out, iov, nr, &done);
	if (err) {
		rec->rings.stats = before;
		ring_stats_add(&rec->rings.stats, iov, nr, done);
	}
	return err;
}

/* Write finished records of the live stage. @wait: all of them; @any: set to whether there were */
static int put_finished(struct recorder *rec, bool wait, bool *any)
{
	const struct outbuf *o;
	int err = 0;

	*any = false;
	while (!err && (o = live_finished(rec->live, wait))) {
		*any |= outbuf_len(o) > 0;
		err = put_records(rec, o);
	}
	return err;
}

int drain_live(struct recorder *rec)
{
	bool any;

	if (!rec->live)
		return 0;
	live_flush(rec->live);
	return put_finished(rec, true, &any) ?: writer_commit(&rec->out.writer);
}

/* True if ring @i and the next one can be written together: they are read on the same CPUs. */
static bool together(const struct recorder *rec, u32 i)
{
	const struct affinity *a = &rec->drain.affinity;
	const struct ring *v = rec->rings.v;

	return affinity_place(a, v[i].cpu) == affinity_place(a, v[i + 1].cpu);
}

int drain_ring(struct recorder *rec, u32 i)
{
	struct ring *ring = &rec->rings.v[i];
	struct iovec iov[2];
	int err;

	if (ring->backward || ring_pending(ring) < max(rec->drain.least, 1ULL))
		return 0;
	err = put_part(rec, iov, ring_spans(ring, iov), i);
	ring_consume(ring);
	return err;
}

int drain_round(struct recorder *rec, bool all)
{
	struct iovec iov[OUTPUT_SPANS];
	struct rings *r = &rec->rings;
	u64 least = all || rec->drain.rounds_held >= MAX_ROUNDS_HELD ? 0 : rec->drain.least;
	u32 first = 0, i, n = 0;
	bool any = false, held = false, alone = rec->frames || rec->out.parts;
	int err = 0;

	for (i = 0; i < r->nr && !err; i++) {
		u64 pending = r->v[i].backward ? 0 : ring_pending(&r->v[i]);
		bool last = i + 1 == r->nr;

		if (pending && pending >= least) {
			affinity_move(&rec->drain.affinity, r->v[i].cpu);
			n += ring_spans(&r->v[i], iov + n);
			any |= n > 0;
		} else {
			held |= pending > 0;
		}
		if (n + 2 > SPANS_PER_WRITE || last || alone || !together(rec, i)) {
			/* A FINISHED_ROUND is valid only if no older record can follow. */
			if (last && any && !held && !rec->out.parts) {
				iov[n].iov_base = (void *)&finished_round;
				iov[n++].iov_len = sizeof(finished_round);
			}
			if (n)
				err = put_spans(rec, iov, n, i);
			for (; first <= i; first++)
				if (!r->v[first].backward && r->v[first].page)
					ring_consume(&r->v[first]);
			n = 0;
		}
	}
	rec->drain.rounds_held = held ? rec->drain.rounds_held + 1 : 0;
	if (rec->live) {
		if (!any && !held)
			live_flush(rec->live);
		err = put_finished(rec, false, &any);
	}
	if (any && !err)
		err = writer_commit(&rec->out.writer);
	return err;
}

int drain_snapshot(struct recorder *rec)
{
	struct rings *r = &rec->rings;
	struct iovec iov[3];
	u32 i, n;
	int err = 0;

	if (!rings_backward(r))
		return 0;
	rings_pause(r, true);
	for (i = 0; i < r->nr && !err; i++) {
		if (!r->v[i].backward)
			continue;
		n = ring_spans_backward(&r->v[i], iov);
		if (n)
			err = put_spans(rec, iov, n, i);
		ring_consume(&r->v[i]);
	}
	rings_pause(r, false);
	if (!err)
		err = writer_commit(&rec->out.writer);
	return err;
}
