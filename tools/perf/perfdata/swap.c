// SPDX-License-Identifier: GPL-2.0
/*
 * Converts records of the other byte order in place: word by word, and then narrower fields. A
 * big-endian compiler fills bit fields from the other end: where the interface has no second
 * declaration (perf_event_attr's flags, branch entries) each field is moved.
 */
#include "event/records.h"
#include "event/sample.h"
#include "perfdata/perfdata_private.h"

static void swap_words(void *p, size_t bytes)
{
	u64 *w = p;
	size_t i;

	for (i = 0; i < bytes / sizeof(*w); i++)
		w[i] = bswap_64(w[i]);
}

/* After swap_words(): exchange two 32-bit fields of a word. */
static inline void halves(u64 *w)
{
	*w = *w << 32 | *w >> 32;
}

/* Reverse the bytes of a field. It may be misaligned: in a cpu map, or behind an odd size. */
static inline void swap_field(void *p, u32 width)
{
	u8 *low = p, *high = low + width - 1, v;

	for (; low < high; low++, high--) {
		v = *low;
		*low = *high;
		*high = v;
	}
}

void swap_header(struct perf_event_header *h)
{
	swap_field(&h->type, 4);
	swap_field(&h->misc, 2);
	swap_field(&h->size, 2);
}

/* Reverse a big-endian compiler's bit fields in a swapped word. @widths: in declaration order */
static u64 mirror_fields(u64 v, const u8 *widths, size_t nr)
{
	unsigned int low = 0, high = 64;
	u64 out = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		u64 mask = (1ULL << widths[i]) - 1;

		high -= widths[i];
		out |= (v >> high & mask) << low;
		low += widths[i];
	}
	return out;
}

static u64 mirror_attr_flags(u64 v)
{
	u8 widths[63];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(widths); i++)
		widths[i] = 1;
	widths[15] = 2;			/* precise_ip */
	return mirror_fields(v, widths, ARRAY_SIZE(widths));
}

void swap_attr(u8 *attr, size_t size)
{
	/* bytes of each field of struct perf_event_attr, up to config4 */
	static const char widths[] = "44" "88888" "44" "8888" "44" "84" "22" "44" "888";
	const char *w;
	size_t at = 0;

	for (w = widths; *w && at + (*w - '0') <= size; at += *w++ - '0')
		swap_field(attr + at, *w - '0');
	if (size >= 48) {
		u64 flags;

		memcpy(&flags, attr + 40, 8);
		flags = mirror_attr_flags(flags);
		memcpy(attr + 40, &flags, 8);
	}
}

/* Fix the halves of sample_id's swapped words. Return: bytes of the record before it */
static size_t swap_sample_id(struct perf_event_header *h, const struct event_list *events)
{
	const struct event *ev = event_list_find(events, h);
	u8 *end = (u8 *)h + h->size;

	if (!ev && events->nr)
		ev = events->events[0];
	if (!ev || h->size < sizeof(*h) + ev->layout.id_size)
		return h->size;
	if (ev->layout.id_tid)
		halves((u64 *)(end - ev->layout.id_tid));
	if (ev->layout.id_cpu)
		halves((u64 *)(end - ev->layout.id_cpu));
	return h->size - ev->layout.id_size;
}

/* Restore the bytes and bit fields of a sample whose words are swapped, if its event is known. */
static void swap_sample(struct perf_event_header *h, const struct event_list *events)
{
	/* mispred predicted in_tx abort, cycles, type spec new_type priv */
	static const u8 branch_flags[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3 };
	const struct event *ev = event_list_find(events, h);
	struct sample s;
	u64 *branch, i;

	if (!ev || h->size < ev->layout.variable)
		return;
	sample_decode_swapped(ev, h, &s);
	if (ev->layout.tid)
		halves((u64 *)((u8 *)h + ev->layout.tid));
	if (ev->layout.cpu)
		halves((u64 *)((u8 *)h + ev->layout.cpu));
	if (s.raw) {
		u32 *size = (u32 *)s.raw - 1;

		swap_words(size, ALIGN_UP(sizeof(*size) + s.raw_size, 8ul));
		swap_field(size, 4);
	}
	for (branch = (u64 *)s.branch, i = 0; i < s.branch_nr; i++)
		branch[3 * i + 2] = mirror_fields(branch[3 * i + 2], branch_flags,
						  ARRAY_SIZE(branch_flags));
	if (s.user_stack)
		swap_words((void *)s.user_stack, s.user_stack_full);
	if (s.aux)
		swap_words((void *)s.aux, ALIGN_UP(s.aux_size, 8ul));
}

/* Restore the words of [from, to), which are strings or bytes. */
static void restore(struct perf_event_header *h, size_t from, size_t to)
{
	if (to > from)
		swap_words((u8 *)h + from, to - from);
}

/* After swap_words(): fix narrower fields from @pos on. @size: without sample_id */
static void swap_fields(struct perf_event_header *h, const char *fields, size_t pos, size_t size)
{
	size_t words = size & ~7ul;
	const char *f = fields, *again = NULL;
	u8 width;

	for (; pos < size; f++) {
		if (!*f && !again)
			return;
		if (!*f)
			f = again;
		if (*f == '|')
			continue;
		if (*f == '(') {
			again = f + 1;
			continue;
		}
		if (*f == 'b') {
			restore(h, ALIGN_UP(pos, 8ul), words);
			return;
		}
		width = *f == 'x' ? 8 : *f - '0';
		/* The first field of a shared word restores it. */
		if ((*f == 'x' || (width < 8 && pos % 8 == 0)) && pos + 8 <= words)
			restore(h, pos, pos + 8);
		if (width < 8 && pos + width <= size)
			swap_field((u8 *)h + pos, width);
		pos += width;
	}
}

/* The words of @m are restored. */
static void swap_cpu_map(struct cpu_map *m, size_t size)
{
	u8 *words, bytes;
	size_t i;

	if (size < 8)
		return;
	swap_field(&m->type, 2);
	if (m->type == CPU_MAP_RANGE) {
		swap_field(&m->range.first, 2);
		swap_field(&m->range.last, 2);
		return;
	}
	swap_field(&m->list.nr, 2);
	if (m->type == CPU_MAP_CPUS) {
		for (i = 0; i < m->list.nr && 4 + 2 * i + 2 <= size; i++)
			swap_field(&m->list.cpus[i], 2);
		return;
	}
	swap_field(&m->mask.word_bytes, 2);
	bytes = m->mask.word_bytes == 4 ? 4 : 8;
	words = cpu_map_words(m);
	for (i = 0; i < m->mask.nr && words + bytes <= (u8 *)m + size; i++, words += bytes)
		swap_field(words, bytes);
}

/* The attributes have their own size; the ids after them are words. */
static void swap_attr_record(struct perf_event_header *h, size_t size)
{
	u8 *attr = (u8 *)h + offsetof(struct attr_record, attr);
	u32 attr_size;

	if (size < 16)
		return;
	restore(h, 8, 16);
	memcpy(&attr_size, attr + offsetof(struct perf_event_attr, size), sizeof(attr_size));
	attr_size = bswap_32(attr_size);
	if (!attr_size)
		attr_size = PERF_ATTR_SIZE_VER0;
	if (attr_size > size - 8 || attr_size % 8)
		attr_size = size - 8;
	restore(h, 16, 8 + attr_size);
	swap_attr(attr, attr_size);
}

static void swap_update(struct event_update_record *u, size_t size)
{
	if (size < sizeof(*u) || u->type == UPDATE_SCALE || u->type > UPDATE_CPUS)
		return;
	restore(&u->header, sizeof(*u), size);
	if (u->type == UPDATE_CPUS)
		swap_cpu_map((void *)u->data, size - sizeof(*u));
}

/* perf's own records. Sizes may not be multiples of 8; some layouts do not fit a table. */
static void swap_tool(struct perf_event_header *h)
{
	size_t words = h->size & ~7u;

	switch (h->type) {
	case REC_HEADER_ATTR:
		swap_attr_record(h, words);
		break;
	case REC_EVENT_UPDATE:
		swap_update((void *)h, words);
		break;
	case REC_CPU_MAP:
		restore(h, 8, words);
		swap_cpu_map((void *)((struct cpu_map_record *)h)->map, words - 8);
		break;
	default:
		swap_fields(h, record_fields(h), sizeof(*h), h->size);
		break;
	}
}

void swap_record(struct perf_event_header *h, const struct event_list *events)
{
	const char *fields;

	swap_header(h);
	if (h->type == REC_COMPRESSED)
		return;
	if (h->type == REC_COMPRESSED2) {
		if (h->size >= 16)
			swap_words((u8 *)h + 8, 8);
		return;
	}
	/* record_check() rejects a kernel record whose size is not a multiple of 8. */
	if (h->size < sizeof(*h) || (h->type < REC_HEADER_ATTR && (h->size & 7)))
		return;
	/* Before the swap: bytes of a map record determine whether it has a build-id. */
	fields = record_fields(h);
	swap_words((u8 *)h + 8, (h->size - 8) & ~7u);
	if (h->type == PERF_RECORD_SAMPLE) {
		swap_sample(h, events);
	} else if (h->type < REC_HEADER_ATTR) {
		size_t size = swap_sample_id(h, events);

		swap_fields(h, fields, sizeof(*h), size);
	} else {
		swap_tool(h);
	}
}
