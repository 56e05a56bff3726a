// SPDX-License-Identifier: GPL-2.0
/*
 * perf report --tasks, --mmaps, --stats and -T: reports without histograms.
 *
 * Tasks form a tree by their FORK records, with their maps; a new process has its parent's. All
 * are in the arena of struct tasks. Cycles and any depth in a crafted recording are handled.
 */
#include <stdio.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "cmd/dump/dump.h"
#include "cmd/report/report.h"
#include "event/records.h"
#include "symbol/jit.h"
#include "timeline/maps.h"

/* A map as it was made. Lists share their ends: a map in one is never changed. */
struct task_map {
	struct map at;
	u64 ino;
	const char *name;
	const char *build_id;		/* hexadecimal, or empty; NULL: the record has the inode */
	struct task_map *before;	/* the one made before */
};

struct task_node {
	u32 pid, tid, ppid;
	const char *comm;
	struct task_map *maps;		/* of a process: the newest; NULL: none */
	struct task_node *parent;		/* from the last FORK; NULL: none */
	u64 seq;			/* order of tasks below their parent */
	struct task_node *child, **last_child, *next;	/* set by link_tasks() */
	struct task_node *walk;		/* link_tasks(): the walk that reached it */
	struct task_node *older;		/* created before this one */
};

struct tasks {
	struct arena arena;
	struct hash by_tid;
	struct task_node *newest;
	u64 nr, seq;
	bool want_maps;
	const struct task_map *shown;	/* the list that @maps has */
	struct maps maps;
};

static struct task_node *task_get(struct tasks *ts, u32 pid, u32 tid)
{
	u64 *v = hash_insert(&ts->by_tid, tid, 0, NULL);
	struct task_node *t = (struct task_node *)(uintptr_t)*v;

	if (t)
		return t;
	t = arena_alloc(&ts->arena, sizeof(*t));
	t->pid = pid;
	t->tid = tid;
	t->ppid = (u32)-1;
	t->comm = "";
	t->seq = ts->seq++;
	t->older = ts->newest;
	ts->newest = t;
	ts->nr++;
	*v = (uintptr_t)t;
	return t;
}

static int compare_seq(const void *a, const void *b)
{
	const struct task_node *x = *(struct task_node *const *)a, *y = *(struct task_node *const *)b;

	return x->seq < y->seq ? -1 : 1;
}

/*
 * A recording may have a cycle (a tid reused by a descendant): its newest link is cut, and that
 * link's task becomes a root. Each task is visited once.
 */
static void cut_circles(struct tasks *ts)
{
	struct task_node *t, *up, *last;

	for (t = ts->newest; t; t = t->older) {
		for (up = t; up && !up->walk; up = up->parent)
			up->walk = t;
		if (!up || up->walk != t)
			continue;
		last = up;
		for (struct task_node *c = up->parent; c != up; c = c->parent)
			if (c->seq > last->seq)
				last = c;
		last->parent = NULL;
	}
}

/*
 * Link children to their parents, in the order of their FORK records. As in mainline, tasks without
 * a parent are children of the idle task.
 */
static void link_tasks(struct tasks *ts, struct task_node *root)
{
	struct task_node **v = xmalloc(ts->nr * sizeof(*v)), *t, *idle = task_get(ts, 0, 0);
	u64 i = 0;

	idle->parent = NULL;
	cut_circles(ts);
	for (t = ts->newest; t; t = t->older) {
		v[i++] = t;
		t->last_child = &t->child;
	}
	root->last_child = &root->child;
	qsort(v, ts->nr, sizeof(*v), compare_seq);
	for (i = 0; i < ts->nr; i++) {
		t = v[i];
		if (!t->parent)
			t->parent = t == idle ? root : idle;
		*t->parent->last_child = t;
		t->parent->last_child = &t->next;
	}
	free(v);
}

static const char *name_of(struct tasks *ts, const char *name)
{
	return printable_copy(&ts->arena, arena_strndup(&ts->arena, name, strlen(name)));
}

static void on_comm(struct tasks *ts, const struct comm_record *c)
{
	struct task_node *t = task_get(ts, c->pid, c->tid);

	t->comm = name_of(ts, c->comm);
	if (c->header.misc & PERF_RECORD_MISC_COMM_EXEC)
		t->maps = NULL;
}

static void on_fork(struct tasks *ts, const struct task_record *f)
{
	struct task_node *t = task_get(ts, f->pid, f->tid), *parent;

	if (f->pid == f->ppid && f->tid == f->ptid)
		return;
	parent = task_get(ts, f->ppid, f->ppid);
	t->pid = f->pid;
	t->ppid = f->ppid;
	if (!t->comm[0])
		t->comm = parent->comm;
	if (t == parent)
		return;
	t->parent = parent;
	t->seq = ts->seq++;
	if (f->pid != f->ppid && !(f->header.misc & PERF_RECORD_MISC_FORK_EXEC))
		t->maps = parent->maps;
}

static const char *build_id_text(struct tasks *ts, const struct mmap2_record *r)
{
	char hex[ELF_BUILD_ID_HEX];

	build_id_hex(r->build_id, min((size_t)r->build_id_size, sizeof(r->build_id)), hex);
	return arena_strndup(&ts->arena, hex, strlen(hex));
}

/* Executable anonymous memory is named after the JIT's map file. */
static const char *map_name(struct tasks *ts, u32 pid, const char *name, bool exec)
{
	char buf[64];

	if (exec && jit_is_code(name)) {
		snprintf(buf, sizeof(buf), "/tmp/perf-%d.map", (int)pid);
		name = buf;
	}
	return name_of(ts, name);
}

/* MMAP and MMAP2 records share their first fields. */
static void on_mmap(struct tasks *ts, const struct mmap_record *r)
{
	const struct mmap2_record *r2 = r->header.type == PERF_RECORD_MMAP2 ? (const void *)r : NULL;
	const char *name = r2 ? r2->filename : r->filename;
	struct task_node *t;
	struct task_map *m;

	if (!ts->want_maps || r->pid == (u32)-1 ||
	    (r->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
		return;
	t = task_get(ts, r->pid, r->pid);
	m = arena_alloc(&ts->arena, sizeof(*m));
	m->at = (struct map){ .start = r->addr, .end = r->addr + r->len, .pgoff = r->pgoff };
	if (r2) {
		m->at.prot = r2->prot;
		m->at.flags = r2->flags;
	} else if (!(r->header.misc & PERF_RECORD_MISC_MMAP_DATA)) {
		m->at.prot = PROT_EXEC;
	}
	if (r2 && mmap2_has_build_id(&r->header))
		m->build_id = build_id_text(ts, r2);
	else if (r2 && strcmp(name, "[vdso]"))
		m->ino = r2->ino;
	else
		m->build_id = "";
	m->name = map_name(ts, r->pid, name, m->at.prot & PROT_EXEC);
	m->before = t->maps;
	t->maps = m;
}

/* The reader has checked that fixed fields and strings are within the record. */
static int on_record(void *ctx, const struct record *rec, const struct event *ev __unused,
		     u64 time __unused)
{
	const void *h = rec->header;

	switch (rec->header->type) {
	case PERF_RECORD_COMM:
		on_comm(ctx, h);
		break;
	case PERF_RECORD_FORK:
		on_fork(ctx, h);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		on_mmap(ctx, h);
		break;
	}
	return 0;
}

/* Maximum indentation of a task. */
#define MAX_INDENT 4096

static void put_map(const struct task_map *m, u64 start, u64 end, int indent, struct outbuf *o)
{
	u32 prot = m->at.prot;

	outbuf_printf(o, "%*s%llx-%llx %c%c%c%c %08llx ", 32 + indent, "", start, end,
		      prot & 1 ? 'r' : '-', prot & 2 ? 'w' : '-', prot & 4 ? 'x' : '-',
		      m->at.flags & MAP_SHARED ? 's' : 'p', start - m->at.start + m->at.pgoff);
	if (m->build_id)
		outbuf_printf(o, "%s %s\n", m->build_id, m->name);
	else
		outbuf_printf(o, "%llu %s\n", m->ino, m->name);
}

/* Set ts->maps to those of a list, the oldest first. */
static void take_maps(struct tasks *ts, struct task_map *newest)
{
	struct task_map **v = NULL, *m;
	u32 nr = 0, cap = 0;

	if (ts->shown == newest)
		return;
	for (m = newest; m; m = m->before) {
		GROW(v, nr, cap);
		v[nr++] = m;
	}
	maps_deinit(&ts->maps);
	while (nr)
		maps_add(&ts->maps, &v[--nr]->at);
	maps_seal(&ts->maps);
	ts->shown = newest;
	free(v);
}

/* Print what later maps leave of each one. */
static void put_maps(struct tasks *ts, struct task_map *newest, int indent, struct outbuf *o)
{
	const struct map *m, *last = NULL;
	struct map_area area;
	u64 start = 0, at;

	take_maps(ts, newest);
	for (at = 0; at != (u64)-1; at = area.end) {
		area = MAP_AREA_ALL;
		m = maps_find(&ts->maps, at, 0, &area);
		if (m == last)
			continue;
		if (last)
			put_map(container_of(last, struct task_map, at), start, at, indent, o);
		last = m;
		start = at;
	}
}

static void put_task(struct tasks *ts, const struct task_node *t, int indent, struct outbuf *o)
{
	const struct task_node *process = t;
	const u64 *v;

	outbuf_printf(o, "%10d %8d %8d |%*s%s\n", (int)t->pid, (int)t->tid, (int)t->ppid, indent, "",
		      t->comm);
	if (t->pid != t->tid) {		/* threads have the maps of their process */
		v = hash_find(&ts->by_tid, t->pid, 0);
		process = v ? (const struct task_node *)(uintptr_t)*v : t;
	}
	if (process->maps)
		put_maps(ts, process->maps, indent, o);
}

/* Print each task and its children. Not recursive: the depth is unlimited. */
static void put_tasks(struct tasks *ts, const struct task_node *root, struct outfile *o)
{
	const struct task_node *t = root->child;
	u64 depth = 0;

	while (t && !outfile_drain(o)) {
		put_task(ts, t, min(depth, (u64)MAX_INDENT), &o->text);
		if (t->child) {
			t = t->child;
			depth++;
			continue;
		}
		while (!t->next && t->parent != root) {
			t = t->parent;
			depth--;
		}
		t = t->next;
	}
}

int report_tasks(struct report_run *r, struct outfile *o)
{
	struct session_ops ops = { .record = on_record };
	struct tasks ts = { .want_maps = r->opt->mmaps };
	struct task_node root = { 0 };
	int err;

	task_get(&ts, 0, 0)->comm = "swapper";
	err = session_run(r->session, &ops, &ts);
	outbuf_puts(&o->text, "#      pid      tid     ppid  comm\n");
	link_tasks(&ts, &root);
	put_tasks(&ts, &root, o);
	maps_deinit(&ts.maps);
	hash_deinit(&ts.by_tid);
	arena_deinit(&ts.arena);
	return err && err != -EINTR;
}

static int count_sample(void *ctx, const struct visit *v)
{
	counts_sample(ctx, v->sample->event);
	return 0;
}

int report_stats(struct report_run *r, struct outbuf *o)
{
	const struct session_ops ops = { .sample = count_sample };
	struct session *s = r->session;
	struct counts counts;
	int err;

	counts_init(&counts, s->events);
	err = session_run(s, &ops, &counts);
	/* The session counted all records, perf's own included. */
	memcpy(counts.by_type, s->stats.nr_by_type, sizeof(counts.by_type));
	counts_print(&counts, o);
	counts_deinit(&counts);
	return err && err != -EINTR;
}

/*
 * -T: event counts per thread. With perf record -s, the kernel writes a READ record for each event
 * of a thread that exits. An event has a counter on each CPU, so a thread's count is the sum over
 * all records of its pid and tid.
 */

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

static int on_read(void *ctx, const struct record *rec, const struct event *ev, u64 time __unused)
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
static void put_counts(const struct counts_table *t, const struct event_list *events,
		       struct outbuf *o)
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
	const struct session_ops ops = { .record = on_read };
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
