// SPDX-License-Identifier: GPL-2.0
/*
 * perf report -T: event counts per thread. With perf record -s, the kernel writes a READ record
 * for each event of a thread that exits. The session is walked once more; the sums are in memory
 * until they are printed. An event has a counter on each CPU, so a thread's count is the sum over
 * all records of its pid and tid.
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/hash.h"
#include "cmd/report/report.h"
#include "event/records.h"

struct thread_counts {
	u32 pid, tid;
	u64 *values;			/* by event */
};

struct counts_table {
	u32 nr_events;
	struct thread_counts *threads;	/* in the order of their first record */
	size_t nr, cap;
	struct hash by_thread;		/* (pid, tid) -> index + 1 */
	struct arena arena;
};

static int on_record(void *ctx, const struct record *rec, const struct event *ev, u64 time __unused)
{
	const struct read_record *r = (const void *)rec->header;
	struct counts_table *t = ctx;
	u64 *at;

	if (rec->header->type != PERF_RECORD_READ || !ev)
		return 0;
	at = hash_insert(&t->by_thread, r->pid, r->tid, NULL);
	if (!*at) {
		GROW(t->threads, t->nr, t->cap);
		t->threads[t->nr] = (struct thread_counts){
			r->pid, r->tid, arena_alloc(&t->arena, t->nr_events * sizeof(u64)),
		};
		*at = ++t->nr;
	}
	t->threads[*at - 1].values[ev->idx] += r->value;
	return 0;
}

static u32 digits(u64 v)
{
	return snprintf(NULL, 0, "%llu", v);
}

/* Columns are right-aligned, with the width of their widest cell. */
static void put_counts(const struct counts_table *t, const struct event_list *events, struct outbuf *o)
{
	u32 pid = 3, tid = 3, width[t->nr_events + 1], e;
	size_t i;

	for (i = 0; i < t->nr; i++) {
		pid = max(pid, digits(t->threads[i].pid));
		tid = max(tid, digits(t->threads[i].tid));
	}
	outbuf_printf(o, "# %*s  %*s", (int)pid, "PID", (int)tid, "TID");
	for (e = 0; e < t->nr_events; e++) {
		width[e] = strlen(events->events[e]->name);
		for (i = 0; i < t->nr; i++)
			width[e] = max(width[e], digits(t->threads[i].values[e]));
		outbuf_printf(o, "  %*s", (int)width[e], events->events[e]->name);
	}
	outbuf_putc(o, '\n');
	for (i = 0; i < t->nr; i++) {
		const struct thread_counts *c = &t->threads[i];

		outbuf_printf(o, "  %*d  %*d", (int)pid, (int)c->pid, (int)tid, (int)c->tid);
		for (e = 0; e < t->nr_events; e++)
			outbuf_printf(o, "  %*llu", (int)width[e], c->values[e]);
		outbuf_putc(o, '\n');
	}
}

int report_threads(struct report_run *r, struct outbuf *o)
{
	const struct session_ops ops = { .record = on_record };
	const struct event_list *events = r->session->events;
	struct counts_table t = { .nr_events = events->nr };
	int err = session_run(r->session, &ops, &t);

	if (t.nr)
		put_counts(&t, events, o);
	else
		diag_warn("-T: %s has no counts of threads: record with perf record -s",
			  r->session->reader->path);
	free(t.threads);
	hash_deinit(&t.by_thread);
	arena_deinit(&t.arena);
	return err && err != -EINTR;
}
