/* SPDX-License-Identifier: GPL-2.0 */
/* Unwind tables of mapped files, registered with the kernel or BPF, which walk stacks by them. */
#ifndef PERF_CMD_TABLES_TABLES_H
#define PERF_CMD_TABLES_TABLES_H

#include "event/abi.h"

struct bpf_walk;
struct host;
struct tables;
struct synth;

/*
 * tables_create - start registering tables, the vDSO's first; @walk: the BPF program that uses
 * them; NULL: the kernel does; @keep: in perf's cache. Return: 0, or -1.
 */
int tables_create(struct host *host, struct bpf_walk *walk, bool keep, struct tables **ret);
/* tables_command - queue the files that @command, a name or path, will map at its start */
void tables_command(struct tables *t, const char *command);
/* tables_synth - queue the files of @s's mappings; sleepers' are only waited for with @wait */
void tables_synth(struct tables *t, struct synth *s, bool wait);
/* tables_note - queue the file of a map record; @h: a record that is not a sample */
void tables_note(struct tables *t, const struct perf_event_header *h);
/* tables_settle - mark the files queued so far as required before events are enabled */
void tables_settle(struct tables *t);
/* tables_settled - wait some ms for tables_settle(); false: read the buffers and call again */
bool tables_settled(struct tables *t);
/* tables_timeout - maximum sleep in milliseconds, -1: unlimited; @poll: no event reports mappings */
int tables_timeout(const struct tables *t, bool poll);
/* tables_poll - queue the files of processes that slept, 10 ms after tables_settled() */
void tables_poll(struct tables *t);

struct tables_figures {
	u64 registered, bytes;		/* tables */
	u64 refused;			/* files without a table */
	u64 files;			/* that were noted */
	u64 waiting;			/* jobs */
	bool full;			/* a file has none because of the limit */
};

/* tables_limit - bytes of all tables; threads that register at once may exceed it */
void tables_limit(struct tables *t, u64 bytes);
/* tables_figures - what there is now */
void tables_figures(struct tables *t, struct tables_figures *f);
/* tables_end - stop registering; the kernel keeps the tables until tables_free() */
void tables_end(struct tables *t);
/* tables_why - after tables_end(): why callchains end in a file of the recording; NULL: unknown */
const char *tables_why(const struct tables *t, const char *path);
/* tables_free - @t may be NULL */
void tables_free(struct tables *t);

#endif /* PERF_CMD_TABLES_TABLES_H */
