// SPDX-License-Identifier: GPL-2.0
/*
 * Pass 1 stores each change as a struct op; timeline_seal_until() sorts and applies them, which
 * gives each task and process a short history for pass 2 (lookup.c).
 */
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/printable.h"
#include "base/sort.h"
#include "event/abi.h"
#include "symbol/dso.h"
#include "timeline/timeline_private.h"

enum op_kind {
	OP_COMM, OP_EXEC, OP_FORK, OP_FORK_SYNTHESIZED, OP_EXIT, OP_MAP, OP_FORGOTTEN,
};

struct op {
	u64 time;
	u64 seq:60;
	u64 kind:4;
	u32 pid, tid;		/* pid -1: the kernel's mapping */
	union {
		const char *comm;
		const void *rec;	/* for tl->read_map() */
		struct {
			u32 ppid, ptid;
		};
	};
};

/* Task numbers are far below this; higher numbers share bits. */
#define WANTED_BITS (1u << 26)

/* Merge sort doubles the memory: longer arrays are sorted in place. */
#define MERGE_MAX ((32u << 20) / sizeof(struct op))

static struct past *task_past(struct timeline *tl, u32 nr)
{
	return &extra_at(tl, task_at(tl, nr)->extra)->past;
}

static struct past *comm_past(struct timeline *tl, u32 nr)
{
	return &comm_at(tl, nr)->past;
}

/* Link object @nr after @newest (0: none): skip pointers as in a skew-binary list. */
static inline void past_link(struct timeline *tl, struct past *(*past_of)(struct timeline *tl, u32 nr),
			     u32 nr, u32 newest)
{
	struct past *new = past_of(tl, nr);
	const struct past *prev, *jump;

	*new = (struct past){ .prev = newest, .jump = newest, .depth = 1 };
	if (!newest)
		return;
	prev = past_of(tl, newest);
	jump = past_of(tl, prev->jump);
	new->depth = prev->depth + 1;
	/* Number 0 exists, all zeroes: it ends every list. */
	if (prev->depth - jump->depth == jump->depth - past_of(tl, jump->jump)->depth)
		new->jump = jump->jump;
}

static u64 hash_of_tid(const void *tl, u32 nr)
{
	return hash_number(task_at(tl, nr)->t.tid);
}

static u64 hash_of_pid(const void *tl, u32 nr)
{
	return hash_number(process_at(tl, nr)->pid);
}

static u64 hash_of_cgroup(const void *tl, u32 nr)
{
	const struct cgroup *c = pool_at(&((const struct timeline *)tl)->cgroups, nr);

	return hash_mix(c->id, 0);
}

static u32 process_create(struct timeline *tl, u32 pid, bool forked)
{
	u32 nr = pool_add(&tl->processes), *at;
	struct process *p = process_at(tl, nr);

	p->pid = pid;
	p->forked = forked;
	slots_each(&tl->by_pid, hash_number(pid), at) {
		if (process_at(tl, *at)->pid != pid)
			continue;
		p->first = process_at(tl, *at)->first;
		*at = nr;
		return nr;
	}
	p->first = nr;
	slots_add(&tl->by_pid, hash_number(pid), nr, hash_of_pid, tl);
	return nr;
}

static u32 process_get(struct timeline *tl, u32 pid)
{
	return timeline_process(tl, pid) ?: process_create(tl, pid, false);
}

static u32 task_name(const struct timeline *tl, const struct task *t)
{
	return t->comms ? comm_at(tl, t->comms)->name : t->name;
}

static void task_set_comm(struct timeline *tl, struct task *t, u32 name, u64 time, u64 seq)
{
	struct comm_at *c;
	u32 nr;

	t->named = true;
	if (task_name(tl, t) == name)
		return;
	nr = pool_add(&tl->comms);
	c = comm_at(tl, nr);
	c->time = time;
	c->seq = seq;
	c->name = name;
	past_link(tl, comm_past, nr, t->comms);
	t->comms = nr;
}

static struct task_extra *task_extra(struct timeline *tl, struct task *t)
{
	if (!t->extra) {
		t->extra = pool_add(&tl->extras);
		extra_at(tl, t->extra)->to = -1;
	}
	return extra_at(tl, t->extra);
}

/* Create a task. If its tid was used before, the task follows the earlier one. */
static struct task *task_create(struct timeline *tl, u32 pid, u32 tid, u32 process, u64 from)
{
	u32 nr = pool_add(&tl->tasks), before = 0, *at;
	struct task *t = task_at(tl, nr);

	t->t = (struct thread){ .id = nr, .pid = pid, .tid = tid };
	t->process = process;
	t->from = from;
	if (!tid) {
		t->name = tl->swapper;
		t->named = true;
	}
	slots_each(&tl->by_tid, hash_number(tid), at) {
		if (task_at(tl, *at)->t.tid == tid) {
			before = *at;
			*at = nr;
			break;
		}
	}
	if (!before) {
		slots_add(&tl->by_tid, hash_number(tid), nr, hash_of_tid, tl);
		return t;
	}
	task_extra(tl, t);
	past_link(tl, task_past, nr, before);
	return t;
}

/* The task with this tid at @time; created if there is none. */
static struct task *task_now(struct timeline *tl, u32 pid, u32 tid, u64 time)
{
	u32 newest = timeline_newest(tl, tid);
	struct task *t = newest ? task_at(tl, newest) : NULL;

	if (t && task_to(tl, t) == (u64)-1) {
		if (t->t.pid == (u32)-1 && pid != (u32)-1) {
			t->t.pid = pid;
			t->process = timeline_process(tl, pid);
		}
		return t;
	}
	/* A task older than the recording gets its process on demand: thread_space(). */
	return task_create(tl, pid, tid, t ? process_get(tl, pid) : timeline_process(tl, pid),
			   t ? time : 0);
}

static u32 task_process(struct timeline *tl, struct task *t)
{
	if (!t->process)
		t->process = process_get(tl, t->t.pid);
	return t->process;
}

static void task_end(struct timeline *tl, struct task *t, u64 time)
{
	if (task_to(tl, t) == (u64)-1)
		task_extra(tl, t)->to = time;
}

/* Let the child inherit the parent's mappings at @time. */
static void look_through(struct timeline *tl, u32 child, u32 parent, u64 time)
{
	const struct process *from = process_at(tl, parent);
	struct process *p = process_at(tl, child);

	if (from->space) {
		p->parent = parent;
		p->parent_time = time;
	} else {
		p->parent = from->parent;
		p->parent_time = from->parent_time;
	}
}

static void play_fork(struct timeline *tl, const struct op *op)
{
	struct task *parent = task_now(tl, op->ppid, op->ptid, op->time), *t;
	u32 before, process;

	if (op->tid == op->ptid)
		return;
	/* The earlier task with this tid has exited. */
	before = timeline_newest(tl, op->tid);
	if (before)
		task_end(tl, task_at(tl, before), op->time);

	if (op->pid == op->ppid) {
		process = task_process(tl, parent);
	} else if (op->pid != op->tid) {
		process = process_get(tl, op->pid);
	} else {
		process = process_create(tl, op->pid, true);
		if (op->kind == OP_FORK && parent->process)
			look_through(tl, process, parent->process, op->time);
	}
	t = task_create(tl, op->pid, op->tid, process, op->time);
	if (parent->named) {
		t->name = task_name(tl, parent);
		t->named = true;
	}
}

/* Intern a task's name. */
static u32 add_name(struct timeline *tl, const char *name)
{
	_cleanup_free_ char *copy = NULL;

	if (printable(name))
		return names_add(&tl->names, name);
	copy = xstrdup(name);
	make_printable(copy, strlen(copy), false);
	return names_add(&tl->names, copy);
}

static void play(struct timeline *tl, const struct op *op)
{
	struct map_info info;
	struct task *t;
	u32 process;

	switch (op->kind) {
	case OP_COMM:
	case OP_EXEC:
		/* User addresses are the old image's until its mappings are mapped over. */
		t = task_now(tl, op->pid, op->tid, op->time);
		task_set_comm(tl, t, add_name(tl, op->comm), op->time, op->seq);
		break;
	case OP_FORK:
	case OP_FORK_SYNTHESIZED:
		play_fork(tl, op);
		break;
	case OP_EXIT:
		if (timeline_newest(tl, op->tid))
			task_end(tl, task_at(tl, timeline_newest(tl, op->tid)), op->time);
		else
			task_end(tl, task_now(tl, op->pid, op->tid, 0), op->time);
		break;
	case OP_MAP:
		tl->read_map(op->rec, &info);
		process = op->pid == PID_KERNEL ? 0 :
			  task_process(tl, task_now(tl, op->pid, op->tid, op->time));
		timeline_map(tl, process, &info, op->rec, op->time);
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
	/* seq increases, so (time, seq) is a strict order. */
	*op = (struct op){ .time = time, .seq = tl->seq++, .pid = pid, .tid = tid, .kind = kind };
	return op;
}

void timeline_at(struct timeline *tl, u64 seq)
{
	tl->seq = seq;
}

void timeline_comm(struct timeline *tl, u32 pid, u32 tid, const char *comm, bool exec, u64 time)
{
	note(tl, exec ? OP_EXEC : OP_COMM, pid, tid, time)->comm = comm;
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

static bool is_wanted(const struct timeline *tl, u32 id)
{
	id %= WANTED_BITS;
	return tl->wanted[id / 64] >> id % 64 & 1;
}

static void want(struct timeline *tl, u32 id)
{
	id %= WANTED_BITS;
	tl->wanted[id / 64] |= 1ULL << id % 64;
}

static void drop_wanted(struct timeline *tl)
{
	if (tl->wanted)
		munmap(tl->wanted, WANTED_BITS / 8);
	tl->wanted = NULL;
}

void timeline_seen(struct timeline *tl, u32 pid, u32 tid)
{
	if (tl->all_asked)
		return;
	want(tl, pid);
	want(tl, tid);
}

void timeline_only_seen(struct timeline *tl)
{
	tl->all_asked = false;
	/* Only the pages of bits in use are allocated. */
	tl->wanted = mmap(NULL, WANTED_BITS / 8, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (tl->wanted == MAP_FAILED) {
		tl->wanted = NULL;
		tl->all_asked = true;
		return;
	}
	want(tl, 0);
}

void timeline_cgroup(struct timeline *tl, u64 id, const char *path)
{
	u64 hash = hash_mix(id, 0);
	struct cgroup *c;
	u32 *at, nr;

	slots_each(&tl->by_cgroup, hash, at) {
		c = pool_at(&tl->cgroups, *at);
		if (c->id == id) {
			c->name = add_name(tl, path);
			return;
		}
	}
	nr = pool_add(&tl->cgroups);
	c = pool_at(&tl->cgroups, nr);
	c->id = id;
	c->name = add_name(tl, path);
	slots_add(&tl->by_cgroup, hash, nr, hash_of_cgroup, tl);
}

void timeline_records(struct timeline *tl, timeline_read_map *read, void (*release)(void *ctx),
		      void *ctx)
{
	tl->read_map = read;
	tl->release = release;
	tl->records = ctx;
}

void timeline_map_record(struct timeline *tl, const void *rec, u64 time)
{
	struct map_info info;

	tl->read_map(rec, &info);
	if (timeline_maps_something(&info))
		note(tl, OP_MAP, info.kernel ? PID_KERNEL : info.pid, info.tid, time)->rec = rec;
}

static bool op_before(const struct op *a, const struct op *b)
{
	return a->time < b->time || (a->time == b->time && a->seq < b->seq);
}

DEFINE_HEAP_SORT(sort_in_place, struct op, op_before)

DEFINE_MERGE_SORT(sort_by_merging, struct op, op_before)

static void sort_ops(struct op *ops, u32 nr)
{
	struct sort_room room = { 0 };

	if (nr > MERGE_MAX) {
		sort_in_place(ops, nr);
		return;
	}
	sort_by_merging(ops, nr, &room);
	sort_room_deinit(&room);
}

/* Drop ops of tasks that nobody wants: parents and processes of wanted ones are wanted, too. */
static void forget_unwanted(struct timeline *tl)
{
	u32 i, nr = 0;

	for (i = tl->nr_ops; i-- > 0; ) {
		struct op *op = &tl->ops[i];

		if (op->kind == OP_MAP && op->pid == PID_KERNEL)
			continue;
		if (!is_wanted(tl, op->pid) && !is_wanted(tl, op->tid)) {
			op->kind = OP_FORGOTTEN;
			continue;
		}
		want(tl, op->pid);
		want(tl, op->tid);
		if (op->kind == OP_FORK || op->kind == OP_FORK_SYNTHESIZED) {
			want(tl, op->ppid);
			want(tl, op->ptid);
		}
	}
	for (i = 0; i < tl->nr_ops; i++)
		if (tl->ops[i].kind != OP_FORGOTTEN)
			tl->ops[nr++] = tl->ops[i];
	tl->nr_ops = tl->cap_ops = nr;
	tl->ops = xrealloc(tl->ops, (size_t)nr * sizeof(*tl->ops));
	drop_wanted(tl);
	tl->all_asked = true;
}

/* Release the memory of ops that were applied; objects made from the others need it. */
static void release_played(struct op *from, struct op *to)
{
	const uintptr_t page = sysconf(_SC_PAGESIZE);
	uintptr_t start = ALIGN_UP((uintptr_t)from, page), end = (uintptr_t)to & ~(page - 1);

	if (start < end)
		madvise((void *)start, end - start, MADV_DONTNEED);
}

void timeline_seal_until(struct timeline *tl, u64 until)
{
	const u32 step = 1 << 16;
	u32 i;

	if (!tl->ops_sorted)
		sort_ops(tl->ops, tl->nr_ops);
	if (!tl->all_asked)
		forget_unwanted(tl);
	for (i = 0; i < tl->nr_ops && tl->ops[i].time <= until; i++) {
		play(tl, &tl->ops[i]);
		if (i % step != step - 1)
			continue;
		release_played(&tl->ops[i + 1 - step], &tl->ops[i + 1]);
		if (tl->release)
			tl->release(tl->records);
	}
	tl->known_until = until;
	tl->ops_sorted = true;
	tl->nr_ops -= i;
	if (tl->nr_ops) {
		memmove(tl->ops, tl->ops + i, tl->nr_ops * sizeof(*tl->ops));
		return;
	}
	free(tl->ops);
	tl->ops = NULL;
	tl->cap_ops = 0;
}

void timeline_known_until(struct timeline *tl, u64 time)
{
	tl->known_until = time;
}

struct timeline *timeline_create(struct dso_table *dsos)
{
	struct timeline *tl = xcalloc(1, sizeof(*tl));

	tl->dsos = dsos;
	tl->ops_sorted = true;
	tl->all_asked = true;
	tl->tasks = POOL(struct task);
	tl->extras = POOL(struct task_extra);
	tl->comms = POOL(struct comm_at);
	tl->processes = POOL(struct process);
	tl->spaces = POOL(struct address_space);
	tl->cgroups = POOL(struct cgroup);
	tl->maps = POOL(struct map);
	tl->noted = POOL(struct noted_map);
	pthread_mutex_init(&tl->lock, NULL);
	tl->swapper = names_add(&tl->names, "swapper");
	tl->kernel = timeline_space_create(tl, PID_KERNEL);
	tl->guest_kernel = timeline_space_create(tl, PID_KERNEL);
	tl->no_space = timeline_space_create(tl, 0);
	pool_add(&tl->extras);		/* object 0, which ends the lists */
	task_create(tl, 0, 0, process_get(tl, 0), 0);
	return tl;
}

void timeline_destroy(struct timeline *tl)
{
	u32 i;

	if (!tl)
		return;
	for (i = 1; i < tl->spaces.nr; i++)
		maps_deinit(&space_at(tl, i)->maps);
	pool_deinit(&tl->tasks);
	pool_deinit(&tl->extras);
	pool_deinit(&tl->comms);
	pool_deinit(&tl->processes);
	pool_deinit(&tl->spaces);
	pool_deinit(&tl->cgroups);
	pool_deinit(&tl->maps);
	pool_deinit(&tl->noted);
	slots_deinit(&tl->by_tid);
	slots_deinit(&tl->by_pid);
	slots_deinit(&tl->by_cgroup);
	slots_deinit(&tl->unknown_threads);
	names_deinit(&tl->names);
	free(tl->ops);
	drop_wanted(tl);
	pthread_mutex_destroy(&tl->lock);
	arena_deinit(&tl->arena);
	free(tl);
}
