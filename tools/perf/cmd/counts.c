// SPDX-License-Identifier: GPL-2.0
/*
 * The number of records of each type, and of samples of each event. The caller counts; struct
 * counts owns the numbers and prints them.
 */
#include "base/arena.h"
#include "cmd/counts.h"
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
