/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: unwind tables. Those of the files that are mapped are made, or taken from the
 * cache, and registered with the kernel, which then walks user stacks by them.
 */
#ifndef PERF_CMD_RECORD_TABLES_H
#define PERF_CMD_RECORD_TABLES_H

#include "cmd/record/record_options.h"
#include "measure/rings.h"

struct bpf_walk;
struct tables;
struct synth;

/**
 * tables_create() - register tables from now on
 * @opts: the options, settled
 * @rings: the mapped buffers
 * @walk: the BPF program that gets the tables; NULL: the kernel itself does
 * @ret: set to the tables; to NULL where no event takes user callchains by tables
 *
 * The vDSO and the files of the command come first; those of running processes follow by
 * tables_synth().
 *
 * Return: 0, or -1 after diag_error().
 */
int tables_create(const struct record_options *opts, const struct rings *rings, struct bpf_walk *walk,
		  struct tables **ret);

/* tables_synth - have the mappings noted that @s will read from /proc */
void tables_synth(struct tables *t, struct synth *s);

/* tables_note - look at a record from a kernel buffer that is no sample */
void tables_note(struct tables *t, const struct perf_event_header *h);

/* tables_settle - what runs now is to have its tables before events are enabled */
void tables_settle(struct tables *t);

/**
 * tables_settled() - wait for that, for some milliseconds
 * @t: the tables
 *
 * Return: false: it is to be called again when the kernel's buffers were read.
 */
bool tables_settled(struct tables *t);

/* tables_timeout - for how long to sleep at most, in milliseconds */
int tables_timeout(void);

/* tables_end - register no more; the kernel keeps those it has until tables_free() */
void tables_end(struct tables *t);

/**
 * tables_why() - why the walk did not go on in a file
 * @t: the recording's tables, after tables_end()
 * @path: the file's name in the recording
 *
 * Return: in words; NULL: not known.
 */
const char *tables_why(const struct tables *t, const char *path);

/* tables_free - @t may be NULL */
void tables_free(struct tables *t);

#endif /* PERF_CMD_RECORD_TABLES_H */
