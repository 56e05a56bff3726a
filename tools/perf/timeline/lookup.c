// SPDX-License-Identifier: GPL-2.0
/* Pass 2: look-ups in the sealed timeline, on any threads. The lock is held to create objects. */
#include <sys/mman.h>

#include "base/hash.h"
#include "base/path.h"
#include "event/abi.h"
#include "symbol/dso.h"
#include "symbol/jit.h"
#include "timeline/timeline_private.h"

static u64 hash_of_unknown_thread(const void *tl, u32 nr)
{
	const struct task *t = task_at(tl, nr);

	return hash_mix(t->t.tid, 0);
}

/* A task without a record, or sampled before its fork. */
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
 * The task with the tid at @time; NULL: none with a record. It keeps its tid after its exit: the
 * EXIT record comes before it frees its memory and leaves its CPU, with samples. @until: set to
 * when the next task got the tid, if one did
 */
static const struct task *task_with(const struct timeline *tl, u32 tid, u64 time, u64 *until)
{
	u32 nr = timeline_newest(tl, tid);

	while (nr) {
		const struct task *t = task_at(tl, nr);
		const struct past *past;

		if (likely(t->from <= time))
			return t;
		*until = t->from;
		/* Object 0 exists and is all zeroes. */
		past = &extra_at(tl, t->extra)->past;
		nr = past->prev;
		if (past->jump && task_at(tl, past->jump)->from > time)
			nr = past->jump;
	}
	return NULL;
}

const struct thread *timeline_thread_brief(struct timeline *tl, u32 pid, u32 tid, u64 time,
					   struct unknown_thread *tmp)
{
	u64 until = -1;
	const struct task *t = task_with(tl, tid, time, &until);

	return likely(t) ? &t->t : unknown_thread(tl, pid, tid, until, tmp);
}

const struct thread *timeline_thread(struct timeline *tl, u32 pid, u32 tid, u64 time)
{
	return timeline_thread_brief(tl, pid, tid, time, NULL);
}

bool timeline_same_task(const struct timeline *tl, u32 tid, u64 from, u64 to)
{
	u64 until;
	const struct task *t = task_with(tl, tid, to, &until);

	return !t || t->from <= from;
}

enum process_age timeline_has_process(const struct timeline *tl, u32 pid)
{
	u32 process = timeline_process(tl, pid);
	const struct process *p;

	if (!process)
		return timeline_newest(tl, pid) ? PROCESS_OLDER : PROCESS_ABSENT;
	p = process_at(tl, process);
	return p->forked || p->young ? PROCESS_YOUNG : PROCESS_OLDER;
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

/* The number of ":TID", the name of a task without a recorded name. */
static u32 default_name(struct timeline *tl, const struct thread *t)
{
	char tmp[THREAD_NAME_SIZE];
	u32 name;

	pthread_mutex_lock(&tl->lock);
	name = names_add(&tl->names, tid_name(t, tmp));
	pthread_mutex_unlock(&tl->lock);
	return name;
}

/* The number of the recorded name; 0: none. */
static u32 recorded_name(const struct timeline *tl, const struct task *t, u64 time, u64 seq)
{
	u32 nr;

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
	return id ? "unknown" : "N/A";
}

/* The process of a task without a record, by its pid. 0: unknown. */
static u32 unknown_process(const struct timeline *tl, u32 pid, u64 from)
{
	u32 nr = timeline_process(tl, pid);

	/* One from the start is of the pid's first process, unless that was forked later. */
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
			    struct map_area *area)
{
	if (unlikely(!__atomic_load_n(&as->indexed, __ATOMIC_ACQUIRE))) {
		pthread_mutex_lock(&tl->lock);
		if (!as->indexed) {
			maps_seal(&as->maps);
			__atomic_store_n(&as->indexed, true, __ATOMIC_RELEASE);
		}
		pthread_mutex_unlock(&tl->lock);
	}
	return maps_find(&as->maps, addr, time, area);
}

static const struct map *with_file(struct timeline *tl, struct address_space *as, struct map *m);

/* Limit of forks without exec that a mapping is inherited through. Fork servers nest a few. */
#define ANCESTORS_MAX 1024

/*
 * The newest mapping of an address at a time, in a space or those it was copied from by forks. @as:
 * set to the one that has it. @area: as by maps_find(), .until when another mapping replaces it
 */
static struct map *find_inherited(struct timeline *tl, struct address_space **as, u64 addr,
				  u64 time, struct map_area *area)
{
	struct map *m = find_map(tl, *as, addr, time, area);
	const u64 until = area->until;
	u32 process = (*as)->process, left = ANCESTORS_MAX;
	struct address_space *parent;

	/* An inherited mapping can be replaced only by the child's own mappings. */
	while (!m && process && left--) {
		const struct process *p = process_at(tl, process);

		time = p->parent_time;
		process = p->parent;
		if (!process)
			break;
		parent = space_at(tl, space_of(tl, process));
		m = find_map(tl, parent, addr, time, area);
		if (m)
			*as = parent;
	}
	area->until = until;
	return m;
}

/* Maximum number of copied pieces that are skipped to reach the file around them. */
#define PIECES_MAX 16

/* May code have been copied there? (Explicit huge pages are a removed file of hugetlbfs.) */
static bool may_be_copy(const struct map_info *m)
{
	return !m->kernel && !m->data && !m->build_id_size && !m->unregister &&
	       (jit_is_code(m->name) || m->name[path_without_deleted(m->name)]);
}

/* The nearest file mapping before or behind @m, with only such memory between them. NULL: none. */
static const struct map *file_beside(struct timeline *tl, struct address_space *as, const struct map *m, bool behind)
{
	const u64 time = m->from;
	struct map_info info;
	struct map_area area = MAP_AREA_ALL;
	struct map *next = NULL;
	const void *rec;
	u32 i;

	for (i = 0; i < PIECES_MAX; i++, m = next) {
		struct address_space *at = as;

		next = find_inherited(tl, &at, behind ? m->end : m->start - 1, time, &area);
		rec = next ? map_record(__atomic_load_n(&next->dso, __ATOMIC_ACQUIRE)) : NULL;
		if (!rec)
			break;
		tl->read_map(rec, &info);
		if (!may_be_copy(&info))
			return with_file(tl, at, next);
	}
	return i < PIECES_MAX && next && next->dso ? next : NULL;
}

/*
 * Some programs copy their code to huge pages in the middle of the file's mapping: the file is then
 * on both sides, with offsets as of one mapping, or the copy has its whole range. Return: the
 * mapping that @m is a copy of, or NULL.
 */
static const struct map *copied_from(struct timeline *tl, struct address_space *as, const struct map *m)
{
	const struct map *a = file_beside(tl, as, m, false), *b = a ? file_beside(tl, as, m, true) : NULL;
	struct map_area area = MAP_AREA_ALL;
	u64 time = m->from;
	struct map_info info;
	struct map *was;
	const void *rec;
	u32 i;

	if (a && b && a->dso == b->dso && a->pgoff - a->start == b->pgoff - b->start)
		return a;
	for (i = 0; i < PIECES_MAX && time; i++, time = was->from) {
		was = find_inherited(tl, &as, m->start, time - 1, &area);
		if (!was || was->start != m->start || was->end != m->end)
			return NULL;
		rec = map_record(__atomic_load_n(&was->dso, __ATOMIC_ACQUIRE));
		if (!rec)
			return was->dso && (was->prot & PROT_EXEC) ? was : NULL;
		tl->read_map(rec, &info);
		if (!may_be_copy(&info))
			return info.data ? NULL : with_file(tl, as, was);
	}
	return NULL;
}

/* Find a mapping's file at the first look-up in it. @as: the space that has it */
static const struct map *with_file(struct timeline *tl, struct address_space *as, struct map *m)
{
	struct dso *dso = __atomic_load_n(&m->dso, __ATOMIC_ACQUIRE);
	const void *rec = map_record(dso);
	const struct map *from = NULL;
	struct map_info info;

	if (likely(!rec))
		return dso ? m : NULL;
	tl->read_map(rec, &info);
	if (unlikely(may_be_copy(&info)))
		from = copied_from(tl, as, m);
	if (from && (from->dso->memory || !strcmp(from->dso->path, info.name)))
		from = NULL;
	pthread_mutex_lock(&tl->lock);
	if (map_record(m->dso)) {
		if (from)
			m->pgoff = from->pgoff + (m->start - from->start);
		dso = from ? from->dso : timeline_file_of(tl, &info);
		__atomic_store_n(&m->dso, dso, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&tl->lock);
	return m;
}

const struct map *space_find(struct timeline *tl, const struct space *sp, u64 addr, u64 time,
			     struct map_area *area)
{
	struct address_space *as = (struct address_space *)container_of(sp, struct address_space, sp), *at = as;
	struct map_area found = MAP_AREA_ALL;
	struct map *m = find_inherited(tl, &at, addr, time, &found);
	const struct map *rest = as->rest;

	if (!m && rest && addr >= rest->start)
		found.start = max(found.start, rest->start);
	else if (!m && rest)
		found.end = min(found.end, rest->start);
	if (area) {
		*area = found;
		area->from = m && at == as ? m->from : 0;
		if (tl->known_until != (u64)-1)
			area->until = min(found.until, max(time, tl->known_until) + 1);
	}
	if (m)
		return with_file(tl, at, m);
	return rest && addr >= rest->start ? rest : NULL;
}

struct dso *space_made_names(struct timeline *tl, const struct space *sp, bool own)
{
	u32 process = container_of(sp, struct address_space, sp)->process, left = ANCESTORS_MAX;
	struct dso *d;

	for (; process && left--; process = own ? 0 : process_at(tl, process)->parent) {
		d = dso_get(tl->dsos, "//anon", DSO_USER, NULL, 0, process_at(tl, process)->pid);
		if (!dso_why_no_symbols(d))
			return d;
	}
	return NULL;
}

u32 space_search(struct timeline *tl, const struct space *sp, u64 time,
		 u32 (*wanted)(const char *path))
{
	const struct address_space *as = container_of(sp, struct address_space, sp);
	const struct process *p;
	struct map_info info;
	const struct dso *dso;
	u32 i, found, left = ANCESTORS_MAX;

	for (;; as = space_at(tl, space_of(tl, p->parent))) {
		for (i = as->maps.nr; i--;) {
			const struct map *m = maps_at(&as->maps, i);

			dso = m->from <= time ? __atomic_load_n(&m->dso, __ATOMIC_ACQUIRE) : NULL;
			if (map_record(dso))
				tl->read_map(map_record(dso), &info);
			found = !dso ? 0 : wanted(map_record(dso) ? info.name : dso->path);
			if (found)
				return found;
		}
		p = as->process ? process_at(tl, as->process) : NULL;
		if (!p || !p->parent || !left--)
			return 0;
		time = p->parent_time;
	}
}
