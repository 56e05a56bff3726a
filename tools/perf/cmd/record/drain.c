// SPDX-License-Identifier: GPL-2.0
/*
 * Copies records from the kernel's buffers to the file. A round writes the contents of all buffers
 * with few calls, directly from the kernel's memory, and then releases the space.
 *
 * struct drain owns the recorder's CPU affinity and the count of rounds in which a nearly empty
 * buffer was skipped. The rings' statistics count written records only: after a failed write they
 * are reset to the written part.
 */
#include "base/diag.h"
#include "cmd/record/drain.h"

/*
 * Maximum spans per writev() without the FINISHED_ROUND; few, to release space to the kernel soon.
 */
#define SPANS_PER_WRITE	(OUTPUT_SPANS - 1)
/* --mmap-flush: number of rounds after which a nearly empty buffer is read anyway. */
#define MAX_ROUNDS_HELD	16

static const struct perf_event_header finished_round = { .type = REC_FINISHED_ROUND, .size = 8 };

void drain_init(struct drain *d, const struct record_options *opts, struct rings *rings, struct watch *watch,
		struct live *live, struct frames *frames, struct output *out)
{
	u64 most = rings->data_size / 4;

	*d = (struct drain){
		.rings = rings, .watch = watch, .live = live, .frames = frames, .out = out, .least = opts->mmap_flush,
	};
	if (d->least > most) {
		diag_warn("--mmap-flush: %llu bytes is more than a quarter of a buffer: using %llu", d->least,
			  most);
		d->least = most;
	}
	if (opts->affinity_mode != AFFINITY_SYS && opts->ring.per_thread)
		diag_warn("--affinity: the buffers of --per-thread belong to no CPU: it does not apply");
	affinity_init(&d->affinity, opts->affinity_mode);
	pthread_mutex_init(&d->lock, NULL);
}

void drain_deinit(struct drain *d)
{
	affinity_deinit(&d->affinity);
	pthread_mutex_destroy(&d->lock);
}

/* Write the output of a stage, and count it. */
static int put_records(struct drain *d, const struct outbuf *o)
{
	const struct iovec iov = { o->base, outbuf_len(o) };
	u64 done;
	int err;

	if (!iov.iov_len)
		return 0;
	err = output_spans(d->out, &iov, 1, &done);
	ring_stats_add(&d->rings->stats, &iov, 1, done);
	return err;
}

/* --threads: write spans of a buffer to its file. Only written records are counted. */
static int put_part(struct drain *d, const struct iovec *iov, u32 nr, u32 ring)
{
	struct output *part = &d->out->parts[ring];
	u64 done = 0, before = part->writer.data_size;
	int err;

	pthread_mutex_lock(&d->lock);
	watch_spans(d->watch, iov, nr);
	pthread_mutex_unlock(&d->lock);
	err = output_spans(part, iov, nr, &done);
	pthread_mutex_lock(&d->lock);
	ring_stats_add(&d->rings->stats, iov, nr, done);
	d->out->raw_bytes += done;
	pthread_mutex_unlock(&d->lock);
	__atomic_add_fetch(&d->out->part_bytes, part->writer.data_size - before, __ATOMIC_RELAXED);
	return err;
}

/*
 * Write spans of the buffers. After a failed write, only the written part is counted.
 * @ring: index of the last buffer; with --call-graph bpf or --threads, of the only one
 */
static int put_spans(struct drain *d, const struct iovec *iov, u32 nr, u32 ring)
{
	const struct ring_stats before = d->rings->stats;
	struct iovec joined;
	u64 done = 0;
	int err;

	if (d->out->parts)
		return put_part(d, iov, nr, ring);
	watch_spans(d->watch, iov, nr);
	if (d->frames) {
		const struct outbuf *o = frames_join(d->frames, ring, iov, nr);

		if (!d->live)
			return put_records(d, o);
		joined = (struct iovec){ o->base, outbuf_len(o) };
		iov = &joined;
		nr = 1;
	}
	if (d->live) {
		live_take(d->live, iov, nr);
		return 0;
	}
	err = output_spans(d->out, iov, nr, &done);
	if (err) {
		d->rings->stats = before;
		ring_stats_add(&d->rings->stats, iov, nr, done);
	}
	return err;
}

/*
 * Write the finished records of the live stage. @wait: all of its records; @any: set to true if
 * there were any.
 */
static int put_finished(struct drain *d, bool wait, bool *any)
{
	const struct outbuf *o;
	int err = 0;

	*any = false;
	while (!err && (o = live_finished(d->live, wait))) {
		*any |= outbuf_len(o) > 0;
		err = put_records(d, o);
	}
	return err;
}

int drain_live(struct drain *d)
{
	bool any;

	if (!d->live)
		return 0;
	live_flush(d->live);
	return put_finished(d, true, &any) ?: writer_commit(&d->out->writer);
}

/* True if ring @i and the next one can be written together: they are read on the same CPUs. */
static bool together(const struct drain *d, u32 i)
{
	const struct ring *v = d->rings->v;

	return affinity_place(&d->affinity, v[i].cpu) == affinity_place(&d->affinity, v[i + 1].cpu);
}

int drain_ring(struct drain *d, u32 i)
{
	struct ring *ring = &d->rings->v[i];
	struct iovec iov[2];
	int err;

	if (ring->backward || ring_pending(ring) < max(d->least, 1ULL))
		return 0;
	err = put_part(d, iov, ring_spans(ring, iov), i);
	ring_consume(ring);
	return err;
}

int drain_round(struct drain *d, bool all)
{
	struct iovec iov[OUTPUT_SPANS];
	struct rings *r = d->rings;
	u64 least = all || d->rounds_held >= MAX_ROUNDS_HELD ? 0 : d->least;
	u32 first = 0, i, n = 0;
	bool any = false, held = false, alone = d->frames || d->out->parts;
	int err = 0;

	for (i = 0; i < r->nr && !err; i++) {
		u64 pending = r->v[i].backward ? 0 : ring_pending(&r->v[i]);
		bool last = i + 1 == r->nr;

		if (pending && pending >= least) {
			affinity_move(&d->affinity, r->v[i].cpu);
			n += ring_spans(&r->v[i], iov + n);
			any |= n > 0;
		} else {
			held |= pending > 0;
		}
		if (n + 2 > SPANS_PER_WRITE || last || alone || !together(d, i)) {
			/* A FINISHED_ROUND is valid only if no older record can follow. */
			if (last && any && !held && !d->out->parts) {
				iov[n].iov_base = (void *)&finished_round;
				iov[n++].iov_len = sizeof(finished_round);
			}
			if (n)
				err = put_spans(d, iov, n, i);
			for (; first <= i; first++)
				if (!r->v[first].backward && r->v[first].page)
					ring_consume(&r->v[first]);
			n = 0;
		}
	}
	d->rounds_held = held ? d->rounds_held + 1 : 0;
	if (d->live) {
		if (!any && !held)
			live_flush(d->live);
		err = put_finished(d, false, &any);
	}
	if (any && !err)
		err = writer_commit(&d->out->writer);
	return err;
}

int drain_snapshot(struct drain *d)
{
	struct rings *r = d->rings;
	struct iovec iov[3];
	u32 i, n;
	int err = 0;

	rings_pause(r, true);
	for (i = 0; i < r->nr && !err; i++) {
		if (!r->v[i].backward)
			continue;
		n = ring_spans_backward(&r->v[i], iov);
		if (n)
			err = put_spans(d, iov, n, i);
		ring_consume(&r->v[i]);
	}
	rings_pause(r, false);
	if (!err)
		err = writer_commit(&d->out->writer);
	return err;
}
