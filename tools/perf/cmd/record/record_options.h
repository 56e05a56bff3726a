/* SPDX-License-Identifier: GPL-2.0 */
/* Options and settings of perf record. */
#ifndef PERF_CMD_RECORD_RECORD_OPTIONS_H
#define PERF_CMD_RECORD_RECORD_OPTIONS_H

#include "measure/affinity.h"
#include "measure/measure_options.h"

/* A -D span in which events are enabled: milliseconds since the start. */
struct delay_span {
	u64 on, off;
};

/* Kinds of synthesised records about tasks older than the recording. */
enum { SYNTH_TASKS = 1, SYNTH_MAPS = 2, SYNTH_CGROUPS = 4, SYNTH_ALL = 7 };

/* --sampler: who takes the samples. ANY: the kernel or, if it refuses, ptrace */
enum sampler_kind { SAMPLER_ANY, SAMPLER_KERNEL, SAMPLER_PTRACE };

struct record_options {
	struct ring_options ring;
	struct spec_list specs;		/* the events, with their filters and cgroups */
	char **argv;			/* the whole command line, for the header */
	int argc;
	char *const *command;		/* NULL: none */
	/* which tasks, when */
	const char *pids, *tids, *user;
	struct delay_span *spans;	/* -D with spans */
	u32 nr_spans, cap_spans;
	const char *control;
	enum sampler_kind sampler;
	bool wall;			/* a sample of each thread at each tick */
	bool off_cpu, off_cpu_only;	/* record blocked time too; record nothing else */
	/* other content */
	bool buildid_all;
	bool no_buildid_cache;		/* add no files to ~/.debug */
	bool embed;			/* --embed: store symbol names in the file */
	u64 buildid_cache_size;		/* maximum bytes of files in ~/.debug */
	u32 synth_not;			/* SYNTH_* kinds that --synth excludes */
	bool tail_synthesize;
	/* destination */
	const char *output;		/* -o; NULL: not given */
	bool timestamp_filename;
	int compress_level;		/* 0: off */
	u64 max_size;			/* 0: no limit */
	u64 max_memory;			/* bytes that live stacks may take; 0: no limit */
	bool switch_output;
	struct spec_list triggers;	/* events of --switch-output-event, not recorded */
	u64 switch_size, switch_ms;	/* 0: no switch by size; by time */
	int switch_max_files;		/* 0: no limit */
	/* how */
	u64 mmap_flush;			/* minimum bytes in a buffer for it to be read; 0: any */
	enum affinity_mode affinity_mode;
	const char *threads;		/* --threads; NULL: not given */
	int realtime;			/* priority; 0: not given */
	bool dry_run, quiet;
};

/* record_options_parse - read the command line; @o: zeroed, and freed in any case. Return: 0, -1 */
int record_options_parse(struct record_options *o, int argc, char **argv);

/* record_options_tasks - true if -p, -t or -u selects running tasks */
static inline bool record_options_tasks(const struct record_options *o)
{
	return o->pids || o->tids || o->user;
}

void record_options_deinit(struct record_options *o);

#endif /* PERF_CMD_RECORD_RECORD_OPTIONS_H */
