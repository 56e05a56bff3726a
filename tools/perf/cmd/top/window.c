// SPDX-License-Identifier: GPL-2.0
/*
 * The records of the last minutes, in segments, which a thread copies from the reader. struct
 * window owns the reader, the segments and the side-band records older than them.
 */
#include <signal.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/thread.h"
#include "cmd/top/top.h"
#include "event/records.h"

static void segment_free(struct window_segment *s)
{
	outbuf_deinit(&s->records);
	free(s);
}

static const struct perf_event_header *record_at(const char *p)
{
	return (const struct perf_event_header *)p;
}

/* Perf's own records, except FINISHED_ROUND, are at the head of the output of window_write(). */
static void take_record(struct window *w, const struct record *rec)
{
	const struct perf_event_header *h = rec->header;
	bool head = h->type >= REC_HEADER_ATTR && h->type != REC_FINISHED_ROUND;
	struct outbuf *to = head ? &w->head : &w->filling->records;

	w->lost += record_lost(h);
	if (w->paused && h->type == PERF_RECORD_SAMPLE)
		return;
	outbuf_write(to, h, h->size);
	if (rec->payload)
		outbuf_write(to, rec->payload, rec->payload_size);
}

static void *read_pipe(void *arg)
{
	struct window *w = arg;
	struct record rec;

	while (reader_next(w->reader, &rec)) {
		pthread_mutex_lock(&w->lock);
		take_record(w, &rec);
		pthread_mutex_unlock(&w->lock);
		reader_release(w->reader, rec.seq + 1);
	}
	pthread_mutex_lock(&w->lock);
	w->ended = true;
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* The thread blocks all signals. */
static int start_reading(struct window *w)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = thread_start_usual(&w->thread, read_pipe, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

static void window_free(struct window *w)
{
	struct window_segment *s;

	while ((s = w->first)) {
		w->first = s->next;
		segment_free(s);
	}
	segment_free(w->filling);
	sideband_deinit(&w->before);
	outbuf_deinit(&w->head);
	reader_close(w->reader);
	pthread_mutex_destroy(&w->lock);
}

struct error *window_open(struct window *w, const char *path)
{
	struct error *e;
	int err;

	*w = (struct window){ 0 };
	e = reader_open(path, true, &w->reader);
	if (e)
		return e;
	pthread_mutex_init(&w->lock, NULL);
	w->filling = xcalloc(1, sizeof(*w->filling));
	err = start_reading(w);
	if (!err)
		return NULL;
	window_free(w);
	return error_create(err, "no thread can be started: %m");
}

void window_close(struct window *w)
{
	pthread_join(w->thread, NULL);
	window_free(w);
}

struct window_segment *window_take(struct window *w)
{
	struct window_segment *s = NULL;

	pthread_mutex_lock(&w->lock);
	if (outbuf_len(&w->filling->records)) {
		s = w->filling;
		w->filling = xcalloc(1, sizeof(*w->filling));
	}
	pthread_mutex_unlock(&w->lock);
	if (!s)
		return NULL;
	if (w->last)
		w->last->next = s;
	else
		w->first = s;
	w->last = s;
	w->bytes += outbuf_len(&s->records);
	return s;
}

bool window_ended(struct window *w, u64 *lost)
{
	bool ended;

	pthread_mutex_lock(&w->lock);
	ended = w->ended;
	*lost = w->lost;
	pthread_mutex_unlock(&w->lock);
	return ended;
}

u64 window_pause(struct window *w, bool pause)
{
	u64 bytes;

	pthread_mutex_lock(&w->lock);
	w->paused = pause;
	bytes = outbuf_len(&w->filling->records);
	pthread_mutex_unlock(&w->lock);
	return bytes;
}

void window_trim(struct window *w, u64 most)
{
	struct window_segment *s;
	const char *p;

	while ((s = w->first) && s != w->last && s->walked && w->bytes > most) {
		for (p = s->records.base; p < s->records.pos; p += record_at(p)->size)
			if (record_at(p)->type < REC_HEADER_ATTR)
				sideband_add(&w->before, record_at(p));
		w->first = s->next;
		w->bytes -= outbuf_len(&s->records);
		segment_free(s);
	}
}

/* Locked, as the thread may append to the head. */
static int write_head(struct window *w, int fd)
{
	int err;

	pthread_mutex_lock(&w->lock);
	err = write_all(fd, w->head.base, outbuf_len(&w->head));
	pthread_mutex_unlock(&w->lock);
	return err;
}

int window_write(struct window *w, int fd)
{
	static const u64 magic[2] = { PERFILE2_MAGIC, sizeof(magic) };
	const struct window_segment *s;
	int err = write_all(fd, magic, sizeof(magic)) ?: write_head(w, fd) ?:
		  write_all(fd, w->before.records.base, outbuf_len(&w->before.records));

	for (s = w->first; s && !err; s = s->next)
		err = write_all(fd, s->records.base, outbuf_len(&s->records));
	return err;
}
