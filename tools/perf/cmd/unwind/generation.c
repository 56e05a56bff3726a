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
#include "host/host.h"
#include "synth/synth.h"

/* Pages of each CPU's buffer: some thousand mappings. */
#define PAGES	64

static int open_buffers(struct generation *g)
{
	struct cpu_list cpus = { 0 };
	struct thread_list all = { 0 };
	int err;

	cpu_list_online(&cpus);
	thread_list_add(&all, -1);
	err = error_report(map_events_open(&g->maps, &cpus, &all, false, PAGES)) ? -1 : 0;
	free(cpus.v);
	free(all.v);
	return err;
}

static bool signalled(int signals)
{
	struct pollfd p = { .fd = signals, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

struct generation *generation_begin(u64 limit, int signals)
{
	struct generation *g = xcalloc(1, sizeof(*g));

	g->maps.epoll = -1;
	g->host = host_create();
	g->room = xmalloc(UINT16_MAX + 1);
	if (tables_create(g->host, NULL, true, &g->tables) || open_buffers(g)) {
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
	tables_synth(g->tables, &s, true);
	synth_all(&s);
	synth_deinit(&s);
	g->lost = 0;
}

static bool note_ring(struct generation *g, struct ring *ring)
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

	map_events_rearm(&g->maps);
	for (i = 0; i < g->maps.rings.nr; i++)
		any |= note_ring(g, &g->maps.rings.v[i]);
	return any;
}

void generation_end(struct generation *g)
{
	if (!g)
		return;
	if (g->tables)
		tables_end(g->tables);
	tables_free(g->tables);
	host_free(g->host);
	if (g->maps.epoll >= 0)
		map_events_close(&g->maps);
	free(g->room);
	free(g);
}
