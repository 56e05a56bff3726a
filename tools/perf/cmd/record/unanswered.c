// SPDX-License-Identifier: GPL-2.0
/*
 * --switch-output with deferred callchains: at a switch a thread may be in a long system call, with
 * samples in the old file whose user half comes later. So that file stays open for its deferred
 * records, until the next switch or the end, UNANSWERED_MS at most. struct unanswered owns its
 * writer, sections and name, and for both files a table of the (tid, cookie) of their samples.
 */
#include <unistd.h>

#include "base/clock.h"
#include "cmd/record/recorder.h"

/*
 * State of a (tid, cookie). One record, perhaps read before the sample, is enough: mainline writes
 * one for each entry, and threads move between buffers.
 */
enum { UNKNOWN, WAITS, ANSWERED };

/* limit of entries in the hash, above which answered ones are removed */
#define MAX_ANSWERED	(1 << 16)

void unanswered_init(struct unanswered *l, const struct description *d)
{
	u32 i;

	memset(l, 0, sizeof(*l));
	for (i = 0; i < d->nr_events; i++)
		description_event(d, i, &d->events[i].attr, &l->events);
}

static void forget_answered(struct unanswered *l)
{
	struct hash old = l->open;
	size_t i;

	if (old.nr < max((u64)MAX_ANSWERED, 2 * l->nr_open))
		return;
	memset(&l->open, 0, sizeof(l->open));
	for (i = 0; i <= old.mask; i++)
		if (old.slots[i].used && old.slots[i].value == WAITS)
			*hash_insert(&l->open, old.slots[i].a, old.slots[i].b, NULL) = WAITS;
	hash_deinit(&old);
}

static void note_sample(struct unanswered *l, const struct perf_event_header *h)
{
	const struct event *ev = event_list_find(&l->events, h);
	struct sample s;
	u64 *state;

	if (!ev || sample_decode(ev, h, 0, &s) || !s.deferred)
		return;
	forget_answered(l);
	state = hash_insert(&l->open, s.tid, s.cookie, NULL);
	if (*state != UNKNOWN)
		return;
	*state = WAITS;
	l->nr_open++;
}

static void note_record(struct unanswered *l, u32 tid, u64 cookie, const struct perf_event_header *h)
{
	u64 *state = hash_insert(&l->open, tid, cookie, NULL);

	l->nr_open -= *state == WAITS;
	*state = ANSWERED;
	state = l->path ? hash_find(&l->wanted, tid, cookie) : NULL;
	if (!state || *state != WAITS)
		return;
	*state = ANSWERED;
	l->nr_wanted--;
	writer_record(&l->writer, h, h->size);
}

void unanswered_note(struct unanswered *l, const struct perf_event_header *h)
{
	const struct event *ev;
	struct sample id;
	u64 cookie;

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

void unanswered_leave(struct unanswered *l, const struct writer *writer, const struct outbuf *sections, char *path)
{
	l->writer = *writer;
	memcpy(l->sections, sections, sizeof(l->sections));
	l->wanted = l->open;
	l->nr_wanted = l->nr_open;
	l->path = path;
	l->deadline = now_ms() + UNANSWERED_MS;
	memset(&l->open, 0, sizeof(l->open));
	l->nr_open = 0;
}

bool unanswered_due(const struct unanswered *l)
{
	return unanswered_waiting(l) && (!l->nr_wanted || now_ms() >= l->deadline);
}

int unanswered_close(struct unanswered *l, char **path)
{
	writer_end(&l->writer, l->sections);
	features_free(l->sections);
	hash_deinit(&l->wanted);
	*path = l->path;
	l->path = NULL;
	return writer_close(&l->writer);
}

void unanswered_deinit(struct unanswered *l)
{
	event_list_deinit(&l->events);
	hash_deinit(&l->open);
}
