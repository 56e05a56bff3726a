// SPDX-License-Identifier: GPL-2.0
/*
 * Pass 1: the timeline, the index of deferred records and the statistics from all records, and the
 * task and time of each sample. note_file() walks a file; a pipe's records go through
 * note_kernel_record(), and note_seal() ends a window. The session owns the results.
 */
#include <sys/mman.h>

#include "base/diag.h"
#include "base/progress.h"
#include "base/sort.h"
#include "event/records.h"
#include "session/session_private.h"

/* Read a map record for the timeline. */
static void read_map(const void *rec, struct map_info *info)
{
	const struct perf_event_header *h = rec;
	const struct mmap_record *m = rec;
	const struct mmap2_record *m2 = rec;
	const struct ksymbol_record *k = rec;
	u8 mode = h->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	if (h->type == PERF_RECORD_KSYMBOL) {
		*info = (struct map_info){
			.pid = PID_KERNEL, .start = k->addr, .len = k->len, .pgoff = k->addr,
			.name = k->name, .bpf = true, .record_size = h->size,
			.unregister = k->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER,
		};
		return;
	}
	*info = (struct map_info){
		.pid = m->pid, .tid = m->tid, .start = m->addr, .len = m->len, .pgoff = m->pgoff,
		.kernel = mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL,
		.guest = mode == PERF_RECORD_MISC_GUEST_KERNEL ||
			 mode == PERF_RECORD_MISC_GUEST_USER,
		.data = h->misc & PERF_RECORD_MISC_MMAP_DATA,
		.name = m->filename, .record_size = h->size,
	};
	if (h->type != PERF_RECORD_MMAP2)
		return;
	info->name = m2->filename;
	info->prot = m2->prot;
	info->data = !(m2->prot & PROT_EXEC);
	info->flags = m2->flags;
	if (mmap2_has_build_id(h)) {
		info->build_id = m2->build_id;
		info->build_id_size = m2->build_id_size;
	} else if (!mmap2_is_flagged(h)) {
		info->ino = m2->ino;
		info->ino_generation = m2->ino_generation;
	}
}

/* Records of tasks and mappings were read: 65536 of them, so that their size does not matter. */
static void release_records(void *reader)
{
	reader_drop(reader, UINT32_MAX);
}

void note_init(struct session_priv *sp)
{
	struct timeline *tl = sp->s.timeline;

	/* The records of a file do not move, and pass 1 reads every sample. */
	timeline_records(tl, read_map, sp->is_pipe ? NULL : release_records, sp->s.reader);
	if (!sp->is_pipe && !sp->cfg.all_tasks)
		timeline_only_seen(tl);
	/* An off-CPU sample's weight is known when its thread runs again. */
	if (!sp->cfg.as_recorded)
		offcpu_init(&sp->offcpu, sp->s.events);
	/* For a pipe, the number of running threads is not counted. */
	if (sp->cfg.parallelism && !sp->is_pipe)
		parallel_init(&sp->parallel, sp->s.events);
	sp->s.has_parallelism = sp->parallel.used;
}

static void note_mmap(struct session_priv *sp, const struct record *rec, u64 time)
{
	const struct mmap2_record *m2 = (const void *)rec->header;

	/* Another recorder uses the flag otherwise (mmap2_has_build_id()): the map is valid. */
	if (mmap2_is_flagged(rec->header) && m2->build_id_size > sizeof(m2->build_id) &&
	    !sp->bad_build_ids++ && sp->s.reader)
		diag_warn("%s: offset %#llx: a build-id of %u bytes: it is not used",
			  sp->s.reader->path, rec->offset, m2->build_id_size);
	dso_note_jit(sp->s.dsos, rec->header->type == PERF_RECORD_MMAP2 ? m2->filename :
		     ((const struct mmap_record *)m2)->filename, m2->pid);
	timeline_map_record(sp->s.timeline, rec->header, time);
}

static void note_sample(struct session_priv *sp, const struct record *rec, u64 time)
{
	const struct event *ev = event_list_find(sp->s.events, rec->header);
	const u32 *pid_tid;
	u16 at;

	sp->s.stats.nr_samples++;
	if (!ev)
		return;
	if (sp->s.has_time && time) {
		sp->s.first_time = min(sp->s.first_time, time);
		sp->s.last_time = max(sp->s.last_time, time);
	}
	at = ev->layout.tid;
	if (!at || at + 8 > rec->header->size)
		return;
	pid_tid = (const void *)((const char *)rec->header + at);
	if (pid_tid[1] == sp->last_tid && pid_tid[0] == sp->last_pid)
		return;
	sp->last_pid = pid_tid[0];
	sp->last_tid = pid_tid[1];
	timeline_seen(sp->s.timeline, pid_tid[0], pid_tid[1]);
}

static void note_deferred(struct session_priv *sp, const struct record *rec, u64 time)
{
	const struct event *ev = event_list_find(sp->s.events, rec->header);
	struct sample id = { .tid = -1 };

	sp->s.stats.deferred.records++;
	if (sp->cfg.no_merge_callchains || sp->is_pipe)
		return;
	if (ev && !sample_id_decode(ev, rec->header, &id))
		deferred_add(&sp->deferred, id.tid, time, (const void *)rec->header);
}

void note_kernel_record(struct session_priv *sp, const struct record *rec, u64 time)
{
	const void *r = rec->header;
	struct session_stats *st = &sp->s.stats;
	struct timeline *tl = sp->s.timeline;
	u16 misc = rec->header->misc;

	st->nr_records++;
	st->nr_by_type[min(rec->header->type, 255U)]++;
	if (unlikely(sp->offcpu.used))
		offcpu_note(&sp->offcpu, sp->s.events, rec->header, time);
	if (sp->parallel.used)
		parallel_note(&sp->parallel, sp->s.events, rec->header, time);
	if (rec->header->type == PERF_RECORD_SAMPLE) {
		note_sample(sp, rec, time);
		return;
	}
	timeline_at(tl, rec->seq);
	switch (rec->header->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		note_mmap(sp, rec, time);
		break;
	case PERF_RECORD_COMM: {
		const struct comm_record *c = r;

		timeline_comm(tl, c->pid, c->tid, c->comm, misc & PERF_RECORD_MISC_COMM_EXEC, time);
		break;
	}
	case PERF_RECORD_FORK: {
		const struct task_record *t = r;

		timeline_fork(tl, t->pid, t->tid, t->ppid, t->ptid,
			      misc & PERF_RECORD_MISC_FORK_EXEC, time);
		break;
	}
	case PERF_RECORD_EXIT: {
		const struct task_record *t = r;

		/* Without times, an earlier record of another CPU may follow. */
		if (sp->s.has_time)
			timeline_exit(tl, t->pid, t->tid, time);
		break;
	}
	case PERF_RECORD_LOST: {
		const struct lost_record *l = r;

		st->lost_records++;
		st->lost_events += l->lost;
		GROW(sp->lost_times, sp->nr_lost, sp->cap_lost);
		sp->lost_from = min(sp->lost_from, time);
		sp->lost_times[sp->nr_lost++] = time;
		break;
	}
	case PERF_RECORD_LOST_SAMPLES:
		st->lost_samples += ((const struct lost_samples_record *)r)->lost;
		break;
	case PERF_RECORD_KSYMBOL:
		timeline_map_record(tl, r, time);
		break;
	case PERF_RECORD_CGROUP: {
		const struct cgroup_record *c = r;

		timeline_cgroup(tl, c->id, c->path);
		break;
	}
	case REC_CALLCHAIN_DEFERRED:
		note_deferred(sp, rec, time);
		break;
	}
}

static void take_build_ids(struct session_priv *sp)
{
	const struct features *f = sp->s.features;

	for (; sp->nr_build_ids < f->nr_build_ids; sp->nr_build_ids++) {
		const struct build_id_entry *e = &f->build_ids[sp->nr_build_ids];
		enum dso_kind kind = DSO_USER;

		if ((e->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
			kind = strncmp(e->name, "[kernel", 7) ? DSO_MODULE : DSO_KERNEL;
		if (e->pid == -1)
			dso_set_build_id(sp->s.dsos, e->name, kind, e->build_id, e->size);
	}
}

/* Only the times from the first new one on are not in order yet. */
static void sort_lost(struct session_priv *sp)
{
	size_t first = LOWER_BOUND(0, sp->sorted_lost, i, sp->lost_times[i] <= sp->lost_from);

	if (sp->sorted_lost < sp->nr_lost)
		sort_u64(sp->lost_times + first, sp->nr_lost - first);
	sp->sorted_lost = sp->nr_lost;
	sp->lost_from = -1;
}

void note_seal(struct session_priv *sp, u64 until)
{
	timeline_seal_until(sp->s.timeline, until);
	take_build_ids(sp);
	if (!sp->is_pipe)
		deferred_seal(&sp->deferred);
	offcpu_seal(&sp->offcpu);
	parallel_seal(&sp->parallel);
	sort_lost(sp);
}

void note_file(struct session_priv *sp)
{
	struct stream_clock clock = { .has_time = sp->s.has_time };
	struct record rec;
	u64 n = 0, bytes = 0;

	if (!sp->cfg.no_progress)
		progress_start("Reading tasks and mappings", reader_size(sp->s.reader));
	while (reader_next(sp->s.reader, &rec)) {
		if (!(++n & 0xffff)) {
			progress_update(rec.offset);
			if (interrupted())
				break;
		}
		if (rec.header->type < REC_HEADER_ATTR)
			note_kernel_record(sp, &rec, stream_time(&clock, sp->s.events, &rec));
		else
			sp->s.stats.nr_by_type[min(rec.header->type, 255U)]++;
		account_bytes(sp->s.reader, &bytes, rec.header);
	}
	progress_end();
	note_seal(sp, UINT64_MAX);
}
