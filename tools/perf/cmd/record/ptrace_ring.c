// SPDX-License-Identifier: GPL-2.0
/*
 * The buffer that the ptrace sampler fills, and the times of records from /proc in it. Its memory
 * and the pipe's reading end are struct rings'.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "cmd/record/ptrace_ring.h"

/* Without -m: a hundred of the largest samples; beside the kernel's those of all threads. */
#define RING_BYTES	(8ULL << 20)
#define WALL_BYTES	(32ULL << 20)

/* Events that are the pipe's ends: others that look for them find no kernel's. */
static void make_events(struct rings *r)
{
	struct open_event *e = xcalloc(r->specs->nr, sizeof(*e));
	u32 i;

	r->events = e;
	for (i = 0; i < r->specs->nr; i++) {
		e[i].fds = xmalloc(r->threads.nr * sizeof(*e->fds));
		memset(e[i].fds, 0xff, r->threads.nr * sizeof(*e->fds));
		e[i].ids = xcalloc(r->threads.nr, sizeof(*e->ids));
		e[i].ids[0] = PTRACE_EVENT_ID + i;
	}
}

int ptrace_ring_open(struct ptrace_ring *p, struct rings *r)
{
	const u64 page = sysconf(_SC_PAGESIZE);
	bool alone = !r->events;
	int ends[2];
	u32 i;

	synth_init(&p->synth, &r->specs->v[0]->attr);
	p->end = -1;
	p->size = r->options->mmap_pages * page ?: alone ? RING_BYTES : WALL_BYTES;
	if (alone)
		make_events(r);
	p->page = mmap(NULL, page + p->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p->page == MAP_FAILED || pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return diag_error("--sampler ptrace: no buffer: %s", strerror(errno));
	p->data = (char *)p->page + page;
	p->end = ends[1];
	for (i = 0; i < r->specs->nr && alone; i++)
		r->events[i].fds[0] = i ? fcntl(ends[0], F_DUPFD_CLOEXEC, 0) : ends[0];
	r->v = xrealloc(r->v, (r->nr + 1) * sizeof(*r->v));
	r->v[r->nr] = (struct ring){
		.page = p->page, .data = p->data, .size = p->size, .cpu = -1, .tid = -1, .fd = ends[0],
		.fds = xcalloc(1, sizeof(int)), .nr_fds = 1, .cap_fds = 1,
	};
	r->v[r->nr++].fds[0] = ends[0];
	r->data_size = r->data_size ?: p->size;
	/* header, id, ip, pid and tid */
	r->stats.time_offset = 32;
	return 0;
}

static bool put(struct ptrace_ring *p, const void *record, u64 size)
{
	u64 head = p->page->data_head, at = head & (p->size - 1), part = min(size, p->size - at);

	/* Pairs with ring_consume(): what is overwritten was read. */
	if (head + size - __atomic_load_n(&p->page->data_tail, __ATOMIC_ACQUIRE) > p->size)
		return false;
	memcpy(p->data + at, record, part);
	memcpy(p->data, (const char *)record + part, size - part);
	__atomic_store_n(&p->page->data_head, head + size, __ATOMIC_RELEASE);
	return true;
}

/* The end of each record that is no sample. */
struct sample_id {
	u32 pid, tid;
	u64 time, id;
};

void ptrace_ring_put(struct ptrace_ring *p, const struct perf_event_header *h)
{
	struct { struct lost_record r; struct sample_id id; } lost = {
		.r = { .header = { .type = PERF_RECORD_LOST, .size = sizeof(lost) },
		       .id = PTRACE_EVENT_ID, .lost = p->lost },
	};

	if (p->lost && put(p, &lost, sizeof(lost)))
		p->lost = 0;
	p->lost += p->lost || !put(p, h, h->size);
}

void ptrace_ring_flush(struct ptrace_ring *p, u64 time, u16 misc, const struct hash *known)
{
	struct outbuf *o = &p->synth.out;
	struct perf_event_header *h;
	struct sample_id id;
	const char *at;

	for (at = o->base; at < o->pos; at += h->size) {
		h = (struct perf_event_header *)at;
		if (known && hash_find(known, hash_bytes(h, h->size), 0))
			continue;
		/* All of them begin with pid and tid, or with pid and ppid. */
		memcpy(&id, h + 1, offsetof(struct sample_id, time));
		id.time = time;
		id.id = PTRACE_EVENT_ID;
		memcpy((char *)h + h->size - sizeof(id), &id, sizeof(id));
		if (h->type == PERF_RECORD_FORK || h->type == PERF_RECORD_EXIT)
			((struct task_record *)h)->time = time;
		h->misc |= misc;
		ptrace_ring_put(p, h);
	}
	o->pos = o->base;
}

void ptrace_ring_wake(struct ptrace_ring *p)
{
	/* If the pipe is full the reader has enough to wake up for. */
	if (p->woken != p->page->data_head && (write(p->end, "", 1) == 1 || errno == EAGAIN))
		p->woken = p->page->data_head;
}

void ptrace_ring_end(struct ptrace_ring *p)
{
	if (p->end >= 0)
		close(p->end);
	p->end = -1;
}

void ptrace_ring_close(struct ptrace_ring *p)
{
	ptrace_ring_end(p);
	synth_deinit(&p->synth);
}
