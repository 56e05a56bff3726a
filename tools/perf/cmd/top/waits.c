// SPDX-License-Identifier: GPL-2.0
/*
 * Off-CPU times of threads. Records are added in stream order, which is not time order: the marks
 * of a refresh are sorted by thread and time, after the waits that have not ended. A sample is
 * counted when its wait has ended. Its period is then the wait's time in nanoseconds, written into
 * the record. struct waits owns the lists; the samples belong to the window.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "cmd/top/top.h"
#include "event/records.h"
#include "event/sample.h"

void waits_init(struct waits *w, const struct event_list *events)
{
	u32 i;

	*w = (struct waits){ 0 };
	for (i = 0; i < events->nr; i++)
		w->used |= offcpu_event(events->events[i]);
}

void waits_deinit(struct waits *w)
{
	free(w->marks);
	free(w->open);
}

static void add(struct waits *w, u32 tid, u64 time, struct perf_event_header *sample, u64 refresh)
{
	GROW(w->marks, w->nr, w->cap);
	w->marks[w->nr++] = (struct wait_mark){ { time, tid }, refresh, sample };
}

bool waits_note(struct waits *w, const struct event_list *events, struct perf_event_header *h, u64 refresh)
{
	const struct event *ev;
	u32 tid;

	if (!w->used)
		return false;
	if (h->type == PERF_RECORD_SAMPLE) {
		ev = event_list_find(events, h);
		if (!ev || !offcpu_event(ev) || !ev->layout.tid || !ev->layout.period ||
		    h->size < ev->layout.variable)
			return false;
		add(w, *(u32 *)((char *)h + ev->layout.tid + sizeof(u32)), record_time(events, h), h, refresh);
		return true;
	}
	if (offcpu_ends(events, h, &tid))
		add(w, tid, record_time(events, h), NULL, refresh);
	return false;
}

static u64 *period_of(const struct event_list *events, const struct perf_event_header *sample)
{
	return (u64 *)((char *)sample + event_list_find(events, sample)->layout.period);
}

bool waits_ended(const struct event_list *events, const struct perf_event_header *sample)
{
	return *period_of(events, sample) != 1;
}

void waits_end(struct waits *w, const struct event_list *events,
	       void (*count)(void *ctx, const struct perf_event_header *sample), void *ctx)
{
	size_t i;

	if (!w->used)
		return;
	for (i = 0; i < w->nr_open; i++)
		add(w, w->open[i].at.tid, w->open[i].at.time, w->open[i].sample,
		    w->open[i].refresh);
	w->nr_open = 0;
	if (w->nr)
		qsort(w->marks, w->nr, sizeof(*w->marks), offcpu_compare);
	for (i = 0; i < w->nr; i++) {
		const struct wait_mark *m = &w->marks[i], *next = m + 1;

		if (!m->sample)
			continue;
		if (i + 1 == w->nr || next->at.tid != m->at.tid) {
			GROW(w->open, w->nr_open, w->cap_open);
			w->open[w->nr_open++] = *m;
			continue;
		}
		*period_of(events, m->sample) = max(next->at.time - m->at.time, 2ULL);
		count(ctx, m->sample);
	}
	w->nr = 0;
}

void waits_forget(struct waits *w, u64 refresh)
{
	size_t i, left = 0;

	for (i = 0; i < w->nr_open; i++)
		if (w->open[i].refresh >= refresh)
			w->open[left++] = w->open[i];
	w->nr_open = left;
}
