// SPDX-License-Identifier: GPL-2.0
/*
 * The queue to the keeper thread, and its order of work: records first, then requests. The lock
 * protects queue, requests and answers; only the keeper uses the kinds of files and the locations.
 * It ends in bounded time, as calls that may hang have a time limit (host/host.h).
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/thread.h"
#include "cmd/record/keep/keep.h"
#include "cmd/record/keep/keep_private.h"
#include "session/sample_files.h"

/* bytes of queued records: all mappings of about 5,000 processes */
#define QUEUE_MAX	(16U << 20)
#define LOOK_MS		100

/* A complete file of the recording. */
struct finished {
	int fd;				/* -1: @hits are known */
	struct hash hits;		/* files with samples, as by record_hits() */
};

struct keep {
	struct places places;
	struct programs programs;
	struct jit jit;
	bool wants_jit;
	pthread_t thread;
	bool noted;			/* records were queued since keep_wake() */
	u64 begun;			/* time, in ms */
	/* under the lock */
	pthread_mutex_t lock;
	pthread_cond_t wake, done;
	struct outbuf queue;
	u64 nr_dropped;			/* records dropped because the queue was full */
	u32 asked, answered;		/* numbers of requests */
	bool next_file;			/* the following records belong to the next file */
	bool last;			/* no record follows */
	struct outbuf records;		/* records that name copies, not written to a file yet */
	struct finished *finished;
	u32 nr_finished, cap_finished;
	bool ending;
};

/* Mappings of code, and records after which a PID is another process or program. */
static bool wants(const struct keep *k, const struct perf_event_header *h)
{
	const struct task_record *t = (const void *)h;

	switch (h->type) {
	case PERF_RECORD_EXIT:
		return t->pid == t->tid;
	case PERF_RECORD_COMM:
		return h->misc & PERF_RECORD_MISC_COMM_EXEC;
	case PERF_RECORD_MMAP2:
		return (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER &&
		       !(h->misc & PERF_RECORD_MISC_MMAP_DATA) &&
		       (programs_wants(&k->programs, h) || (k->wants_jit && jit_wants(h)));
	}
	return false;
}

void keep_note(struct keep *k, const struct perf_event_header *h)
{
	if (!k || !wants(k, h))
		return;
	pthread_mutex_lock(&k->lock);
	if (outbuf_len(&k->queue) + h->size > QUEUE_MAX)
		k->nr_dropped++;
	else
		outbuf_write(&k->queue, h, h->size);
	pthread_mutex_unlock(&k->lock);
	k->noted = true;
}

void keep_wake(struct keep *k)
{
	/* A shorter recording opens the files that have samples, at its end. */
	if (!k || !k->noted || now_ms() - k->begun < LOOK_MS)
		return;
	k->noted = false;
	pthread_mutex_lock(&k->lock);
	pthread_cond_signal(&k->wake);
	pthread_mutex_unlock(&k->lock);
}

void keep_note_all(struct keep *k, const struct outbuf *records)
{
	const char *p;

	for (p = records->base; p < records->pos; p += ((const struct perf_event_header *)p)->size)
		keep_note(k, (const void *)p);
}

/* Keeper thread */

static void look_at(struct keep *k, const struct perf_event_header *h, bool last, struct outbuf *records)
{
	const struct task_record *t = (const void *)h;

	switch (h->type) {
	case PERF_RECORD_EXIT:
		jit_ended(&k->jit, t->pid, records);
		places_forget(&k->places, t->pid);
		break;
	case PERF_RECORD_COMM:
		places_forget(&k->places, t->pid);
		break;
	case PERF_RECORD_MMAP2:
		if (programs_wants(&k->programs, h))
			programs_note(&k->programs, (const void *)h, !last);
		if (k->wants_jit && jit_wants(h))
			jit_note(&k->jit, (const void *)h);
		break;
	}
}

static void look_at_all(struct keep *k, struct outbuf *queue, bool last, struct outbuf *records)
{
	const char *p;

	for (p = queue->base; p < queue->pos; p += ((const struct perf_event_header *)p)->size)
		look_at(k, (const void *)p, last, records);
	queue->pos = queue->base;
	places_round(&k->places);
}

static void finish_recording(struct keep *k, struct finished *f)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", f->fd);
	if (k->programs.enabled && (f->fd < 0 || !record_hits(path, &f->hits)))
		programs_finish(&k->programs, &f->hits);
	if (f->fd >= 0)
		close(f->fd);
	hash_deinit(&f->hits);
}

static bool has_work(const struct keep *k)
{
	return outbuf_len(&k->queue) || k->asked != k->answered || k->nr_finished;
}

static void *keep_thread(void *arg)
{
	struct keep *k = arg;
	struct outbuf queue = { 0 }, records, swap;
	struct finished finished;
	u32 asked;
	bool next, any, last;

	outbuf_init(&records);
	pthread_mutex_lock(&k->lock);
	for (;;) {
		while (!has_work(k) && !k->ending)
			pthread_cond_wait(&k->wake, &k->lock);
		if (!has_work(k))
			break;
		swap = k->queue;
		k->queue = queue;
		queue = swap;
		asked = k->asked;
		next = k->next_file;
		k->next_file = false;
		last = k->last;
		any = k->nr_finished;
		if (any)
			finished = k->finished[--k->nr_finished];
		pthread_mutex_unlock(&k->lock);
		if (next)
			jit_next_file(&k->jit);
		look_at_all(k, &queue, last, &records);
		if (asked != k->answered)
			jit_finish(&k->jit, &records);
		if (any)
			finish_recording(k, &finished);
		pthread_mutex_lock(&k->lock);
		outbuf_write(&k->records, records.base, outbuf_len(&records));
		records.pos = records.base;
		k->answered = asked;
		pthread_cond_signal(&k->done);
	}
	pthread_mutex_unlock(&k->lock);
	outbuf_deinit(&queue);
	outbuf_deinit(&records);
	return NULL;
}

/* Recording thread */

static void free_keep(struct keep *k)
{
	programs_deinit(&k->programs);
	jit_deinit(&k->jit);
	places_deinit(&k->places);
	outbuf_deinit(&k->queue);
	outbuf_deinit(&k->records);
	free(k->finished);
	pthread_mutex_destroy(&k->lock);
	pthread_cond_destroy(&k->wake);
	pthread_cond_destroy(&k->done);
	free(k);
}

struct keep *keep_create(struct host *host, const struct perf_event_attr *layout, bool programs,
			 bool jit, u64 cache_size)
{
	struct keep *k = xcalloc(1, sizeof(*k));
	bool wanted;
	int err = 0;

	k->begun = now_ms();
	k->places.host = host;
	pthread_mutex_init(&k->lock, NULL);
	pthread_cond_init(&k->wake, NULL);
	pthread_cond_init(&k->done, NULL);
	wanted = programs_init(&k->programs, &k->places, programs, cache_size);
	k->wants_jit = jit_init(&k->jit, &k->places, layout, jit);
	wanted |= k->wants_jit;
	if (wanted)
		err = thread_start_usual(&k->thread, keep_thread, k);
	if (wanted && !err)
		return k;
	if (err)
		diag_warn("files that no path leads to are not kept: no thread can be started: %s", strerror(err));
	free_keep(k);
	return NULL;
}

int keep_timeout(const struct keep *k)
{
	return k ? LOOK_MS : -1;
}

void keep_ask(struct keep *k, bool last)
{
	if (!k)
		return;
	pthread_mutex_lock(&k->lock);
	k->asked++;
	k->last = last;
	pthread_cond_signal(&k->wake);
	pthread_mutex_unlock(&k->lock);
}

bool keep_answered(struct keep *k, int ms)
{
	struct timespec until;
	bool answered;

	if (!k)
		return true;
	until = time_after(ms);
	pthread_mutex_lock(&k->lock);
	while (k->answered != k->asked && !pthread_cond_timedwait(&k->done, &k->lock, &until))
		;
	answered = k->answered == k->asked;
	pthread_mutex_unlock(&k->lock);
	return answered;
}

void keep_take_records(struct keep *k, struct outbuf *to)
{
	if (!k)
		return;
	pthread_mutex_lock(&k->lock);
	outbuf_write(to, k->records.base, outbuf_len(&k->records));
	k->records.pos = k->records.base;
	k->next_file = true;
	pthread_mutex_unlock(&k->lock);
}

static void put_finished(struct keep *k, struct finished f)
{
	pthread_mutex_lock(&k->lock);
	GROW(k->finished, k->nr_finished, k->cap_finished);
	k->finished[k->nr_finished++] = f;
	pthread_cond_signal(&k->wake);
	pthread_mutex_unlock(&k->lock);
}

void keep_finished(struct keep *k, const char *path)
{
	int fd = k ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	if (fd >= 0)
		put_finished(k, (struct finished){ .fd = fd });
}

void keep_finished_files(struct keep *k, struct hash *hits)
{
	if (!k)
		return;
	put_finished(k, (struct finished){ .fd = -1, .hits = *hits });
	*hits = (struct hash){ 0 };
}

static void say_losses(const struct keep *k)
{
	const struct programs *p = &k->programs;

	if (p->nr_lost)
		diag_warn("%u files with samples are not kept, as no path leads to them any more: %s of process %u%s", p->nr_lost,
			  p->lost, p->lost_pid, p->nr_lost > 1 ? " and others" : "");
	if (k->nr_dropped)
		diag_warn("%llu mappings were too many to look at: files that no path leads to may not be kept", k->nr_dropped);
}

void keep_end(struct keep *k)
{
	if (!k)
		return;
	pthread_mutex_lock(&k->lock);
	k->ending = true;
	pthread_cond_signal(&k->wake);
	pthread_mutex_unlock(&k->lock);
	pthread_join(k->thread, NULL);
	say_losses(k);
	free_keep(k);
}
