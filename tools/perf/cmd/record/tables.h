/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: unwind tables. Makes the tables of mapped files, or reads them from the cache, and
 * registers them with the kernel, which walks user stacks with them.
 */
#ifndef PERF_CMD_RECORD_TABLES_H
#define PERF_CMD_RECORD_TABLES_H

#include "cmd/record/record_options.h"
#include "measure/rings.h"

struct bpf_walk;
struct tables;
struct synth;

/**
 * tables_create() - start registering tables
 * @opts: the options, after settle()
 * @rings: the mapped buffers
 * @walk: the BPF program that uses the tables; NULL: the kernel uses them
 * @ret: set to the tables; NULL if no event takes user callchains by tables
 *
 * The vDSO and the files of the command are queued first. tables_synth() adds the files of running
 * processes.
 *
 * Return: 0, or -1 after diag_error().
 */
int tables_create(const struct record_options *opts, const struct rings *rings, struct bpf_walk *walk,
		  struct tables **ret);

/* tables_synth - queue the files of the mappings that @s will read from /proc */
void tables_synth(struct tables *t, struct synth *s);

/* tables_note - queue the file of a map record; @h: a record that is not a sample */
void tables_note(struct tables *t, const struct perf_event_header *h);

/* tables_settle - mark the files queued so far as required before events are enabled */
void tables_settle(struct tables *t);

/**
 * tables_settled() - wait some milliseconds for the tables of tables_settle()
 * @t: the tables
 *
 * Return: true if all are registered. If false, read the kernel's buffers and call it again.
 */
bool tables_settled(struct tables *t);

/* tables_timeout - maximum sleep in milliseconds */
int tables_timeout(void);

/* tables_end - stop registering; the kernel keeps the tables until tables_free() */
void tables_end(struct tables *t);

/**
 * tables_why() - why callchains end in a file
 * @t: the recording's tables, after tables_end()
 * @path: the file's name in the recording
 *
 * Return: the reason as text; NULL: unknown.
 */
const char *tables_why(const struct tables *t, const char *path);

/* tables_free - @t may be NULL */
void tables_free(struct tables *t);

#endif /* PERF_CMD_RECORD_TABLES_H */
