// SPDX-License-Identifier: GPL-2.0
/*
 * --switch-output with deferred callchains: a task may be on its long way
 * through the kernel when the file is switched. Its samples are in the old
 * file, the record with their user half comes later. So the old file stays open
 * until the records that it waits for have come, and gets them too.
 *
 * A wait has an end: the next switch, the end of the recording, or LATE_MS. Then
 * script's account says how many samples' tasks had not returned.
 */
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/hash.h"
#include "cmd/record/record.h"
#include "event/sample.h"

#define LATE_MS		1000

/* Of a (tid, cookie). The buffers are read one by one: a task that moved may have its
 * record in one that comes before that of its sample.
 */
enum { CLOSED, WAITS, CAME_FIRST };

#define MAX_CLOSED	(1 << 16)	/* entries in the hash, then the closed ones go */

struct late {
	struct event_list events;	/* how samples and records are laid out */
	struct hash open;		/* (tid, cookie) of this file's samples */
	u64 nr_open;
	/* the last file; path NULL: there is none */
	struct writer writer;
	struct outbuf sections[FEAT_MAX];
	struct hash wanted;		/* likewise, of that file */
	u64 nr_wanted;
	char *path;
	u64 deadline;			/* CLOCK_MONOTONIC, ms */
};

static u64 now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

void late_begin(struct record *rec)
{
	struct late *l;
	bool defer = false;
	u32 i, j;

	for (i = 0; i < rec->specs.nr; i++)
		defer |= !!(attr_flags(&rec->specs.v[i]->attr) & ATTR_DEFER_CALLCHAIN);
	if (!rec->switch_output || !defer)
		return;
	l = rec->late = xcalloc(1, sizeof(*l));
	for (i = 0; i < rec->specs.nr; i++) {
		struct event *ev = event_list_add(&l->events, &rec->events[i].attr);

		for (j = 0; j < rec->events[i].nr_ids; j++)
			event_add_id(&l->events, ev, rec->events[i].ids[j]);
	}
}

static void forget_closed(struct late *l)
{
	struct hash old = l->open;
	size_t i;

	if (old.nr < max((u64)MAX_CLOSED, 2 * l->nr_open))
		return;
	memset(&l->open, 0, sizeof(l->open));
	for (i = 0; i <= old.mask; i++)
		if (old.slots[i].used && old.slots[i].value == WAITS)
			*hash_insert(&l->open, old.slots[i].a, old.slots[i].b, NULL) = WAITS;
	hash_deinit(&old);
}

static void note_sample(struct late *l, const struct perf_event_header *h)
{
	const struct event *ev = event_list_find(&l->events, h);
	struct sample s;
	u64 *state;

	if (!ev || sample_decode(ev, h, 0, &s) || !s.deferred)
		return;
	forget_closed(l);
	state = hash_insert(&l->open, s.tid, s.cookie, NULL);
	l->nr_open += *state == CLOSED;
	*state = *state == CAME_FIRST ? CLOSED : WAITS;
}

static void note_record(struct late *l, u32 tid, u64 cookie, const struct perf_event_header *h)
{
	u64 *state = hash_insert(&l->open, tid, cookie, NULL);

	l->nr_open -= *state == WAITS;
	*state = *state == WAITS ? CLOSED : CAME_FIRST;
	state = l->path ? hash_find(&l->wanted, tid, cookie) : NULL;
	if (!state || *state != WAITS)
		return;
	*state = CLOSED;
	l->nr_wanted--;
	writer_record(&l->writer, h, h->size);
}

void late_note(struct record *rec, const struct perf_event_header *h)
{
	struct late *l = rec->late;
	const struct event *ev;
	struct sample id;
	u64 cookie;

	if (!l)
		return;
	if (h->type == PERF_RECORD_SAMPLE) {
		note_sample(l, h);
		return;
	}
	if (h->type != REC_CALLCHAIN_DEFERRED || h->size < 24)
		return;
	ev = event_list_find(&l->events, h);
	if (!ev || sample_id_decode(ev, h, &id))
		return;
	memcpy(&cookie, h + 1, sizeof(cookie));
	note_record(l, id.tid, cookie, h);
}

bool late_wanted(const struct record *rec)
{
	return rec->late && rec->late->nr_open;
}

void late_leave(struct record *rec, const struct outbuf *sections, char *path)
{
	struct late *l = rec->late;

	l->writer = rec->writer;
	memcpy(l->sections, sections, sizeof(l->sections));
	l->wanted = l->open;
	l->nr_wanted = l->nr_open;
	l->path = path;
	l->deadline = now_ms() + LATE_MS;
	memset(&l->open, 0, sizeof(l->open));
	l->nr_open = 0;
}

int late_finish(struct record *rec, bool now)
{
	struct late *l = rec->late;
	int err;

	if (!l || !l->path || (!now && l->nr_wanted && now_ms() < l->deadline))
		return 0;
	writer_end(&l->writer, l->sections);
	features_free(l->sections);
	err = writer_close(&l->writer);
	hash_deinit(&l->wanted);
	if (err)
		diag_error("%s: %s", l->path, output_failure(err));
	else
		output_dumped(rec, l->path);
	l->path = NULL;
	return err ? -1 : 0;
}

bool late_waiting(const struct record *rec)
{
	return rec->late && rec->late->path;
}

int late_timeout(const struct record *rec)
{
	return late_waiting(rec) ? LATE_MS : -1;
}

void late_end(struct record *rec)
{
	if (!rec->late)
		return;
	event_list_deinit(&rec->late->events);
	hash_deinit(&rec->late->open);
	free(rec->late);
	rec->late = NULL;
}
