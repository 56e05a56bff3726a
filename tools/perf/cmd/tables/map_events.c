// SPDX-License-Identifier: GPL-2.0
/*
 * A recording's buffers wake up their reader when filled to some extent, after seconds at low
 * frequencies, but a program that starts needs its table at once: events of mappings have buffers
 * whose watermark is a byte. struct map_events owns them, and an epoll instance for all.
 */
#include <sys/epoll.h>
#include <unistd.h>

#include "base/error.h"
#include "cmd/tables/map_events.h"

static void add_event(struct spec_list *specs, bool inherit, bool tasks)
{
	struct event_spec *s = spec_list_add(specs, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, "dummy");
	struct perf_event_attr *a = &s->attr;

	s->is_dummy = s->is_tracking = true;
	a->size = sizeof(*a);
	a->mmap = a->mmap2 = 1;
	a->task = tasks;
	a->exclude_kernel = a->exclude_hv = 1;
	a->inherit = inherit;
	a->watermark = 1;
	a->wakeup_watermark = 1;
}

/* Edges: an event whose tasks have ended is ready for ever. */
static struct error *wait_for_rings(struct map_events *m)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLET };
	u32 i;

	m->epoll = epoll_create1(EPOLL_CLOEXEC);
	for (i = 0; i < m->rings.nr; i++)
		if (m->epoll < 0 || epoll_ctl(m->epoll, EPOLL_CTL_ADD, m->rings.v[i].fd, &e))
			return error_create(errno, "cannot wait for the records of mappings: %m");
	return NULL;
}

struct error *map_events_open(struct map_events *m, const struct cpu_list *cpus, const struct thread_list *threads,
			      bool inherit, u32 pages)
{
	struct error *err;
	u32 i;

	m->epoll = -1;
	m->options.mmap_pages = pages;
	add_event(&m->specs, inherit, m->tasks);
	m->rings = (struct rings){ .options = &m->options, .specs = &m->specs };
	for (i = 0; i < cpus->nr; i++)
		cpu_list_add(&m->rings.cpus, cpus->v[i]);
	for (i = 0; i < threads->nr; i++)
		thread_list_add(&m->rings.threads, threads->v[i]);
	err = rings_open(&m->rings) ?: rings_map(&m->rings) ?: wait_for_rings(m);
	if (err)
		map_events_close(m);
	return err;
}

void map_events_rearm(struct map_events *m)
{
	struct epoll_event events[64];

	while (epoll_wait(m->epoll, events, ARRAY_SIZE(events), 0) == ARRAY_SIZE(events))
		;
}

void map_events_clear(struct map_events *m)
{
	struct iovec iov[2];
	u32 i;

	map_events_rearm(m);
	for (i = 0; i < m->rings.nr; i++) {
		ring_spans(&m->rings.v[i], iov);
		ring_consume(&m->rings.v[i]);
	}
}

void map_events_close(struct map_events *m)
{
	if (m->epoll >= 0)
		close(m->epoll);
	m->epoll = -1;
	rings_close(&m->rings);
	spec_list_deinit(&m->specs);
}
