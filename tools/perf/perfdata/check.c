// SPDX-License-Identifier: GPL-2.0
/*
 * Does a record have the fixed fields of its type, and end its strings? Samples: sample_decode().
 */
#include "event/records.h"
#include "perfdata/perfdata_private.h"

/* Check a record whose fields before sample_id end at @end against its table entry. */
static const char *check_shape(const struct perf_event_header *h, const struct record_shape *shape,
			       u32 end)
{
	const char *behind = (const char *)h + shape->size;
	u64 nr;

	if (end < shape->size)
		return "a record is shorter than its type needs";
	if (shape->string && !memchr(behind, 0, end - shape->size))
		return "the string of a record does not end inside it";
	if (shape->entry) {
		memcpy(&nr, behind - sizeof(nr), sizeof(nr));
		if (nr > (end - shape->size) / shape->entry)
			return shape->too_many;
	}
	return NULL;
}

const char *record_check(const struct perf_event_header *h, const struct event_list *events)
{
	const struct record_shape *shape = record_shape(h->type);
	const struct event *ev;
	const char *reason;
	u32 end = h->size;

	if (h->type >= REC_HEADER_ATTR)
		return check_shape(h, shape, end);
	/* (a copied stack of a 32-bit task may be half a word more than words) */
	if (h->size & (h->type == PERF_RECORD_SAMPLE ? 3 : 7))
		return "the size of a record is no multiple of 8";
	if (!shape->size)
		return NULL;
	if (events->sample_id_all) {
		ev = events->mixed_sample_ids ? event_list_find(events, h) : events->events[0];
		if (ev && ev->layout.id_size)
			end = h->size < 8 + ev->layout.id_size ? 0 : h->size - ev->layout.id_size;
	}
	reason = check_shape(h, shape, end);
	if (!reason && h->type == PERF_RECORD_TEXT_POKE) {
		const struct text_poke_record *t = (const void *)h;

		if (offsetof(struct text_poke_record, bytes) + t->old_len + t->new_len > end)
			reason = "a text_poke is longer than its record";
	}
	return reason;
}
