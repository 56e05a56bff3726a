// SPDX-License-Identifier: GPL-2.0
/*
 * Turning records of the other byte order into ours, in place. Most fields are
 * 64-bit words; a record is swapped word by word first, then what is narrower
 * is put right. Bit fields: a big-endian compiler fills them from the other
 * end, so where the interface has a bit field without two declarations
 * (perf_event_attr's flags, branch entries) each field is moved by itself.
 */
#include "file/private.h"

static void swap_words(void *p, size_t bytes)
{
	u64 *w = p;
	size_t i;

	for (i = 0; i < bytes / sizeof(*w); i++)
		w[i] = bswap_64(w[i]);
}

/* After swap_words(): two 32-bit fields that share a word. */
static inline void halves(u64 *w)
{
	*w = *w << 32 | *w >> 32;
}

static void swap32(void *p)
{
	u32 *v = p;

	*v = bswap_32(*v);
}

static void swap16(void *p)
{
	u16 *v = p;

	*v = bswap_16(*v);
}

void swap_header(struct perf_event_header *h)
{
	swap32(&h->type);
	swap16(&h->misc);
	swap16(&h->size);
}

/* A bit field that a big-endian compiler laid out, already swapped as a word:
 * @widths are the fields in declaration order.
 */
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

static u64 mirror_branch_flags(u64 v)
{
	/* mispred predicted in_tx abort, cycles, type spec new_type priv */
	static const u8 widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3 };

	return mirror_fields(v, widths, ARRAY_SIZE(widths));
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
	static const u16 narrow[] = {
		offsetof(struct perf_event_attr, type), offsetof(struct perf_event_attr, size),
		offsetof(struct perf_event_attr, wakeup_events),
		offsetof(struct perf_event_attr, bp_type),
		offsetof(struct perf_event_attr, sample_stack_user),
		offsetof(struct perf_event_attr, clockid),
		offsetof(struct perf_event_attr, aux_watermark),
		offsetof(struct perf_event_attr, aux_sample_size),
		116 /* aux_action */,
	};
	static const u16 wide[] = {
		8, 16, 24, 32, 40, 56, 64, 72, 80, 96, 120, 128, 136,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(narrow); i++)
		if (narrow[i] + 4u <= size)
			swap32(attr + narrow[i]);
	for (i = 0; i < ARRAY_SIZE(wide); i++)
		if (wide[i] + 8u <= size)
			swap_words(attr + wide[i], 8);
	if (size >= 112) {		/* sample_max_stack, reserved */
		swap16(attr + 108);
		swap16(attr + 110);
	}
	if (size >= 48) {
		u64 flags;

		memcpy(&flags, attr + 40, 8);
		flags = mirror_attr_flags(flags);
		memcpy(attr + 40, &flags, 8);
	}
}

/*
 * sample_id behind the fields of a record: pid/tid and cpu share words. Words are in order
 * already, so that the id can be read. Return: the bytes of the record before it.
 */
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

struct cursor {
	u64 *p, *end;
};

static bool skip(struct cursor *c, u64 n)
{
	if (n > (u64)(c->end - c->p))
		return false;
	c->p += n;
	return true;
}

static bool swap_branches(struct cursor *c, u64 type)
{
	u64 nr, i;

	if (c->p >= c->end)
		return false;
	nr = *c->p++;
	if (type & PERF_SAMPLE_BRANCH_HW_INDEX)
		c->p++;
	if (c->p > c->end || nr > (u64)(c->end - c->p) / 3)
		return false;
	for (i = 0; i < nr; i++)
		c->p[3 * i + 2] = mirror_branch_flags(c->p[3 * i + 2]);
	c->p += 3 * nr;
	return !(type & BRANCH_SAMPLE_COUNTERS) || skip(c, nr);
}

/* The part of a sample from RAW on. Bytes that are not ours to read are put back. */
static void swap_variable(struct cursor *c, const struct perf_event_attr *attr)
{
	u64 type = attr->sample_type, n, per = 1, head = 0;

	if (type & PERF_SAMPLE_READ) {
		per += !!(attr->read_format & PERF_FORMAT_ID) +
		       !!(attr->read_format & PERF_FORMAT_LOST);
		head = !!(attr->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		       !!(attr->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING);
		n = 1;
		if (attr->read_format & PERF_FORMAT_GROUP) {
			if (c->p >= c->end)
				return;
			n = *c->p++;
		}
		if (n > 0xffff || !skip(c, head + n * per))
			return;
	}
	if (type & PERF_SAMPLE_CALLCHAIN) {
		if (c->p >= c->end)
			return;
		n = *c->p++;
		if (!skip(c, n))
			return;
	}
	if (type & PERF_SAMPLE_RAW) {
		u64 *start = c->p;

		if (c->p >= c->end)
			return;
		n = (u32)(*c->p >> 32);		/* the size comes first in memory */
		if (!skip(c, (n + 4 + 7) / 8))
			return;
		swap_words(start, (c->p - start) * 8);
		swap32(start);
	}
	if ((type & PERF_SAMPLE_BRANCH_STACK) && !swap_branches(c, attr->branch_sample_type))
		return;
	if (type & PERF_SAMPLE_REGS_USER) {
		if (c->p >= c->end)
			return;
		n = *c->p++;
		if (n && !skip(c, __builtin_popcountll(attr->sample_regs_user)))
			return;
	}
	if (type & PERF_SAMPLE_STACK_USER) {
		if (c->p >= c->end)
			return;
		n = *c->p++;
		if (n) {
			u64 *start = c->p;

			if (!skip(c, n / 8 + 1))
				return;
			swap_words(start, n / 8 * 8);
		}
	}
	/* WEIGHT to REGS_INTR's end and on: words; AUX's bytes come last. */
	if (!(type & PERF_SAMPLE_AUX))
		return;
	n = !!(type & PERF_SAMPLE_WEIGHT_TYPE) + !!(type & PERF_SAMPLE_DATA_SRC) +
	    !!(type & PERF_SAMPLE_TRANSACTION);
	if (!skip(c, n))
		return;
	if (type & PERF_SAMPLE_REGS_INTR) {
		if (c->p >= c->end)
			return;
		n = *c->p++;
		if (n && !skip(c, __builtin_popcountll(attr->sample_regs_intr)))
			return;
	}
	n = !!(type & PERF_SAMPLE_PHYS_ADDR) + !!(type & PERF_SAMPLE_CGROUP) +
	    !!(type & PERF_SAMPLE_DATA_PAGE_SIZE) + !!(type & PERF_SAMPLE_CODE_PAGE_SIZE);
	if (!skip(c, n) || c->p >= c->end)
		return;
	n = *c->p++;
	if (n <= (u64)(c->end - c->p) * 8)
		swap_words(c->p, (c->end - c->p) * 8);
}

static void swap_sample(struct perf_event_header *h, const struct event_list *events)
{
	const struct event *ev = event_list_find(events, h);
	struct cursor c;

	if (!ev || h->size < ev->layout.variable)
		return;
	if (ev->layout.tid)
		halves((u64 *)((u8 *)h + ev->layout.tid));
	if (ev->layout.cpu)
		halves((u64 *)((u8 *)h + ev->layout.cpu));
	c.p = (u64 *)((u8 *)h + ev->layout.variable);
	c.end = (u64 *)h + h->size / 8;
	swap_variable(&c, &ev->attr);
}

/* Put the words of [from, to) back as they stood: strings and bytes. */
static void restore(struct perf_event_header *h, size_t from, size_t to)
{
	if (to > from)
		swap_words((u8 *)h + from, to - from);
}

static void restore_halves(struct perf_event_header *h, size_t from, size_t to)
{
	u64 *w = (u64 *)((u8 *)h + from);

	for (; from + 8 <= to; from += 8)
		halves(w++);
}

/* Kernel records but samples: fields that are no words, then strings. @size: without sample_id */
static void swap_kernel(struct perf_event_header *h, size_t size)
{
	switch (h->type) {
	case PERF_RECORD_MMAP:
		restore_halves(h, 8, min(size, (size_t)16));
		restore(h, 40, size);
		break;
	case PERF_RECORD_MMAP2:
		restore_halves(h, 8, min(size, (size_t)16));
		if (size >= 72) {
			if (h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
				restore(h, 40, 64);	/* size and bytes of the build id */
			else
				restore_halves(h, 40, 48);	/* maj, min */
			restore_halves(h, 64, 72);		/* prot, flags */
		}
		restore(h, 72, size);
		break;
	case PERF_RECORD_COMM:
		restore_halves(h, 8, min(size, (size_t)16));
		restore(h, 16, size);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		restore_halves(h, 8, min(size, (size_t)24));
		break;
	case PERF_RECORD_READ:
	case PERF_RECORD_ITRACE_START:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_NAMESPACES:
		restore_halves(h, 8, min(size, (size_t)16));
		break;
	case PERF_RECORD_KSYMBOL:
		if (size >= 24) {
			u8 *p = (u8 *)h + 16;

			restore(h, 16, 24);
			swap32(p);		/* len */
			swap16(p + 4);		/* ksym_type */
			swap16(p + 6);		/* flags */
		}
		restore(h, 24, size);
		break;
	case PERF_RECORD_BPF_EVENT:
		if (size >= 16) {
			u8 *p = (u8 *)h + 8;

			restore(h, 8, 16);
			swap16(p);		/* type */
			swap16(p + 2);		/* flags */
			swap32(p + 4);		/* id */
		}
		restore(h, 16, size);		/* tag */
		break;
	case PERF_RECORD_CGROUP:
		restore(h, 16, size);
		break;
	case PERF_RECORD_TEXT_POKE:
		if (size >= 24) {
			u8 *p = (u8 *)h + 16;

			restore(h, 16, size);
			swap16(p);		/* old_len */
			swap16(p + 2);		/* new_len */
		}
		break;
	default:
		break;				/* words throughout */
	}
}

static void swap_cpu_map(u8 *p, size_t size)
{
	u16 type, nr;
	size_t i;

	if (size < 8)
		return;
	swap_words(p, size & ~7ul);		/* back to bytes */
	swap16(p);
	memcpy(&type, p, 2);
	if (type == 2) {			/* any_cpu u8, pad u8, start, end u16 */
		swap16(p + 4);
		swap16(p + 6);
		return;
	}
	swap16(p + 2);
	memcpy(&nr, p + 2, 2);
	if (type == 0) {			/* u16 cpus */
		for (i = 0; i < nr && 4 + 2 * i + 2 <= size; i++)
			swap16(p + 4 + 2 * i);
		return;
	}
	swap16(p + 4);				/* long_size */
	memcpy(&type, p + 4, 2);
	if (type == 4) {
		for (i = 0; i < nr && 8 + 4 * i + 4 <= size; i++)
			swap32(p + 8 + 4 * i);
		return;
	}
	for (i = 0; i < nr && 8 + 8 * i + 8 <= size; i++)
		swap_words(p + 8 + 8 * i, 8);
}

/* Records of perf's own. */
static void swap_tool(struct perf_event_header *h)
{
	size_t size = h->size & ~7u;
	u8 *p = (u8 *)h + 8;
	u32 attr_size;

	switch (h->type) {
	case REC_HEADER_ATTR:
		/* The attr says its own size; ids behind it are words. */
		if (size < 16)
			break;
		restore(h, 8, 16);
		memcpy(&attr_size, p + 4, 4);
		attr_size = bswap_32(attr_size);
		if (!attr_size)
			attr_size = PERF_ATTR_SIZE_VER0;
		if (attr_size > size - 8 || attr_size % 8)
			attr_size = size - 8;
		restore(h, 16, 8 + attr_size);
		swap_attr(p, attr_size);
		break;
	case REC_HEADER_TRACING_DATA:		/* size u32: the record may be of 12 bytes */
	case REC_HEADER_BUILD_ID:		/* pid u32, then bytes */
		restore(h, 8, size);
		if (h->size >= 12)
			swap32(p);
		break;
	case REC_HEADER_FEATURE:		/* the bit; the rest as in the file's sections */
		restore(h, 16, size);
		break;
	case REC_HEADER_EVENT_TYPE:
		restore(h, 16, size);
		break;
	case REC_EVENT_UPDATE:
		/* type, id; then a string (unit, name), a double (scale) or a cpu map */
		if (size < 24)
			break;
		if (*(u64 *)p == 0 || *(u64 *)p == 2)
			restore(h, 24, size);
		else if (*(u64 *)p == 3)
			swap_cpu_map((u8 *)h + 24, size - 24);
		break;
	case REC_CPU_MAP:
		swap_cpu_map(p, size - 8);
		break;
	case REC_AUXTRACE:			/* size offset reference; idx, tid; cpu */
		if (size >= 48)
			restore_halves(h, 32, 48);
		break;
	case REC_AUXTRACE_INFO:
		if (size >= 16)
			restore_halves(h, 8, 16);
		break;
	case REC_AUXTRACE_ERROR:		/* type code cpu pid; tid fmt; ip; time; msg; ... */
		if (size >= 32)
			restore_halves(h, 8, 32);
		restore(h, 48, min(size, (size_t)112));
		if (size >= 120)
			restore_halves(h, 112, 120);
		break;
	case REC_THREAD_MAP: {
		u64 i, nr = size >= 16 ? *(u64 *)p : 0;

		for (i = 0; i < nr && 16 + 24 * (i + 1) <= size; i++)
			restore(h, 24 + 24 * i, 40 + 24 * i);	/* comm[16] */
		break;
	}
	case REC_STAT:
		if (size >= 24)
			restore_halves(h, 16, 24);
		break;
	case REC_TIME_CONV:			/* words, then two bytes */
		restore(h, 48, size);
		break;
	case REC_BPF_METADATA:
		restore(h, 8, size);
		break;
	default:
		break;
	}
}

void swap_record(struct perf_event_header *h, const struct event_list *events)
{
	swap_header(h);
	if (h->type == REC_COMPRESSED)
		return;
	if (h->type == REC_COMPRESSED2) {
		if (h->size >= 16)
			swap_words((u8 *)h + 8, 8);
		return;
	}
	/* A kernel record of another size than whole words is refused by record_check(). */
	if (h->size < sizeof(*h) || (h->type < REC_HEADER_ATTR && (h->size & 7)))
		return;
	swap_words((u8 *)h + 8, (h->size - 8) & ~7u);
	if (h->type == PERF_RECORD_SAMPLE) {
		swap_sample(h, events);
	} else if (h->type < REC_HEADER_ATTR) {
		swap_kernel(h, swap_sample_id(h, events));
	} else {
		swap_tool(h);
	}
}
