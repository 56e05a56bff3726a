// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's records, but samples: what follows PERF_RECORD_ in a dump. The session checked their
 * fields.
 */
#include "cmd/dump/dump.h"
#include "event/records.h"
#include "event/value_text.h"

/* Print the fields of a READ record after its value or, for a group, after the number of values. */
static void put_read_values(struct outbuf *o, const struct read_record *rd, u64 format)
{
	static const struct {
		u64 bit;
		const char *name;
	} parts[] = {
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

/*
 * Print a kernel record; "unhandled" as mainline's report or, with output after the dump, its
 * script.
 */
void dump_kernel(struct dump *d, const struct record *rec, const struct event *ev)
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
