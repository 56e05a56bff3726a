// SPDX-License-Identifier: GPL-2.0
/*
 * Copies the description of a recording into another one, all but attributes (changed by the
 * caller, cut to a size that older readers know), offsets, byte order, and the features of
 * compression and directories. struct rewrite owns the writer and the sections.
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/sort.h"
#include "event/records.h"
#include "perfdata/perfdata_private.h"
#include "perfdata/rewrite.h"
#include "perfdata/write_features.h"

/* Sizes of struct perf_event_attr in readers from Linux 5.13 on. */
static const u32 attr_sizes[] = { 128, 136, 144 };

/* Shortest size for attributes: readers reject more than their own, even if the rest is zero. */
static u32 shortest(const u8 *attr, u32 size)
{
	u32 used = size, i;

	while (used && !attr[used - 1])
		used--;
	for (i = 0; i < ARRAY_SIZE(attr_sizes); i++)
		if (used <= attr_sizes[i] && size > attr_sizes[i])
			return attr_sizes[i];
	return size;
}

/* @attr: in host byte order. */
static void change_attr(const struct rewrite *rw, u8 *attr, u32 size)
{
	struct perf_event_attr a = { 0 };

	memcpy(&a, attr, min((size_t)size, sizeof(a)));
	rw->change(&a, rw->ctx);
	memcpy(attr, &a, min((size_t)size, sizeof(a)));
}

/* Append an event's attributes, @size bytes, in their output form. Return: the new size. */
static u32 put_attr(const struct rewrite *rw, const u8 *attr, u32 size, bool swap, struct outbuf *o)
{
	u8 *to = (u8 *)outbuf_reserve(o, size);
	u32 cut, own;

	memcpy(to, attr, size);
	if (swap)
		swap_attr(to, size);
	cut = shortest(to, size);
	memcpy(&own, to + 4, sizeof(own));
	if (cut < size && own > cut) {
		own = cut;
		memcpy(to + 4, &own, sizeof(own));
	}
	change_attr(rw, to, cut);
	o->pos += cut;
	return cut;
}

/* Collect each event's attributes of a file, in host byte order. Return: the largest size. */
static u32 file_attrs(const struct rewrite *rw, struct outbuf *attrs, u32 *sizes)
{
	const struct reader *r = rw->r;
	const struct file_header *h = &r->header;
	u32 i, largest = 0, size;

	for (i = 0; i < r->events.nr; i++) {
		const u8 *p = r->files[0].map + h->attrs.offset + i * h->attr_size;

		memcpy(&size, p + 4, sizeof(size));
		size = get32(r, size);
		if (!size)
			size = PERF_ATTR_SIZE_VER0;
		sizes[i] = put_attr(rw, p, size, r->swap, attrs);
		largest = max(largest, sizes[i]);
	}
	return largest;
}

static void put_ids(const struct event *ev, struct outbuf *o)
{
	if (ev->nr_ids)
		outbuf_write(o, ev->ids, ev->nr_ids * sizeof(u64));
}

static int file_head(struct rewrite *rw)
{
	const struct event_list *events = &rw->r->events;
	u32 *sizes = xcalloc(events->nr, sizeof(*sizes)), largest, i;
	_cleanup_outbuf_ struct outbuf attrs = { 0 }, head = { 0 };
	const char *attr;
	struct file_section ids = { sizeof(struct file_header), 0 };
	struct file_header h = { .magic = PERFILE2_MAGIC, .size = sizeof(h) };
	int err;

	largest = ALIGN_UP(file_attrs(rw, &attrs, sizes), 8u);
	outbuf_write(&head, &h, sizeof(h));
	for (i = 0; i < events->nr; i++)
		put_ids(events->events[i], &head);
	h.attr_size = largest + sizeof(ids);
	h.attrs = (struct file_section){ outbuf_len(&head), events->nr * h.attr_size };
	for (i = 0, attr = attrs.base; i < events->nr; attr += sizes[i++]) {
		ids.size = events->events[i]->nr_ids * sizeof(u64);
		outbuf_write(&head, attr, sizes[i]);
		outbuf_fill(&head, 0, largest - sizes[i]);
		outbuf_write(&head, &ids, sizeof(ids));
		ids.offset += ids.size;
	}
	h.data.offset = outbuf_len(&head);
	memcpy(head.base, &h, sizeof(h));
	err = writer_head(&rw->w, head.base, outbuf_len(&head));
	free(sizes);
	return err;
}

/* Change the attributes in EVENT_DESC. @o: in host byte order; its size is unchanged. */
static void change_event_desc(const struct rewrite *rw, struct outbuf *o)
{
	u8 *p = (u8 *)o->base, *end = (u8 *)o->pos;
	u32 nr, size, ids, name;

	if (end - p < 8)
		return;
	memcpy(&nr, p, 4);
	memcpy(&size, p + 4, 4);
	for (p += 8; nr && size >= PERF_ATTR_SIZE_VER0; nr--) {
		if ((u64)(end - p) < (u64)size + 8)
			return;
		change_attr(rw, p, size);
		memcpy(&ids, p + size, 4);
		memcpy(&name, p + size + 4, 4);
		p += size + 8;
		if ((u64)(end - p) < (u64)name + (u64)ids * 8)
			return;
		p += name + (u64)ids * 8;
	}
}

/* Convert a section for the output. Return: false if it is omitted. */
static bool take_section(struct rewrite *rw, u32 bit, const u8 *data, size_t size, struct outbuf *o)
{
	struct reader *r = rw->r;

	if (bit == FEAT_COMPRESSED || bit == FEAT_DIR_FORMAT)
		return false;
	if (!r->swap) {
		outbuf_init(o);
		outbuf_write(o, data, size);
	} else if (!feature_to_host(bit, r->features.nr_cpus_avail, data, size, o)) {
		if (!rw->left_out++)
			diag_warn("%s: feature %u is left out: its byte order cannot be changed", r->path, bit);
		return false;
	}
	if (bit == FEAT_EVENT_DESC)
		change_event_desc(rw, o);
	return true;
}

/* Set a record's size. Return: false if it is too large; it is then removed. */
static bool end_record(struct outbuf *o, size_t at, u16 padding)
{
	size_t size = ALIGN_UP(outbuf_len(o) - at, (size_t)padding);
	u16 small;

	outbuf_fill(o, 0, at + size - outbuf_len(o));
	if (size > UINT16_MAX) {
		o->pos = o->base + at;
		return false;
	}
	/* After compressed records, a record may be misaligned. */
	small = size;
	memcpy(o->base + at + offsetof(struct perf_event_header, size), &small, sizeof(small));
	return true;
}

static void put_feature_record(u32 bit, const struct outbuf *section, struct outbuf *o)
{
	if (!feature_records(bit, section, o))
		diag_warn("feature %u is left out: it is too large for a stream", bit);
}

/* Write the section's entries as records. */
static void put_build_id_records(const struct outbuf *section, struct outbuf *o)
{
	const char *p = section->base;
	struct perf_event_header h;

	for (; (size_t)(section->pos - p) >= sizeof(struct build_id_record); p += h.size) {
		size_t at = outbuf_len(o);

		memcpy(&h, p, sizeof(h));
		if (h.size < sizeof(struct build_id_record) || h.size > section->pos - p)
			return;
		outbuf_write(o, p, h.size);
		h.type = REC_HEADER_BUILD_ID;
		memcpy(o->base + at, &h, sizeof(h));
		end_record(o, at, 8);
	}
}

/* Write the attributes of a file as records. Return: NULL, or an error. */
static struct error *put_attr_records(struct rewrite *rw, struct outbuf *o)
{
	const struct event_list *events = &rw->r->events;
	u32 *sizes = xcalloc(events->nr, sizeof(*sizes)), i;
	struct perf_event_header h = { .type = REC_HEADER_ATTR };
	struct error *err = NULL;
	_cleanup_outbuf_ struct outbuf attrs = { 0 };
	const char *attr;

	file_attrs(rw, &attrs, sizes);
	for (i = 0, attr = attrs.base; i < events->nr && !err; attr += sizes[i++]) {
		const struct event *ev = events->events[i];
		size_t at = outbuf_len(o);

		outbuf_write(o, &h, sizeof(h));
		outbuf_write(o, attr, sizes[i]);
		put_ids(ev, o);
		if (!end_record(o, at, 8))
			err = error_file(rw->r->path, E2BIG, "event %u has too many ids for a stream: write to a file",
					 i);
	}
	free(sizes);
	return err;
}

/* Write the description of a file as records of a stream. */
static struct error *stream_description(struct rewrite *rw, struct outbuf *o)
{
	struct error *err = put_attr_records(rw, o);
	u32 bit;

	for (bit = 0; bit < FEAT_MAX && !err; bit++) {
		const struct outbuf *section = &rw->sections[bit];

		if (!section->base || bit == FEAT_AUXTRACE)
			continue;
		if (bit == FEAT_BUILD_ID)
			put_build_id_records(section, o);
		else if (bit != FEAT_TRACING_DATA)
			put_feature_record(bit, section, o);
	}
	if (!err && rw->sections[FEAT_TRACING_DATA].base)
		tracing_data_record(&rw->sections[FEAT_TRACING_DATA], o);
	return err;
}

static struct error *stream_head(struct rewrite *rw)
{
	struct pipe_header h = { PERFILE2_MAGIC, sizeof(h) };
	struct error *err = NULL;
	_cleanup_outbuf_ struct outbuf o = { 0 };
	u32 bit;

	if (!rw->r->pipe_format)
		err = stream_description(rw, &o);
	else if (rw->compress_level)
		put_feature_record(FEAT_COMPRESSED, &rw->sections[FEAT_COMPRESSED], &o);
	for (bit = FEAT_OWN; !err && rw->r->pipe_format && bit < FEAT_MAX; bit++)
		if (rw->sections[bit].base)
			feature_records(bit, &rw->sections[bit], &o);
	if (!err && !writer_head(&rw->w, &h, sizeof(h)))
		writer_record(&rw->w, o.base, outbuf_len(&o));
	return err;
}

struct error *rewrite_open(struct rewrite *rw, struct reader *r, const char *path)
{
	struct error *err;

	*rw = (struct rewrite){ .r = r };
	err = writer_open(&rw->w, path);
	if (!err && r->pipe_format)
		rw->w.is_pipe = true;
	return err;
}

struct error *rewrite_begin(struct rewrite *rw)
{
	const struct features *f = &rw->r->features;
	/* zstd; the last number is the maximum unpacked size of a record */
	const u32 compressed[] = { 1, 1, rw->compress_level, 1, 1 << 17 };
	struct error *err = NULL;
	u32 bit;

	for (bit = 0; bit < FEAT_MAX && !rw->r->pipe_format; bit++) {
		const struct feature_section *s = &f->sections[bit];

		if (s->data && !rw->sections[bit].base)
			take_section(rw, bit, s->data, s->size, &rw->sections[bit]);
	}
	if (rw->compress_level)
		outbuf_write(&rw->sections[FEAT_COMPRESSED], compressed, sizeof(compressed));
	if (rw->w.is_pipe)
		err = stream_head(rw);
	else
		file_head(rw);
	if (!err && rw->w.err)
		err = error_file(rw->w.path, -rw->w.err, "%m");
	return err;
}

/* HEADER_ATTR: attributes, then ids. The record is in host byte order. */
static void change_attr_record(struct rewrite *rw, const struct record *rec, struct outbuf *o)
{
	const struct attr_record *a = (const void *)rec->header;
	u32 room = rec->header->size - offsetof(struct attr_record, attr);
	u32 size = a->attr.size ? a->attr.size : PERF_ATTR_SIZE_VER0;
	size_t at = outbuf_len(o);

	outbuf_write(o, rec->header, offsetof(struct attr_record, attr));
	if (size < PERF_ATTR_SIZE_VER0 || size > room) {
		outbuf_write(o, &a->attr, room);
	} else {
		put_attr(rw, (const u8 *)&a->attr, size, false, o);
		outbuf_write(o, (const u8 *)&a->attr + size, room - size);
	}
	end_record(o, at, 1);
}

static void change_feature_record(struct rewrite *rw, const struct record *rec, struct outbuf *o)
{
	const struct feature_record *f = (const void *)rec->header;
	size_t size = f->header.size - sizeof(*f);
	struct outbuf section;

	if (f->bit > UINT32_MAX || !take_section(rw, f->bit, f->data, size, &section))
		return;
	if (f->bit >= FEAT_OWN && f->bit < FEAT_MAX) {
		feature_records(f->bit, &section, o);
	} else {
		outbuf_write(o, f, sizeof(*f));
		outbuf_write(o, section.base, size);
	}
	outbuf_deinit(&section);
}

/* Skip sections that the caller has replaced: they were written before. */
static void change_own_feature(struct rewrite *rw, const struct record *rec, struct outbuf *o)
{
	const struct own_feature_record *f = (const void *)rec->header;
	struct outbuf section;

	if (!is_own_feature(rec->header)) {
		outbuf_write(o, rec->header, rec->header->size);
	} else if (!rw->sections[f->bit].base &&
		   take_section(rw, f->bit, f->data, f->header.size - sizeof(*f), &section)) {
		feature_records(f->bit, &section, o);
		outbuf_deinit(&section);
	}
}

void rewrite_meta(struct rewrite *rw, const struct record *rec, struct outbuf *o)
{
	switch (rec->header->type) {
	case REC_COMPRESSED:
	case REC_COMPRESSED2:
		break;
	case REC_HEADER_ATTR:
		change_attr_record(rw, rec, o);
		break;
	case REC_HEADER_FEATURE:
		change_feature_record(rw, rec, o);
		break;
	case REC_HEADER_EVENT_TYPE:
		change_own_feature(rw, rec, o);
		break;
	default:
		outbuf_write(o, rec->header, rec->header->size);
		if (rec->payload)
			outbuf_write(o, rec->payload, rec->payload_size);
	}
}

void rewrite_payload_moved(struct rewrite *rw, u64 from, u64 ahead)
{
	if (!rw->sections[FEAT_AUXTRACE].base)
		return;
	GROW(rw->moved, rw->nr_moved, rw->cap_moved);
	rw->moved[rw->nr_moved++] = (struct moved_payload){
		from, rw->w.data_offset + rw->w.data_size + ahead,
	};
}

/* The table of AUXTRACE records: their number, then offset and size of each. */
static void move_payloads(struct rewrite *rw)
{
	struct outbuf *o = &rw->sections[FEAT_AUXTRACE];
	char *p;

	for (p = o->base + sizeof(u64); o->base && o->pos - p >= (ssize_t)(2 * sizeof(u64)); p += 2 * sizeof(u64)) {
		size_t at;
		u64 from;

		memcpy(&from, p, sizeof(from));
		at = LOWER_BOUND(0, rw->nr_moved, i, rw->moved[i].from < from);
		if (at < rw->nr_moved && rw->moved[at].from == from)
			memcpy(p, &rw->moved[at].to, sizeof(from));
	}
}

int rewrite_end(struct rewrite *rw)
{
	struct outbuf o = { 0 }, *table = &rw->sections[FEAT_BUILD_ID];

	if (rw->build_ids.base && outbuf_len(&rw->build_ids) && rw->w.is_pipe) {
		put_build_id_records(&rw->build_ids, &o);
		writer_record(&rw->w, o.base, outbuf_len(&o));
		outbuf_deinit(&o);
	} else if (rw->build_ids.base && outbuf_len(&rw->build_ids)) {
		outbuf_append(table, &rw->build_ids);
	}
	move_payloads(rw);
	return writer_end(&rw->w, rw->sections);
}

static void deinit(struct rewrite *rw)
{
	features_free(rw->sections);
	free(rw->moved);
}

struct error *rewrite_publish(struct rewrite *rw)
{
	struct error *err = writer_replace(&rw->w);

	if (err) {
		writer_discard(&rw->w);
	} else if (writer_close(&rw->w)) {
		err = error_create(-rw->w.err, "the output cannot be closed: %m");
	}
	deinit(rw);
	return err;
}

void rewrite_discard(struct rewrite *rw)
{
	writer_discard(&rw->w);
	deinit(rw);
}
