/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: which recordings register unwind tables, and of what.
 */
#ifndef PERF_CMD_RECORD_BEGIN_TABLES_H
#define PERF_CMD_RECORD_BEGIN_TABLES_H

#include "cmd/record/record_options.h"
#include "cmd/tables/tables.h"	/* IWYU pragma: export */
#include "measure/rings.h"

/**
 * begin_tables() - start registering tables if an event takes user callchains by them
 * @opts: the options, after settle()
 * @host: opens and reads the files
 * @walk: the BPF program that uses the tables; NULL: the kernel uses them
 * @ret: set to the tables; NULL if no event takes user callchains by tables
 *
 * The vDSO and the files of the command are queued first. tables_synth() adds the files of running
 * processes.
 * Return: 0, or -1 after diag_error().
 */
int begin_tables(const struct record_options *opts, const struct rings *rings, struct host *host,
		 struct bpf_walk *walk, struct tables **ret);

/**
 * tables_wait_for_sleepers() - does the command wait for tables of processes that sleep?
 * @threads: the measured threads; -1: all
 *
 * Where all processes are measured most of them sleep on. With --off-cpu the sleepers are measured.
 */
static inline bool tables_wait_for_sleepers(const struct record_options *opts, const struct thread_list *threads)
{
	return threads->v[0] != -1 || opts->off_cpu || opts->off_cpu_only;
}

#endif /* PERF_CMD_RECORD_BEGIN_TABLES_H */
