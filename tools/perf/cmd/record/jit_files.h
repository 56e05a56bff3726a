/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: the files in which JIT compilers in containers name their code. They go away with the
 * container, so copies are kept in perf's cache, and the recording names these.
 */
#ifndef PERF_CMD_RECORD_JIT_FILES_H
#define PERF_CMD_RECORD_JIT_FILES_H

#include "base/hash.h"
#include "base/outbuf.h"
#include "cmd/record/describe.h"

struct jit_writer;

struct jit_files {
	const struct description *desc;
	bool enabled;
	int cache;			/* the folder of copies; -1: not opened yet */
	char *cache_path;
	struct hash processes;		/* pid -> index + 1 in @v; 0: nothing of it is to be kept */
	struct jit_writer *v;		/* that are held */
	u32 nr, cap;
	u32 nr_copies;
	u64 bytes;			/* of all copies */
	struct outbuf records;		/* that name copies, and are not in a file yet */
};

/**
 * jit_files_init() - begin, with no process
 * @j: what to fill
 * @desc: the events
 * @enabled: copies are wanted (not -N)
 */
void jit_files_init(struct jit_files *j, const struct description *desc, bool enabled);

/**
 * jit_files_note() - look at a record
 * @j: the files
 * @h: no sample
 *
 * A process that has code of its own making and lives in another mount or PID namespace is held: its
 * folder is kept open until it ends, as nothing leads there afterwards.
 */
void jit_files_note(struct jit_files *j, const struct perf_event_header *h);

/* jit_files_note_all - the same for records that do not come from a kernel buffer */
void jit_files_note_all(struct jit_files *j, const struct outbuf *records);

/* jit_files_timeout - for how long to sleep at most, in milliseconds: processes must be found while they live; -1 */
int jit_files_timeout(const struct jit_files *j);

/**
 * jit_files_records() - copy what the processes that are held have written until now
 * @j: the files
 *
 * Return: the records that name all copies; who has written them empties the buffer.
 */
struct outbuf *jit_files_records(struct jit_files *j);

void jit_files_deinit(struct jit_files *j);

#endif /* PERF_CMD_RECORD_JIT_FILES_H */
