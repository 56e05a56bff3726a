// SPDX-License-Identifier: GPL-2.0
/* event_list: the events of a recording, their ids and layouts. */
#include <assert.h>
#include <stdio.h>

#include "event/event.h"
#include "event/format.h"

struct field {
	u64 bit;
	u16 *where;
};

/* Set the positions of the fields that @type has: starts from @pos on, or ends from the end. */
static u16 place(const struct field *f, u32 nr, u64 type, u16 pos, bool back)
{
	for (; nr--; f++) {
		if (!(type & f->bit))
			continue;
		*f->where = pos + (back ? sizeof(u64) : 0);
		pos += sizeof(u64);
	}
	return pos;
}

/* The fixed-size head of a sample, in the order of perf_event_open(2). */
static void layout_sample(struct sample_layout *l, u64 type)
{
	const struct field fields[] = {
		{ PERF_SAMPLE_IDENTIFIER, &l->identifier },
		{ PERF_SAMPLE_IP, &l->ip },
		{ PERF_SAMPLE_TID, &l->tid },
		{ PERF_SAMPLE_TIME, &l->time },
		{ PERF_SAMPLE_ADDR, &l->addr },
		{ PERF_SAMPLE_ID, &l->id },
		{ PERF_SAMPLE_STREAM_ID, &l->stream_id },
		{ PERF_SAMPLE_CPU, &l->cpu },
		{ PERF_SAMPLE_PERIOD, &l->period },
	};

	l->variable = place(fields, ARRAY_SIZE(fields), type, sizeof(struct perf_event_header),
			    false);
}

/* sample_id, from its end backwards. */
static void layout_sample_id(struct sample_layout *l, u64 type)
{
	const struct field fields[] = {
		{ PERF_SAMPLE_IDENTIFIER, &l->id_identifier },
		{ PERF_SAMPLE_CPU, &l->id_cpu },
		{ PERF_SAMPLE_STREAM_ID, &l->id_stream_id },
		{ PERF_SAMPLE_ID, &l->id_id },
		{ PERF_SAMPLE_TIME, &l->id_time },
		{ PERF_SAMPLE_TID, &l->id_tid },
	};

	l->id_size = place(fields, ARRAY_SIZE(fields), type, 0, true);
}

static void list_layout(struct event_list *list, const struct event *ev)
{
	const struct sample_layout *l = &ev->layout;
	u16 time_end = l->id_size ? l->id_time : 0;
	u16 id_pos = l->identifier ? l->identifier : l->id;
	u16 id_pos_end = l->id_identifier ? l->id_identifier : l->id_id;

	if (!ev->idx) {
		list->id_pos = id_pos;
		list->id_pos_end = id_pos_end;
		list->has_ids = list->id_pos != 0;
		list->time_pos = l->time;
		list->id_size = l->id_size;
		list->time_pos_end = time_end;
		list->sample_id_all = l->id_size != 0;
		return;
	}
	if (id_pos != list->id_pos || id_pos_end != list->id_pos_end)
		list->mixed_ids = true;
	if (l->time != list->time_pos)
		list->mixed_samples = true;
	if (l->id_size != list->id_size || time_end != list->time_pos_end)
		list->mixed_sample_ids = true;
	if (l->id_size)
		list->sample_id_all = true;
}

struct event *event_list_add(struct event_list *list, const struct perf_event_attr *attr)
{
	struct event *ev = arena_alloc(&list->arena, sizeof(*ev));
	char name[256];

	GROW(list->events, list->nr, list->cap);
	ev->attr = *attr;
	ev->attr_size = attr->size ? attr->size : PERF_ATTR_SIZE_VER0;
	ev->idx = ev->leader = list->nr;
	ev->group_members = 1;
	ev->scale = 1.0;
	layout_sample(&ev->layout, attr->sample_type);
	if (attr->sample_id_all)
		layout_sample_id(&ev->layout, attr->sample_type);
	event_attr_name(attr, name, sizeof(name));
	ev->name = arena_strndup(&list->arena, name, sizeof(name));
	list->events[list->nr++] = ev;
	list->sample_type |= attr->sample_type;
	list->branch_sample_type |= attr->branch_sample_type;
	list_layout(list, ev);
	return ev;
}

void event_add_id(struct event_list *list, struct event *ev, u64 id)
{
	bool added;
	u64 *slot = hash_insert(&list->by_id, id, 0, &added);

	assert(ev->idx < list->nr && list->events[ev->idx] == ev);
	if (!added && *slot == (u64)(uintptr_t)ev)
		return;
	/* The capacity is a power of two: grow the array only if it is full. */
	if (!(ev->nr_ids & (ev->nr_ids - 1)))
		ev->ids = xrealloc(ev->ids, (ev->nr_ids ? 2 * ev->nr_ids : 1) * sizeof(u64));
	*slot = (uintptr_t)ev;
	ev->ids[ev->nr_ids++] = id;
}

struct event *event_list_by_id(const struct event_list *list, u64 id)
{
	u64 *slot = hash_find(&list->by_id, id, 0);

	if (slot)
		return (struct event *)(uintptr_t)*slot;
	/* Records synthesised by perf have the id 0; a single event needs no id. */
	if (list->nr && (!id || (list->nr == 1 && !list->by_id.nr)))
		return list->events[0];
	return NULL;
}

/* Read a word @pos bytes from a record's start or end: another one's position may be outside. */
static bool word_inside(const struct perf_event_header *rec, u16 pos, bool back, u64 *v)
{
	u32 at = back ? rec->size - pos : pos;

	if ((back && pos > rec->size) || at < sizeof(*rec) || at + sizeof(*v) > rec->size)
		return false;
	memcpy(v, (const char *)rec + at, sizeof(*v));
	return true;
}

struct event *event_list_find(const struct event_list *list, const struct perf_event_header *rec)
{
	bool sample = rec->type == PERF_RECORD_SAMPLE;
	u64 id;

	if (!list->nr)
		return NULL;
	/* If the first event's records have no id, records belong to the first event. */
	if (!list->has_ids || rec->type >= REC_HEADER_ATTR || (!sample && !list->id_pos_end))
		return list->events[0];
	if (!word_inside(rec, sample ? list->id_pos : list->id_pos_end, !sample, &id))
		return NULL;
	return event_list_by_id(list, id);
}

void event_list_deinit(struct event_list *list)
{
	u32 i;

	for (i = 0; i < list->nr; i++)
		free(list->events[i]->ids);
	free(list->events);
	tracepoints_deinit(list);
	hash_deinit(&list->by_id);
	arena_deinit(&list->arena);
	memset(list, 0, sizeof(*list));
}
