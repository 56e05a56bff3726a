// SPDX-License-Identifier: GPL-2.0
/*
 * --call-graph table: which files get tables before events are enabled, though no record names
 * them.
 */
#include "cmd/record/recorder.h"
#include "measure/attr.h"

/* Queue the files of running tasks if the recording does not list them, or only at its end. */
static void note_running(struct recorder *rec)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct synth s;

	if (!rec->opts.tail_synthesize && !(rec->opts.synth_not & (SYNTH_TASKS | SYNTH_MAPS)))
		return;
	synth_init(&s, &attr);
	tables_synth(rec->tables, &s, tables_wait_for_sleepers(rec));
	synth_running(&s, &rec->rings);
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

int begin_tables(struct recorder *rec)
{
	const struct record_options *o = &rec->opts;

	if (!wanted(o))
		return 0;
	if (tables_create(rec->desc.host, rec->walk, !o->no_buildid_cache, &rec->tables))
		return -1;
	if (o->command)
		tables_command(rec->tables, o->command[0]);
	note_running(rec);
	return 0;
}
