// SPDX-License-Identifier: GPL-2.0
/*
 * perf record --call-graph table: the files whose tables are registered before events are enabled
 * and that no record of the recording names.
 */
#include "cmd/record/begin_tables.h"
#include "measure/attr.h"
#include "synth/synth.h"

/* Queue the files of running tasks if the recording does not list them, or only at its end. */
static void note_running(struct tables *t, const struct record_options *o, const struct rings *rings)
{
	const struct thread_list *threads = &rings->threads;
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct synth s;

	if (!o->tail_synthesize && !(o->synth_not & (SYNTH_TASKS | SYNTH_MAPS)))
		return;
	synth_init(&s, &attr);
	tables_synth(t, &s, tables_wait_for_sleepers(o, threads));
	if (threads->v[0] == -1)
		synth_all(&s);
	else if (!o->ring.has_workload)
		synth_threads(&s, threads->v, threads->nr);
	synth_deinit(&s);
}

/* True if an event takes user callchains by tables. */
static bool wanted(const struct record_options *o)
{
	u32 i;

	if (chain_used(&o->ring, &o->specs, SPEC_CHAIN_BPF))
		return true;
	if (!chain_used(&o->ring, &o->specs, SPEC_CHAIN_TABLE))
		return false;
	for (i = 0; i < o->specs.nr; i++)
		if (attr_flags(&o->specs.v[i]->attr) & ATTR_DEFER_CALLCHAIN)
			return true;
	return false;
}

int begin_tables(const struct record_options *opts, const struct rings *rings, struct host *host,
		 struct bpf_walk *walk, struct tables **ret)
{
	*ret = NULL;
	if (!wanted(opts))
		return 0;
	if (tables_create(host, walk, !opts->no_buildid_cache, ret))
		return -1;
	if (opts->command)
		tables_command(*ret, opts->command[0]);
	note_running(*ret, opts, rings);
	return 0;
}
