/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: what the command line and the settings say.
 */
#ifndef PERF_CMD_RECORD_RECORD_OPTIONS_H
#define PERF_CMD_RECORD_RECORD_OPTIONS_H

#include "measure/affinity.h"
#include "measure/measure_options.h"

/* A span of -D in which events are on: milliseconds since the start. */
struct delay_span {
	u64 on, off;
};

/* What is synthesized of the tasks that were there before. */
enum { SYNTH_TASKS = 1, SYNTH_MAPS = 2, SYNTH_CGROUPS = 4, SYNTH_ALL = 7 };

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
	bool off_cpu, off_cpu_only;	/* blocked time, too; nothing else */
	/* what else is recorded */
	bool buildid_all;
	bool no_buildid_cache;		/* nothing is kept in ~/.debug */
	bool embed;			/* names go into the file */
	u64 buildid_cache_size;		/* bytes that the files there may take */
	u32 synth_not;			/* what --synth leaves out: SYNTH_* */
	bool tail_synthesize;
	/* where to */
	const char *output;		/* -o; NULL: not given */
	bool timestamp_filename;
	int compress_level;		/* 0: off */
	u64 max_size;			/* 0: no limit */
	bool switch_output;
	struct spec_list triggers;	/* events that switch, and are not recorded */
	u64 switch_size, switch_ms;	/* 0: not by size, not by time */
	int switch_max_files;		/* 0: no limit */
	/* how */
	u64 mmap_flush;			/* bytes that make a buffer worth reading; 0: any */
	enum affinity_mode affinity_mode;
	int realtime;			/* priority; 0: not given */
	bool dry_run, quiet;
};

/**
 * record_options_parse() - read the command line
 * @o: where to; all zeroes
 * @argc: number of words
 * @argv: words
 *
 * Return: 0, or -1 after diag_error(); record_options_deinit() is called in either case.
 */
int record_options_parse(struct record_options *o, int argc, char **argv);

/* record_options_tasks - are running tasks named: -p, -t or -u? */
static inline bool record_options_tasks(const struct record_options *o)
{
	return o->pids || o->tids || o->user;
}

void record_options_deinit(struct record_options *o);

#endif /* PERF_CMD_RECORD_RECORD_OPTIONS_H */
