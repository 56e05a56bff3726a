// SPDX-License-Identifier: GPL-2.0
/*
 * A dump, record by record: bytes, time, text (tool.c, dump_sample.c), and numbers
 * at the end.
 */
#include <limits.h>
#include <stdio.h>

#include "base/arena.h"
#include "cmd/dump/dump.h"
#include "event/records.h"
#include "event/value_text.h"

void counts_init(struct counts *c, const struct event_list *events)
{
	*c = (struct counts){ .events = events };
	c->by_event = xcalloc(events->nr, sizeof(*c->by_event));
}

void counts_record(struct counts *c, u32 type)
{
	c->by_type[min(type, 255u)]++;
}

void counts_sample(struct counts *c, const struct event *ev)
{
	c->by_event[ev->idx]++;
}

void counts_print(const struct counts *c, struct outbuf *o)
{
	u64 all = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(c->by_type); i++)
		all += c->by_type[i];
	outbuf_printf(o, "\nAggregated stats:\n%20s events: %10llu\n", "TOTAL", all);
	for (i = 0; i < ARRAY_SIZE(c->by_type); i++)
		if (c->by_type[i])
			outbuf_printf(o, "%20s events: %10llu  (%4.1f%%)\n",
				      record_type_name(i) ?: "UNKNOWN", c->by_type[i],
				      100.0 * c->by_type[i] / all);
	for (i = 0; i < c->events->nr; i++)
		if (c->by_event[i])
			outbuf_printf(o, "%s stats:\n%20s events: %10llu\n", c->events->events[i]->name,
				      "SAMPLE", c->by_event[i]);
}

void counts_deinit(struct counts *c)
{
	free(c->by_event);
}

static void put_line(struct outbuf *o, const u8 *p, size_t offset, size_t n)
{
	size_t i;

	outbuf_puts(o, ".  ");
	outbuf_hex(o, offset, 4, '0');
	outbuf_puts(o, ": ");
	for (i = 0; i < 16; i++) {
		if (i < n) {
			outbuf_putc(o, ' ');
			outbuf_hex(o, p[i], 2, '0');
		} else {
			outbuf_puts(o, "   ");
		}
	}
	outbuf_puts(o, "  ");
	for (i = 0; i < 16; i++) {
		if (i < n)
			outbuf_putc(o, p[i] >= ' ' && p[i] < 0x7f ? p[i] : '.');
		/* Pad the last line, except its last column. */
		else if (i < 15 || n < 16)
			outbuf_putc(o, ' ');
	}
	outbuf_putc(o, '\n');
}

static void put_address(struct outbuf *o, u64 v)
{
	if (v)
		outbuf_puts(o, "0x");
	outbuf_hex(o, v, 1, '0');
}

static void put_bytes(struct dump *d, const struct perf_event_header *h, u64 offset)
{
	struct outbuf *o = d->o;
	u32 at;

	outbuf_putc(o, '\n');
	put_address(o, offset);
	outbuf_printf(o, "@%s [%#x]: event: %u\n.\n. ... raw event: size %u bytes\n", d->name,
		      h->size, h->type, h->size);
	for (at = 0; at < h->size; at += 16)
		put_line(o, (const u8 *)h + at, at, min(h->size - at, 16u));
	outbuf_putc(o, '\n');
}

/* Print CPU and time, if samples have them, then offset and type. */
static void put_head(struct dump *d, const struct perf_event_header *h, u64 offset, u32 cpu,
		     u64 time)
{
	const struct event_list *events = d->s->events;
	struct outbuf *o = d->o;
	const char *name = record_type_name(h->type);

	if (!events->nr || (h->type != PERF_RECORD_SAMPLE && !events->sample_id_all)) {
		outbuf_puts(o, "-1 -1 ");
	} else {
		if (events->sample_type & PERF_SAMPLE_CPU)
			outbuf_printf(o, "%u ", cpu);
		if (events->sample_type & PERF_SAMPLE_TIME)
			outbuf_printf(o, "%llu ", time);
	}
	put_address(o, offset);
	outbuf_printf(o, " [%#x]: PERF_RECORD_%s", h->size, name ? name : "UNKNOWN");
}

static void put_place(struct dump *d, const struct sample *s, const struct callchain *cc,
		      const struct thread *t)
{
	struct timeline *tl = d->s->timeline;
	char tmp[THREAD_NAME_SIZE];
	const struct space *sp = NULL;
	const struct map *map;

	outbuf_printf(d->o, " ... thread: %s:%d\n", thread_comm_at(tl, t, cc->time, -1, tmp),
		      (s32)s->tid);
	switch (s->cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		sp = timeline_kernel_space(tl);
		break;
	case PERF_RECORD_MISC_USER:
		/* Without an ip there is nothing to look up. */
		if (d->s->events->sample_type & PERF_SAMPLE_IP)
			sp = thread_space(tl, t, cc->time);
		break;
	default:
		outbuf_puts(d->o, " ...... dso: [hypervisor]\n");
		return;
	}
	map = sp ? space_find(tl, sp, s->ip, cc->time, NULL) : NULL;
	outbuf_printf(d->o, " ...... dso: %s\n", map && map->dso ? map->dso->name : "<not found>");
}

static int on_whole_sample(void *ctx, const struct visit *v)
{
	const struct sample *s = v->sample;
	struct dump *d = ctx;

	counts_record(&d->counts, PERF_RECORD_SAMPLE);
	put_bytes(d, s->header, s->offset);
	put_head(d, s->header, s->offset, s->cpu, s->time);
	dump_sample(d, s, v->chain, v->thread);
	return outfile_drain(d->out);
}

/* Called for each event of the sample. */
static int on_sample(void *ctx, const struct visit *v)
{
	struct dump *d = ctx;

	counts_sample(&d->counts, v->sample->event);
	put_place(d, v->sample, v->chain, v->thread);
	return d->also ? d->also->sample(d->also_ctx, v) : outfile_drain(d->out);
}

/* Print the fields of a READ record after its value or, for a group, after the number of values. */
static void put_read_values(struct outbuf *o, const struct read_record *rd, u64 format)
{
	static const struct { u64 bit; const char *name; } parts[] = {
		{ PERF_FORMAT_TOTAL_TIME_ENABLED, "time enabled" },
		{ PERF_FORMAT_TOTAL_TIME_RUNNING, "time running" },
		{ PERF_FORMAT_ID, "id          " },
		{ PERF_FORMAT_LOST, "lost        " },
	};
	const u64 *p = &rd->value + 1;
	u32 left = (rd->header.size - sizeof(*rd)) / sizeof(*p);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		if (format & parts[i].bit && left) {
			outbuf_printf(o, "... %s : %llu\n", parts[i].name, *p++);
			left--;
		}
	}
}

/* Print a kernel record; "unhandled" as mainline's report or, with output after it, its script. */
static void dump_kernel(struct dump *d, const struct record *rec, const struct event *ev)
{
	const struct perf_event_header *h = rec->header;
	const struct lost_record *lost = (const void *)h;
	const struct read_record *rd = (const void *)h;
	const struct deferred_record *deferred = (const void *)h;
	struct outbuf *o = d->o;

	switch (h->type) {
	case PERF_RECORD_LOST:
		outbuf_printf(o, ": id:%llu: lost:%llu\n", lost->id, lost->lost);
		break;
	case PERF_RECORD_READ:
		outbuf_printf(o, ": %d %d %s %llu\n", rd->pid, rd->tid,
			      ev ? ev->name : "unknown", rd->value);
		if (ev)
			put_read_values(o, rd, ev->attr.read_format);
		if (d->also)
			outbuf_puts(o, ": unhandled!\n");
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		if (!d->also)
			outbuf_puts(o, ": unhandled!\n");
		break;
	case PERF_RECORD_LOST_SAMPLES:
		outbuf_printf(o, ": id:%llu: lost samples :%llu\n", ev && ev->nr_ids ? ev->ids[0] : 0,
			      record_lost(h));
		break;
	case REC_CALLCHAIN_DEFERRED: {
		struct sample s = { .pid = -1, .tid = -1 };

		if (ev)
			sample_id_decode(ev, h, &s);
		outbuf_printf(o, "(IP, 0x%x): %d/%d: %#llx\n", h->misc, (s32)s.pid, (s32)s.tid,
			      deferred->cookie);
		/* As mainline: no chain if the event has no callchains (dummy:u). */
		if (ev && ev->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			dump_chain(o, deferred->ips, deferred->nr);
		outbuf_puts(o, ": unhandled!\n");
		break;
	}
	default:
		if (record_text(h, o))
			outbuf_putc(o, '\n');
		else
			outbuf_puts(o, record_type_name(h->type) ? ": unhandled!\n" : "\n");
		break;
	}
}

static int on_record(void *ctx, const struct record *rec, const struct event *ev, u64 time)
{
	struct dump *d = ctx;
	u32 type = rec->header->type;
	struct sample s = { 0 };

	counts_record(&d->counts, type);
	/* Their unpacked records are shown instead. */
	if (type == REC_COMPRESSED || type == REC_COMPRESSED2)
		return 0;
	put_bytes(d, rec->header, rec->offset);
	if (type < REC_HEADER_ATTR && ev)
		sample_id_decode(ev, rec->header, &s);
	/* At the first ATTR record of a pipe the event is not known yet. */
	if (type == REC_HEADER_ATTR && d->s->reader->pipe_format &&
	    d->counts.by_type[REC_HEADER_ATTR] == 1)
		outbuf_printf(d->o, "-1 -1 %#llx [%#x]: PERF_RECORD_ATTR", rec->offset,
			      rec->header->size);
	else
		put_head(d, rec->header, rec->offset, s.cpu, s.time);
	if (type < REC_HEADER_ATTR)
		dump_kernel(d, rec, ev);
	else
		dump_tool(d, rec);
	return d->also ? d->also->record(d->also_ctx, rec, ev, time) : outfile_drain(d->out);
}

int dump_run(struct session *s, struct outfile *out, const struct session_ops *also, void *ctx)
{
	const struct session_ops ops = {
		.whole_sample = on_whole_sample, .sample = on_sample, .record = on_record,
		.all_records = true, .filter = also ? also->filter : NULL,
		.keep_threads = also && also->keep_threads,
	};
	struct dump d = { .s = s, .out = out, .o = &out->text, .also = also, .also_ctx = ctx };
	char path[PATH_MAX];
	int err;

	d.name = s->reader->pipe_format ? "pipe" : reader_path(s->reader);
	if (s->reader->nr_files > 1) {
		snprintf(path, sizeof(path), "%s/data", d.name);
		d.name = path;
	}
	counts_init(&d.counts, s->events);
	err = session_run(s, &ops, &d);
	if (!err && !also)
		counts_print(&d.counts, &out->text);
	counts_deinit(&d.counts);
	return err;
}
