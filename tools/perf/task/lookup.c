// SPDX-License-Identifier: GPL-2.0
/*
 * Pass 2: look-ups in the sealed timeline, from several threads at once. Objects that a look-up
 * needs and that do not exist yet are made under the lock.
 */
#include "base/hash.h"
#include "event/abi.h"
#include "symbol/dso.h"
#include "task/private.h"

static u64 hash_of_unknown_thread(const void *tl, u32 nr)
{
	const struct task *t = task_at(tl, nr);

	return hash_mix(t->t.tid, 0);
}

/* A task that nothing introduced, or that was sampled before its fork. */
static const struct thread *unknown_thread(struct timeline *tl, u32 pid, u32 tid, u64 until,
					   struct unknown_thread *tmp)
{
	u64 hash = hash_mix(tid, 0);
	struct task *t;
	u32 *at, nr;

	if (tmp) {
		tmp->t = (struct thread){ .id = THREAD_BRIEF, .pid = pid, .tid = tid };
		tmp->until = until;
		return &tmp->t;
	}
	pthread_mutex_lock(&tl->lock);
	slots_each(&tl->unknown_threads, hash, at) {
		t = task_at(tl, *at);
		if (t->t.tid == tid)
			goto out;
	}
	nr = pool_add(&tl->tasks);
	t = task_at(tl, nr);
	t->t = (struct thread){ .id = nr, .pid = pid, .tid = tid };
	if (until != (u64)-1) {
		t->extra = pool_add(&tl->extras);
		extra_at(tl, t->extra)->to = until;
	}
	slots_add(&tl->unknown_threads, hash, nr, hash_of_unknown_thread, tl);
out:
	pthread_mutex_unlock(&tl->lock);
	return &t->t;
}

/*
 * An exit does not take the tid away: the kernel writes the EXIT record before the task gives its
 * memory back and switches away for the last time, and samples of that are the task's.
 */
static const struct thread *find_thread(struct timeline *tl, u32 pid, u32 tid, u64 time,
					struct unknown_thread *tmp)
{
	u32 nr = timeline_newest(tl, tid);
	u64 until = -1;

	while (nr) {
		const struct task *t = task_at(tl, nr);
		const struct past *past;

		if (likely(t->from <= time))
			return &t->t;
		until = t->from;
		/* Number 0 is there, all zeroes. */
		past = &extra_at(tl, t->extra)->past;
		nr = past->prev;
		if (past->jump && task_at(tl, past->jump)->from > time)
			nr = past->jump;
	}
	return unknown_thread(tl, pid, tid, until, tmp);
}

const struct thread *timeline_thread(struct timeline *tl, u32 pid, u32 tid, u64 time)
{
	return find_thread(tl, pid, tid, time, NULL);
}

const struct thread *timeline_thread_brief(struct timeline *tl, u32 pid, u32 tid, u64 time,
					   struct unknown_thread *tmp)
{
	return find_thread(tl, pid, tid, time, tmp);
}

u64 thread_until(const struct timeline *tl, const struct thread *t)
{
	if (t->id == THREAD_BRIEF)
		return container_of(t, struct unknown_thread, t)->until;
	return task_to(tl, container_of(t, struct task, t));
}

/* ":TID". Return: @tmp. */
static const char *tid_name(const struct thread *t, char tmp[THREAD_NAME_SIZE])
{
	u32 v = (s32)t->tid < 0 ? -t->tid : t->tid;
	char digits[THREAD_NAME_SIZE], *d = &digits[sizeof(digits)], *p = tmp;

	do
		*--d = '0' + v % 10;
	while (v /= 10);
	*p++ = ':';
	if ((s32)t->tid < 0)
		*p++ = '-';
	memcpy(p, d, &digits[sizeof(digits)] - d);
	p[&digits[sizeof(digits)] - d] = 0;
	return tmp;
}

/* ":TID", for a task of which no record has a name */
static u32 default_name(struct timeline *tl, const struct thread *t)
{
	char tmp[THREAD_NAME_SIZE];
	u32 name;

	pthread_mutex_lock(&tl->lock);
	name = names_add(&tl->names, tid_name(t, tmp));
	pthread_mutex_unlock(&tl->lock);
	return name;
}

/* The name that records gave it; 0: none did */
static u32 recorded_name(const struct timeline *tl, const struct task *t, u64 time, u64 seq)
{
	u32 nr;

	if (t->only_comm) {
		u64 since = t->only_at_0 ? 0 : t->only_seq;

		if (since < time || (since == time && t->only_seq <= seq))
			return t->comms;
		return __atomic_load_n(&t->name, __ATOMIC_ACQUIRE);
	}
	for (nr = t->comms; nr; ) {
		const struct comm_at *c = comm_at(tl, nr), *j;

		if (c->time < time || (c->time == time && c->seq <= seq))
			return c->name;
		nr = c->past.prev;
		if (!c->past.jump)
			continue;
		j = comm_at(tl, c->past.jump);
		if (j->time > time || (j->time == time && j->seq > seq))
			nr = c->past.jump;
	}
	return __atomic_load_n(&t->name, __ATOMIC_ACQUIRE);
}

const char *thread_comm_at(struct timeline *tl, const struct thread *t, u64 time, u64 seq,
			   char tmp[THREAD_NAME_SIZE])
{
	u32 name;

	if (t->id == THREAD_BRIEF)
		return tid_name(t, tmp);
	name = recorded_name(tl, container_of(t, struct task, t), time, seq);
	return name ? names_at(&tl->names, name) : tid_name(t, tmp);
}

const char *thread_comm(struct timeline *tl, const struct thread *t, u64 time)
{
	struct task *task = (struct task *)container_of(t, struct task, t);
	u32 name;

	if (t->id == THREAD_BRIEF)
		return names_at(&tl->names, default_name(tl, t));
	name = recorded_name(tl, task, time, -1);
	if (!name) {
		name = default_name(tl, t);
		__atomic_store_n(&task->name, name, __ATOMIC_RELEASE);
	}
	return names_at(&tl->names, name);
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
static u32 unknown_process(const struct timeline *tl, u32 pid, u64 from)
{
	u32 nr = timeline_process(tl, pid);

	/* One that was there from the start belongs to the process that was. */
	if (!nr || from)
		return nr;
	nr = process_at(tl, nr)->first;
	return process_at(tl, nr)->forked ? 0 : nr;
}

static u32 space_of(struct timeline *tl, u32 process)
{
	u32 nr = __atomic_load_n(&process_at(tl, process)->space, __ATOMIC_ACQUIRE);

	if (likely(nr && !(nr & NOTED)))
		return nr;
	pthread_mutex_lock(&tl->lock);
	nr = timeline_space_of(tl, process)->sp.id;
	pthread_mutex_unlock(&tl->lock);
	return nr;
}

const struct space *thread_space(struct timeline *tl, const struct thread *t, u64 time __unused)
{
	const struct process *p;
	u32 process;

	if (t->id == THREAD_BRIEF)
		process = unknown_process(tl, t->pid, 0);
	else
		process = container_of(t, struct task, t)->process ?:
			  unknown_process(tl, t->pid, container_of(t, struct task, t)->from);
	if (!process)
		return &tl->no_space->sp;
	p = process_at(tl, process);
	if (!p->parent && !__atomic_load_n(&p->space, __ATOMIC_RELAXED))
		return &tl->no_space->sp;
	return &space_at(tl, space_of(tl, process))->sp;
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
			m = find_map(tl, space_at(tl, space_of(tl, process)), addr, time, &next);
	}
	if (m)
		return with_file(tl, m);
	return as->rest && addr >= as->rest->start ? as->rest : NULL;
}
