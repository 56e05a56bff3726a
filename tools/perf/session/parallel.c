// SPDX-License-Identifier: GPL-2.0
/*
 * Number of running threads at a sample, for latency profiles. Pass 1 notes the times of switches
 * and exits, which parallel_seal() sums up. As in mainline one thread runs at the start, and
 * CPU-wide switch records are ignored. Any thread may read the index once it is sealed.
 */
#include "base/sort.h"
#include "event/records.h"
#include "event/sample.h"
#include "session/session_private.h"

void parallel_init(struct parallel_index *ix, const struct event_list *events)
{
	u32 i;

	for (i = 0; i < events->nr; i++)
		ix->used |= events->events[i]->attr.context_switch;
}

static void add_mark(struct parallel_index *ix, u64 time, s32 change)
{
	GROW(ix->marks, ix->nr, ix->cap);
	ix->marks[ix->nr++] = (struct parallel_mark){ time, change };
}

void parallel_note(struct parallel_index *ix, const struct event_list *events,
		   const struct perf_event_header *rec, u64 time)
{
	const struct event *ev;
	struct sample id;

	if (rec->type == PERF_RECORD_EXIT) {
		add_mark(ix, time, -1);
	} else if (rec->type == PERF_RECORD_SWITCH) {
		ev = event_list_find(events, rec);
		if (ev && !sample_id_decode(ev, rec, &id) && id.tid)
			add_mark(ix, time, rec->misc & PERF_RECORD_MISC_SWITCH_OUT ? -1 : 1);
	}
}

static bool mark_before(const struct parallel_mark *x, const struct parallel_mark *y)
{
	return x->time < y->time;
}

DEFINE_MERGE_SORT(sort_marks, struct parallel_mark, mark_before)

void parallel_seal(struct parallel_index *ix)
{
	struct sort_room room = { 0 };
	s64 running = 1;
	size_t i;

	sort_marks(ix->marks, ix->nr, &room);
	sort_room_deinit(&room);
	for (i = 0; i < ix->nr; i++) {
		running += ix->marks[i].running;
		ix->marks[i].running = running;
	}
}

u32 parallel_at(const struct parallel_index *ix, u64 time)
{
	size_t i = LOWER_BOUND(0, ix->nr, k, ix->marks[k].time <= time);

	/* Switches may have been lost, but the sample's own thread runs. */
	return i ? max(ix->marks[i - 1].running, (s64)1) : 1;
}
