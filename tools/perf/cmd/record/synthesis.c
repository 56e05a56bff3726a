// SPDX-License-Identifier: GPL-2.0
/*
 * Records that precede a file: the kernel's maps, BPF programs, and the measured tasks with their
 * maps and cgroups.
 *
 * They are read from /proc and /sys once per file: when the file starts or, with --switch-output,
 * before the previous file ends, on a thread, so that the kernel's buffers are read meanwhile. A
 * synthesis owns the records until synthesis_forget(). The thread reads what does not change during a
 * recording, and the copy of the list of processes that synthesis_start() takes.
 */
#include "base/clock.h"
#include "base/diag.h"
#include "base/thread.h"
#include "cmd/record/begin_tables.h"
#include "cmd/record/synthesis.h"

void synthesis_init(struct synthesis *s, const struct record_options *opts, const struct description *desc,
		    const struct workload *workload, struct tables *tables, struct follow *follow)
{
	*s = (struct synthesis){
		.opts = opts, .desc = desc, .workload = workload, .tables = tables, .follow = follow,
	};
}

static void make_tasks(const struct synthesis *s, struct synth *to)
{
	const struct thread_list *threads = &s->desc->rings->threads;

	if (threads->v[0] == -1)
		synth_all(to);
	else if (workload_held(s->workload) && !record_options_tasks(s->opts))
		synth_workload(to, s->workload->pid);
	else if (s->follow)
		follow_synth(s->follow, to);
	else
		synth_threads(to, threads->v, threads->nr);
}

static void make(const struct synthesis *s, struct synth *to)
{
	const struct event_spec *tracking = s->opts->specs.v[description_tracking(s->desc)];
	const struct ring_options *o = &s->opts->ring;
	u32 left_out = s->opts->synth_not;

	synth_init(to, description_layout(s->desc));
	/* Of later files they know the mappings: from the records of the kernel. */
	if (s->tables && !s->later)
		tables_synth(s->tables, to, tables_wait_for_sleepers(s->opts, &s->desc->rings->threads));
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
		make_tasks(s, to);
}

/* The copy of the list of processes is taken and given back by the recording thread. */
static void begin(struct synthesis *s)
{
	if (s->follow)
		follow_list(s->follow);
	s->made = true;
}

static void finish(struct synthesis *s)
{
	s->runs = false;
	if (s->follow)
		follow_listed(s->follow);
}

static void *run(void *arg)
{
	struct synthesis *s = arg;

	make(s, &s->synth);
	return NULL;
}

void synthesis_start(struct synthesis *s)
{
	begin(s);
	s->later = true;
	s->runs = !thread_start_usual(&s->thread, run, s);
	if (!s->runs) {
		run(s);
		finish(s);
	}
}

bool synthesis_done(struct synthesis *s, int ms)
{
	struct timespec until;

	if (!s->runs)
		return true;
	until = time_after(ms);
	if (pthread_timedjoin_np(s->thread, NULL, &until))
		return false;
	finish(s);
	return true;
}

const struct outbuf *synthesis_records(struct synthesis *s)
{
	if (s->runs) {
		pthread_join(s->thread, NULL);
		finish(s);
	} else if (!s->made) {
		begin(s);
		run(s);
		finish(s);
	}
	return &s->synth.out;
}

void synthesis_forget(struct synthesis *s)
{
	if (!s->made)
		return;
	synthesis_records(s);
	synth_deinit(&s->synth);
	s->made = false;
}
