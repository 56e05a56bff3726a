// SPDX-License-Identifier: GPL-2.0
/*
 * perf's own records: what follows PERF_RECORD_ in a dump. The reader checked sizes; counts are
 * limited to them.
 */
#include <stdio.h>

#include "base/text.h"
#include "cmd/dump/dump.h"
#include "cmd/header/header.h"
#include "event/records.h"
#include "event/value_text.h"

static void list_mask(struct number_runs *l, const struct cpu_map *m, size_t size)
{
	const u8 *words = cpu_map_words(m), *end = (const u8 *)m + size;
	size_t bytes = m->mask.word_bytes == 4 ? 4 : 8, i, bit;
	u64 word;

	for (i = 0; i < m->mask.nr && words + bytes <= end; i++, words += bytes) {
		word = 0;
		memcpy(&word, words, bytes);
		for (bit = 0; bit < 8 * bytes; bit++)
			if (word >> bit & 1)
				number_runs_add(l, 8 * bytes * i + bit);
	}
}

static void put_cpus(struct outbuf *o, const void *data, size_t size)
{
	const struct cpu_map *m = data;
	struct number_runs l = { .o = o };
	u32 i;

	if (size < 8 && (size < 4 || m->type != CPU_MAP_CPUS))
		return;
	switch (m->type) {
	case CPU_MAP_CPUS:
		for (i = 0; i < m->list.nr && (const u8 *)&m->list.cpus[i + 1] <= (const u8 *)m + size; i++)
			number_runs_add(&l, m->list.cpus[i] == (u16)-1 ? -1 : m->list.cpus[i]);
		break;
	case CPU_MAP_MASK:
		list_mask(&l, m, size);
		break;
	case CPU_MAP_RANGE:
		if (m->range.any_cpu)
			number_runs_add(&l, -1);
		for (i = m->range.first; i <= m->range.last; i++)
			number_runs_add(&l, i);
		break;
	}
	number_runs_end(&l);
}

static void put_text(struct outbuf *o, const char *what, const char *text, size_t size)
{
	_cleanup_arena_ struct arena a = { 0 };

	outbuf_puts(o, what);
	outbuf_name(o, arena_strndup(&a, text, size));
	outbuf_putc(o, '\n');
}

static void put_update(struct outbuf *o, const struct event_update_record *u)
{
	size_t size = u->header.size - sizeof(*u);
	double scale;

	outbuf_printf(o, "\n... id:    %llu\n", u->id);
	switch (u->type) {
	case UPDATE_UNIT:
		put_text(o, "... unit:  ", u->data, size);
		break;
	case UPDATE_SCALE:
		if (size < sizeof(scale))
			break;
		memcpy(&scale, u->data, sizeof(scale));
		outbuf_printf(o, "... scale: %f\n", scale);
		break;
	case UPDATE_NAME:
		put_text(o, "... name:  ", u->data, size);
		break;
	case UPDATE_CPUS:
		outbuf_puts(o, "... ");
		put_cpus(o, u->data, size);
		outbuf_putc(o, '\n');
		break;
	default:
		outbuf_puts(o, "... unknown type\n");
		break;
	}
}

static void put_id_index(struct outbuf *o, const struct id_index_record *x)
{
	u64 i;

	outbuf_printf(o, " nr: %llu\n", x->nr);
	for (i = 0; i < x->nr; i++)
		outbuf_printf(o, " ... id: %llu  idx: %llu  cpu: %lld  tid: %lld\n",
			      x->entries[i].id, x->entries[i].idx, (s64)x->entries[i].cpu,
			      (s64)x->entries[i].tid);
}

static void put_thread_map(struct outbuf *o, const struct thread_map_record *m)
{
	u64 i;

	outbuf_printf(o, " nr: %llu thread%s: ", m->nr, m->nr > 1 ? "s" : "");
	for (i = 0; i < m->nr; i++)
		outbuf_printf(o, "%s%d", i ? ", " : "", (s32)m->entries[i].tid);
	outbuf_putc(o, '\n');
}

static void put_stat_config(struct outbuf *o, const struct stat_config_record *c)
{
	/* Tags: 0 aggr_mode, 1 interval, 2 scale. */
	u64 room = (c->header.size - sizeof(*c)) / sizeof(c->entries[0]), value[3] = { 0 }, i;

	for (i = 0; i < min(c->nr, room); i++)
		if (c->entries[i].tag < ARRAY_SIZE(value))
			value[c->entries[i].tag] = c->entries[i].value;
	outbuf_printf(o, "\n... aggr_mode %llu\n... scale     %llu\n... interval  %llu\n: unhandled!\n",
		      value[0], value[2], value[1]);
}

static void put_time_conv(struct outbuf *o, const struct time_conv_record *t)
{
	outbuf_printf(o, "\n... Time Shift      %llu\n... Time Multiplier %llu\n... Time Zero       %llu\n",
		      t->shift, t->mult, t->zero);
	if (t->header.size >= sizeof(*t))
		outbuf_printf(o, "... Time Cycles     %llu\n... Time Mask       %#llx\n... Cap Time Zero   %u\n... Cap Time Short  %u\n",
			      t->cycles, t->mask, t->cap_zero, t->cap_short);
	outbuf_puts(o, ": unhandled!\n");
}

static void put_attr(struct outbuf *o, const struct attr_record *a)
{
	struct perf_event_attr attr = { 0 };
	size_t size = a->attr.size ? a->attr.size : PERF_ATTR_SIZE_VER0;

	size = min(size, a->header.size - sizeof(a->header));
	memcpy(&attr, &a->attr, min(size, sizeof(attr)));
	attr_print_list(&attr, NULL, ", ", o);
}

static void put_auxtrace(struct outbuf *o, const struct auxtrace_record *a)
{
	outbuf_printf(o, " size: %#llx  offset: %#llx  ref: %#llx  idx: %u  tid: %d  cpu: %d\n",
		      a->size, a->offset, a->reference, a->idx, a->tid, a->cpu);
}

static void put_stat(struct outbuf *o, const struct stat_record *st)
{
	outbuf_printf(o, "\n... id %llu, cpu %u, thread %u\n", st->id, st->cpu, st->thread);
	outbuf_printf(o, "... value %llu, enabled %llu, running %llu\n: unhandled!\n", st->value,
		      st->enabled, st->running);
}

static void put_stat_round(struct outbuf *o, const struct stat_round_record *round)
{
	outbuf_printf(o, "\n... time %llu, type %s\n: unhandled!\n", round->time,
		      round->type ? "FINAL" : "INTERVAL");
}

static void put_feature(struct dump *d, u64 bit)
{
	if (!header_feature_known(bit))
		return;
	outbuf_puts(d->o, ", ");
	header_feature_print(d->s->features, d->s->events, bit, true, d->o);
}

void dump_tool(struct dump *d, const struct record *rec)
{
	const void *h = rec->header;
	u32 type = rec->header->type;
	struct outbuf *o = d->o;
	/* Mainline's report does not handle these records; its script does. */
	const char *unhandled_by_report = d->also ? "" : ": unhandled!\n";

	switch (type) {
	case REC_HEADER_ATTR:
		put_attr(o, h);
		break;
	case REC_HEADER_FEATURE:
		if (!feature_ends_list(h))
			put_feature(d, ((const struct feature_record *)h)->bit);
		break;
	case REC_HEADER_EVENT_TYPE:
		if (is_own_feature(h))
			put_feature(d, ((const struct own_feature_record *)h)->bit);
		break;
	case REC_HEADER_TRACING_DATA:
	case REC_HEADER_BUILD_ID:
		break;
	case REC_FINISHED_ROUND:
		outbuf_putc(o, '\n');
		break;
	case REC_ID_INDEX:
		put_id_index(o, h);
		break;
	case REC_AUXTRACE_INFO:
		outbuf_printf(o, " type: %u\n", ((const struct auxtrace_info_record *)h)->type);
		break;
	case REC_AUXTRACE:
		put_auxtrace(o, h);
		break;
	case REC_THREAD_MAP:
		put_thread_map(o, h);
		outbuf_puts(o, unhandled_by_report);
		break;
	case REC_CPU_MAP:
		outbuf_puts(o, ": ");
		put_cpus(o, ((const struct cpu_map_record *)h)->map,
			 rec->header->size - sizeof(struct cpu_map_record));
		outbuf_putc(o, '\n');
		outbuf_puts(o, unhandled_by_report);
		break;
	case REC_STAT_CONFIG:
		put_stat_config(o, h);
		break;
	case REC_STAT:
		put_stat(o, h);
		break;
	case REC_STAT_ROUND:
		put_stat_round(o, h);
		break;
	case REC_EVENT_UPDATE:
		put_update(o, h);
		break;
	case REC_TIME_CONV:
		put_time_conv(o, h);
		break;
	default:
		outbuf_puts(o, record_type_name(type) ? ": unhandled!\n" : "\n");
		break;
	}
}
