// SPDX-License-Identifier: GPL-2.0
/*
 * Queues to and from the thread that walks stacks.
 *
 *	drain    live_take() --> filling --> queue --> thread: walk.c --> ready --> live_finished()
 *
 * A batch is a few rounds, in memory that the walker sees. The thread adds all side-band records of
 * a batch, then walks the samples of the previous batch's last round and of this one up to its
 * last: a sample's mapping record may be in the following round. After live_flush() no older
 * records follow, so the last round is walked, too.
 *
 * struct live owns everything. The lock protects: queue, ready, nr_finished, spare, stacks. Only
 * the thread uses the walk.
 */
#include <asm/perf_regs.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/text.h"
#include "base/thread.h"
#include "cmd/record/python_reader.h"
#include "cmd/record/recorder.h"
#include "cmd/record/walk.h"
#include "event/sample.h"
#include "event/spans.h"
#include "host/host.h"
#include "measure/attr.h"
#include "measure/target.h"
#include "synth/synth.h"

#if defined(__aarch64__)
#define PERF_REG_SP	PERF_REG_ARM64_SP
#elif defined(__x86_64__)
#define PERF_REG_SP	PERF_REG_X86_SP
#else
#define PERF_REG_SP	0		/* stacks are not walked live */
#endif
#define BATCH_BYTES	(1u << 20)	/* a batch is queued at this size, */
#define BATCH_MS	200		/* or at this age */
/* limit of queued bytes; above it, samples have no stacks */
#define QUEUE_BYTES	(64u << 20)
/*
 * A copy takes its full size: at 4,000 Hz a buffer is half full after 32 ms, when a recorder of the
 * usual priority comes to run beside ten busy tasks.
 */
#define LIVE_NICE	(-20)
/*
 * After a mapping, or a copy of a stack that tables should have walked, more copies are expected:
 * the buffers are read so often, so long, until read_pages() has read the pages behind them.
 */
#define LOOK_MS		10
#define LOOK_LONG_MS	500
#define MAX_STACKS	64		/* stacks whose pages are to be read */
#define MAX_STUCK 32 /* processes whose pages do not come: then no more are read */
#define TRIES		3		/* walkers that a piece of the records may cost */
#define MAX_ENDS	65536		/* entries of @ends */
#define MAPS_MAX	(4u << 20)	/* limit of bytes read from /proc/PID/maps */
#define SPAN		65536		/* bytes below and above the stack pointer */
#define MAX_PAGES	(2 * SPAN / 4096 + 1)
/* cache lines of a stack that are read ahead; the processor continues */
#define STACK_LINES	8

struct batch {
	STAILQ_ENTRY(batch) next;
	struct outbuf in;
	struct outbuf side;		/* offsets in @in of records that are not samples: u32 */
	size_t last_round;		/* its offset in @in */
	u64 newest[2];		/* times of the newest sample before the last round, in it */
	bool all;			/* no older records follow */
};

/* A stack whose pages are to be read. */
struct stack_place {
	u32 pid;
	u64 sp, end;			/* end of the copy */
};

STAILQ_HEAD(batches, batch);

struct live {
	struct host *host;
	const struct record_options *opts;
	const struct rings *rings;
	u64 page;
	struct event_list events;	/* in the kernel's format */
	bool *is_live;			/* by the event's idx */
	struct walk *walk;
	struct python_reader *python;	/* NULL: no Python functions */
	struct batch batches[WALK_BATCHES];
	/* the thread's */
	struct outbuf out;
	struct batch *notes; /* for records of running tasks; the recording's before it begins */
	struct hash stuck;		/* processes whose pages did not come */
	pthread_t thread;
	bool is_running;
	/* the recording's thread */
	struct batch *filling;
	struct outbuf given;		/* returned by live_finished() */
	size_t round;			/* offset in filling->in of the current round */
	u64 newest;			/* time of its newest sample */
	u64 began_ms;			/* creation time of the batch */
	bool by_tables;			/* an event is walked by the kernel's tables */
	u64 look_until_ms;
	u64 no_room;			/* samples queued without their stacks */
	u64 nr_queued, nr_done;		/* batches; done: their records were given */
	u64 bytes;			/* of unfinished batches; atomic */
	struct hash ends;		/* (pid, end address of a short copy) -> number of copies */
	/* under the lock */
	pthread_mutex_t lock;
	pthread_cond_t wake, done;
	struct batches queue, spare;
	struct outbuf ready;
	u64 nr_finished;
	struct stack_place stacks[MAX_STACKS];
	u32 nr_stacks;
	bool ending;
};

static struct batch *take(struct batches *b)
{
	struct batch *one = STAILQ_FIRST(b);

	if (one)
		STAILQ_REMOVE_HEAD(b, next);
	return one;
}

static void batch_clear(struct batch *b)
{
	b->in.pos = b->in.base;
	b->side.pos = b->side.base;
	b->last_round = b->newest[0] = b->newest[1] = 0;
	b->all = false;
}

static bool batch_is_full(const struct batch *b)
{
	return outbuf_len(&b->in) >= WALK_MOST;
}

/* Walking thread */

/* Pass on what was written. @b: a batch that is not needed any more; NULL: none */
static void finish(struct live *l, struct batch *b)
{
	struct outbuf was;

	if (b)
		walk_trim(&b->in);
	pthread_mutex_lock(&l->lock);
	if (outbuf_len(&l->ready)) {
		outbuf_write(&l->ready, l->out.base, outbuf_len(&l->out));
	} else {
		was = l->ready;
		l->ready = l->out;
		l->out = was;
	}
	l->out.pos = l->out.base;
	if (b) {
		__atomic_sub_fetch(&l->bytes, outbuf_len(&b->in), __ATOMIC_RELAXED);
		l->nr_finished++;
		/* First: the memory that was used last is in the processor's cache. */
		STAILQ_INSERT_HEAD(&l->spare, b, next);
	}
	pthread_cond_signal(&l->done);
	pthread_mutex_unlock(&l->lock);
}

static void add(struct batch *b, const struct perf_event_header *h)
{
	u32 at = outbuf_len(&b->in);

	if (h->type < REC_HEADER_ATTR && h->type != PERF_RECORD_SAMPLE)
		outbuf_write(&b->side, &at, sizeof(at));
	outbuf_write(&b->in, h, h->size);
}

static bool note_batch(struct live *l, const struct batch *b, u64 until)
{
	return !b || walk_note(l->walk, b->in.base, (const u32 *)b->side.base,
			       outbuf_len(&b->side) / sizeof(u32), until);
}

/* Add records of any number, which need no others. */
static void note_all(struct live *l, const struct outbuf *o)
{
	const char *p = o->base;

	while (p < o->pos) {
		batch_clear(l->notes);
		while (p < o->pos && !batch_is_full(l->notes)) {
			const struct perf_event_header *h = (const void *)p;

			add(l->notes, h);
			p += h->size;
		}
		note_batch(l, l->notes, UINT64_MAX);
	}
	walk_trim(&l->notes->in);
}

static void note_tasks(struct live *l)
{
	struct perf_event_attr attr = l->opts->specs.v[0]->attr;
	struct synth s;

	attr.build_id = 0;
	synth_init(&s, &attr);
	synth_all(&s);
	note_all(l, &s.out);
	synth_deinit(&s);
}

/* A long recording: begin anew with the tasks that run now. @held: a batch with unwalked samples */
static void start_anew(struct live *l, const struct batch *held)
{
	walk_forget(l->walk);
	note_tasks(l);
	walk_has_room(l->walk);
	note_batch(l, held, UINT64_MAX);
}

/* Walk a part of @b or @held, which were noted. If walkers die of it samples lack the user half. */
static void walk_part(struct live *l, const struct batch *held, const struct batch *b,
		      const char *from, const char *to)
{
	const char *was;
	u32 tries;

	for (tries = 0; tries < TRIES; tries++) {
		was = from;
		if (walk_records(l->walk, &from, to, &l->out))
			return;
		if (from > was)
			tries = 0;
		note_tasks(l);
		note_batch(l, held, UINT64_MAX);
		note_batch(l, b, UINT64_MAX);
	}
	walk_plain(l->walk, from, to, &l->out);
}

/* @held: the batch before, if its last round is not walked. Return: the next such one, or NULL. */
static struct batch *walk_batch(struct live *l, struct batch *held, struct batch *b)
{
	const char *end = b->all ? b->in.pos : b->in.base + b->last_round;
	/* Side-band records are complete up to the latest of these samples. */
	u64 until = b->all ? UINT64_MAX : max(held ? held->newest[1] : 0, b->newest[0]);

	if (!note_batch(l, b, until)) {
		note_tasks(l);
		note_batch(l, held, UINT64_MAX);
		note_batch(l, b, UINT64_MAX);
	}
	if (held) {
		walk_part(l, held, b, held->in.base + held->last_round, held->in.pos);
		finish(l, held);
	}
	walk_part(l, NULL, b, b->in.base, end);
	held = end < b->in.pos ? b : NULL;
	finish(l, held ? NULL : b);
	return held;
}

struct stack_mapping {
	u64 sp, start, end;		/* end 0: not found */
};

/* "start-end perms offset major:minor inode   path" */
static void note_mapping(void *ctx, const char *line, const char *end)
{
	struct stack_mapping *s = ctx;
	u64 from, to, inode;
	char head[128], perms[5];

	if (s->end)
		return;
	snprintf(head, sizeof(head), "%.*s", (int)(end - line), line);
	if (sscanf(head, "%llx-%llx %4s %*x %*x:%*x %llu", &from, &to, perms, &inode) != 4 ||
	    s->sp < from || s->sp >= to || inode || perms[1] != 'w' || perms[3] != 'p')
		return;
	s->start = from;
	s->end = to;
}

/*
 * Fault in stack pages that were never used, as in the middle of a large array, where the kernel's
 * copy ends: reading a byte from another process maps the zero page. Done for pages below and above
 * @sp, in its mapping, if that is private anonymous memory and does not end at @end, as the copy.
 */
static void read_pages(u32 pid, u64 sp, u64 end)
{
	u64 page = sysconf(_SC_PAGESIZE), at;
	struct stack_mapping s = { .sp = sp };
	struct iovec to, from[MAX_PAGES];
	char path[64], bytes[MAX_PAGES];
	_cleanup_close_ int fd = -1;
	u32 nr = 0;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	lines_read(fd, MAPS_MAX, note_mapping, &s);
	/* A copy that ends with the stack lacks no page. */
	if (!s.end || s.end == end)
		return;
	at = max(s.start, (sp & ~(page - 1)) - SPAN);
	for (; at < min(s.end, sp + SPAN) && nr < MAX_PAGES; at += page)
		from[nr++] = (struct iovec){ (void *)(uintptr_t)at, 1 };
	to = (struct iovec){ bytes, nr };
	process_vm_readv(pid, &to, 1, from, nr, 0);
}

/* In an opener: a page of another process may never come (userfaultfd). */
static int read_stack(void *arg, const int *in __unused, int *out __unused)
{
	const struct stack_place *s = arg;

	aside_may_ask(0);
	read_pages(s->pid, s->sp, s->end);
	return 0;
}

/* Called with the lock held; drops it meanwhile. */
static void read_stacks(struct live *l)
{
	struct stack_place stacks[MAX_STACKS];
	u32 nr = l->nr_stacks, i;

	memcpy(stacks, l->stacks, nr * sizeof(*stacks));
	l->nr_stacks = 0;
	pthread_mutex_unlock(&l->lock);
	for (i = 0; i < nr; i++) {
		struct aside_call c = {
			.fn = read_stack, .arg = &stacks[i], .size = sizeof(stacks[i]),
		};

		if (hash_find(&l->stuck, stacks[i].pid, 0) || l->stuck.nr == MAX_STUCK)
			continue;
		if (l->host && host_run(l->host, 0, "", &c) == -ETIMEDOUT)
			hash_insert(&l->stuck, stacks[i].pid, 0, NULL);
	}
	pthread_mutex_lock(&l->lock);
}

static void *live_thread(void *arg)
{
	struct live *l = arg;
	struct batch *b, *held = NULL;

	walk_set_priority(l->walk);
	pthread_mutex_lock(&l->lock);
	for (;;) {
		while (STAILQ_EMPTY(&l->queue) && !l->nr_stacks && !l->ending)
			pthread_cond_wait(&l->wake, &l->lock);
		if (l->ending)
			break;
		if (l->nr_stacks) {
			read_stacks(l);
			continue;
		}
		b = take(&l->queue);
		pthread_mutex_unlock(&l->lock);
		held = walk_batch(l, held, b);
		if (walk_is_large(l->walk))
			start_anew(l, held);
		pthread_mutex_lock(&l->lock);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

/* Recording thread */

static u64 coarse_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC_COARSE) / 1000000;
}

/* Waits if the thread has all batches. */
static struct batch *batch_new(struct live *l)
{
	struct batch *b;

	pthread_mutex_lock(&l->lock);
	while (STAILQ_EMPTY(&l->spare))
		pthread_cond_wait(&l->done, &l->lock);
	b = take(&l->spare);
	pthread_mutex_unlock(&l->lock);
	batch_clear(b);
	return b;
}

static bool has_spare(struct live *l)
{
	bool has;

	pthread_mutex_lock(&l->lock);
	has = !STAILQ_EMPTY(&l->spare);
	pthread_mutex_unlock(&l->lock);
	return has;
}

static void hand_over(struct live *l, bool all)
{
	struct batch *b = l->filling;

	b->all = all;
	l->filling = NULL;
	l->nr_queued++;
	pthread_mutex_lock(&l->lock);
	__atomic_add_fetch(&l->bytes, outbuf_len(&b->in), __ATOMIC_RELAXED);
	STAILQ_INSERT_TAIL(&l->queue, b, next);
	pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
}

static bool has_room(struct live *l)
{
	return __atomic_load_n(&l->bytes, __ATOMIC_RELAXED) + outbuf_len(&l->filling->in) < QUEUE_BYTES;
}

/* A short copy ends with the stack, or a page never used: read it at the 2nd, 4th, 8th ... copy. */
static void note_end(struct live *l, const char *rec, const struct event *ev, u32 at, u64 valid)
{
	const u64 mask = ev->attr.sample_regs_user, from_sp = mask >> PERF_REG_SP;
	u64 sp, *nr;
	u32 pid;

	if (!ev->layout.tid || !(from_sp & 1) || at < __builtin_popcountll(mask) * sizeof(u64))
		return;
	memcpy(&sp, rec + at - __builtin_popcountll(from_sp) * sizeof(u64), sizeof(sp));
	memcpy(&pid, rec + ev->layout.tid, sizeof(pid));
	if ((sp + valid) % l->page)
		return;
	if (l->ends.nr >= MAX_ENDS)
		hash_deinit(&l->ends);
	nr = hash_insert(&l->ends, pid, sp + valid, NULL);
	++*nr;
	if (*nr < 2 || *nr & (*nr - 1))
		return;
	pthread_mutex_lock(&l->lock);
	if (l->nr_stacks < MAX_STACKS)
		l->stacks[l->nr_stacks++] = (struct stack_place){ pid, sp, sp + valid };
	pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
}

/*
 * Append a sample with the valid words of its stack (a 32-bit task's may end with half a word). If
 * the copy is longer, one more word tells the walker so. @at: offset of the stack's size
 */
static void put_sample(struct live *l, const struct perf_event_header *h, const struct event *ev,
		       u32 at)
{
	const char *rec = (const char *)h, *end = rec + at + sizeof(u64);
	struct outbuf *o = &l->filling->in;
	struct perf_event_header *to = (void *)outbuf_reserve(o, h->size);
	u64 full, valid, kept = 0;

	/* The next sample is usually as large, and was written on another CPU. */
	prefetch_lines(rec + h->size + at, STACK_LINES);
	prefetch_lines(rec + 2 * h->size - sizeof(valid), 1);
	memcpy(&full, rec + at, sizeof(full));
	end += full ? full + sizeof(valid) : 0;
	if (full && has_room(l)) {
		memcpy(&valid, end - sizeof(valid), sizeof(valid));
		kept = min(full & ~7ULL, ALIGN_UP(valid, 8ULL) + 8);
		if (valid && valid < full)
			note_end(l, rec, ev, at, valid);
	}
	l->no_room += full && !kept;
	if (full && l->by_tables)
		l->look_until_ms = coarse_ms() + LOOK_LONG_MS;
	outbuf_write(o, rec, at);
	outbuf_write(o, &kept, sizeof(kept));
	if (kept) {
		outbuf_write(o, rec + at + sizeof(full), kept);
		valid = min(valid, kept);
		outbuf_write(o, &valid, sizeof(valid));
	}
	outbuf_write(o, end, rec + h->size - end);
	to->size = o->pos - (char *)to;
	to->misc |= WALK_COPIED;
}

static void note_time(struct live *l, const struct event *ev, const struct perf_event_header *h)
{
	u64 time;

	if (!ev->layout.time)
		return;
	memcpy(&time, (const char *)h + ev->layout.time, sizeof(time));
	l->newest = max(l->newest, time);
}

static void end_round(struct live *l)
{
	struct batch *b = l->filling;

	b->last_round = l->round;
	b->newest[0] = max(b->newest[0], b->newest[1]);
	b->newest[1] = l->newest;
	l->newest = 0;
	l->round = outbuf_len(&b->in);
	if ((l->round >= BATCH_BYTES || coarse_ms() - l->began_ms >= BATCH_MS) && has_spare(l))
		hand_over(l, false);
}

void live_take(struct live *l, const struct iovec *iov, u32 nr)
{
	static u64 room[SPAN_ROOM / sizeof(u64)];
	struct span_walk walk = { .iov = iov, .nr = nr };
	const struct perf_event_header *h;

	while ((h = span_record(&walk, true, room))) {
		bool is_sample = h->type == PERF_RECORD_SAMPLE;
		const struct event *ev = is_sample ? event_list_find(&l->events, h) : NULL;
		bool copied = ev && (l->is_live[ev->idx] || h->misc & WALK_COPIED);
		u32 at = copied ? sample_stack_at(ev, h) : 0;

		if (!l->filling) {
			l->filling = batch_new(l);
			l->round = l->newest = 0;
			l->began_ms = coarse_ms();
		}
		if (h->type == PERF_RECORD_MMAP2 && l->by_tables)
			l->look_until_ms = coarse_ms() + LOOK_LONG_MS;
		if (ev)
			note_time(l, ev, h);
		if (at)
			put_sample(l, h, ev, at);
		else
			add(l->filling, h);
		if (h->type == REC_FINISHED_ROUND)
			end_round(l);
		/* A round of any size: its last records are walked with the next batch. */
		else if (batch_is_full(l->filling)) {
			l->filling->last_round = l->round;
			l->round = 0;
			hand_over(l, false);
		}
	}
}

void live_flush(struct live *l)
{
	if (!l->filling && l->nr_queued == l->nr_done)
		return;
	if (!l->filling)
		l->filling = batch_new(l);
	hand_over(l, true);
}

const struct outbuf *live_finished(struct live *l, bool wait)
{
	struct outbuf was = l->given;

	pthread_mutex_lock(&l->lock);
	while (wait && !outbuf_len(&l->ready) && l->nr_finished < l->nr_queued)
		pthread_cond_wait(&l->done, &l->lock);
	l->given = l->ready;
	l->ready = was;
	l->ready.pos = l->ready.base;
	l->nr_done = l->nr_finished;
	pthread_mutex_unlock(&l->lock);
	return outbuf_len(&l->given) ? &l->given : NULL;
}

struct python_reader *live_python(const struct live *l)
{
	return l->python;
}

bool live_signals(const struct live *l)
{
	return l && l->python && python_reader_signals(l->python);
}

void live_file_ends(struct live *l)
{
	if (l)
		walk_file_ends(l->walk);
}

int live_timeout(const struct live *l)
{
	if (l && l->by_tables && coarse_ms() < l->look_until_ms)
		return LOOK_MS;
	return l && (l->filling || l->nr_done < l->nr_queued) ? BATCH_MS : -1;
}

int live_create(const struct record_options *opts, const struct description *desc, struct live **live)
{
	struct live *l;
	u32 i;

	*live = NULL;
	if (!opts->ring.is_live)
		return 0;
	l = xcalloc(1, sizeof(*l));
	*l = (struct live){ .host = desc->host, .opts = opts, .rings = desc->rings };
	l->is_live = xcalloc(opts->specs.nr, sizeof(*l->is_live));
	l->page = sysconf(_SC_PAGESIZE);
	for (i = 0; i < opts->specs.nr; i++) {
		const struct event_spec *s = opts->specs.v[i];
		struct perf_event_attr attr = s->attr;
		struct event *ev;

		/* Of those of a BPF program only samples with WALK_COPIED. */
		if (s->is_bpf)
			attr_copy_stack(&attr, opts->ring.bpf_copy);
		ev = description_event(desc, i, &attr, &l->events);
		l->is_live[i] = s->is_live || s->is_table;
		l->by_tables |= s->is_table;
		ev->stack_copied = s->is_live ? attr.sample_stack_user :
				   s->is_bpf ? STACK_IN_PLACE : 0;
	}
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->wake, NULL);
	pthread_cond_init(&l->done, NULL);
	STAILQ_INIT(&l->queue);
	STAILQ_INIT(&l->spare);
	outbuf_init(&l->out);
	outbuf_init(&l->ready);
	outbuf_init(&l->given);
	*live = l;
	l->walk = walk_create(l->host, &l->events, opts->max_memory ?: UINT64_MAX);
	if (!l->walk)
		return -1;
	for (i = 0; i < WALK_BATCHES; i++) {
		walk_memory(l->walk, i, &l->batches[i].in, &l->batches[i].side);
		STAILQ_INSERT_TAIL(&l->spare, &l->batches[i], next);
	}
	l->notes = take(&l->spare);
	return 0;
}

/* Add the running tasks if the recording does not list them, or only at its end. */
static void note_running(struct live *l)
{
	struct synth s;

	synth_init(&s, &l->opts->specs.v[0]->attr);
	synth_running(&s, l->rings);
	note_all(l, &s.out);
	synth_deinit(&s);
}

int live_begin(struct live *l, const struct outbuf *records)
{
	int err;

	if (!l || l->is_running)
		return 0;
	if (records)
		note_all(l, records);
	if (!records || l->opts->synth_not & (SYNTH_TASKS | SYNTH_MAPS))
		note_running(l);
	/* Names of Python functions are kept in ~/.debug. */
	if (!l->opts->no_buildid_cache &&
	    chain_used(&l->opts->ring, &l->opts->specs, SPEC_CHAIN_LIVE))
		l->python = python_reader_create(l->host, l->rings, &l->events,
						 l->opts->sampler == SAMPLER_PTRACE);
	if (l->python)
		walk_python(l->walk, l->python, !strcmp(l->opts->output, "-"));
	/* Inherited by the other thread; the command was forked earlier. Only root may. */
	setpriority(PRIO_PROCESS, 0, LIVE_NICE);
	err = thread_start_usual(&l->thread, live_thread, l);
	l->is_running = !err;
	return err ? diag_error("--call-graph live: no thread can be started: %s", strerror(err)) : 0;
}

void live_text(struct live *l, bool cuts, struct outbuf *o)
{
	if (l->no_room)
		outbuf_printf(o, "%llu callchains have no user part, as stacks came faster than they could be walked. "
			      "Fewer samples (lower -F, higher -c) help\n", l->no_room);
	walk_text(l->walk, cuts, o);
}

void live_free(struct live *l)
{
	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	l->ending = true;
	pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
	if (l->is_running)
		pthread_join(l->thread, NULL);
	outbuf_deinit(&l->out);
	outbuf_deinit(&l->ready);
	outbuf_deinit(&l->given);
	walk_destroy(l->walk);
	event_list_deinit(&l->events);
	hash_deinit(&l->ends);
	hash_deinit(&l->stuck);
	pthread_mutex_destroy(&l->lock);
	pthread_cond_destroy(&l->wake);
	pthread_cond_destroy(&l->done);
	free(l->is_live);
	free(l);
}
