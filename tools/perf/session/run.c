// SPDX-License-Identifier: GPL-2.0
/*
 * The second pass: records in order, samples decoded and joined.
 */
#include "base/arena.h"
#include "base/diag.h"
#include "base/progress.h"
#include "base/search.h"
#include "session/filter.h"
#include "session/session_private.h"

void delivery_init(struct delivery *d, struct session_priv *sp, const struct session_ops *ops,
		   void *ctx)
{
	*d = (struct delivery){ .sp = sp, .ops = ops, .ctx = ctx };
	if (sp->unwinder || sp->lbr_depth)
		d->unwound = xmalloc(UNWIND_MAX * sizeof(u64));
	if (ops->filter && filter_given(ops->filter)) {
		d->filter = ops->filter;
		d->switched_off = ops->filter->between.on;
	}
}

/* The samples before count for --switch-on: each one comes through here. */
static void judge(struct delivery *d, struct visit *v, u64 time)
{
	const struct filter *f = d->filter;
	char tmp[THREAD_NAME_SIZE];

	v->counts = (!event_switch_given(&f->between) ||
		     event_switch_passes(&f->between, &d->switched_off, v->sample->event)) &&
		    filter_sample(f, v->sample);
	v->passes = v->counts &&
		    filter_task(f, v->sample, f->comms.arg ?
				thread_comm_at(d->sp->s.timeline, v->thread, time, -1, tmp) : NULL);
}

int delivery_visit(struct delivery *d, const struct sample *s, const struct callchain *cc, const struct thread *t)
{
	struct visit v = { s, cc, t, true, true };

	if (unlikely(d->filter))
		judge(d, &v, cc->time);
	return d->ops->sample(d->ctx, &v);
}

void delivery_bad_record(struct delivery *d, const struct perf_event_header *rec, u64 offset, const char *reason)
{
	if (!d->in_team) {
		reader_bad_records(d->sp->s.reader, 1, rec, offset, reason);
		return;
	}
	if (!d->bad.nr++) {
		d->bad.key = d->key;
		d->bad.rec = rec;
		d->bad.offset = offset;
		d->bad.reason = reason;
	}
}

void delivery_finish(struct delivery *d)
{
	struct deferred_account *a = &d->sp->s.stats.deferred;

	a->deferred += d->account.deferred;
	a->joined += d->account.joined;
	a->never_returned += d->account.never_returned;
	a->lost += d->account.lost;
	a->unreadable += d->account.unreadable;
	a->bad_chains += d->account.bad_chains;
	hash_deinit(&d->counts);
	free(d->unwound);
	d->unwound = NULL;
}

/* Was anything lost between a sample and the end of its task? */
static bool lost_since(const struct session_priv *sp, u64 time, u64 until)
{
	size_t first = LOWER_BOUND(0, sp->nr_lost, i, sp->lost_times[i] < time);

	return first < sp->nr_lost && sp->lost_times[first] <= until;
}

/* Return: false: the other half is bad, as chain_split() has it. */
static bool join(struct delivery *d, const struct sample *s, const struct thread *t,
		   const struct deferred_entry *match, bool matched, struct callchain *cc)
{
	struct session_priv *sp = d->sp;
	u64 until = thread_until(sp->s.timeline, t), nr;

	cc->deferred = true;
	cc->cookie = s->cookie;
	if (sp->cfg.no_merge_callchains)
		return true;
	d->account.deferred++;
	if (!matched)
		match = deferred_find(&sp->deferred, s->tid, s->cookie, cc->time);
	/* What comes after the task's exit is of another task that got its tid. */
	if (!match || match->time > until) {
		if (lost_since(sp, cc->time, until))
			d->account.lost++;
		else
			d->account.never_returned++;
		return true;
	}
	if (!matched)
		deferred_use(&sp->deferred, match);
	cc->joined = true;
	nr = deferred_nr(match->rec);
	if (nr)
		d->account.joined++;
	else
		d->account.unreadable++;
	if (chain_append(cc, match->rec->ips, nr, PERF_RECORD_MISC_USER, match->time))
		cc->user_half = USER_HALF_DEFERRED;
	return chain_plain(match->rec->ips, nr);
}

static void unwind(struct delivery *d, const struct sample *s, const struct thread *t,
		   struct callchain *cc)
{
	enum walk_stop stop;
	u32 nr = dwarf_unwind(d->sp->unwinder, d->sp->s.timeline, t, s, cc->time, d->unwound,
			      UNWIND_MAX, &stop);

	if (!nr)
		return;
	/* What the kernel found by frame pointers, if the event has that too, is the worse one. */
	chain_drop_user(cc);
	cc->user_half = chain_append(cc, d->unwound, nr, PERF_RECORD_MISC_USER, cc->time) ?
			USER_HALF_UNWOUND : USER_HALF_OWN;
	cc->stop = stop;
}

static int deliver_sample(struct delivery *d, const struct record *rec, u64 time,
			  const struct deferred_entry *match, bool matched)
{
	struct session_priv *sp = d->sp;
	const struct event *ev = event_list_find(sp->s.events, rec->header);
	struct callchain cc = { .time = time };
	const struct thread *t;
	struct sample s;
	bool bad = false;

	if (!d->ops->sample)
		return 0;
	if (!ev) {
		delivery_bad_record(d, rec->header, rec->offset, "a sample's id belongs to no event");
		return 0;
	}
	if (sample_decode(ev, rec->header, rec->offset, &s)) {
		delivery_bad_record(d, rec->header, rec->offset, "a sample is shorter than its own counts say");
		return 0;
	}
	if (unlikely(sp->offcpu.used) && offcpu_event(ev))
		s.period = offcpu_time(&sp->offcpu, s.tid, time);
	s.parallelism = sp->parallel.used ? parallel_at(&sp->parallel, time) : 1;
	if (d->ops->keep_threads)
		t = timeline_thread(sp->s.timeline, s.pid, s.tid, time);
	else
		t = timeline_thread_brief(sp->s.timeline, s.pid, s.tid, time, &d->unknown_thread);
	if (s.callchain)
		bad = !chain_split(&s, &cc);
	if (s.deferred)
		bad |= !join(d, &s, t, match, matched, &cc);
	if (unlikely(bad)) {
		d->account.bad_chains++;
		cc = (struct callchain){ .time = time };
	}
	if (sp->unwinder && s.user_stack && s.user_regs.regs)
		unwind(d, &s, t, &cc);
	else if (sp->lbr_depth && attr_lbr_chains(&ev->attr) && !s.deferred && !bad)
		lbr_chain(d, &s, &cc);
	if (unlikely(d->ops->whole_sample)) {
		const struct visit v = { &s, &cc, t, true, true };
		int ret = d->ops->whole_sample(d->ctx, &v);

		if (ret)
			return ret;
	}
	if (unlikely(s.read_format))
		return deliver_read(d, &s, &cc, t);
	return delivery_visit(d, &s, &cc, t);
}

int deliver(struct delivery *d, const struct record *rec, u64 time,
	    const struct deferred_entry *match, bool matched)
{
	struct session_priv *sp = d->sp;
	u32 type = rec->header->type;

	if (type == PERF_RECORD_SAMPLE)
		return deliver_sample(d, rec, time, match, matched);
	if (!d->ops->record)
		return 0;
	if (type == REC_CALLCHAIN_DEFERRED && !sp->cfg.no_merge_callchains &&
	    !d->ops->all_records)
		return 0;
	return d->ops->record(d->ctx, rec, type < REC_HEADER_ATTR ?
			      event_list_find(sp->s.events, rec->header) : NULL, time);
}

int deliver_keys(struct delivery *d, const struct order_key *keys, size_t nr)
{
	size_t i;
	int ret;

	for (i = 0; i < nr; i++) {
		struct record rec = {
			.header = keys[i].rec,
			.offset = keys[i].offset,
			.seq = d->sp->s.has_time ? (u64)-1 : keys[i].time,
		};

		d->key = &keys[i];
		ret = deliver(d, &rec, keys[i].time, NULL, false);
		if (ret)
			return ret;
		account_bytes(d->sp->s.reader, &d->bytes, rec.header);
	}
	return 0;
}

/* What a key may cost while it is sorted. */
#define KEY_BYTES (2 * sizeof(struct order_key) + sizeof(size_t))
#define KEYS_ANYWAY ((64ul << 20) / KEY_BYTES)

/*
 * perf record ends a round after every look at its buffers. Where none ends, keys may not
 * take more than the recording itself; what has come by then is put in order for itself. The
 * files of a directory have no rounds, and are read one after the other: all of them must wait.
 */
static bool round_overdue(const struct session_priv *sp, const struct order *order)
{
	size_t nr = order->nr - order->head;

	return unlikely(nr > KEYS_ANYWAY) && !reader_is_directory(sp->s.reader) &&
	       nr > KEYS_ANYWAY + reader_bytes(sp->s.reader) / KEY_BYTES;
}

/* One thread delivers at once, a team when enough has come together. */
static int emit_part(struct delivery *d, struct team *team, const struct order_key *keys, size_t nr)
{
	return team ? team_deliver(team, keys, nr) : deliver_keys(d, keys, nr);
}

#define PART_KEYS 0x4000	/* between two looks at the clock */

/* A recording whose rounds do not end comes in one piece, which may take seconds. */
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
		ret = emit_part(d, team, keys + done, part);
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
			ret = deliver(d, &rec, 0, NULL, false);
			if (ret || type != REC_FINISHED_ROUND)
				continue;
			keys = order_round(&order, &nr);
			ret = emit(d, team, keys, nr);
			continue;
		}
		time = stream_time(&clock, sp->s.events, &rec);
		/* What has no time of its own is true from where it stands, and what perf
		 * wrote of running tasks was true before everything.
		 */
		if (team && type != PERF_RECORD_SAMPLE)
			continue;
		if (!sp->s.has_time || sp->cfg.unordered || !time || record_time(sp->s.events, rec.header) == (u64)-1) {
			if (team) {
				struct order_key key = { time, rec.header, rec.offset };

				ret = team_deliver(team, &key, 1);
			} else {
				ret = deliver(d, &rec, time, NULL, false);
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

/* Where a kernel walks by frame pointers through code that has none, it may come to such values. */
static void warn_bad_chains(const struct session *s)
{
	u64 bad = s->stats.deferred.bad_chains;

	if (bad)
		diag_warn("%s: %llu bad callchain%s left out: a value in %s is neither an address nor a "
			  "context marker (code without frame pointers?)",
			  reader_path(s->reader), bad, bad > 1 ? "s are" : " is", bad > 1 ? "them" : "it");
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

bool session_team_possible(const struct session *s)
{
	const struct session_priv *sp = container_of(s, struct session_priv, s);

	return !sp->is_pipe && !(s->events->sample_type & PERF_SAMPLE_READ);
}

int session_run_team(struct session *s, const struct session_ops *ops, void **workers, u32 nr,
		     void *ctx)
{
	struct session_priv *sp = container_of(s, struct session_priv, s);
	/* Walks, but delivers nothing by itself. */
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
