// SPDX-License-Identifier: GPL-2.0
/*
 * perf report --tasks, --mmaps and --stats: reports without histograms.
 *
 * Tasks form a tree by their FORK records, with their maps. Names and maps are in the arena of
 * struct tasks. Cycles and any depth in a crafted recording are handled.
 */
#include <stdio.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/text.h"
#include "cmd/counts.h"
#include "cmd/report/report.h"
#include "event/records.h"
#include "symbol/jit.h"

struct task_map {
	u64 start, len, pgoff, ino;
	u32 prot;
	bool shared;
	const char *name;
	const char *build_id;		/* hexadecimal, or empty; NULL: the record has the inode */
	struct task_map *next;
};

struct task_maps {
	struct task_map *first;		/* by address */
	u64 users;			/* tasks; with more than one it is constant */
};

struct task_node {
	u32 pid, tid, ppid;
	const char *comm;
	struct task_maps *maps;		/* of a process; NULL: none */
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
	struct task_map *spare;		/* to be used again */
	u64 nr, seq;
	bool want_maps;
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

/* Insert a copy of @m before *@p. Return: where the next map goes. */
static struct task_map **map_insert(struct tasks *ts, struct task_map **p, const struct task_map *m)
{
	struct task_map *n = ts->spare;

	if (n)
		ts->spare = n->next;
	else
		n = arena_alloc(&ts->arena, sizeof(*n));
	*n = *m;
	n->next = *p;
	*p = n;
	return &n->next;
}

static void map_remove(struct tasks *ts, struct task_map **p)
{
	struct task_map *m = *p;

	*p = m->next;
	m->next = ts->spare;
	ts->spare = m;
}

/* The task has no maps any more. */
static void drop_maps(struct tasks *ts, struct task_node *t)
{
	while (t->maps && t->maps->users == 1 && t->maps->first)
		map_remove(ts, &t->maps->first);
	if (t->maps)
		t->maps->users--;
	t->maps = NULL;
}

/* The list of a task, a copy if another one has it, too: it may be changed. */
static struct task_map **own_maps(struct tasks *ts, struct task_node *t)
{
	struct task_maps *old = t->maps, *own;
	struct task_map *m, **p;

	if (old && old->users == 1)
		return &old->first;
	own = arena_alloc(&ts->arena, sizeof(*own));
	p = &own->first;
	for (m = old ? old->first : NULL; m; m = m->next)
		p = map_insert(ts, p, m);
	drop_maps(ts, t);
	own->users = 1;
	t->maps = own;
	return &own->first;
}

/* The remainder of @m from @start on. */
static struct task_map map_from(const struct task_map *m, u64 start)
{
	struct task_map rest = *m;

	rest.start = start;
	rest.len = m->start + m->len - start;
	rest.pgoff += start - m->start;
	return rest;
}

/*
 * A new mapping replaces the ranges it overlaps: maps are sorted and disjoint. @p: no map before it
 * is. Return: where a map behind the new one goes.
 */
static struct task_map **map_add(struct tasks *ts, struct task_map **p, const struct task_map *m)
{
	u64 end = m->start + m->len;
	struct task_map rest;
	bool cut = false;

	while (*p && (*p)->start < end) {
		struct task_map *old = *p;
		u64 old_end = old->start + old->len;

		if (old_end <= m->start) {
			p = &old->next;
			continue;
		}
		if (old_end > end) {
			cut = true;
			rest = map_from(old, end);
		}
		if (old->start < m->start) {
			old->len = m->start - old->start;
			p = &old->next;
		} else {
			map_remove(ts, p);
		}
	}
	p = map_insert(ts, p, m);
	if (cut)
		map_insert(ts, p, &rest);
	return p;
}

/* A new process has its parent's maps. */
static void inherit_maps(struct tasks *ts, struct task_node *t, struct task_node *parent)
{
	const struct task_map *m;
	struct task_map **p;

	if (!parent->maps || t->maps == parent->maps)
		return;
	if (!t->maps) {
		t->maps = parent->maps;
		t->maps->users++;
		return;
	}
	p = own_maps(ts, t);
	for (m = parent->maps->first; m; m = m->next)
		p = map_add(ts, p, m);
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
		drop_maps(ts, t);
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
		inherit_maps(ts, t, parent);
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
	struct task_map m = { .start = r->addr, .len = r->len, .pgoff = r->pgoff };
	const char *name = r2 ? r2->filename : r->filename;

	if (!ts->want_maps || r->pid == (u32)-1 ||
	    (r->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
		return;
	if (r2) {
		m.prot = r2->prot;
		m.shared = r2->flags & MAP_SHARED;
	} else if (!(r->header.misc & PERF_RECORD_MISC_MMAP_DATA)) {
		m.prot = PROT_EXEC;
	}
	if (r2 && mmap2_has_build_id(&r->header))
		m.build_id = build_id_text(ts, r2);
	else if (r2 && strcmp(name, "[vdso]"))
		m.ino = r2->ino;
	else
		m.build_id = "";
	m.name = map_name(ts, r->pid, name, m.prot & PROT_EXEC);
	map_add(ts, own_maps(ts, task_get(ts, r->pid, r->pid)), &m);
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

static void put_map(const struct task_map *m, int indent, struct outbuf *o)
{
	outbuf_printf(o, "%*s%llx-%llx %c%c%c%c %08llx ", 32 + indent, "", m->start, m->start + m->len,
		      m->prot & 1 ? 'r' : '-', m->prot & 2 ? 'w' : '-', m->prot & 4 ? 'x' : '-',
		      m->shared ? 's' : 'p', m->pgoff);
	if (m->build_id)
		outbuf_printf(o, "%s %s\n", m->build_id, m->name);
	else
		outbuf_printf(o, "%llu %s\n", m->ino, m->name);
}

static void put_task(const struct tasks *ts, const struct task_node *t, int indent, struct outbuf *o)
{
	const struct task_node *process = t;
	const struct task_map *m;
	const u64 *v;

	outbuf_printf(o, "%10d %8d %8d |%*s%s\n", (int)t->pid, (int)t->tid, (int)t->ppid, indent, "",
		      t->comm);
	if (t->pid != t->tid) {		/* threads have the maps of their process */
		v = hash_find(&ts->by_tid, t->pid, 0);
		process = v ? (const struct task_node *)(uintptr_t)*v : t;
	}
	for (m = process->maps ? process->maps->first : NULL; m; m = m->next)
		put_map(m, indent, o);
}

/* Print each task and its children. Not recursive: the depth is unlimited. */
static void put_tasks(const struct tasks *ts, const struct task_node *root, struct outfile *o)
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
