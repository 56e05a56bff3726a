// SPDX-License-Identifier: GPL-2.0
/*
 * Records that describe the recording itself: what a pipe has in place of the
 * file header, and what perf record adds to the events.
 */
#include <stdio.h>

#include "base/printable.h"
#include "event/format.h"
#include "file/private.h"

bool meta_type(u32 type)
{
	return type == REC_HEADER_ATTR || type == REC_EVENT_UPDATE || type == REC_HEADER_FEATURE ||
	       type == REC_HEADER_TRACING_DATA || type == REC_HEADER_BUILD_ID;
}

bool meta_head(u32 type)
{
	return type >= REC_HEADER_ATTR && type != REC_FINISHED_ROUND && type != REC_AUXTRACE &&
	       type != REC_COMPRESSED && type != REC_COMPRESSED2;
}

static void apply_attr(struct reader *r, const struct record *rec)
{
	const u8 *p = (const u8 *)(rec->header + 1), *end = (const u8 *)rec->header +
		rec->header->size;
	struct event *ev;
	u32 size;
	u64 id;

	/* Consumers have arrays of as many events as there were, and positions in records. */
	if (r->sealed) {
		reader_bad_record(r, rec->offset, "an event's attributes stand behind the first record");
		return;
	}
	memcpy(&size, p + 4, sizeof(size));
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0 || size > end - p || r->events.nr >= MAX_EVENTS) {
		reader_bad_record(r, rec->offset, "an event's attributes have an impossible size");
		return;
	}
	/* The record is in our byte order already. */
	ev = header_event(r, p, size, false, rec->offset);
	tracepoints_bind(&r->events);
	for (p += size; end - p >= sizeof(id) && r->nr_ids < MAX_IDS; p += sizeof(id)) {
		memcpy(&id, p, sizeof(id));
		event_add_id(&r->events, ev, id);
		r->nr_ids++;
	}
}

static void apply_update(struct reader *r, const struct record *rec)
{
	const u64 *p = (const u64 *)(rec->header + 1);
	const char *data = (const char *)(p + 2);
	size_t size = rec->header->size - 24;
	struct event *ev = event_list_by_id(&r->events, p[1]);

	if (!ev)
		return;
	switch (p[0]) {
	case 0:
		ev->unit = printable_copy(&r->events.arena,
					  arena_strndup(&r->events.arena, data, size));
		break;
	case 1:
		if (size >= sizeof(double))
			memcpy(&ev->scale, data, sizeof(double));
		break;
	case 2:
		event_set_name(&r->events, ev, data, size);
		break;
	}
}

/* A pipe's feature sections are kept: the records may be let go. */
static void apply_feature(struct reader *r, const struct record *rec)
{
	u64 bit = *(const u64 *)(rec->header + 1);
	size_t size = rec->header->size - 16;
	struct feature_section *s;
	u8 *copy;

	if (bit >= FEAT_MAX || r->features.sections[bit].data)
		return;
	copy = arena_alloc(&r->features.arena, size + 1);
	memcpy(copy, (const u8 *)rec->header + 16, size);
	s = &r->features.sections[bit];
	s->data = copy;
	s->size = size;
	s->offset = rec->offset + 16;
	feature_decode(&r->features, bit, r->swap, &r->events);
}

static void apply_tracing_data(struct reader *r, const struct record *rec)
{
	struct feature_section *s = &r->features.sections[FEAT_TRACING_DATA];
	u8 *copy;

	if (s->data || !rec->payload)
		return;
	s->size = rec->payload_size;
	s->offset = rec->offset + rec->header->size;
	s->data = rec->payload;
	if (r->stream) {
		copy = arena_alloc(&r->features.arena, s->size + 1);
		memcpy(copy, rec->payload, s->size);
		s->data = copy;
	}
	feature_decode(&r->features, FEAT_TRACING_DATA, r->swap, &r->events);
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
	case REC_HEADER_TRACING_DATA:
		apply_tracing_data(r, rec);
		break;
	case REC_HEADER_BUILD_ID:
		feature_build_id(&r->features, rec->header);
		break;
	}
}
