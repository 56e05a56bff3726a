// SPDX-License-Identifier: GPL-2.0
/*
 * Side-band records older than the window, in stream order. A compaction finds the existing tasks
 * and the replaced records, then copies all others. An exited process is kept while a child has its
 * mappings, that is, until the child executes another program.
 */
#include "base/arena.h"
#include "base/hash.h"
#include "cmd/top/top.h"
#include "event/records.h"

/* growth since the last compaction that starts the next one */
#define COMPACT_BYTES	(1u << 20)

/* State of a process */
struct kept_process {
	u64 threads;			/* that have not exited */
	u64 parent;			/* 0: none */
	bool executed;			/* since its fork: has none of its parent's mappings */
	u64 forked;			/* index of its FORK record + 1 */
	u64 begin;			/* the same, or index of the exec's record + 1 */
	bool needed;
	bool lent;			/* another process has its mappings: none is replaced */
};

struct compaction {
	struct hash by_pid;		/* pid -> index in .v + 1 */
	struct kept_process *v;
	u32 nr, cap;
	struct hash threads;		/* (pid, tid) -> the thread exists */
	struct hash last;		/* (pid, address | 1) or (pid, tid << 1) -> index of the last such record + 1 */
};

void sideband_deinit(struct sideband *s)
{
	outbuf_deinit(&s->records);
}

static struct kept_process *process_of(struct compaction *c, u32 pid)
{
	u64 *i = hash_insert(&c->by_pid, pid, 0, NULL);

	if (!*i) {
		GROW(c->v, c->nr, c->cap);
		c->v[c->nr] = (struct kept_process){ 0 };
		*i = ++c->nr;
	}
	return &c->v[*i - 1];
}

static void set_thread(struct compaction *c, u32 pid, u32 tid, bool exists)
{
	u64 *now = hash_insert(&c->threads, pid, tid, NULL);

	if (*now == exists)
		return;
	*now = exists;
	process_of(c, pid)->threads += exists ? 1 : -1;
}

/* Mapping addresses are even, since they are page addresses. */
static u64 *last_map(struct compaction *c, const struct mmap_record *m)
{
	return hash_insert(&c->last, m->pid, m->addr | 1, NULL);
}

static u64 *last_name(struct compaction *c, const struct comm_record *r)
{
	return hash_insert(&c->last, r->pid, (u64)r->tid << 1, NULL);
}

static void look(struct compaction *c, const struct perf_event_header *h, u64 nr)
{
	const struct task_record *t = (const void *)h;
	const struct comm_record *name = (const void *)h;
	struct kept_process *p;

	switch (h->type) {
	case PERF_RECORD_FORK:
		set_thread(c, t->pid, t->tid, true);
		p = process_of(c, t->pid);
		if (t->pid != t->ppid) {
			p->parent = t->ppid;
			p->executed = false;
			p->forked = p->begin = nr + 1;
		}
		break;
	case PERF_RECORD_EXIT:
		set_thread(c, t->pid, t->tid, false);
		break;
	case PERF_RECORD_COMM:
		set_thread(c, name->pid, name->tid, true);
		*last_name(c, name) = nr + 1;
		if (!(h->misc & PERF_RECORD_MISC_COMM_EXEC))
			break;
		p = process_of(c, name->pid);
		p->executed = true;
		p->begin = nr + 1;
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		*last_map(c, (const void *)h) = nr + 1;
		break;
	}
}

/* Mark a process, and the ancestors whose mappings it has. @lent: a child has its mappings. */
static void need(struct compaction *c, struct kept_process *p, bool lent)
{
	u64 *up;

	while (!p->needed || (lent && !p->lent)) {
		p->needed = true;
		p->lent |= lent;
		up = p->parent && (!p->executed || p->lent) ? hash_find(&c->by_pid, p->parent, 0) : NULL;
		if (!up)
			break;
		p = &c->v[*up - 1];
		lent = true;
	}
}

static void find_needed(struct compaction *c)
{
	u32 i;

	for (i = 0; i < c->nr; i++)
		if (c->v[i].threads)
			need(c, &c->v[i], false);
}

/* Is a map still needed? Its process lives, or has no other record, and no later one is there. */
static bool map_needed(struct compaction *c, const struct mmap_record *m, u64 nr)
{
	const struct kept_process *p;

	if ((s32)m->pid == -1)		/* kernel map */
		return *last_map(c, m) == nr + 1;
	p = process_of(c, m->pid);
	if (!p->needed && hash_find(&c->threads, m->pid, m->pid))
		return false;
	return p->lent || (nr + 1 > p->begin && *last_map(c, m) == nr + 1);
}

static bool keeps(struct compaction *c, const struct perf_event_header *h, u64 nr)
{
	const struct task_record *t = (const void *)h;
	const struct comm_record *name = (const void *)h;
	const struct kept_process *p;
	const u64 *exists;

	switch (h->type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		p = process_of(c, t->pid);
		exists = hash_find(&c->threads, t->pid, t->tid);
		return p->needed && nr + 1 >= p->forked &&
		       (t->tid == t->pid || (h->type == PERF_RECORD_FORK && exists && *exists));
	case PERF_RECORD_COMM:
		p = process_of(c, name->pid);
		exists = hash_find(&c->threads, name->pid, name->tid);
		return p->needed && *last_name(c, name) == nr + 1 &&
		       (name->tid == name->pid || (exists && *exists));
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return map_needed(c, (const void *)h, nr);
	default:
		return true;
	}
}

static const struct perf_event_header *record_at(const char *p)
{
	return (const struct perf_event_header *)p;
}

static void compact(struct sideband *s)
{
	struct compaction c = { 0 };
	char *p, *to = s->records.base;
	u64 nr;

	for (p = s->records.base, nr = 0; p < s->records.pos; p += record_at(p)->size, nr++)
		look(&c, record_at(p), nr);
	find_needed(&c);
	for (p = s->records.base, nr = 0; p < s->records.pos; nr++) {
		u16 size = record_at(p)->size;

		if (keeps(&c, record_at(p), nr)) {
			memmove(to, p, size);
			to += size;
		}
		p += size;
	}
	s->records.pos = to;
	s->compact = outbuf_len(&s->records);
	hash_deinit(&c.by_pid);
	hash_deinit(&c.threads);
	hash_deinit(&c.last);
	free(c.v);
}

void sideband_add(struct sideband *s, const struct perf_event_header *h)
{
	switch (h->type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_COMM:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT:
	case PERF_RECORD_CGROUP:
	case PERF_RECORD_NAMESPACES:
		break;
	default:
		return;
	}
	outbuf_write(&s->records, h, h->size);
	if (outbuf_len(&s->records) > 2 * s->compact + COMPACT_BYTES)
		compact(s);
}
