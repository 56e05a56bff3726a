// SPDX-License-Identifier: GPL-2.0
/*
 * Records that precede a file: the kernel's maps, BPF programs, the measured tasks with maps and
 * cgroups. Read once per file: when it starts or, with --switch-output, on a thread before the
 * previous one ends, so that the buffers are read meanwhile. The thread reads what does not change
 * during a recording, and a copy of the list of processes. The records last until
 * synthesis_forget(). Files of these tasks get unwind tables before events are enabled.
 */
#include "base/clock.h"
#include "base/diag.h"
#include "base/thread.h"
#include "cmd/record/recorder.h"
#include "measure/attr.h"

/* Does the command wait for the tables of measured processes that sleep? */
static bool waits_for_sleepers(const struct recorder *rec)
{
	return rec->rings.threads.v[0] != -1 || rec->opts.off_cpu || rec->opts.off_cpu_only;
}

void synth_running(struct synth *s, const struct rings *r)
{
	if (r->threads.v[0] == -1)
		synth_all(s);
	else if (!r->options->has_workload)
		synth_threads(s, r->threads.v, r->threads.nr);
}

static void make_tasks(struct recorder *rec, struct synth *to)
{
	const struct thread_list *threads = &rec->rings.threads;

	if (threads->v[0] == -1)
		synth_all(to);
	else if (workload_held(&rec->workload) && !record_options_tasks(&rec->opts))
		synth_workload(to, rec->workload.pid);
	else if (rec->follows)
		follow_synth(&rec->follow, to);
	else
		synth_threads(to, threads->v, threads->nr);
}

static void make(struct recorder *rec, struct synth *to)
{
	const struct event_spec *tracking = rec->opts.specs.v[description_tracking(&rec->desc)];
	const struct ring_options *o = &rec->opts.ring;
	u32 left_out = rec->opts.synth_not;

	synth_init(to, description_layout(&rec->desc));
	/* Of later files they know the mappings: from the records of the kernel. */
	if (rec->tables && !rec->synthesis.later)
		tables_synth(rec->tables, to, waits_for_sleepers(rec));
	to->host = rec->desc.host;
	to->build_ids = o->wants_build_ids;
	to->namespaces = o->namespaces;
	to->cgroups = o->cgroups && !(left_out & SYNTH_CGROUPS);
	to->no_tasks = left_out & SYNTH_TASKS;
	to->no_maps = left_out & SYNTH_MAPS;
	to->data_maps = tracking->attr.mmap_data;
	if (!tracking->attr.exclude_kernel || tracking->is_dummy)
		synth_kernel(to);
	if (to->restricted)
		diag_warn("kernel addresses are hidden (kernel.kptr_restrict): kernel samples will have no names");
	if (!o->no_bpf_event)
		synth_bpf(to);
	if (!to->no_tasks || to->cgroups)
		make_tasks(rec, to);
}

/* The copy of the list of processes is taken and given back by the recording thread. */
static void begin(struct recorder *rec)
{
	if (rec->follows)
		follow_list(&rec->follow);
	rec->synthesis.made = true;
}

static void finish(struct recorder *rec)
{
	rec->synthesis.runs = false;
	if (rec->follows)
		follow_listed(&rec->follow);
}

static void *run(void *arg)
{
	struct recorder *rec = arg;

	make(rec, &rec->synthesis.synth);
	return NULL;
}

void synthesis_start(struct recorder *rec)
{
	begin(rec);
	rec->synthesis.later = true;
	rec->synthesis.runs = !thread_start_usual(&rec->synthesis.thread, run, rec);
	if (!rec->synthesis.runs) {
		run(rec);
		finish(rec);
	}
}

bool synthesis_done(struct recorder *rec, int ms)
{
	struct timespec until;

	if (!rec->synthesis.runs)
		return true;
	until = time_after(ms);
	if (pthread_timedjoin_np(rec->synthesis.thread, NULL, &until))
		return false;
	finish(rec);
	return true;
}

const struct outbuf *synthesis_records(struct recorder *rec)
{
	if (rec->synthesis.runs) {
		pthread_join(rec->synthesis.thread, NULL);
		finish(rec);
	} else if (!rec->synthesis.made) {
		begin(rec);
		run(rec);
		finish(rec);
	}
	return &rec->synthesis.synth.out;
}

void synthesis_forget(struct recorder *rec)
{
	if (!rec->synthesis.made)
		return;
	synthesis_records(rec);
	synth_deinit(&rec->synthesis.synth);
	rec->synthesis.made = false;
}

/* Queue the files of running tasks if the recording does not list them, or only at its end. */
static void note_running(struct recorder *rec)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct synth s;

	if (!rec->opts.tail_synthesize && !(rec->opts.synth_not & (SYNTH_TASKS | SYNTH_MAPS)))
		return;
	synth_init(&s, &attr);
	tables_synth(rec->tables, &s, waits_for_sleepers(rec));
	synth_running(&s, &rec->rings);
	synth_deinit(&s);
}

int begin_tables(struct recorder *rec)
{
	const struct record_options *o = &rec->opts;

	if (!chain_used(&o->ring, &o->specs, SPEC_CHAIN_BPF) &&
	    !(chain_used(&o->ring, &o->specs, SPEC_CHAIN_TABLE) && chain_deferred(&o->specs)))
		return 0;
	if (tables_create(rec->desc.host, rec->walk, !o->no_buildid_cache, &rec->tables))
		return -1;
	if (o->command)
		tables_command(rec->tables, o->command[0]);
	note_running(rec);
	return 0;
}
