/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf script: the command line.
 */
#ifndef PERF_CMD_SCRIPT_SCRIPT_OPTIONS_H
#define PERF_CMD_SCRIPT_SCRIPT_OPTIONS_H

#include "cmd/script/fields.h"
#include "session/event_switch.h"
#include "session/filter.h"
#include "session/session.h"

struct script_options {
	struct session_config config;
	/* printed fields of a sample */
	struct script_fields fields;
	bool hide_callchain;		/* -G */
	bool ns, reltime, deltatime;
	bool full_srcline;		/* --full-source-path */
	bool kernel_path;		/* --show-kernel-path */
	int inlines;			/* opt_switch() */
	u32 max_stack;
	struct name_list stop_bt;
	bool per_event;			/* --per-event-dump */
	/* which samples */
	struct filter filter;
	/* other records */
	bool show_task, show_mmap, show_switch, show_lost, show_namespaces, show_bpf, show_cgroup,
	     show_text_poke, show_rounds, show_deferred;
	/* the recording itself */
	bool header, header_only, show_info;
	bool dump, dump_unsorted;
};

/**
 * script_options_parse() - read the command line
 * @o: set to the options
 * @argc: number of words
 * @argv: words
 *
 * Return: 0, or -1 after diag_error(); script_options_deinit() is called in either case.
 */
int script_options_parse(struct script_options *o, int argc, char **argv);

/* script_shows_records - does an option show records other than samples? */
bool script_shows_records(const struct script_options *o);

void script_options_deinit(struct script_options *o);

#endif /* PERF_CMD_SCRIPT_SCRIPT_OPTIONS_H */
