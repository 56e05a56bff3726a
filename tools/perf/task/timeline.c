// SPDX-License-Identifier: GPL-2.0
/*
 * Pass 1 only notes what happened, as one struct op each; timeline_seal() sorts
 * the notes by time and plays them, which leaves for each task and each process
 * a short history that pass 2 searches.
 */
#include <pthread.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/hash.h"
#include "event/abi.h"
#include "symbol/dso.h"
#include "task/maps.h"
#include "task/timeline.h"

enum op_kind { OP_COMM, OP_EXEC, OP_FORK, OP_FORK_SYNTHESIZED, OP_EXIT, OP_MMAP, OP_SEEN };

struct op {
	u64 time;
	u64 seq;
	u32 pid, tid;
	enum op_kind kind;
	u32 ptid;		/* fork: the parent's tid */
	union {
		const char *comm;
		struct map *map;
		u32 ppid;
	};
};

struct address_space {
	struct space sp;
	struct maps maps;
	/* What shows through: the parent's space as it was at the fork, the old one's at exec. */
	const struct address_space *parent;
	u64 parent_time;
	/* The kernel's text map, whose end no record tells: what no module covers
	 * above its start belongs to it.
	 */
	const struct map *rest;
};

struct space_at {
	u64 time;
	struct address_space *space;
};

/* A process: its threads share the spaces that it had one after the other. */
struct process {
	u32 pid;
	u32 nr, cap;
	struct space_at *spaces;
};

struct comm_at {
	u64 time, seq;
	const char *comm;
};

struct task {
	struct thread t;
	u64 from, to;		/* both inclusive */
	struct process *proc;
	struct comm_at *comms;
	u32 nr_comms, cap_comms;
	bool named;		/* a record told the comm, or a parent passed it on */
	bool exited;
};

/* The tasks that had one tid, one after the other. */
struct tid_tasks {
	struct task **tasks;
	u32 nr, cap;
};

struct timeline {
	struct arena arena;
	struct dso_table *dsos;
	struct op *ops;
	u32 nr_ops, cap_ops;
	bool ops_sorted;
	u64 seq;

	struct hash by_tid;		/* tid -> struct tid_tasks * */
	struct hash by_pid;		/* pid -> newest struct process * */
	struct hash seen;		/* tid */
	struct hash comms;		/* (hash, length) -> interned string */
	struct hash cgroups;		/* id -> path */
	struct address_space **spaces;	/* by id */
	u32 nr_spaces, cap_spaces;
	struct process **procs;
	u32 nr_procs, cap_procs;
	struct task **tasks;
	u32 nr_tasks, cap_tasks;
	struct address_space *kernel, *guest_kernel;

	/* Tasks that pass 2 asks for though nothing introduced them: (tid, time
	 * from which) -> struct task *. Few, so one lock does.
	 */
	pthread_mutex_t strangers_lock;
	struct hash strangers;
};

static const char *intern(struct timeline *tl, const char *s)
{
	size_t len = strlen(s);
	u64 h = hash_bytes(s, len), *slot;

	/* Two names of one hash: the later one takes the next key. */
	for (;; h++) {
		bool added;

		slot = hash_insert(&tl->comms, h, len, &added);
		if (added) {
			*slot = (u64)(uintptr_t)arena_strndup(&tl->arena, s, len);
			break;
		}
		if (!strcmp((const char *)(uintptr_t)*slot, s))
			break;
	}
	return (const char *)(uintptr_t)*slot;
}

static struct address_space *space_create(struct timeline *tl, u32 pid)
{
	struct address_space *as = arena_alloc(&tl->arena, sizeof(*as));

	GROW(tl->spaces, tl->nr_spaces, tl->cap_spaces);
	as->sp.id = tl->nr_spaces;
	as->sp.pid = pid;
	tl->spaces[tl->nr_spaces++] = as;
	return as;
}

static struct process *process_create(struct timeline *tl, u32 pid, u64 time)
{
	struct process *p = arena_alloc(&tl->arena, sizeof(*p));

	p->pid = pid;
	p->nr = p->cap = 1;
	p->spaces = xmalloc(sizeof(*p->spaces));
	p->spaces[0] = (struct space_at){ time, space_create(tl, pid) };
	GROW(tl->procs, tl->nr_procs, tl->cap_procs);
	tl->procs[tl->nr_procs++] = p;
	*hash_insert(&tl->by_pid, pid, 0, NULL) = (u64)(uintptr_t)p;
	return p;
}

static struct process *process_get(struct timeline *tl, u32 pid, u64 time)
{
	u64 *slot = hash_find(&tl->by_pid, pid, 0);

	return slot ? (struct process *)(uintptr_t)*slot : process_create(tl, pid, time);
}

/* The space that a process had at a time; the first one before that. */
static struct address_space *process_space(const struct process *p, u64 time)
{
	u32 lo = 0, hi = p->nr;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (p->spaces[mid].time <= time)
			lo = mid + 1;
		else
			hi = mid;
	}
	return p->spaces[lo ? lo - 1 : 0].space;
}

static void task_set_comm(struct task *t, const char *comm, u64 time, u64 seq)
{
	if (t->nr_comms && t->comms[t->nr_comms - 1].comm == comm)
		return;
	if (t->nr_comms == t->cap_comms) {
		t->cap_comms = t->cap_comms ? 2 * t->cap_comms : 2;
		t->comms = xrealloc(t->comms, t->cap_comms * sizeof(*t->comms));
	}
	t->comms[t->nr_comms++] = (struct comm_at){ time, seq, comm };
}

static struct task *task_create(struct timeline *tl, u32 pid, u32 tid, struct process *proc,
				u64 from)
{
	struct task *t = arena_alloc(&tl->arena, sizeof(*t));
	char name[16];

	GROW(tl->tasks, tl->nr_tasks, tl->cap_tasks);
	t->t.id = tl->nr_tasks;
	tl->tasks[tl->nr_tasks++] = t;
	t->t.pid = pid;
	t->t.tid = tid;
	t->from = from;
	t->to = -1;
	t->proc = proc;
	if (tid) {
		snprintf(name, sizeof(name), ":%d", (int)tid);
		task_set_comm(t, intern(tl, name), from, 0);
	} else {
		task_set_comm(t, intern(tl, "swapper"), from, 0);
		t->named = true;
	}
	return t;
}

static struct tid_tasks *tid_tasks(struct timeline *tl, u32 tid)
{
	u64 *slot = hash_insert(&tl->by_tid, tid, 0, NULL);

	if (!*slot)
		*slot = (u64)(uintptr_t)arena_alloc(&tl->arena, sizeof(struct tid_tasks));
	return (struct tid_tasks *)(uintptr_t)*slot;
}

static void tid_tasks_add(struct tid_tasks *tt, struct task *t)
{
	if (tt->nr == tt->cap) {
		tt->cap = tt->cap ? 2 * tt->cap : 1;
		tt->tasks = xrealloc(tt->tasks, tt->cap * sizeof(*tt->tasks));
	}
	tt->tasks[tt->nr++] = t;
}

/* The task that has this tid now; it is met here for the first time if need be. */
static struct task *task_now(struct timeline *tl, u32 pid, u32 tid, u64 time)
{
	struct tid_tasks *tt = tid_tasks(tl, tid);
	struct task *t = tt->nr ? tt->tasks[tt->nr - 1] : NULL;

	if (t && !t->exited) {
		if (t->t.pid == (u32)-1 && pid != (u32)-1) {
			t->t.pid = pid;
			t->proc = process_get(tl, pid, time);
		}
		return t;
	}
	t = task_create(tl, pid, tid, process_get(tl, pid, t ? time : 0), t ? time : 0);
	tid_tasks_add(tt, t);
	return t;
}

static void task_end(struct task *t, u64 time)
{
	if (t->exited)
		return;
	t->to = time;
	t->exited = true;
}

/* What @as maps nothing over looks as @from did at @time. */
static void look_through(struct address_space *as, const struct address_space *from, u64 time)
{
	while (!from->maps.nr && from->parent) {
		time = from->parent_time;
		from = from->parent;
	}
	as->parent = from;
	as->parent_time = time;
}

static void play_fork(struct timeline *tl, const struct op *op)
{
	struct task *parent = task_now(tl, op->ppid, op->ptid, op->time), *t;
	struct tid_tasks *tt;
	struct process *proc;

	if (op->tid == op->ptid)
		return;
	tt = tid_tasks(tl, op->tid);
	/* Whoever had the tid before has left it. */
	if (tt->nr)
		task_end(tt->tasks[tt->nr - 1], op->time);

	if (op->pid == op->ppid) {
		proc = parent->proc;
	} else if (op->pid != op->tid) {
		proc = process_get(tl, op->pid, op->time);
	} else {
		proc = process_create(tl, op->pid, op->time);
		if (op->kind == OP_FORK)
			look_through(proc->spaces[0].space,
				     process_space(parent->proc, op->time), op->time);
	}
	t = task_create(tl, op->pid, op->tid, proc, op->time);
	if (parent->named) {
		t->nr_comms = 0;
		task_set_comm(t, parent->comms[parent->nr_comms - 1].comm, op->time, op->seq);
		t->named = true;
	}
	tid_tasks_add(tt, t);
}

/*
 * Until the new image runs, user addresses in samples are the old image's: the
 * registers saved at the system call. So the old mappings show through.
 */
static void play_exec(struct timeline *tl, struct process *p, u64 time)
{
	struct address_space *old = p->spaces[p->nr - 1].space;

	GROW(p->spaces, p->nr, p->cap);
	p->spaces[p->nr].time = time;
	p->spaces[p->nr].space = space_create(tl, p->pid);
	look_through(p->spaces[p->nr++].space, old, time);
}

static void play_mmap(struct timeline *tl, const struct op *op)
{
	struct map *m = op->map;
	struct address_space *as;
	struct maps *ms;
	u32 i, n;

	if (op->pid == PID_KERNEL) {
		as = op->tid ? tl->guest_kernel : tl->kernel;
		if (op->ptid) {
			if (!as->rest)
				as->rest = m;
			return;
		}
	} else {
		struct task *t = task_now(tl, op->pid, op->tid, op->time);

		as = t->proc->spaces[t->proc->nr - 1].space;
	}
	/* A compiler of code at run time switches protections all the time, and each
	 * time the kernel tells the mapping anew: only what changed something counts.
	 */
	ms = &as->maps;
	for (i = ms->nr, n = 0; i-- > 0 && n < 16; n++) {
		const struct map *old = ms->maps[i];

		if (old->start == m->start && old->end == m->end) {
			if (old->dso == m->dso && old->pgoff == m->pgoff &&
			    old->prot == m->prot && old->flags == m->flags)
				return;
			break;
		}
		if (old->start < m->end && m->start < old->end)
			break;
	}
	/* Told late (a pipe's window was left already): it holds from now on. */
	if (ms->nr)
		m->from = max(m->from, ms->maps[ms->nr - 1]->from);
	maps_add(ms, m);
}

static void play(struct timeline *tl, const struct op *op)
{
	struct tid_tasks *tt;
	struct task *t;

	switch (op->kind) {
	case OP_COMM:
	case OP_EXEC:
		t = task_now(tl, op->pid, op->tid, op->time);
		task_set_comm(t, op->comm, op->time, op->seq);
		t->named = true;
		if (op->kind == OP_EXEC)
			play_exec(tl, t->proc, op->time);
		break;
	case OP_FORK:
	case OP_FORK_SYNTHESIZED:
		play_fork(tl, op);
		break;
	case OP_EXIT:
		tt = tid_tasks(tl, op->tid);
		if (tt->nr)
			task_end(tt->tasks[tt->nr - 1], op->time);
		break;
	case OP_MMAP:
		play_mmap(tl, op);
		break;
	case OP_SEEN:
		if (!tid_tasks(tl, op->tid)->nr)
			task_now(tl, op->pid, op->tid, op->time);
		break;
	}
}

static struct op *note(struct timeline *tl, enum op_kind kind, u32 pid, u32 tid, u64 time)
{
	struct op *op;

	if (tl->nr_ops && tl->ops[tl->nr_ops - 1].time > time)
		tl->ops_sorted = false;
	GROW(tl->ops, tl->nr_ops, tl->cap_ops);
	op = &tl->ops[tl->nr_ops++];
	*op = (struct op){ .time = time, .seq = tl->seq, .pid = pid, .tid = tid, .kind = kind };
	return op;
}

void timeline_at(struct timeline *tl, u64 seq)
{
	tl->seq = seq;
}

void timeline_comm(struct timeline *tl, u32 pid, u32 tid, const char *comm, bool exec, u64 time)
{
	note(tl, exec ? OP_EXEC : OP_COMM, pid, tid, time)->comm = intern(tl, comm);
}

void timeline_fork(struct timeline *tl, u32 pid, u32 tid, u32 ppid, u32 ptid, bool synthesized,
		   u64 time)
{
	struct op *op = note(tl, synthesized ? OP_FORK_SYNTHESIZED : OP_FORK, pid, tid, time);

	op->ppid = ppid;
	op->ptid = ptid;
}

void timeline_exit(struct timeline *tl, u32 pid, u32 tid, u64 time)
{
	note(tl, OP_EXIT, pid, tid, time);
}

void timeline_seen(struct timeline *tl, u32 pid, u32 tid)
{
	bool added;

	hash_insert(&tl->seen, tid, 0, &added);
	if (added)
		note(tl, OP_SEEN, pid, tid, 0);
}

void timeline_cgroup(struct timeline *tl, u64 id, const char *path)
{
	u64 *slot = hash_insert(&tl->cgroups, id, 0, NULL);

	*slot = (u64)(uintptr_t)intern(tl, path);
}

const char *timeline_cgroup_name(const struct timeline *tl, u64 id)
{
	const u64 *slot = hash_find(&tl->cgroups, id, 0);

	return slot ? (const char *)(uintptr_t)*slot : NULL;
}

/* What a kernel's mapping is of. */
static enum dso_kind kernel_dso_kind(const struct map_info *m, bool *rest)
{
	static const char kernel[] = "[kernel.kallsyms]", guest[] = "[guest.kernel.kallsyms";

	*rest = true;
	if (!strncmp(m->name, kernel, strlen(kernel)))
		return DSO_KERNEL;
	if (!strncmp(m->name, guest, strlen(guest)))
		return DSO_GUEST_KERNEL;
	*rest = false;
	return m->guest ? DSO_GUEST_MODULE : DSO_MODULE;
}

static struct map *map_create(struct timeline *tl, const struct map_info *info, struct dso *dso,
			      u64 time)
{
	struct map *m = arena_alloc(&tl->arena, sizeof(*m));

	m->start = info->start;
	m->end = info->start + info->len;
	if (m->end < m->start)
		m->end = -1;
	m->pgoff = info->pgoff;
	m->prot = info->prot;
	m->flags = info->flags;
	m->dso = dso;
	m->from = time;
	m->to = -1;
	return m;
}

void timeline_mmap(struct timeline *tl, const struct map_info *info, u64 time)
{
	bool kernel = info->kernel || info->pid == PID_KERNEL, rest = false;
	enum dso_kind kind = DSO_USER;
	struct dso *dso;
	struct op *op;

	if (kernel)
		kind = kernel_dso_kind(info, &rest);
	if (!info->len && !rest)
		return;
	dso = dso_get(tl->dsos, info->name, kind, info->build_id, info->build_id_size, info->pid);
	op = note(tl, OP_MMAP, kernel ? PID_KERNEL : info->pid, kernel ? info->guest : info->tid,
		  time);
	op->ptid = rest;
	op->map = map_create(tl, info, dso, time);
}

void timeline_ksymbol(struct timeline *tl, u64 addr, u32 len, const char *name, bool unregister,
		      u64 time)
{
	struct map_info info = { .pid = PID_KERNEL, .start = addr, .len = len, .pgoff = addr };
	struct dso *dso = NULL;

	if (!len)
		return;
	if (!unregister) {
		dso = dso_get(tl->dsos, name, DSO_BPF, NULL, 0, PID_KERNEL);
		dso_add_symbol(dso, addr, addr + len, name);
	}
	note(tl, OP_MMAP, PID_KERNEL, 0, time)->map = map_create(tl, &info, dso, time);
}

/* Stable merge sort: what was noted first of equal times stays first. */
static void sort_ops(struct op *ops, u32 nr)
{
	struct op *from = ops, *to = xmalloc((size_t)nr * sizeof(*to)), *other = to;
	size_t width, i;

	for (width = 1; width < nr; width *= 2) {
		struct op *swap;

		for (i = 0; i < nr; i += 2 * width) {
			size_t a = i, mid = min(i + width, (size_t)nr), b = mid;
			size_t end = min(i + 2 * width, (size_t)nr), k = i;

			while (a < mid && b < end)
				to[k++] = from[b].time < from[a].time ? from[b++] : from[a++];
			while (a < mid)
				to[k++] = from[a++];
			while (b < end)
				to[k++] = from[b++];
		}
		swap = from;
		from = to;
		to = swap;
	}
	if (from != ops)
		memcpy(ops, from, (size_t)nr * sizeof(*ops));
	free(other);
}

void timeline_seal(struct timeline *tl)
{
	u32 i;

	if (!tl->nr_ops)
		return;
	if (!tl->ops_sorted)
		sort_ops(tl->ops, tl->nr_ops);
	for (i = 0; i < tl->nr_ops; i++)
		play(tl, &tl->ops[i]);
	free(tl->ops);
	tl->ops = NULL;
	tl->nr_ops = tl->cap_ops = 0;
	tl->ops_sorted = true;
	for (i = 0; i < tl->nr_spaces; i++)
		maps_seal(&tl->spaces[i]->maps);
}

/* A task that nothing introduced, or that was sampled before its fork or after its exit. */
static const struct thread *stranger(struct timeline *tl, u32 pid, u32 tid, u64 from)
{
	struct task *t;
	u64 *slot;

	pthread_mutex_lock(&tl->strangers_lock);
	slot = hash_insert(&tl->strangers, tid, from, NULL);
	if (!*slot) {
		t = task_create(tl, pid, tid, NULL, from);
		t->proc = process_get(tl, pid, from);
		slot = hash_find(&tl->strangers, tid, from);
		*slot = (u64)(uintptr_t)t;
	}
	t = (struct task *)(uintptr_t)*slot;
	pthread_mutex_unlock(&tl->strangers_lock);
	return &t->t;
}

static const struct thread *find_thread(struct timeline *tl, u32 pid, u32 tid, u64 time,
					bool exited_too)
{
	u64 *slot = hash_find(&tl->by_tid, tid, 0);
	struct tid_tasks *tt = slot ? (struct tid_tasks *)(uintptr_t)*slot : NULL;
	u32 lo = 0, hi;

	if (!tt)
		return stranger(tl, pid, tid, 0);
	for (hi = tt->nr; lo < hi; ) {
		u32 mid = lo + (hi - lo) / 2;

		if (tt->tasks[mid]->from <= time)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return stranger(tl, pid, tid, 0);
	if (time > tt->tasks[lo - 1]->to && !exited_too)
		return stranger(tl, pid, tid, tt->tasks[lo - 1]->to + 1);
	return &tt->tasks[lo - 1]->t;
}

const struct thread *timeline_thread(struct timeline *tl, u32 pid, u32 tid, u64 time)
{
	return find_thread(tl, pid, tid, time, false);
}

const struct thread *timeline_thread_kept(struct timeline *tl, u32 pid, u32 tid, u64 time)
{
	return find_thread(tl, pid, tid, time, true);
}

u64 thread_until(const struct thread *t)
{
	return container_of(t, struct task, t)->to;
}

const char *thread_comm_at(struct timeline *tl, const struct thread *t, u64 time, u64 seq)
{
	const struct task *task = container_of(t, struct task, t);
	u32 lo = 0, hi = task->nr_comms;

	while (lo < hi) {
		const struct comm_at *c = &task->comms[lo + (hi - lo) / 2];

		if (c->time < time || (c->time == time && c->seq <= seq))
			lo = c - task->comms + 1;
		else
			hi = c - task->comms;
	}
	return task->comms[lo ? lo - 1 : 0].comm;
}

const char *thread_comm(struct timeline *tl, const struct thread *t, u64 time)
{
	return thread_comm_at(tl, t, time, -1);
}

const struct space *thread_space(struct timeline *tl, const struct thread *t, u64 time)
{
	return &process_space(container_of(t, struct task, t)->proc, time)->sp;
}

const struct space *timeline_kernel_space(struct timeline *tl)
{
	return &tl->kernel->sp;
}

const struct space *timeline_guest_kernel_space(struct timeline *tl)
{
	return &tl->guest_kernel->sp;
}

const struct space *timeline_space(struct timeline *tl, const struct thread *t, u8 cpumode,
				   u64 time)
{
	switch (cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		return &tl->kernel->sp;
	case PERF_RECORD_MISC_USER:
		return thread_space(tl, t, time);
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return &tl->guest_kernel->sp;
	default:
		return NULL;
	}
}

const struct map *space_find(struct timeline *tl, const struct space *sp, u64 addr, u64 time,
			     u64 valid[2])
{
	const struct address_space *as = container_of(sp, struct address_space, sp);
	const struct address_space *level = as;
	const struct map *m;
	u64 next, until;

	m = maps_find(&as->maps, addr, time, &until);
	if (valid) {
		valid[0] = m ? m->from : 0;
		valid[1] = until;
	}
	/* What a fork brought along never changes but by the child's own mappings. */
	while (!m && level->parent) {
		time = level->parent_time;
		level = level->parent;
		m = maps_find(&level->maps, addr, time, &next);
	}
	if (m)
		return m->dso ? m : NULL;
	return as->rest && addr >= as->rest->start ? as->rest : NULL;
}

struct timeline *timeline_create(struct dso_table *dsos)
{
	struct timeline *tl = xcalloc(1, sizeof(*tl));

	tl->dsos = dsos;
	tl->ops_sorted = true;
	pthread_mutex_init(&tl->strangers_lock, NULL);
	tl->kernel = space_create(tl, PID_KERNEL);
	tl->guest_kernel = space_create(tl, PID_KERNEL);
	tid_tasks_add(tid_tasks(tl, 0), task_create(tl, 0, 0, process_get(tl, 0, 0), 0));
	return tl;
}

void timeline_destroy(struct timeline *tl)
{
	u32 i;

	if (!tl)
		return;
	for (i = 0; i < tl->nr_spaces; i++)
		maps_deinit(&tl->spaces[i]->maps);
	for (i = 0; i < tl->nr_procs; i++)
		free(tl->procs[i]->spaces);
	for (i = 0; i < tl->nr_tasks; i++)
		free(tl->tasks[i]->comms);
	for (i = 0; tl->by_tid.slots && i <= tl->by_tid.mask; i++)
		if (tl->by_tid.slots[i].used)
			free(((struct tid_tasks *)(uintptr_t)tl->by_tid.slots[i].value)->tasks);
	free(tl->spaces);
	free(tl->procs);
	free(tl->tasks);
	free(tl->ops);
	hash_deinit(&tl->by_tid);
	hash_deinit(&tl->by_pid);
	hash_deinit(&tl->seen);
	hash_deinit(&tl->comms);
	hash_deinit(&tl->cgroups);
	hash_deinit(&tl->strangers);
	pthread_mutex_destroy(&tl->strangers_lock);
	arena_deinit(&tl->arena);
	free(tl);
}
