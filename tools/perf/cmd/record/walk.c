// SPDX-License-Identifier: GPL-2.0
/*
 * Converts copied stacks to callchains while recording, in the format of perf inject
 * --convert-callchain, by a session like perf report's, which knows the tasks and mappings of all
 * records so far. struct walk owns it, and the count of truncated callchains.
 *
 * The walker, a process without rights, works with a copy of the struct; the one here is never told
 * anything, for another walker to begin with.
 */
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/memory_limit.h"
#include "cmd/cut_chains.h"
#include "cmd/plain_sample.h"
#include "cmd/record/python_reader.h"
#include "cmd/record/recorder.h"
#include "cmd/record/walk.h"
#include "elf/open.h"
#include "host/host.h"
#include "session/feed.h"

/* about 10 MB, and ten times as much for the frames of short tasks */
#define MAX_NOTED	(1ULL << 16)
/* cache lines of a sample in front of its stack, and first ones of the stack */
#define HEAD_LINES	8
/* After files were dropped, those in use are read again during so many calls of walk_note(). */
#define FRESH		8
/*
 * The window: the output of a call, OUT_MOST bytes and a sample; the batches: records, and any
 * number of offsets; the call's Python functions.
 */
#define OUT_MOST	(32u << 20)
#define OUT_ROOM	(64u << 20)
#define RECORDS_ROOM	(WALK_MOST + (1u << 16))
#define BATCH_ROOM	(RECORDS_ROOM + WALK_MOST / 2)
#define FUNCTIONS_AT	(OUT_ROOM + WALK_BATCHES * (u64)BATCH_ROOM)
#define KEPT_BYTES	(4u << 20)	/* of the records */
#define PIECE		(1u << 20)	/* bytes of records that are walked by one call */
/* Limits of a call in which no file is opened or looked into, in ms: another walker begins then. */
#define CALL_MS		10000
#define CALL_CPU_MS	3000
#define EXITED		1024
#define TEXT_MS		2000	/* at the end, beside the time that is left */

struct walk {
	struct host *host;
	struct aside *walker;
	char *window;
	bool large;			/* the walker's memory is */
	u64 died, without;		/* walkers; callchains without their user half */
	bool is_plain;
	struct event_list *events;
	struct session *session;
	struct session_walker *stacks;
	struct plain_plan *plans;	/* by the event's idx */
	struct cuts *cuts;
	struct outbuf *out;
	u64 damaged;			/* bytes of records */
	u64 dropped, ran_on;		/* the walker's, too */
	u64 noted, most;		/* records added; limit above which the walk is large */
	u64 nr_before;			/* added by the last walk_note() */
	u64 newest;			/* latest time of the last walk_note() */
	struct memory_bound memory;
	u32 fresh;			/* calls of walk_note() before @memory is measured */
	/* Python functions: the recorder has their names, */
	struct python_reader *reader;	/* NULL: no Python functions */
	struct python_names *names;
	bool is_pipe;
	const char *seen, *seen_end;	/* the records whose functions are in the window */
	char *functions_end;
	const struct functions *functions, *last_functions;	/* in the walker */
	const struct perf_event_header *record;		/* the current one */
	struct hash kept;		/* tid -> struct kept_chain, of samples with WALK_KEPT */
	u32 exited[EXITED], nr_exited;	/* the last tids, at their number modulo EXITED */
	u64 ips[UNWIND_MAX + WALK_PYTHON_FRAMES];
};

/* The Python functions of a sample: as addresses, unlike in the reader's. */
struct functions {
	const struct perf_event_header *record;
	struct python_sample python;	/* no more than it has */
};

struct kept_chain {
	bool of_python;			/* its first entry is a Python function */
	u32 nr;
	u64 ips[];
};

static const struct perf_event_header *record_at(const char *p)
{
	return (const struct perf_event_header *)p;
}

static bool is_copied(const struct perf_event_header *h)
{
	return h->type == PERF_RECORD_SAMPLE && h->misc & WALK_COPIED;
}

/* The Python functions of the current sample; NULL: it has none. */
static const struct python_sample *functions_of(struct walk *w)
{
	const struct functions *f;

	for (f = w->functions; f < w->last_functions && f->record < w->record; w->functions = f)
		f = (const void *)&f->python.words[f->python.nr_words];
	return f < w->last_functions && f->record == w->record ? &f->python : NULL;
}

/*
 * Has the thread returned from a call of the evaluator before its functions were read? Then a frame
 * inside of @nr, the innermost with functions, is as large.
 */
static bool has_returned(const struct callchain *cc, u32 nr)
{
	const u64 size = cc->sps[nr + 1] - cc->sps[nr];
	u32 i = 0;

	while (i < nr && cc->sps[i + 1] - cc->sps[i] != size)
		i++;
	return i < nr;
}

/*
 * Put a sample's Python functions, @run to @end, in the place of their evaluators' frames. @is_own:
 * read inside the sample; else the thread may have run on. Return: is the innermost one?
 */
static bool with_python(struct walk *w, const u64 *run, const u64 *end, bool is_own,
			struct callchain *cc)
{
	struct chain_span *span = &cc->spans[cc->nr_spans - 1];
	const u64 *first = run;
	bool innermost = false;
	u32 nr = 0, i;

	for (i = 0; i < span->nr; i++) {
		const u64 from = cc->sps[i];

		if (run == end || i + 1 == span->nr || run[0] - from >= cc->sps[i + 1] - from) {
			w->ips[nr++] = span->ips[i];
			continue;
		}
		if (run == first && !is_own && has_returned(cc, i))
			break;
		/* The innermost call of the evaluator may have no function yet. */
		if (!i && !run[1])
			w->ips[nr++] = span->ips[i];
		innermost |= !i && run[1];
		memcpy(w->ips + nr, run + 2, run[1] * sizeof(*run));
		nr += run[1];
		run += 2 + run[1];
	}
	if (run == first) {
		w->ran_on++;
		return false;
	}
	span->ips = w->ips;
	span->nr = nr;
	return innermost;
}

/*
 * The Python functions that BPF put behind a callchain (struct walk_record). Return: their words
 * and the one that tells their number; 0: none.
 */
static u32 own_functions(const struct sample *s)
{
	const u64 begin = sample_user_half(s) + 1;
	const u64 last = begin < s->callchain_nr ? s->callchain[s->callchain_nr - 1] : 0;
	const u64 nr = last - WALK_PYTHON_ENTRY(0, 0), *run, *end;
	u32 all = 0;

	if (s->event->stack_copied != STACK_IN_PLACE || nr >= s->callchain_nr - begin)
		return 0;
	end = s->callchain + s->callchain_nr - 1;
	for (run = end - nr; end - run > 2 && run[1] <= WALK_PYTHON_FRAMES; run += 2 + run[1])
		all += run[1];
	return run == end && all <= WALK_PYTHON_FRAMES ? nr + 1 : 0;
}

/*
 * Does the sample stay as it is? It has no copy, as the kernel walked the whole stack; or the
 * copy's walk is cut, and the kernel's came as far or is still to come.
 */
static bool is_walked(const struct sample *s, const struct callchain *cc)
{
	if (cc->user_half != USER_HALF_UNWOUND)
		return true;
	if (!(attr_flags(&s->event->attr) & ATTR_DEFER_CALLCHAIN) || cc->stop == WALK_OUTERMOST)
		return false;
	return s->deferred ||
	       s->callchain_nr > sample_user_half(s) + cc->spans[cc->nr_spans - 1].nr;
}

/* The kept callchain of a thread; NULL: none. */
static struct kept_chain *kept_of(const struct walk *w, u32 tid)
{
	const u64 *at = hash_find(&w->kept, tid, 0);

	return at ? (struct kept_chain *)(uintptr_t)*at : NULL;
}

/* @span: NULL: none */
static void keep(struct walk *w, u32 tid, const struct chain_span *span, bool of_python)
{
	struct kept_chain *k;

	free(kept_of(w, tid));
	hash_remove(&w->kept, tid, 0);
	if (!span)
		return;
	k = xmalloc(sizeof(*k) + span->nr * sizeof(*k->ips));
	*k = (struct kept_chain){ of_python, span->nr };
	memcpy(k->ips, span->ips, span->nr * sizeof(*k->ips));
	*hash_insert(&w->kept, tid, 0, NULL) = (uintptr_t)k;
}

/* A thread has exited: samples from before may follow, from another buffer. */
static void drop_kept(struct walk *w, u32 tid)
{
	u32 *slot = &w->exited[w->nr_exited++ % EXITED];

	keep(w, *slot, NULL, false);
	*slot = tid;
}

static int on_sample(void *ctx, const struct visit *v)
{
	struct walk *w = ctx;
	const struct python_sample *python = functions_of(w);
	struct callchain cc = *v->chain;
	struct sample s = *v->sample;
	const u64 half = sample_user_half(&s) + 1, *end = s.callchain + s.callchain_nr - 1;
	const u32 own = own_functions(&s);
	const struct kept_chain *kept = s.header->misc & WALK_AGAIN ? kept_of(w, s.tid) : NULL;
	const struct chain_span *span;
	bool of_python = false;
	size_t at;

	if (kept) {
		cc.user_half = USER_HALF_UNWOUND;
		cc.nr_spans = 1;
		cc.spans[0] = (struct chain_span){ .ips = kept->ips, .nr = kept->nr };
		of_python = kept->of_python;
	} else if (own && cc.user_half != USER_HALF_UNWOUND) {
		/* What the program walked of it. */
		cc.user_half = USER_HALF_UNWOUND;
		cc.nr_spans = 1;
		cc.spans[0] = (struct chain_span){
			.ips = s.callchain + half, .nr = s.callchain_nr - half - own,
		};
	} else if (is_walked(&s, &cc)) {
		s.deferred = false;
		cc.user_half = USER_HALF_OWN;
	} else if (own) {
		of_python = with_python(w, end - own + 1, end, true, &cc);
	} else if (python) {
		of_python = with_python(w, python->words, python->words + python->nr_words, false,
					&cc);
	}
	at = outbuf_len(w->out);
	plain_sample(w->out, &s, &cc, &w->plans[s.event->idx]);
	((struct perf_event_header *)(w->out->base + at))->misc &=
		~(WALK_COPIED | WALK_KEPT | WALK_AGAIN);
	span = &cc.spans[cc.nr_spans - 1];
	if (of_python)
		python_names_set_ip(&s, w->out->base + at, span->ips[0]);
	if (s.header->misc & WALK_KEPT)
		keep(w, s.tid, cc.user_half == USER_HALF_UNWOUND ? span : NULL, of_python);
	return 0;
}

/* Called once for each event of a sample with counts. */
static int on_event(void *ctx, const struct visit *v)
{
	struct walk *w = ctx;

	if (v->chain->user_half == USER_HALF_UNWOUND)
		cuts_count(w->cuts, v);
	else if (w->is_plain)
		w->without += !(attr_flags(&v->sample->event->attr) & ATTR_DEFER_CALLCHAIN);
	return 0;
}

static void begin_session(struct walk *w)
{
	static const struct session_ops ops = {
		.whole_sample = on_sample, .sample = on_event, .wants_sps = true,
	};
	const struct symbol_config symbols = { .local = true };

	w->session = session_fed(w->events, &symbols);
	w->stacks = session_walker_create(w->session, &ops, w);
	w->fresh = FRESH;
}

static void end_session(struct walk *w)
{
	session_walker_destroy(w->stacks);
	session_close(w->session);
}

/* What the walker is asked, and its answer. */
struct walk_call {
	struct walk *w;
	char *window;
	const char *from, *to;
	const u32 *at;
	u64 nr, until;
	const struct functions *functions, *last_functions;
	/* set by the call */
	u64 done;			/* bytes of the records that were walked */
	u64 out;			/* bytes in the window */
	u64 dropped, ran_on, chains, cut;
	bool large;
};

/* In the walker: */

static bool memory_is_large(const struct walk *w)
{
	return !w->fresh && memory_exceeds(&w->memory);
}

static int note(void *arg, const int *in __unused, int *out __unused)
{
	struct walk_call *c = arg;
	struct walk *w = c->w;
	u64 newest = 0, i;

	for (i = 0; i < c->nr; i++)
		newest = max(newest, session_feed(w->session, record_at(c->from + c->at[i])));
	/* Seal even if @nr is 0: records of the previous call may still be in use. */
	if (c->nr || w->newest)
		session_feed_seal(w->session, max(c->until, w->newest));
	w->newest = newest;
	if (w->fresh && !--w->fresh)
		memory_needed(&w->memory);
	c->large = memory_is_large(w);
	return 0;
}

static int forget(void *arg, const int *in __unused, int *out __unused)
{
	struct walk *w = ((struct walk_call *)arg)->w;

	if (memory_is_large(w)) {
		cuts_settle(w->cuts);
		end_session(w);
		elf_files_close();
		malloc_trim(0);
		begin_session(w);
		cuts_go_on(w->cuts, w->session);
	} else {
		session_feed_forget(w->session);
	}
	w->newest = 0;
	return 0;
}

/* Return: where the rest begins, when the output has @most bytes. */
static const char *put(struct walk *w, const char *from, const char *to, struct outbuf *out,
		       size_t most)
{
	const char *p, *other = from;

	w->out = out;
	for (p = from; p < to && outbuf_len(out) < most; p += record_at(p)->size) {
		if (record_at(p)->type == PERF_RECORD_EXIT && w->kept.nr)
			drop_kept(w, ((const struct task_record *)p)->tid);
		if (!is_copied(record_at(p)))
			continue;
		outbuf_write(out, other, p - other);
		other = p + record_at(p)->size;
		/* While this one is walked, the memory of the next one is read. */
		prefetch_lines(other, HEAD_LINES);
		w->record = record_at(p);
		w->dropped += !!(w->is_plain ? session_walk_kernel : session_walk)(w->stacks,
										   record_at(p));
	}
	outbuf_write(out, other, p - other);
	return p;
}

static int walk(void *arg, const int *in __unused, int *out __unused)
{
	struct walk_call *c = arg;
	struct outbuf o = { c->window, c->window, c->window + OUT_ROOM };
	u64 dropped = c->w->dropped, ran_on = c->w->ran_on;

	c->w->functions = c->functions;
	c->w->last_functions = c->last_functions;
	c->done = put(c->w, c->from, c->to, &o, OUT_MOST) - c->from;
	c->out = outbuf_len(&o);
	c->dropped = c->w->dropped - dropped;
	c->ran_on = c->w->ran_on - ran_on;
	return 0;
}

static int text(void *arg, const int *in __unused, int *out __unused)
{
	struct walk_call *c = arg;
	struct walk *w = c->w;
	bool matters = cuts_percent(w->cuts);
	struct outbuf o = { 0 };

	c->cut = cuts_numbers(w->cuts, &c->chains);
	if (matters || (verbose > 0 && c->cut))
		cuts_text(w->cuts, NULL, NULL, &o);
	c->out = min(outbuf_len(&o), (size_t)PIECE);
	memcpy(c->window, outbuf_text(&o), c->out);
	outbuf_deinit(&o);
	return 0;
}

/* In the recorder: */

void walk_set_priority(const struct walk *w)
{
	if (w->host)
		setpriority(PRIO_PROCESS, w->walker->pid, getpriority(PRIO_PROCESS, 0));
}

/* @end_ms: time limit when the recording ends. Return: 0; -errno: a new walker knows nothing. */
static int call(struct walk *w, int (*fn)(void *arg, const int *in, int *out), struct walk_call *q,
		u64 end_ms)
{
	struct aside_call c = { .fn = fn, .arg = q, .size = sizeof(*q), .cpu_ms = CALL_CPU_MS };
	u64 end, now = now_ms();
	int err;

	q->w = w;
	q->window = w->window;
	if (!w->host)
		return fn(q, NULL, NULL);
	end = host_end(w->host);
	err = aside_run(w->walker, &c, end ? (int)(max(end, now + end_ms) - now) : CALL_MS);
	if (!err)
		return 0;
	if (err == -EPIPE || err == -ETIME || err == -ETIMEDOUT)
		host_walker_failed(w->host, w->walker, err);
	w->died++;
	w->noted = 0;
	w->large = false;
	if (!aside_start(w->walker))
		walk_set_priority(w);
	return err;
}

struct walk *walk_create(struct host *host, struct event_list *events, u64 memory)
{
	struct walk *w = xcalloc(1, sizeof(*w));
	u32 i;
	int err = 0;

	*w = (struct walk){
		.host = host, .events = events, .memory.limit = memory, .most = MAX_NOTED,
	};
	begin_session(w);
	w->cuts = cuts_create(w->session);
	w->plans = xcalloc(events->nr, sizeof(*w->plans));
	for (i = 0; i < events->nr; i++)
		w->plans[i] = plain_plan(&events->events[i]->attr, true);
	if (host) {
		vdso32_read();
		w->walker = host_walker(host);
		err = aside_start(w->walker);
		w->window = w->walker->window;
	} else {
		w->window = mmap(NULL, ASIDE_WINDOW, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	}
	if (!err && w->window != MAP_FAILED)
		return w;
	diag_error("--call-graph live: no process can be started: %s", strerror(err ? -err : errno));
	walk_destroy(w);
	return NULL;
}

void walk_destroy(struct walk *w)
{
	if (!w)
		return;
	python_reader_free(w->reader);
	if (w->names)
		python_names_free(w->names);
	cuts_destroy(w->cuts);
	end_session(w);
	if (w->host)
		host_done(w->host, w->walker);
	else if (w->window != MAP_FAILED)
		munmap(w->window, ASIDE_WINDOW);
	free(w->plans);
	free(w);
}

void walk_memory(const struct walk *w, u32 nr, struct outbuf *records, struct outbuf *side)
{
	char *p = w->window + OUT_ROOM + nr * BATCH_ROOM;

	*records = (struct outbuf){ p, p, p + RECORDS_ROOM };
	*side = (struct outbuf){ p + RECORDS_ROOM, p + RECORDS_ROOM, p + BATCH_ROOM };
}

void walk_trim(const struct outbuf *records)
{
	if (outbuf_len(records) > KEPT_BYTES)
		madvise(records->base + KEPT_BYTES, BATCH_ROOM - KEPT_BYTES, MADV_REMOVE);
}

bool walk_note(struct walk *w, const char *records, const u32 *at, size_t nr, u64 until)
{
	struct walk_call c = { .from = records, .at = at, .nr = nr, .until = until };

	/* Those of the call before are sealed by this one. */
	if (!nr && !w->nr_before)
		return true;
	w->nr_before = nr;
	if (call(w, note, &c, 1))
		return false;
	w->noted += nr;
	w->large = c.large;
	return true;
}

bool walk_is_large(const struct walk *w)
{
	return w->noted > w->most || w->large;
}

void walk_forget(struct walk *w)
{
	struct walk_call c = { 0 };

	call(w, forget, &c, 1);
	w->noted = 0;
	w->large = false;
}

void walk_has_room(struct walk *w)
{
	w->most = max(MAX_NOTED, 2 * w->noted);
}

/* The walker can write to batches, too, and is not believed. Return: the size, 0: damaged */
static u32 size_at(const char *p, const char *end)
{
	u32 size = (size_t)(end - p) < sizeof(struct perf_event_header) ? 0 :
		   __atomic_load_n(&record_at(p)->size, __ATOMIC_RELAXED);

	return size < sizeof(struct perf_event_header) || size % 8 || size > end - p ? 0 : size;
}

static bool are_records(const char *p, const char *end)
{
	u32 size = 1;

	for (; p < end && size; p += size)
		size = size_at(p, end);
	return size;
}

void walk_python(struct walk *w, struct python_reader *reader, bool is_pipe)
{
	w->reader = reader;
	w->names = python_names_create(python_reader_codes, reader);
	w->is_pipe = is_pipe;
}

void walk_file_ends(struct walk *w)
{
	if (!w->names)
		return;
	python_names_write(w->names);
	python_names_again(w->names);
}

/* Put the Python functions of a sample into the window, and the mapping they need into @out. */
static void put_functions(struct walk *w, const struct perf_event_header *h, struct outbuf *out)
{
	struct functions *f = (void *)w->functions_end;
	struct sample s = { .event = event_list_find(w->events, h) };
	struct python_sample python;
	u64 *run, *end;

	if (!s.event || !s.event->layout.tid || !s.event->layout.time)
		return;
	memcpy(&s.pid, (const char *)h + s.event->layout.tid, sizeof(s.pid));
	memcpy(&s.tid, (const char *)h + s.event->layout.tid + sizeof(s.pid), sizeof(s.tid));
	memcpy(&s.time, (const char *)h + s.event->layout.time, sizeof(s.time));
	if (!python_reader_take(w->reader, s.pid, s.tid, s.time, &python))
		return;
	end = python.words + python.nr_words;
	for (run = python.words; run < end; run += 2 + run[1])
		python_names_ips(w->names, run + 2, run[1], &s, out);
	f->record = h;
	w->functions_end = mempcpy(&f->python, &python, (char *)end - (char *)&python);
}

/* Note a record of a call for the Python functions, unless that was done for an earlier call. */
static void note_functions(struct walk *w, const char *p, u32 size, struct outbuf *out)
{
	const struct perf_event_header *h = record_at(p);

	if (!w->names || (p >= w->seen && p < w->seen_end))
		return;
	if (p != w->seen_end) {
		w->seen = p;
		w->functions_end = w->window + FUNCTIONS_AT;
	}
	w->seen_end = p + size;
	if (h->type == REC_FINISHED_ROUND)
		python_names_round(w->names);
	else if (h->type != PERF_RECORD_SAMPLE || python_reader_signals(w->reader))
		python_names_note(w->names, w->events, h);
	if (is_copied(h) && !(h->misc & WALK_AGAIN) && python_reader_signals(w->reader))
		put_functions(w, h, out);
}

bool walk_records(struct walk *w, const char **from, const char *to, struct outbuf *out)
{
	u32 size;

	while (*from < to) {
		struct walk_call c = { .from = *from, .to = *from };
		bool any = false;
		size_t had;

		if (w->host && host_end(w->host) && now_ms() >= host_end(w->host)) {
			walk_plain(w, *from, to, out);
			*from = to;
			break;
		}
		for (; c.to < to && c.to - *from < PIECE; c.to += size) {
			size = size_at(c.to, to);
			if (!size)
				return false;
			note_functions(w, c.to, size, out);
			any |= is_copied(record_at(c.to));
		}
		c.functions = (void *)(w->window + FUNCTIONS_AT);
		c.last_functions = (void *)w->functions_end;
		had = outbuf_len(out);
		if (any && (call(w, walk, &c, 1) || c.out > OUT_ROOM || !c.done ||
			    c.done > (u64)(c.to - *from)))
			return false;
		if (!any)
			c.done = c.out = c.to - *from;
		outbuf_write(out, any ? w->window : *from, c.out);
		if (w->host && !are_records(out->base + had, out->pos)) {
			out->pos = out->base + had;
			return false;
		}
		*from += c.done;
		if (*from == w->seen_end)
			w->seen = w->seen_end = NULL;
		w->dropped += w->host ? c.dropped : 0;
		w->ran_on += w->host ? c.ran_on : 0;
	}
	if (w->names && w->is_pipe)
		python_names_write(w->names);
	return true;
}

void walk_plain(struct walk *w, const char *from, const char *to, struct outbuf *out)
{
	_cleanup_free_ char *copy = xmalloc(to - from);

	memcpy(copy, from, to - from);
	if (!are_records(copy, copy + (to - from))) {
		w->damaged += to - from;
		return;
	}
	if (w->names)
		python_names_again(w->names);	/* there may have been an execve() */
	w->seen = w->seen_end = NULL;
	w->is_plain = true;
	put(w, copy, copy + (to - from), out, SIZE_MAX);
	w->is_plain = false;
}

void walk_text(struct walk *w, bool cuts, struct outbuf *o)
{
	struct walk_call c = { 0 };

	if (w->damaged)
		outbuf_printf(o, "%llu bytes of records were left out: one among them has a size that "
			      "none can have\n", w->damaged);
	if (w->dropped)
		outbuf_printf(o, "%llu damaged samples were left out\n", w->dropped);
	if (w->died)
		outbuf_printf(o, "the process that walks stacks died %llu times, and began again: how many callchains "
			      "are cut is not known\n", w->died);
	if (w->without)
		outbuf_printf(o, "%llu callchains have no user part, as to walk them took too long or failed\n", w->without);
	python_reader_text(w->reader, w->ran_on, o);
	if (call(w, text, &c, TEXT_MS) || c.out > PIECE)
		return;
	if (c.chains)
		diag_info(1, "%llu user callchains were walked live, %llu are cut", c.chains, c.cut);
	if (cuts)
		outbuf_write(o, w->window, c.out);
}
