// SPDX-License-Identifier: GPL-2.0
/*
 * Weights of off-CPU samples: pass 1 notes (thread, time) of switches out to wait, switches in and
 * exits, pass 2 looks up the mark behind a sample. Any thread may read the index once it is sealed.
 */
#include "base/arena.h"
#include "base/sort.h"
#include "event/records.h"
#include "event/sample.h"
#include "session/offcpu.h"

void offcpu_init(struct offcpu_index *ix, const struct event_list *events)
{
	u32 i;

	for (i = 0; i < events->nr; i++)
		ix->used |= offcpu_event(events->events[i]);
}

static void add_mark(struct offcpu_index *ix, u32 tid, u64 time)
{
	GROW(ix->marks, ix->nr, ix->cap);
	ix->marks[ix->nr++] = (struct offcpu_mark){ time, tid };
}

static void note_sample(struct offcpu_index *ix, const struct event *ev,
			const struct perf_event_header *rec, u64 time)
{
	u16 at = ev->layout.tid;
	u32 pid_tid[2];

	if (!offcpu_event(ev) || !at || at + sizeof(pid_tid) > rec->size)
		return;
	memcpy(pid_tid, (const char *)rec + at, sizeof(pid_tid));
	add_mark(ix, pid_tid[1], time);
}

bool offcpu_ends(const struct event_list *events, const struct perf_event_header *rec, u32 *tid)
{
	const struct event *ev;
	struct sample id;

	switch (rec->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		/*
		 * The id of a switch record is that of the thread switched in, also of CPU-wide
		 * ones.
		 */
		ev = event_list_find(events, rec);
		if (rec->misc & PERF_RECORD_MISC_SWITCH_OUT || !ev ||
		    sample_id_decode(ev, rec, &id))
			return false;
		*tid = id.tid;
		return true;
	case PERF_RECORD_EXIT:
		*tid = ((const struct task_record *)rec)->tid;
		return rec->size >= sizeof(struct task_record);
	}
	return false;
}

void offcpu_note(struct offcpu_index *ix, const struct event_list *events,
		 const struct perf_event_header *rec, u64 time)
{
	const struct event *ev;
	u32 tid;

	ix->end = max(ix->end, time);
	if (rec->type == PERF_RECORD_SAMPLE && (ev = event_list_find(events, rec)))
		note_sample(ix, ev, rec, time);
	else if (offcpu_ends(events, rec, &tid))
		add_mark(ix, tid, time);
}

int offcpu_compare(const void *a, const void *b)
{
	const struct offcpu_mark *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

void offcpu_seal(struct offcpu_index *ix)
{
	if (ix->nr)
		qsort(ix->marks, ix->nr, sizeof(*ix->marks), offcpu_compare);
}

u64 offcpu_time(const struct offcpu_index *ix, u32 tid, u64 time)
{
	size_t i = LOWER_BOUND(0, ix->nr, k, ix->marks[k].tid < tid ||
			       (ix->marks[k].tid == tid && ix->marks[k].time <= time));

	if (i < ix->nr && ix->marks[i].tid == tid)
		return ix->marks[i].time - time;
	return ix->end > time ? ix->end - time : 0;
}

void offcpu_deinit(struct offcpu_index *ix)
{
	free(ix->marks);
	memset(ix, 0, sizeof(*ix));
}
