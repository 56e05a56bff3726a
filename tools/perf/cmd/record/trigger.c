// SPDX-License-Identifier: GPL-2.0
/*
 * Events that start the next file and are not recorded, in small buffers of their own, like the
 * recording's. Their samples are only counted; each wakes up the loop.
 */
#include "base/error.h"
#include "cmd/record/recorder.h"
#include "measure/attr.h"

/* Minimum size, as samples are not read. Samples lost to a full buffer count too. */
#define PAGES 1

int trigger_open(struct trigger *t, struct record_options *o, const struct rings *recorded, bool per_task)
{
	u32 i;

	if (!o->triggers.nr)
		return 0;
	t->options = (struct ring_options){
		.per_thread = o->ring.per_thread, .no_inherit = o->ring.no_inherit, .no_buffering = true,
		.all_kernel = o->ring.all_kernel, .all_user = o->ring.all_user, .mmap_pages = PAGES,
		.has_workload = o->ring.has_workload,
	};
	for (i = 0; i < o->triggers.nr; i++) {
		struct event_spec *s = o->triggers.v[i];

		if (!s->period_set && !s->freq_set) {
			s->period = 1;
			s->period_set = true;
		}
	}
	t->rings = (struct rings){ .options = &t->options, .specs = &o->triggers };
	for (i = 0; i < recorded->cpus.nr; i++)
		cpu_list_add(&t->rings.cpus, recorded->cpus.v[i]);
	for (i = 0; i < recorded->threads.nr; i++)
		thread_list_add(&t->rings.threads, recorded->threads.v[i]);
	return error_report(attrs_configure(&t->options, &o->triggers, per_task) ?: rings_open(&t->rings) ?:
			    rings_set_filters(&t->rings) ?: rings_map(&t->rings)) ? -1 : 0;
}

bool trigger_fired(struct trigger *t)
{
	const struct ring_stats before = t->rings.stats;
	struct iovec iov[2];
	u32 i;

	for (i = 0; i < t->rings.nr; i++) {
		u32 nr = ring_spans(&t->rings.v[i], iov);

		ring_stats_add(&t->rings.stats, iov, nr, UINT64_MAX);
		ring_consume(&t->rings.v[i]);
	}
	return t->rings.stats.samples > before.samples || t->rings.stats.lost > before.lost;
}

void trigger_close(struct trigger *t)
{
	if (t->rings.specs)
		rings_close(&t->rings);
}
