// SPDX-License-Identifier: GPL-2.0
/*
 * perf's own records as text.
 */
#include <stdio.h>

#include "base/printable.h"
#include "cmd/dump/dump.h"
#include "cmd/header/header.h"
#include "event/record_text.h"

/* A list of cpus as it grows: runs are shortened to "0-3". */
struct cpu_list {
	struct outbuf *o;
	s32 from, to;
	bool any, open;
};

static void list_close(struct cpu_list *l)
{
	if (!l->open)
		return;
	outbuf_printf(l->o, l->to > l->from ? "%s%d-%d" : "%s%d", l->any ? "," : "", l->from, l->to);
	l->any = true;
	l->open = false;
}

static void list_add(struct cpu_list *l, s32 cpu)
{
	if (l->open && cpu == l->to + 1) {
		l->to = cpu;
		return;
	}
	list_close(l);
	l->from = l->to = cpu;
	l->open = true;
}

/*
 * The data of a cpu map, packed without padding: u16 type; 0: u16 nr, u16 cpu...;
 * 1: u16 nr, u16 long_size, nr words of 32 bits, or padding to 10, then words of
 * 64; 2: u8 any_cpu, u8 padding, u16 first, u16 last.
 */
static void put_cpus(struct outbuf *o, const u8 *p, size_t size)
{
	struct cpu_list l = { .o = o };
	u16 v[3] = { 0 };
	size_t i, bit, bytes;
	u64 word;

	memcpy(v, p, min(size, sizeof(v)));
	switch (v[0]) {
	case 0:
		for (i = 0; i < v[1] && 4 + 2 * i + 2 <= size; i++) {
			u16 cpu;

			memcpy(&cpu, p + 4 + 2 * i, sizeof(cpu));
			list_add(&l, cpu == (u16)-1 ? -1 : cpu);
		}
		break;
	case 1:
		bytes = v[2] == 4 ? 4 : 8;
		for (i = 0; i < v[1]; i++) {
			size_t at = (bytes == 4 ? 6 : 10) + bytes * i;

			if (at + bytes > size)
				break;
			word = 0;
			memcpy(&word, p + at, bytes);
			for (bit = 0; bit < 8 * bytes; bit++)
				if (word >> bit & 1)
					list_add(&l, 8 * bytes * i + bit);
		}
		break;
	case 2:
		if (size < 8)
			break;
		if (p[2])
			list_add(&l, -1);
		memcpy(v, p + 4, 4);
		for (i = v[0]; i <= v[1]; i++)
			list_add(&l, i);
		break;
	}
	list_close(&l);
}

static void put_text(struct outbuf *o, const char *what, const char *text, size_t size)
{
	struct arena a = { 0 };

	outbuf_puts(o, what);
	outbuf_name(o, arena_strndup(&a, text, size));
	outbuf_putc(o, '\n');
	arena_deinit(&a);
}

static void put_update(struct outbuf *o, const struct perf_event_header *h)
{
	const u64 *v = (const u64 *)(h + 1);
	const char *text = (const char *)(v + 2);
	int size = h->size - 24;
	double scale;

	outbuf_printf(o, "\n... id:    %llu\n", v[1]);
	switch (v[0]) {
	case 0:
		put_text(o, "... unit:  ", text, size);
		break;
	case 1:
		memcpy(&scale, text, size < 8 ? 0 : 8);
		if (size >= 8)
			outbuf_printf(o, "... scale: %f\n", scale);
		break;
	case 2:
		put_text(o, "... name:  ", text, size);
		break;
	case 3:
		outbuf_puts(o, "... ");
		put_cpus(o, (const u8 *)text, size);
		outbuf_putc(o, '\n');
		break;
	default:
		outbuf_puts(o, "... unknown type\n");
		break;
	}
}

static void put_id_index(struct outbuf *o, const u64 *v)
{
	u64 i, nr = v[0];

	outbuf_printf(o, " nr: %llu\n", nr);
	for (i = 0, v++; i < nr; i++, v += 4)
		outbuf_printf(o, " ... id: %llu  idx: %llu  cpu: %lld  tid: %lld\n", v[0], v[1],
			      (s64)v[2], (s64)v[3]);
}

/* Mainline's report does nothing with these, its script does. */
static void put_unhandled_by_report(struct dump *d)
{
	if (!d->also)
		outbuf_puts(d->o, ": unhandled!\n");
}

static void put_thread_map(struct outbuf *o, const u64 *v)
{
	u64 i, nr = v[0];

	outbuf_printf(o, " nr: %llu thread%s: ", nr, nr > 1 ? "s" : "");
	for (i = 0; i < nr; i++)
		outbuf_printf(o, "%s%d", i ? ", " : "", (s32)v[1 + 3 * i]);
	outbuf_putc(o, '\n');
}

static void put_stat_config(struct outbuf *o, const struct perf_event_header *h, const u64 *v)
{
	/* Tags: 0 aggr_mode, 1 interval, 2 scale. */
	u64 i, nr = min(v[0], (h->size - 16ull) / 16), value[3] = { 0 };

	for (i = 0; i < nr; i++)
		if (v[1 + 2 * i] < ARRAY_SIZE(value))
			value[v[1 + 2 * i]] = v[2 + 2 * i];
	outbuf_printf(o, "\n... aggr_mode %llu\n... scale     %llu\n... interval  %llu\n: unhandled!\n",
		      value[0], value[2], value[1]);
}

static void put_time_conv(struct outbuf *o, const struct perf_event_header *h, const u64 *v)
{
	outbuf_printf(o, "\n... Time Shift      %llu\n... Time Multiplier %llu\n... Time Zero       %llu\n",
		      v[0], v[1], v[2]);
	if (h->size >= 56)
		outbuf_printf(o, "... Time Cycles     %llu\n... Time Mask       %#llx\n... Cap Time Zero   %u\n... Cap Time Short  %u\n",
			      v[3], v[4], ((const u8 *)v)[40], ((const u8 *)v)[41]);
	outbuf_puts(o, ": unhandled!\n");
}

static void put_attr(struct outbuf *o, const struct perf_event_header *h)
{
	struct perf_event_attr attr = { 0 };
	const u8 *p = (const u8 *)(h + 1);
	u32 size;

	memcpy(&size, p + 4, sizeof(size));
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	memcpy(&attr, p, min((size_t)min(size, h->size - 8u), sizeof(attr)));
	attr_print_list(&attr, NULL, ", ", o);
}

static void put_auxtrace(struct outbuf *o, const u64 *v)
{
	const u32 *w = (const u32 *)(v + 3);

	outbuf_printf(o, " size: %#llx  offset: %#llx  ref: %#llx  idx: %u  tid: %d  cpu: %d\n", v[0],
		      v[1], v[2], w[0], w[1], w[2]);
}

void dump_tool(struct dump *d, const struct record *rec)
{
	const struct perf_event_header *h = rec->header;
	const u64 *v = (const u64 *)(h + 1);
	const u32 *w = (const u32 *)v;
	struct outbuf *o = d->o;

	switch (h->type) {
	case REC_HEADER_ATTR:
		put_attr(o, h);
		break;
	case REC_HEADER_FEATURE:
		if (!header_feature_known(v[0]))
			break;
		outbuf_puts(o, ", ");
		header_feature_print(d->s->features, d->s->events, v[0], true, o);
		break;
	case REC_HEADER_EVENT_TYPE:
	case REC_HEADER_TRACING_DATA:
	case REC_HEADER_BUILD_ID:
		break;
	case REC_FINISHED_ROUND:
		outbuf_putc(o, '\n');
		break;
	case REC_ID_INDEX:
		put_id_index(o, v);
		break;
	case REC_AUXTRACE_INFO:
		outbuf_printf(o, " type: %u\n", w[0]);
		break;
	case REC_AUXTRACE:
		put_auxtrace(o, v);
		break;
	case REC_THREAD_MAP:
		put_thread_map(o, v);
		put_unhandled_by_report(d);
		break;
	case REC_CPU_MAP:
		outbuf_puts(o, ": ");
		put_cpus(o, (const u8 *)v, h->size - 8);
		outbuf_putc(o, '\n');
		put_unhandled_by_report(d);
		break;
	case REC_STAT_CONFIG:
		put_stat_config(o, h, v);
		break;
	case REC_STAT:
		outbuf_printf(o, "\n... id %llu, cpu %u, thread %u\n", v[0], w[2], w[3]);
		outbuf_printf(o, "... value %llu, enabled %llu, running %llu\n: unhandled!\n", v[2], v[3],
			      v[4]);
		break;
	case REC_STAT_ROUND:
		outbuf_printf(o, "\n... time %llu, type %s\n: unhandled!\n", v[1],
			      v[0] ? "FINAL" : "INTERVAL");
		break;
	case REC_EVENT_UPDATE:
		put_update(o, h);
		break;
	case REC_TIME_CONV:
		put_time_conv(o, h, v);
		break;
	default:
		outbuf_puts(o, record_type_name(h->type) ? ": unhandled!\n" : "\n");
		break;
	}
}
