// SPDX-License-Identifier: GPL-2.0
/*
 * Records that describe the recording: a pipe's header, and perf record's descriptions of events.
 */
#include <stdio.h>

#include "base/text.h"
#include "event/format.h"
#include "event/records.h"
#include "perfdata/perfdata_private.h"

bool meta_type(u32 type)
{
	return type == REC_HEADER_ATTR || type == REC_EVENT_UPDATE || type == REC_HEADER_FEATURE ||
	       type == REC_HEADER_EVENT_TYPE || type == REC_HEADER_TRACING_DATA ||
	       type == REC_HEADER_BUILD_ID || type == REC_AUXTRACE_INFO || type == REC_STAT_CONFIG;
}

bool meta_head(u32 type)
{
	return type >= REC_HEADER_ATTR && type != REC_FINISHED_ROUND && type != REC_AUXTRACE &&
	       type != REC_COMPRESSED && type != REC_COMPRESSED2;
}

static void apply_attr(struct reader *r, const struct record *rec)
{
	const struct attr_record *a = (const void *)rec->header;
	const u8 *p = (const u8 *)&a->attr, *end = (const u8 *)a + a->header.size;
	struct event *ev;
	u32 size;
	u64 id;

	/* Consumers have arrays sized by the number of events, and offsets into records. */
	if (r->sealed) {
		bad_record(r, rec->offset, "an event's attributes follow the first record");
		return;
	}
	size = a->attr.size ? a->attr.size : PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0 || size > end - p || r->events.nr >= MAX_EVENTS) {
		bad_record(r, rec->offset, "an event's attributes have an impossible size");
		return;
	}
	/* The record is already in host byte order. */
	ev = header_event(r, p, size, false, rec->offset);
	tracepoints_bind(&r->events, r->events.nr - 1);
	for (p += size; (size_t)(end - p) >= sizeof(id) && r->nr_ids < MAX_IDS; p += sizeof(id)) {
		memcpy(&id, p, sizeof(id));
		event_add_id(&r->events, ev, id);
		r->nr_ids++;
	}
}

static void apply_update(struct reader *r, const struct record *rec)
{
	const struct event_update_record *u = (const void *)rec->header;
	size_t size = u->header.size - sizeof(*u);
	struct event *ev = event_list_by_id(&r->events, u->id);

	if (!ev)
		return;
	switch (u->type) {
	case UPDATE_UNIT:
		ev->unit = printable_copy(&r->events.arena,
					  arena_strndup(&r->events.arena, u->data, size));
		break;
	case UPDATE_SCALE:
		if (size >= sizeof(double))
			memcpy(&ev->scale, u->data, sizeof(double));
		break;
	case UPDATE_NAME:
		event_set_name(&r->events, ev, u->data, size);
		break;
	}
}

/* Add the first section of a feature; of a pipe a copy, as the record may be freed. */
static void add_feature(struct reader *r, u32 bit, const void *data, size_t size, u64 offset)
{
	struct feature_section *s = &r->features.sections[bit];

	if (s->data || !data)
		return;
	s->data = r->stream ? memcpy(arena_alloc(&r->features.arena, size + 1), data, size) : data;
	s->size = size;
	s->offset = offset;
	feature_decode(&r->features, bit, r->swap, &r->events);
}

static void apply_feature(struct reader *r, const struct record *rec)
{
	const struct feature_record *f = (const void *)rec->header;

	if (f->bit < FEAT_MAX && !feature_ends_list(f))
		add_feature(r, f->bit, f->data, f->header.size - sizeof(*f),
			    rec->offset + sizeof(*f));
}

/* FEAT_NAMES of a stream is split into several records. */
static void add_names(struct reader *r, const struct record *rec)
{
	const struct own_feature_record *f = (const void *)rec->header;
	struct feature_section *s = &r->features.sections[FEAT_NAMES];
	size_t size = f->header.size - sizeof(*f);

	/* The names are in use from the first sample on. */
	if (r->sealed)
		return;
	if (s->size + size > MAX_NAMES) {
		bad_record(r, rec->offset, "the names in it are too many for a stream");
		return;
	}
	GROW_TO(r->features.names, s->size + size, r->features.cap_names);
	memcpy(r->features.names + s->size, f->data, size);
	s->data = r->features.names;
	if (!s->size)
		s->offset = rec->offset + sizeof(*f);
	s->size += size;
}

static void apply_own_feature(struct reader *r, const struct record *rec)
{
	const struct own_feature_record *f = (const void *)rec->header;

	if (!is_own_feature(rec->header))
		return;
	if (f->bit == FEAT_NAMES)
		add_names(r, rec);
	else if (f->bit >= FEAT_OWN)
		add_feature(r, f->bit, f->data, f->header.size - sizeof(*f),
			    rec->offset + sizeof(*f));
}

void meta_apply(struct reader *r, const struct record *rec)
{
	switch (rec->header->type) {
	case REC_HEADER_ATTR:
		apply_attr(r, rec);
		break;
	case REC_EVENT_UPDATE:
		apply_update(r, rec);
		break;
	case REC_HEADER_FEATURE:
		apply_feature(r, rec);
		break;
	case REC_HEADER_EVENT_TYPE:
		apply_own_feature(r, rec);
		break;
	case REC_HEADER_TRACING_DATA:
		add_feature(r, FEAT_TRACING_DATA, rec->payload, rec->payload_size,
			    rec->offset + rec->header->size);
		break;
	case REC_HEADER_BUILD_ID:
		feature_build_id(&r->features, rec->header);
		break;
	case REC_STAT_CONFIG:
		r->features.has_counts = true;
		break;
	case REC_AUXTRACE_INFO:
		r->features.has_traces = true;
		break;
	}
}
