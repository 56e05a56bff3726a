// SPDX-License-Identifier: GPL-2.0
/*
 * Address spaces, made at the first look-up: until then only record and time of mappings are
 * stored.
 */
#include "base/arena.h"
#include "event/abi.h"
#include "symbol/dso.h"
#include "timeline/timeline_private.h"

/* Limit of kernels with a file. A recording has the host's kernel, and perhaps a guest's. */
#define KERNELS_MAX 64

/* The space of a process with more mappings than this is made without waiting for a look-up. */
#define NOTED_MAX 8

/* The kind of dso that a kernel mapping maps. @rest: set to true if it is the kernel's text map. */
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

struct dso *timeline_file_of(struct timeline *tl, const struct map_info *info)
{
	enum dso_kind kind = info->data ? DSO_DATA : DSO_USER;
	const char *name = info->name;
	struct dso *dso;
	bool rest;

	if (info->bpf) {
		dso = dso_get(tl->dsos, info->name, DSO_BPF, NULL, 0, PID_KERNEL);
		dso_add_symbol(dso, info->start, info->start + info->len, info->name);
		return dso;
	}
	if (info->kernel || info->pid == PID_KERNEL)
		kind = kernel_dso_kind(info, &rest);
	/* 32-bit tasks have another vDSO, of the same name and without a build-id. */
	if (info->start + info->len < 1ULL << 32 && !strcmp(name, "[vdso]"))
		name = "[vdso32]";
	dso = dso_get(tl->dsos, name, kind, info->build_id, info->build_id_size, info->pid);
	if (kind != DSO_USER && kind != DSO_DATA)
		return dso;
	dso_note_inode(dso, info->ino, info->ino_generation);
	return kind == DSO_USER ? dso_inner(dso, info->pgoff) : dso;
}

/* Is @m the mapping @old, with the same addresses, recorded again? */
static bool same_map(struct timeline *tl, const struct map *old, const struct map_info *m)
{
	const void *rec = map_record(old->dso);
	struct map_info was;

	if (old->pgoff != m->pgoff || old->prot != m->prot || old->flags != m->flags)
		return false;
	if (m->unregister || !old->dso)
		return m->unregister && !old->dso;
	if (rec) {
		tl->read_map(rec, &was);
		return was.bpf == m->bpf && !strcmp(was.name, m->name) &&
		       was.build_id_size == m->build_id_size &&
		       !(m->build_id_size && memcmp(was.build_id, m->build_id, m->build_id_size));
	}
	return old->dso == timeline_file_of(tl, m);
}

static struct map *map_create(struct timeline *tl, const struct map_info *info, u64 time)
{
	struct map *m = pool_at(&tl->maps, pool_add(&tl->maps));

	m->start = info->start;
	m->end = info->start + info->len;
	if (m->end < m->start)
		m->end = -1;
	m->pgoff = info->pgoff;
	m->prot = info->prot;
	m->flags = info->flags;
	m->from = time;
	return m;
}

/* Return: true if it is the kernel's text map, whose end is not recorded. */
static bool play_kernel(struct timeline *tl, struct address_space *as, const struct map_info *info,
			u64 time)
{
	struct dso *dso;
	bool rest;

	kernel_dso_kind(info, &rest);
	if (!rest)
		return false;
	if (tl->nr_kernels >= KERNELS_MAX)
		return true;
	tl->nr_kernels++;
	dso = timeline_file_of(tl, info);
	if (!as->rest) {
		struct map *m = map_create(tl, info, time);

		m->dso = dso;
		as->rest = m;
	}
	return true;
}

/* A pointer to a record, or to a copy, that remains valid. */
static const void *record_to_keep(struct timeline *tl, const void *rec, u32 size)
{
	return tl->release ? rec : memcpy(arena_alloc(&tl->arena, size), rec, size);
}

/* @rec: the mapping's record. @kept: @rec is from record_to_keep(). */
static void add_map(struct timeline *tl, struct address_space *as, const struct map_info *info,
		    const void *rec, bool kept, u64 time)
{
	struct maps *ms = &as->maps;
	struct map *m;
	u32 i, n;
	u64 end;

	/* JIT compilers change protections often: skip records that change nothing. */
	end = info->start + info->len < info->start ? (u64)-1 : info->start + info->len;
	for (i = ms->nr, n = 0; i-- > 0 && n < 16; n++) {
		const struct map *old = maps_at(ms, i);

		if (old->start == info->start && old->end == end) {
			if (same_map(tl, old, info))
				return;
			break;
		}
		if (old->start < end && info->start < old->end)
			break;
	}
	m = map_create(tl, info, time);
	if (!kept && !info->unregister)
		rec = record_to_keep(tl, rec, info->record_size);
	/* Until the first look-up in it: map_record(). */
	if (!info->unregister)
		m->dso = (struct dso *)((uintptr_t)rec | 1);
	/* The record came after its window in a pipe: the mapping is valid from now on. */
	if (ms->nr)
		m->from = max(m->from, maps_at(ms, ms->nr - 1)->from);
	maps_add(ms, m);
	as->indexed = false;
}

static struct noted_map *noted_at(const struct timeline *tl, u32 nr)
{
	return pool_at(&tl->noted, nr);
}

static u32 nr_noted(const struct timeline *tl, const struct process *p)
{
	return p->space ? noted_at(tl, p->space & ~NOTED)->nr : 0;
}

static void note(struct timeline *tl, struct process *p, const void *rec, u64 time)
{
	u32 nr = tl->free_noted;
	struct noted_map *n;

	if (nr)
		tl->free_noted = noted_at(tl, nr)->prev;
	else
		nr = pool_add(&tl->noted);
	n = noted_at(tl, nr);
	*n = (struct noted_map){ .rec = rec, .time = time, .prev = p->space & ~NOTED,
				 .nr = nr_noted(tl, p) + 1 };
	p->space = NOTED | nr;
}

struct address_space *timeline_space_create(struct timeline *tl, u32 pid)
{
	u32 nr = pool_add(&tl->spaces);
	struct address_space *as = space_at(tl, nr);

	as->sp.id = nr;
	as->sp.pid = pid;
	return as;
}

struct address_space *timeline_space_of(struct timeline *tl, u32 process)
{
	struct process *p = process_at(tl, process);
	u32 at, newest, notes[NOTED_MAX], i = 0;
	struct address_space *as;
	struct map_info info;

	if (p->space && !(p->space & NOTED))
		return space_at(tl, p->space);
	as = timeline_space_create(tl, p->pid);
	as->process = process;
	newest = p->space & ~NOTED;
	for (at = newest; at; at = noted_at(tl, at)->prev)
		notes[i++] = at;
	if (i) {
		noted_at(tl, notes[i - 1])->prev = tl->free_noted;
		tl->free_noted = newest;
	}
	while (i-- > 0) {
		const struct noted_map *n = noted_at(tl, notes[i]);

		tl->read_map(n->rec, &info);
		add_map(tl, as, &info, n->rec, true, n->time);
	}
	__atomic_store_n(&p->space, as->sp.id, __ATOMIC_RELEASE);
	return as;
}

void timeline_map(struct timeline *tl, u32 process, const struct map_info *info, const void *rec,
		  u64 time)
{
	struct address_space *as;
	struct process *p;

	if (!process) {
		as = info->guest ? tl->guest_kernel : tl->kernel;
		if (info->bpf || !play_kernel(tl, as, info, time))
			add_map(tl, as, info, rec, false, time);
		return;
	}
	p = process_at(tl, process);
	p->young |= !p->space && time;
	if ((!p->space || (p->space & NOTED && nr_noted(tl, p) < NOTED_MAX)) &&
	    tl->noted.nr < NOTED)
		note(tl, p, record_to_keep(tl, rec, info->record_size), time);
	else
		add_map(tl, timeline_space_of(tl, process), info, rec, false, time);
}

bool timeline_maps_something(const struct map_info *m)
{
	bool rest = false;

	if (m->kernel || m->pid == PID_KERNEL)
		kernel_dso_kind(m, &rest);
	return m->len || (rest && !m->bpf);
}
