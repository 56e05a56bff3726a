// SPDX-License-Identifier: GPL-2.0
/*
 * Opening a session, and the first pass: what all records but samples hold about
 * tasks, mappings and deferred callchains.
 */
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/progress.h"
#include "base/sort.h"
#include "event/records.h"
#include "session/session_private.h"

static void read_ksymbol(const struct ksymbol_record *k, struct map_info *info)
{
	*info = (struct map_info){
		.pid = PID_KERNEL, .start = k->addr, .len = k->len, .pgoff = k->addr, .name = k->name,
		.bpf = true, .unregister = k->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER,
		.record_size = k->header.size,
	};
}

/* What the timeline needs of a record of a mapping. */
static void read_map(const void *rec, struct map_info *info)
{
	const struct perf_event_header *h = rec;
	const struct mmap_record *m = rec;
	const struct mmap2_record *m2 = rec;
	u8 mode = h->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	if (h->type == PERF_RECORD_KSYMBOL) {
		read_ksymbol(rec, info);
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

static void release_records(void *reader)
{
	reader_drop(reader);
}

static void note_mmap(struct session_priv *sp, const struct record *rec, u64 time)
{
	const struct mmap2_record *m2 = (const void *)rec->header;

	/* A device's number with the flag of another recorder (mmap2_has_build_id()); perf 6.1
	 * dies of it. The map is good all the same.
	 */
	if (mmap2_is_flagged(rec->header) && m2->build_id_size > sizeof(m2->build_id) &&
	    !sp->bad_build_ids++)
		diag_warn("%s: offset %#llx: a build-id of %u bytes: it is not used",
			  reader_path(sp->s.reader), rec->offset, m2->build_id_size);
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

void session_note(struct session_priv *sp, const struct record *rec, u64 time)
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

		/* Without times a record behind it, of another CPU's, may be an earlier one. */
		if (sp->s.has_time)
			timeline_exit(tl, t->pid, t->tid, time);
		break;
	}
	case PERF_RECORD_LOST: {
		const struct lost_record *l = r;

		st->lost_records++;
		st->lost_events += l->lost;
		GROW(sp->lost_times, sp->nr_lost, sp->cap_lost);
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

void session_seal(struct session_priv *sp)
{
	timeline_seal(sp->s.timeline);
	take_build_ids(sp);
	if (!sp->is_pipe)
		deferred_seal(&sp->deferred);
	offcpu_seal(&sp->offcpu);
	parallel_seal(&sp->parallel);
	sort_u64(sp->lost_times, sp->nr_lost);
}

static void pass1(struct session_priv *sp)
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
			session_note(sp, &rec, stream_time(&clock, sp->s.events, &rec));
		else
			sp->s.stats.nr_by_type[min(rec.header->type, 255U)]++;
		account_bytes(sp->s.reader, &bytes, rec.header);
	}
	progress_end();
	session_seal(sp);
}

static bool dumps_stacks(const struct event_list *events)
{
	const u64 both = PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER;

	return (events->sample_type & both) == both;
}

/*
 * The registers that stacks are walked with are numbered as on x86. Only a file says at once what machine
 * it is of; the header of a pipe comes with its records.
 */
static bool is_of_x86(const struct session *s)
{
	const char *arch = s->features ? s->features->arch : NULL;

	return !arch || !strncmp(arch, "x86", 3) || (*arch == 'i' && !strcmp(arch + 2, "86"));
}

static void setup_stacks(struct session_priv *sp, const struct session_config *cfg)
{
	const struct event_list *events = sp->s.events;
	u32 i;

	for (i = 0; i < events->nr; i++)
		if (attr_lbr_chains(&events->events[i]->attr))
			sp->lbr_depth = lbr_depth(&sp->s);
	if (!dumps_stacks(sp->s.events) || cfg->no_unwind)
		return;
	sp->s.foreign_stacks = !is_of_x86(&sp->s);
	if (sp->s.foreign_stacks)
		diag_warn("%s was recorded on %s: copies of user stacks are walked only if they are of x86; perf of a "
			  "machine of that kind walks these", reader_path(sp->s.reader), sp->s.features->arch);
	else
		sp->unwinder = dwarf_unwinder_create();
}

/* Was it recorded here, so that this machine's own files are those of the recording? */
static bool is_this_machine(const struct features *f)
{
	struct utsname u;

	if (uname(&u))
		return false;
	return f->os_release && f->hostname && !strcmp(u.release, f->os_release) &&
	       !strcmp(u.nodename, f->hostname);
}

/* Was it recorded here, if perhaps by another kernel? */
static bool is_this_host(const struct features *f)
{
	struct utsname u;

	return !uname(&u) && f->hostname && !strcmp(u.nodename, f->hostname);
}

static bool has_process(void *timeline, u32 pid)
{
	return timeline_has_process(timeline, pid);
}

static const char *input_path(const struct session_config *cfg)
{
	struct stat st;

	if (cfg->input)
		return cfg->input;
	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

struct error *session_open(const struct session_config *cfg, struct session **s)
{
	struct session_priv *sp = xcalloc(1, sizeof(*sp));
	struct error *err;

	sp->cfg = *cfg;
	sp->last_tid = -2;
	sp->s.first_time = -1;
	if (cfg->store_pipe)
		err = reader_open_stored(input_path(cfg), cfg->force, &sp->s.reader);
	else
		err = reader_open(input_path(cfg), cfg->force, &sp->s.reader);
	if (err) {
		free(sp);
		return err;
	}
	sp->is_pipe = reader_is_pipe(sp->s.reader);
	sp->s.events = reader_events(sp->s.reader);
	sp->s.features = reader_features(sp->s.reader);
	sp->s.has_time = sp->s.events->sample_type & PERF_SAMPLE_TIME;
	if (!sp->cfg.symbols.os_release)
		sp->cfg.symbols.os_release = sp->s.features->os_release;
	sp->cfg.symbols.force |= cfg->force;
	sp->s.recorded_here = is_this_machine(sp->s.features);
	sp->cfg.symbols.same_machine |= sp->s.recorded_here;
	sp->cfg.symbols.same_host |= is_this_host(sp->s.features);
	sp->cfg.symbols.recorded_ns = reader_facts(sp->s.reader).written_ns;
	sp->s.dsos = dso_table_create(&sp->cfg.symbols);
	sp->s.timeline = timeline_create(sp->s.dsos);
	dso_table_processes(sp->s.dsos, has_process, sp->s.timeline);
	/* A file's records do not move; and its first pass walks over every sample. */
	timeline_records(sp->s.timeline, read_map, sp->is_pipe ? NULL : release_records,
			 sp->s.reader);
	if (!sp->is_pipe && !cfg->all_tasks)
		timeline_only_seen(sp->s.timeline);
	setup_stacks(sp, cfg);
	/* What an off-CPU sample weighs is known when its thread runs again. */
	if (!cfg->as_recorded)
		offcpu_init(&sp->offcpu, sp->s.events);
	if (sp->offcpu.used && sp->is_pipe) {
		err = error_create(EINVAL, "off-CPU times are found in a second pass, which a pipe does not have: "
				   "store it in a file first ('cat > FILE'), or record with -o FILE");
		session_close(&sp->s);
		return err;
	}
	/* Nor is it known of a pipe how many threads ran when. */
	if (cfg->parallelism && !sp->is_pipe)
		parallel_init(&sp->parallel, sp->s.events);
	sp->s.has_parallelism = sp->parallel.used;
	if (!sp->is_pipe)
		pass1(sp);
	if (cfg->traces && sp->s.features->has_traces) {
		err = error_file(reader_path(sp->s.reader), EINVAL, "has hardware traces, which this perf does not "
				 "decode (--%s): use 'perf inject --itrace' of linux-perf first", cfg->traces);
		session_close(&sp->s);
		return err;
	}
	*s = &sp->s;
	return NULL;
}

void session_close(struct session *s)
{
	struct session_priv *sp = container_of(s, struct session_priv, s);

	if (!s)
		return;
	if (sp->unwinder)
		dwarf_unwinder_destroy(sp->unwinder);
	deferred_deinit(&sp->deferred);
	offcpu_deinit(&sp->offcpu);
	parallel_deinit(&sp->parallel);
	free(sp->lost_times);
	timeline_destroy(s->timeline);
	dso_table_destroy(s->dsos);
	reader_close(s->reader);
	free(sp);
}
