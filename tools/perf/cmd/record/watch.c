// SPDX-License-Identifier: GPL-2.0
/*
 * The only pass over the records in the kernel's buffers: counts each record and passes it to the
 * components that track processes, mappings and deferred records. Records are read in place; one
 * that wraps is assembled in a buffer owned by struct watch.
 */
#include "base/arena.h"
#include "cmd/record/follow.h"
#include "cmd/record/keep/keep.h"
#include "cmd/record/output.h"
#include "cmd/record/unanswered.h"
#include "cmd/record/watch.h"
#include "cmd/tables/tables.h"
#include "event/spans.h"

void watch_init(struct watch *w, struct rings *rings, bool counts)
{
	*w = (struct watch){ .rings = rings, .counts = counts, .room = xmalloc(UINT16_MAX + 1) };
}

void watch_deinit(struct watch *w)
{
	free(w->room);
}

static void note_side_band(struct watch *w, const struct perf_event_header *h)
{
	if (w->out)
		output_note(w->out, h);
	if (w->follow)
		follow_note(w->follow, h);
	if (w->tables)
		tables_note(w->tables, h);
	keep_note(w->keep, h);
}

void watch_spans(struct watch *w, const struct iovec *iov, u32 nr)
{
	struct span_walk walk = { .iov = iov, .nr = nr };
	const struct perf_event_header *h;

	while ((h = span_record(&walk, w->unanswered, w->room))) {
		if (w->counts)
			ring_stats_count(&w->rings->stats, h);
		if (w->unanswered)
			unanswered_note(w->unanswered, h);
		if (h->type != PERF_RECORD_SAMPLE)
			note_side_band(w, h);
	}
	keep_wake(w->keep);
}
