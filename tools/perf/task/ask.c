// SPDX-License-Identifier: GPL-2.0
/*
 * Pass 2 asks the sealed timeline, from several threads at once. What the answer needs and
 * is not there yet is made under the lock.
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/hash.h"
#include "event/abi.h"
#include "symbol/dso.h"
#include "task/private.h"

static u64 hash_of_stranger(const void *tl, u32 nr)
{
	const struct task *t = task_at(tl, nr);

	return hash_mix(t->t.tid, t->from);
}

/* A task that nothing introduced, or that was sampled before its fork or after its exit. */
static const struct thread *stranger(struct timeline *tl, u32 pid, u32 tid, u64 from, u64 until,
				     struct stranger *tmp)
{
	u64 hash = hash_mix(tid, from);
	struct task *t;
	u32 *at, nr;

	if (tmp) {
		if (tmp->t.id != THREAD_BRIEF || tmp->t.tid != tid) {
			tmp->t.id = THREAD_BRIEF;
			snprintf(tmp->name, sizeof(tmp->name), ":%d", (int)tid);
		}
		tmp->t.pid = pid;
		tmp->t.tid = tid;
		tmp->from = from;
		tmp->until = until;
		return &tmp->t;
	}
	pthread_mutex_lock(&tl->lock);
	slots_each(&tl->strangers, hash, at) {
		t = task_at(tl, *at);
		if (t->t.tid == tid && t->from == from)
			goto out;
	}
	nr = pool_add(&tl->tasks);
	t = task_at(tl, nr);
	t->t = (struct thread){ .id = nr, .pid = pid, .tid = tid };
	t->from = from;
	t->to = until;
	slots_add(&tl->strangers, hash, nr, hash_of_stranger, tl);
out:
	pthread_mutex_unlock(&tl->lock);
	return &t->t;
}

static const struct thread *find_thread(struct timeline *tl, u32 pid, u32 tid, u64 time,
					bool kept, struct stranger *tmp)
{
	u32 nr = timeline_newest(tl, tid);
	u64 until = -1;

	while (nr) {
		const struct task *t = task_at(tl, nr);

		if (likely(t->from <= time)) {
			if (time <= t->to || kept)
				return &t->t;
			return stranger(tl, pid, tid, t->to + 1, -1, tmp);
		}
		until = t->from;
		nr = t->past.prev;
		if (t->past.jump && task_at(tl, t->past.jump)->from > time)
			nr = t->past.jump;
	}
	return stranger(tl, pid, tid, 0, until, tmp);
}

const struct thread *timeline_thread(struct timeline *tl, u32 pid, u32 tid, u64 time)
{
	return find_thread(tl, pid, tid, time, false, NULL);
}

const struct thread *timeline_thread_kept(struct timeline *tl, u32 pid, u32 tid, u64 time)
{
	return find_thread(tl, pid, tid, time, true, NULL);
}

const struct thread *timeline_thread_brief(struct timeline *tl, u32 pid, u32 tid, u64 time,
					   bool kept, struct stranger *tmp)
{
	return find_thread(tl, pid, tid, time, kept, tmp);
}

u64 thread_until(const struct thread *t)
{
	if (t->id == THREAD_BRIEF)
		return container_of(t, struct stranger, t)->until;
	return container_of(t, struct task, t)->to;
}

/* ":TID", for a task of which nothing told a name */
static u32 default_name(struct timeline *tl, struct task *t)
{
	char s[16];
	u32 name;

	snprintf(s, sizeof(s), ":%d", (int)t->t.tid);
	pthread_mutex_lock(&tl->lock);
	name = names_add(&tl->names, s);
	pthread_mutex_unlock(&tl->lock);
	__atomic_store_n(&t->name, name, __ATOMIC_RELEASE);
	return name;
}

const char *thread_comm_at(struct timeline *tl, const struct thread *t, u64 time, u64 seq)
{
	struct task *task;
	u32 nr, name;

	if (t->id == THREAD_BRIEF)
		return container_of(t, struct stranger, t)->name;
	task = (struct task *)container_of(t, struct task, t);
	for (nr = task->comms; nr; ) {
		const struct comm_at *c = comm_at(tl, nr), *j;

		if (c->time < time || (c->time == time && c->seq <= seq))
			return names_at(&tl->names, c->name);
		nr = c->past.prev;
		if (!c->past.jump)
			continue;
		j = comm_at(tl, c->past.jump);
		if (j->time > time || (j->time == time && j->seq > seq))
			nr = c->past.jump;
	}
	name = __atomic_load_n(&task->name, __ATOMIC_ACQUIRE) ?: default_name(tl, task);
	return names_at(&tl->names, name);
}

const char *thread_comm(struct timeline *tl, const struct thread *t, u64 time)
{
	return thread_comm_at(tl, t, time, -1);
}

const char *timeline_cgroup_name(const struct timeline *tl, u64 id)
{
	u32 *at;

	slots_each(&tl->by_cgroup, hash_mix(id, 0), at) {
		const struct cgroup *c = pool_at(&tl->cgroups, *at);

		if (c->id == id)
			return names_at(&tl->names, c->name);
	}
	return NULL;
}

/* The process of a task that nothing introduced: what its pid says. 0: unknown. */
static u32 stranger_process(const struct timeline *tl, u32 pid, u64 from)
{
	u32 nr = timeline_process(tl, pid);

	/* One that was there from the start belongs to the process that was. */
	if (!nr || from)
		return nr;
	nr = process_at(tl, nr)->first;
	return process_at(tl, nr)->forked ? 0 : nr;
}

const struct space *thread_space(struct timeline *tl, const struct thread *t, u64 time __unused)
{
	u32 process, nr;

	if (t->id == THREAD_BRIEF)
		process = stranger_process(tl, t->pid, container_of(t, struct stranger, t)->from);
	else
		process = container_of(t, struct task, t)->process ?:
			  stranger_process(tl, t->pid, container_of(t, struct task, t)->from);
	if (!process)
		return &tl->nobody->sp;
	nr = __atomic_load_n(&process_at(tl, process)->space, __ATOMIC_ACQUIRE);
	if (likely(nr))
		return &space_at(tl, nr)->sp;
	if (!process_at(tl, process)->parent)
		return &tl->nobody->sp;
	pthread_mutex_lock(&tl->lock);
	nr = timeline_space_of(tl, process)->sp.id;
	pthread_mutex_unlock(&tl->lock);
	return &space_at(tl, nr)->sp;
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

static struct map *find_map(struct timeline *tl, struct address_space *as, u64 addr, u64 time,
			    u64 *next)
{
	if (unlikely(!__atomic_load_n(&as->indexed, __ATOMIC_ACQUIRE))) {
		pthread_mutex_lock(&tl->lock);
		if (!as->indexed) {
			maps_seal(&as->maps);
			__atomic_store_n(&as->indexed, true, __ATOMIC_RELEASE);
		}
		pthread_mutex_unlock(&tl->lock);
	}
	return maps_find(&as->maps, addr, time, next);
}

/* A mapping's file is looked for when the first address in it is. */
static const struct map *with_file(struct timeline *tl, struct map *m)
{
	struct dso *dso = __atomic_load_n(&m->dso, __ATOMIC_ACQUIRE);
	const void *rec = map_record(dso);
	struct map_info info;

	if (likely(!rec))
		return dso ? m : NULL;
	pthread_mutex_lock(&tl->lock);
	if (map_record(m->dso)) {
		tl->read_map(rec, &info);
		__atomic_store_n(&m->dso, timeline_file_of(tl, &info), __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&tl->lock);
	return m;
}

const struct map *space_find(struct timeline *tl, const struct space *sp, u64 addr, u64 time,
			     u64 valid[2])
{
	struct address_space *as = (struct address_space *)container_of(sp, struct address_space, sp);
	struct map *m;
	u64 next, until;
	u32 process;

	m = find_map(tl, as, addr, time, &until);
	if (valid) {
		valid[0] = m ? m->from : 0;
		valid[1] = until;
	}
	/* What a fork brought along never changes but by the child's own mappings. */
	for (process = as->process; !m && process; ) {
		const struct process *p = process_at(tl, process);

		time = p->parent_time;
		process = p->parent;
		if (process)
			m = find_map(tl, space_at(tl, process_at(tl, process)->space), addr, time,
				     &next);
	}
	if (m)
		return with_file(tl, m);
	return as->rest && addr >= as->rest->start ? as->rest : NULL;
}
