// SPDX-License-Identifier: GPL-2.0
/*
 * Converts copied stacks to callchains while recording. A session like that of perf report gets
 * the records and walks the stacks; samples are written in the format of perf inject
 * --convert-callchain. struct walk owns the session, which knows the tasks and mappings of all
 * records so far, and the count of truncated callchains.
 */
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/memory_limit.h"
#include "cmd/cut_chains.h"
#include "cmd/plain_sample.h"
#include "cmd/record/keep/reach.h"
#include "cmd/record/walk.h"
#include "session/feed.h"

/* about 10 MB, and ten times as much for the frames of short tasks */
#define MAX_NOTED	(1ULL << 16)
/* cache lines of a sample in front of its stack, and first ones of the stack */
#define HEAD_LINES	8
/* After files were dropped, those in use are read again during so many calls of walk_note(). */
#define FRESH		8

struct walk {
	struct reach reach;
	struct event_list *events;
	struct session *session;
	struct session_walker *walker;
	struct plain_plan *plans;	/* by the event's idx */
	struct cuts *cuts;
	struct outbuf *out;
	u64 dropped;
	u64 noted, most;		/* records added; limit above which the walk is large */
	u64 newest;			/* latest time of the last walk_note() */
	struct memory_bound memory;
	u32 fresh;			/* calls of walk_note() before @memory is measured */
};

static const struct perf_event_header *record_at(const char *p)
{
	return (const struct perf_event_header *)p;
}

static int on_sample(void *ctx, const struct visit *v)
{
	struct walk *w = ctx;
	size_t at = outbuf_len(w->out);

	plain_sample(w->out, v->sample, v->chain, &w->plans[v->sample->event->idx]);
	((struct perf_event_header *)(w->out->base + at))->misc &= ~WALK_COPIED;
	return 0;
}

/* Called once for each event of a sample with counts. */
static int on_event(void *ctx, const struct visit *v)
{
	struct walk *w = ctx;

	cuts_count(w->cuts, v);
	return 0;
}

struct reach_question {
	char path[PATH_MAX];
};

/* Called in the child, which may hang. */
static int ask_to_open(void *arg, const int *in, int *out)
{
	const struct reach_question *q = arg;
	int fd = open(q->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char byte;

	if (fd >= 0 && pread(fd, &byte, 1, 0) >= 0)
		close(fd);
	return 0;
}

static bool may_open(void *ctx, const char *path)
{
	struct reach_question q;
	struct aside_call c = { .fn = ask_to_open, .arg = &q, .size = sizeof(q) };
	struct walk *w = ctx;

	snprintf(q.path, sizeof(q.path), "%s", path);
	return reach_run(&w->reach, NULL, 0, path, &c) != -ETIMEDOUT;
}

static void begin_session(struct walk *w)
{
	static const struct session_ops ops = { .whole_sample = on_sample, .sample = on_event };
	const struct symbol_config symbols = { .may_open = may_open, .may_open_ctx = w };

	w->session = session_fed(w->events, &symbols);
	w->walker = session_walker_create(w->session, &ops, w);
	w->fresh = FRESH;
}

static void end_session(struct walk *w)
{
	session_walker_destroy(w->walker);
	session_close(w->session);
}

struct walk *walk_create(struct event_list *events, u64 memory)
{
	struct walk *w = xcalloc(1, sizeof(*w));
	u32 i;

	reach_init(&w->reach);
	w->events = events;
	w->memory.limit = memory;
	begin_session(w);
	w->cuts = cuts_create(w->session);
	w->most = MAX_NOTED;
	w->plans = xcalloc(events->nr, sizeof(*w->plans));
	for (i = 0; i < events->nr; i++)
		w->plans[i] = plain_plan(&events->events[i]->attr, true);
	return w;
}

void walk_destroy(struct walk *w)
{
	cuts_destroy(w->cuts);
	end_session(w);
	reach_deinit(&w->reach);
	free(w->plans);
	free(w);
}

void walk_note(struct walk *w, const char *records, const u32 *at, size_t nr, u64 until)
{
	u64 newest = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		newest = max(newest, session_feed(w->session, record_at(records + at[i])));
	/* Seal even if @nr is 0: records of the previous call may still be in use. */
	if (nr || w->newest)
		session_feed_seal(w->session, max(until, w->newest));
	w->noted += nr;
	w->newest = newest;
	if (w->fresh && !--w->fresh)
		memory_needed(&w->memory);
}

static bool memory_is_large(const struct walk *w)
{
	return !w->fresh && memory_exceeds(&w->memory);
}

bool walk_is_large(const struct walk *w)
{
	return w->noted > w->most || memory_is_large(w);
}

void walk_forget(struct walk *w)
{
	if (memory_is_large(w)) {
		cuts_settle(w->cuts);
		end_session(w);
		malloc_trim(0);
		begin_session(w);
		cuts_go_on(w->cuts, w->session);
	} else {
		session_feed_forget(w->session);
	}
	w->noted = w->newest = 0;
}

void walk_has_room(struct walk *w)
{
	w->most = max(MAX_NOTED, 2 * w->noted);
}

void walk_records(struct walk *w, struct walk_span records, struct outbuf *out)
{
	const char *p, *other = records.from;

	w->out = out;
	for (p = records.from; p < records.to; p += record_at(p)->size) {
		if (record_at(p)->type != PERF_RECORD_SAMPLE || !(record_at(p)->misc & WALK_COPIED))
			continue;
		outbuf_write(out, other, p - other);
		other = p + record_at(p)->size;
		/* While this one is walked, the memory of the next one is read. */
		prefetch_lines(other, HEAD_LINES);
		w->dropped += !!session_walk(w->walker, record_at(p));
	}
	outbuf_write(out, other, p - other);
}

u64 walk_dropped(const struct walk *w)
{
	return w->dropped;
}

void walk_cuts(struct walk *w, struct outbuf *o)
{
	bool matters = cuts_percent(w->cuts);
	u64 chains, cut = cuts_numbers(w->cuts, &chains);

	if (o && w->reach.nr_silent)
		outbuf_printf(o, "the call frame information of files of %u folders was not read, as their file system does not "
			      "answer: %s and others\n", (u32)w->reach.silent.nr, w->reach.first);
	diag_info(1, "%llu user callchains were walked live, %llu are cut", chains, cut);
	if (o && (matters || (verbose > 0 && cut)))
		cuts_text(w->cuts, NULL, NULL, o);
}
