// SPDX-License-Identifier: GPL-2.0
/* The header of perf.data, the attributes with their ids, and the table of feature sections. */
#include <stdio.h>

#include "base/diag.h"
#include "perfdata/perfdata_private.h"

#define PERFFILE_MAGIC	0x454c494646524550ULL	/* "PERFFILE", before Linux 2.6.37 */

static struct error *refuse(const struct reader *r, u64 offset, const char *why)
{
	/* Print one line per file: damage reported before is the cause. */
	return r->damage_reported ? error_reported(EINVAL) :
				error_at(r->files[0].path ?: r->path, offset, EINVAL, "%s", why);
}

/* Create the error for a file that does not begin with the magic. */
static struct error *refuse_magic(const struct reader *r, const u8 *p, size_t size)
{
	u64 magic = 0;

	if (!size)
		return refuse(r, 0, "the file is empty: nothing was recorded in it");
	memcpy(&magic, p, min(size, sizeof(magic)));
	if (size >= 4 && !memcmp(p, "\177ELF", 4))
		return refuse(r, 0, "this is an ELF file, not a recording of perf record");
	if (magic == PERFFILE_MAGIC || magic == bswap_64(PERFFILE_MAGIC))
		return refuse(r, 0, "perf.data of version 1 (before Linux 2.6.37) is not read");
	if (size < sizeof(magic))
		return refuse(r, 0, "the file is too short for a recording");
	return refuse(r, 0, "no magic PERFILE2: this is not a recording of perf record");
}

static bool inside(u64 offset, u64 size, u64 limit)
{
	return offset <= limit && size <= limit - offset;
}

/* Bits of the flag word without a name in our headers. */
#define ATTR_KNOWN_FLAGS	((ATTR_DEFER_OUTPUT << 1) - 1)

struct event *header_event(struct reader *r, const u8 *p, size_t size, bool swap, u64 offset)
{
	struct perf_event_attr attr = { 0 };
	bool unknown = false, mixed = r->events.mixed_ids;
	u8 buf[256] = { 0 };
	struct event *ev;
	size_t i;

	memcpy(buf, p, min(size, sizeof(buf)));
	if (swap)
		swap_attr(buf, min(size, sizeof(buf)));
	memcpy(&attr, buf, min(size, sizeof(attr)));
	for (i = sizeof(attr); i < size; i++)
		unknown |= p[i] != 0;
	/* config4 (Linux 6.19) does not change the layout of samples. */
	if (unknown && size == 144 && sizeof(attr) == 136)
		unknown = false;
	if (unknown || (attr_flags(&attr) & ~ATTR_KNOWN_FLAGS))
		damage(r, offset, "an event's attributes (%zu bytes) have bits that this perf does not know: its samples may be misread",
		       size);
	ev = event_list_add(&r->events, &attr);
	if (r->events.mixed_ids && !mixed)
		damage(r, offset, "the ids of events %u and 0 are at different offsets of their records: the events cannot be distinguished",
		       ev->idx);
	return ev;
}

static struct error *read_ids(struct reader *r, struct event *ev, struct file_section ids, u64 where)
{
	const struct data_file *f = &r->files[0];
	u64 i, id;

	if (!inside(ids.offset, ids.size, f->size)) {
		damage(r, where, "the ids of event %u reach past the end of the file", ev->idx);
		return NULL;
	}
	if (ids.size / 8 > MAX_IDS - r->nr_ids)
		return refuse(r, where, "more ids of events than can be");
	r->nr_ids += ids.size / 8;
	for (i = 0; i < ids.size / 8; i++) {
		memcpy(&id, f->map + ids.offset + 8 * i, 8);
		event_add_id(&r->events, ev, get64(r, id));
	}
	return NULL;
}

static struct error *read_attrs(struct reader *r)
{
	const struct file_header *h = &r->header;
	const struct data_file *f = &r->files[0];
	u64 nr, i;

	if (h->attr_size < PERF_ATTR_SIZE_VER0 + sizeof(struct file_section) ||
	    h->attr_size > 4096)
		return refuse(r, 16, "the size of an event's attributes is impossible");
	if (!inside(h->attrs.offset, h->attrs.size, f->size))
		return refuse(r, f->size, "the file ends before the attributes of its events do");
	/* Records are swapped in place, and a rewrite reads the attributes again. */
	if (h->attrs.offset + h->attrs.size > h->data.offset &&
	    (!h->data.size || h->attrs.offset < h->data.offset || h->attrs.offset - h->data.offset < h->data.size))
		return refuse(r, 24, "the attributes of its events lie among its records");
	nr = h->attrs.size / h->attr_size;
	if (!nr || h->attrs.size % h->attr_size)
		return refuse(r, 32, "the table of events has no whole number of entries");
	if (nr > MAX_EVENTS)
		return refuse(r, 32, "more events than can be");
	for (i = 0; i < nr; i++) {
		u64 offset = h->attrs.offset + i * h->attr_size;
		const u8 *p = f->map + offset;
		struct file_section ids;
		size_t room = h->attr_size - sizeof(ids);
		struct error *err;
		u32 size;

		memcpy(&size, p + 4, 4);
		size = get32(r, size);
		if (!size)
			size = PERF_ATTR_SIZE_VER0;
		if (size < PERF_ATTR_SIZE_VER0 || size > room)
			return refuse(r, offset + 4, "an event's attributes have an impossible size");
		memcpy(&ids, p + room, sizeof(ids));
		ids.offset = get64(r, ids.offset);
		ids.size = get64(r, ids.size);
		err = read_ids(r, header_event(r, p, size, r->swap, offset), ids,
			       offset + room);
		if (err)
			return err;
	}
	return NULL;
}

/* Read the locations of the feature sections, which are decoded later. */
static void read_features(struct reader *r)
{
	const struct data_file *f = &r->files[0];
	u64 pos = r->header.data.offset + r->header.data.size;
	u32 bit;

	if (r->interrupted || r->truncated)
		return;
	for (bit = 0; bit < FEAT_MAX; bit++) {
		struct feature_section *s = &r->features.sections[bit];
		struct file_section at;

		if (!(r->header.features[bit / 64] >> bit % 64 & 1))
			continue;
		if (!inside(pos, sizeof(at), f->size)) {
			damage(r, pos, "the file ends inside its table of features: it was cut off");
			return;
		}
		memcpy(&at, f->map + pos, sizeof(at));
		at.offset = get64(r, at.offset);
		at.size = get64(r, at.size);
		if (!inside(at.offset, at.size, f->size)) {
			damage(r, pos, "feature %u reaches past the end of the file", bit);
		} else {
			s->data = f->map + at.offset;
			s->size = at.size;
			s->offset = at.offset;
		}
		pos += sizeof(at);
	}
}

static struct error *read_file_header(struct reader *r)
{
	struct file_header *h = &r->header;
	struct data_file *f = &r->files[0];
	u64 *words = (u64 *)h;
	struct error *err;
	size_t i;

	if (f->size < sizeof(*h))
		return refuse(r, f->size, "the file ends inside its header");
	memcpy(h, f->map, sizeof(*h));
	for (i = 0; i < sizeof(*h) / 8; i++)
		words[i] = get64(r, words[i]);
	if (h->size != sizeof(*h))
		return refuse(r, 8, "the header has an unknown size");
	/* Of a 32-bit big-endian machine its halves are swapped: none has a feature above 32. */
	err = read_attrs(r);
	if (err)
		return err;
	f->start = h->data.offset;
	if (f->start > f->size) {
		f->start = f->end = f->size;
		r->truncated = true;
	} else if (!h->data.size) {
		r->interrupted = true;
		f->end = f->size;
		diag_warn("%s: offset 0x30: its data has size 0, so perf record did not end properly: reading whole records up to the end of the file",
			  r->path);
	} else if (h->data.size > f->size - f->start) {
		r->truncated = true;
		f->end = f->size;
	} else {
		f->end = f->start + h->data.size;
	}
	read_features(r);
	return NULL;
}

struct error *header_read(struct reader *r)
{
	struct data_file *f = &r->files[0];
	u64 magic, size;

	if (f->size < PIPE_HEADER_SIZE)
		return refuse_magic(r, f->map, f->size);
	memcpy(&magic, f->map, sizeof(magic));
	memcpy(&size, f->map + 8, sizeof(size));
	if (magic != PERFILE2_MAGIC && magic != bswap_64(PERFILE2_MAGIC))
		return refuse_magic(r, f->map, f->size);
	r->swap = magic != PERFILE2_MAGIC;
	if (get64(r, size) == PIPE_HEADER_SIZE) {
		r->pipe_format = true;
		f->start = f->origin = PIPE_HEADER_SIZE;
		return NULL;
	}
	return read_file_header(r);
}
