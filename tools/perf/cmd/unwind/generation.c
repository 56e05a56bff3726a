// SPDX-License-Identifier: GPL-2.0
/*
 * A generation registers the tables of all that runs when it begins, and of what starts after that.
 * The kernel keeps a table until its event is closed. Tables of programs that no longer run are
 * therefore dropped by beginning another generation and ending this one.
 *
 * Owns the side-band events with their buffers, and the tables (cmd/tables).
 */
#include <poll.h>
#include <stdlib.h>

#include "base/arena.h"
#include "cmd/unwind/generation.h"
#include "event/records.h"
#include "event/spans.h"
#include "synth/synth.h"

/* Pages of each CPU's buffer: some thousand mappings. */
#define PAGES	64

/* Records of executable mappings, and nothing else; each wakes up perf. */
static void add_event(struct spec_list *specs)
{
	struct event_spec *s = spec_list_add(specs, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, "dummy");
	struct perf_event_attr *a = &s->attr;

	s->is_dummy = s->is_tracking = true;
	a->size = sizeof(*a);
	a->mmap = a->mmap2 = 1;
	a->exclude_kernel = a->exclude_hv = 1;
	a->watermark = 1;
	a->wakeup_watermark = 1;
}

static int open_buffers(struct generation *g)
{
	g->options = (struct ring_options){ .all_cpus = true, .mmap_pages = PAGES };
	add_event(&g->specs);
	g->rings = (struct rings){ .options = &g->options, .specs = &g->specs };
	cpu_list_online(&g->rings.cpus);
	thread_list_add(&g->rings.threads, -1);
	return error_report(rings_open(&g->rings) ?: rings_map(&g->rings)) ? -1 : 0;
}

static bool signalled(int signals)
{
	struct pollfd p = { .fd = signals, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

struct generation *generation_begin(u64 limit, int signals)
{
	struct generation *g = xcalloc(1, sizeof(*g));

	g->room = xmalloc(UINT16_MAX + 1);
	if (tables_create(NULL, true, &g->tables) || open_buffers(g)) {
		generation_end(g);
		return NULL;
	}
	tables_limit(g->tables, limit);
	generation_look(g);
	tables_settle(g->tables);
	while (!tables_settled(g->tables) && !signalled(signals))
		generation_drain(g);
	return g;
}

void generation_look(struct generation *g)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct synth s;

	synth_init(&s, &attr);
	tables_synth(g->tables, &s);
	synth_all(&s);
	synth_deinit(&s);
	g->lost = 0;
}

static bool drain_ring(struct generation *g, struct ring *ring)
{
	struct iovec iov[2];
	struct span_walk walk = { .iov = iov, .nr = ring_spans(ring, iov) };
	const struct perf_event_header *h;

	while ((h = span_record(&walk, false, g->room))) {
		tables_note(g->tables, h);
		g->lost += record_lost(h);
	}
	ring_consume(ring);
	return walk.nr;
}

bool generation_drain(struct generation *g)
{
	bool any = false;
	u32 i;

	for (i = 0; i < g->rings.nr; i++)
		any |= drain_ring(g, &g->rings.v[i]);
	return any;
}

void generation_end(struct generation *g)
{
	if (!g)
		return;
	if (g->tables)
		tables_end(g->tables);
	tables_free(g->tables);
	if (g->rings.specs)
		rings_close(&g->rings);
	spec_list_deinit(&g->specs);
	free(g->room);
	free(g);
}
