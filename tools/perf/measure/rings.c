// SPDX-License-Identifier: GPL-2.0
/*
 * Maps the kernel's buffers and returns their contents in place: perf_event_open(2), "MMAP layout".
 */
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "event/records.h"
#include "event/spans.h"
#include "measure/kernel_features.h"
#include "measure/rings.h"

/* kernel_mlock(), rounded to a power of two of pages. */
static u64 default_size(u64 page)
{
	const u64 pages = kernel_mlock() / page;

	if (pages < 2)
		return page;
	return page << (63 - __builtin_clzll(pages - 1));
}

/* The ring for a CPU and thread: one of the last two, as a CPU's threads are in order, or new */
static struct ring *ring_at(struct rings *r, s32 cpu, pid_t tid, bool backward)
{
	u32 i;

	for (i = r->nr; i > 0 && i + 2 > r->nr; i--)
		if (r->v[i - 1].cpu == cpu && r->v[i - 1].tid == tid && r->v[i - 1].backward == backward)
			return &r->v[i - 1];
	r->v = xrealloc(r->v, (r->nr + 1) * sizeof(*r->v));
	r->v[r->nr] = (struct ring){ .cpu = cpu, .tid = tid, .backward = backward, .fd = -1 };
	return &r->v[r->nr++];
}

static int map_ring(struct ring *ring, int fd, u64 page, u64 size)
{
	void *p = mmap(NULL, page + size, PROT_READ | (ring->backward ? 0 : PROT_WRITE), MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	ring->page = p;
	ring->data = (char *)p + page;
	ring->size = size;
	ring->fd = fd;
	ring->tail = 0;
	return 0;
}

static void unmap_all(struct rings *r, u64 page)
{
	u32 i;

	for (i = 0; i < r->nr; i++) {
		if (r->v[i].page)
			munmap(r->v[i].page, page + r->v[i].size);
		free(r->v[i].fds);
	}
	free(r->v);
	r->v = NULL;
	r->nr = 0;
}

static int map_all(struct rings *r, u64 page, u64 size)
{
	u32 c, t, i;
	int err, fd;

	for (c = 0; c < r->cpus.nr; c++) {
		for (t = 0; t < r->threads.nr; t++) {
			struct ring *fwd = NULL, *back = NULL;

			for (i = 0; i < r->specs->nr; i++) {
				const struct event_spec *s = r->specs->v[i];
				struct ring **ring = s->attr.write_backward ? &back : &fwd;

				fd = r->events[i].fds[c * r->threads.nr + t];
				if (fd < 0)
					continue;
				if (!*ring)
					*ring = ring_at(r, r->cpus.v[c],
							r->options->per_thread ? r->threads.v[t] : -1,
							s->attr.write_backward);
				if (!(*ring)->page) {
					err = map_ring(*ring, fd, page, size);
					if (err)
						return err;
				} else if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, (*ring)->fd)) {
					err = -errno;
					/* the mapped event's thread has exited */
					diag_info(1, "%s: cannot share a buffer: %s", s->name,
						  strerror(errno));
					return err;
				}
				GROW((*ring)->fds, (*ring)->nr_fds, (*ring)->cap_fds);
				(*ring)->fds[(*ring)->nr_fds++] = fd;
			}
		}
	}
	return 0;
}

/* The size without -m. All buffers of a small file hold little more, but some stacks' copies. */
static u64 choose_size(const struct rings *r, u64 page)
{
	u64 size = max(default_size(page), r->options->live_buffer);
	u64 small = r->options->small_file / 4, least = 8 * page;
	u32 i;

	for (i = 0; i < r->specs->nr; i++)
		least = max(least, 16ULL * r->specs->v[i]->attr.sample_stack_user);
	while (small && size / 2 >= max(least, small))
		size /= 2;
	return size;
}

struct error *rings_map(struct rings *r)
{
	u64 page = sysconf(_SC_PAGESIZE), size, wanted = r->options->mmap_pages * page;
	u32 i;
	int err;

	size = wanted ?: choose_size(r, page);
	for (;;) {
		err = map_all(r, page, size);
		if (!err)
			break;
		unmap_all(r, page);
		if (err != -EPERM && err != -ENOMEM)
			return error_create(-err, "cannot map a kernel buffer: %m");
		/* Default size: reduce it to the permitted size. */
		if (wanted || size == page)
			return error_create(-err, "buffers of %llu kB each are more than kernel.perf_event_mlock_kb "
					    "and your locked memory limit (ulimit -l) allow: lower -m or raise those",
					    (page + size) / 1024);
		size /= 2;
	}
	r->data_size = size;
	diag_info(2, "mmap size %lluB", page + size);
	for (i = 0; i < r->specs->nr; i++) {
		u64 type = r->specs->v[i]->attr.sample_type;

		if (!(type & PERF_SAMPLE_TIME) || r->specs->v[i]->is_dummy)
			continue;
		r->stats.time_offset = 8 + (type & PERF_SAMPLE_IDENTIFIER ? 8 : 0) + 16;
	}
	return NULL;
}

void ring_stats_count(struct ring_stats *st, const struct perf_event_header *h)
{
	u64 time;

	if (h->type == PERF_RECORD_SAMPLE) {
		st->samples++;
		if (!st->time_offset || h->size < st->time_offset + 8)
			return;
		memcpy(&time, (const char *)h + st->time_offset, 8);
		if (!st->first_time || time < st->first_time)
			st->first_time = time;
		if (time > st->last_time)
			st->last_time = time;
	} else {
		st->lost += record_lost(h);
	}
}

void ring_stats_add(struct ring_stats *st, const struct iovec *iov, u32 nr, u64 limit)
{
	struct span_walk w = { .iov = iov, .nr = nr };
	u64 head[SPAN_HEAD / 8] = { 0 };

	while (span_next(&w, head) && w.at <= limit)
		ring_stats_count(st, (const void *)head);
}

static u32 spans(const struct ring *ring, u64 from, u64 to, struct iovec *iov)
{
	u64 mask = ring->size - 1, first;

	if (from == to)
		return 0;
	first = min(to - from, ring->size - (from & mask));
	iov[0].iov_base = (char *)ring->data + (from & mask);
	iov[0].iov_len = first;
	if (first == to - from)
		return 1;
	iov[1].iov_base = (char *)ring->data;
	iov[1].iov_len = to - from - first;
	return 2;
}

u64 ring_pending(const struct ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) - ring->tail;
}

u32 ring_spans(struct ring *ring, struct iovec *iov)
{
	/* Pairs with the kernel's barrier before its update of data_head, the end of a record. */
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	return spans(ring, ring->tail, ring->head, iov);
}

u32 ring_spans_backward(struct ring *ring, struct iovec *iov)
{
	u64 head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE), end;
	u32 nr;

	/* The head decreases: above it is what was not read, as far as it is not overwritten. */
	end = ring->tail;
	if (end - head > ring->size)
		end = head + ring->size;
	ring->head = head;
	nr = spans(ring, head, end, iov);
	return spans(ring, head, head + span_whole(iov, nr, UINT64_MAX), iov);
}

void ring_consume(struct ring *ring)
{
	ring->tail = ring->head;
	/* All reads of the data precede the release of the space to the kernel. */
	if (!ring->backward)
		__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

bool rings_backward(const struct rings *r)
{
	u32 i;

	for (i = 0; i < r->nr; i++)
		if (r->v[i].backward)
			return true;
	return false;
}

void rings_pause(struct rings *r, bool pause)
{
	u32 i;

	for (i = 0; i < r->nr; i++)
		if (r->v[i].backward)
			ioctl(r->v[i].fd, PERF_EVENT_IOC_PAUSE_OUTPUT, pause ? 1 : 0);
}

void rings_close(struct rings *r)
{
	u64 page = sysconf(_SC_PAGESIZE);
	u32 n = r->cpus.nr * r->threads.nr, i, j;

	unmap_all(r, page);
	for (i = 0; r->events && i < r->specs->nr; i++) {
		for (j = 0; j < n; j++)
			if (r->events[i].fds && r->events[i].fds[j] >= 0)
				close(r->events[i].fds[j]);
		free(r->events[i].fds);
		free(r->events[i].ids);
	}
	free(r->events);
	r->events = NULL;
	free(r->cpus.v);
	free(r->asked.v);
	free(r->threads.v);
	r->cpus = r->asked = (struct cpu_list){ 0 };
	r->threads = (struct thread_list){ 0 };
}
