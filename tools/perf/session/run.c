// SPDX-License-Identifier: GPL-2.0
/*
 * Pass 2 of a file: sorts the records and delivers them on this thread (deliver.c) or on several
 * (team.c). It owns the order and the deliveries.
 */
#include <unistd.h>

#include "base/diag.h"
#include "base/progress.h"
#include "session/session_private.h"

#define WORTH_IT 20000		/* samples; below it, threads take longer than they save */

/* Memory for a key during sorting. */
#define KEY_BYTES (2 * sizeof(struct order_key) + sizeof(size_t))
#define KEYS_ANYWAY ((64ul << 20) / KEY_BYTES)

/*
 * A recording without rounds, which perf record ends after each read of its buffers: when the keys
 * take as much memory as the recording, the records so far are sorted and delivered; but for the
 * files of a directory, which have no rounds, and are read one after the other.
 */
static bool round_overdue(const struct session_priv *sp, const struct order *order)
{
	size_t nr = order->nr - order->head;

	return unlikely(nr > KEYS_ANYWAY) && sp->s.reader->nr_files == 1 &&
	       nr > KEYS_ANYWAY + reader_bytes(sp->s.reader) / KEY_BYTES;
}

#define PART_KEYS 0x4000	/* keys between two progress updates */

/* With progress: a recording without rounds is one piece, which may take seconds. */
static int emit(struct delivery *d, struct team *team, const struct order_key *keys, size_t nr)
{
	bool shows = nr > PART_KEYS && !d->sp->cfg.no_progress;
	size_t done, part;
	int ret = 0;

	if (shows) {
		progress_end();
		progress_start("Counting samples", nr);
	}
	for (done = 0; !ret && done < nr; done += part) {
		part = min(nr - done, (size_t)PART_KEYS);
		/* A team collects a batch first. */
		ret = team ? team_deliver(team, keys + done, part) :
			     deliver_keys(d, keys + done, part);
		if (shows)
			progress_update(done);
		if (!ret && nr > PART_KEYS && interrupted())
			ret = -EINTR;
	}
	if (shows) {
		progress_end();
		progress_start("Reading samples", reader_size(d->sp->s.reader));
	}
	return ret;
}

static int run_file(struct session_priv *sp, struct delivery *d, struct team *team)
{
	struct stream_clock clock = { .has_time = sp->s.has_time };
	const struct order_key *keys;
	struct order order = { 0 };
	struct record rec;
	size_t nr;
	int ret = 0;
	u64 n = 0;

	if (!sp->cfg.no_progress)
		progress_start("Reading samples", reader_size(sp->s.reader));
	while (!ret && reader_next(sp->s.reader, &rec)) {
		u32 type = rec.header->type;
		u64 time;

		if (!(++n & 0xfff)) {
			progress_update(rec.offset);
			if (interrupted())
				ret = -EINTR;
		}
		account_bytes(sp->s.reader, &d->bytes, rec.header);
		if (d->ops->raw && (ret = d->ops->raw(d->ctx, &rec)))
			break;
		if (type >= REC_HEADER_ATTR) {
			ret = deliver(d, &rec, 0, &join_look_up);
			if (ret || type != REC_FINISHED_ROUND)
				continue;
			keys = order_round(&order, &nr);
			ret = emit(d, team, keys, nr);
			continue;
		}
		time = stream_time(&clock, sp->s.events, &rec);
		/* Without time, or with time 0 (synthesised): in file order. */
		if (team && type != PERF_RECORD_SAMPLE)
			continue;
		if (!sp->s.has_time || sp->cfg.unordered || !time || record_time(sp->s.events, rec.header) == (u64)-1) {
			if (team) {
				struct order_key key = { time, rec.header, rec.offset };

				ret = team_deliver(team, &key, 1);
			} else {
				ret = deliver(d, &rec, time, &join_look_up);
			}
		} else {
			order_add(&order, time, rec.header, rec.offset);
			if (round_overdue(sp, &order)) {
				keys = order_end(&order, &nr);
				ret = emit(d, team, keys, nr);
			}
		}
	}
	if (!ret) {
		keys = order_end(&order, &nr);
		ret = emit(d, team, keys, nr);
	}
	order_deinit(&order);
	progress_end();
	return ret;
}

static void start_account(struct session *s)
{
	memset(&s->stats.deferred, 0, offsetof(struct deferred_account, records));
}

/* Such values come from frame-pointer walks through code without frame pointers. */
static void warn_bad_chains(const struct session *s)
{
	u64 bad = s->stats.deferred.bad_chains;

	if (bad)
		diag_warn("%s: %llu bad callchain%s left out: a value in %s is neither an address nor a "
			  "context marker (code without frame pointers?)",
			  s->reader->path, bad, bad > 1 ? "s are" : " is", bad > 1 ? "them" : "it");
}

static void end_account(struct session_priv *sp)
{
	if (!sp->cfg.no_chain_warning)
		warn_bad_chains(&sp->s);
	if (!sp->cfg.no_merge_callchains)
		sp->s.stats.deferred.orphan_records = deferred_unused(&sp->deferred);
}

int session_run(struct session *s, const struct session_ops *ops, void *ctx)
{
	struct session_priv *sp = container_of(s, struct session_priv, s);
	struct delivery d;
	int ret;

	if (sp->is_pipe) {
		ret = session_run_pipe(sp, ops, ctx);
		warn_bad_chains(s);
		return ret;
	}
	start_account(s);
	ret = reader_rewind(s->reader);
	if (ret)
		return ret;
	delivery_init(&d, sp, ops, ctx);
	ret = run_file(sp, &d, NULL);
	delivery_finish(&d);
	end_account(sp);
	return ret;
}

u32 session_workers(const struct session *s, u32 jobs)
{
	const struct session_priv *sp = container_of(s, struct session_priv, s);

	if (sp->is_pipe || s->events->sample_type & PERF_SAMPLE_READ ||
	    (!jobs && s->stats.nr_samples < WORTH_IT))
		return 1;
	return min(jobs ?: max(sysconf(_SC_NPROCESSORS_ONLN), 1L), (long)SESSION_WORKERS);
}

int session_run_team(struct session *s, const struct session_ops *ops, void **workers, u32 nr,
		     void *ctx)
{
	struct session_priv *sp = container_of(s, struct session_priv, s);
	/* Reads the records, but delivers none. */
	const struct session_ops none = { 0 };
	struct delivery walker;
	struct team *team;
	int ret;

	start_account(s);
	ret = reader_rewind(s->reader);
	if (ret)
		return ret;
	delivery_init(&walker, sp, &none, NULL);
	team = team_create(sp, ops, workers, nr, ctx);
	ret = team_finish(team, run_file(sp, &walker, team));
	delivery_finish(&walker);
	end_account(sp);
	return ret;
}
