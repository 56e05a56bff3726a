/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: files that perf report needs later: programs and libraries with samples, also of containers and
 * those removed while they ran (program.c), and the files in which JIT compilers in containers name their code (jit.c).
 *
 * The recording's thread puts the records that matter into a queue and never waits for a file. A thread looks at
 * them in order; each access to a file of another process is made by a child process, with a time limit (reach.h), as that
 * process's file system may hang. Descriptors of such files are O_PATH: the others wait even in close().
 *
 * Another kind of kept file is a file beside program.c with three functions, each called in two places of keep.c:
 *	KIND_wants()	recording's thread: does this record matter? No file is looked at.
 *	KIND_note()	keeper's thread: find the file by reach_place() and reach_run(), and hold it.
 *	KIND_finish()	keeper's thread: a file of the recording is whole: copy by copy_file() (copy.h).
 * Its state is a member of struct keep (keep_private.h).
 */
#ifndef PERF_CMD_RECORD_KEEP_H
#define PERF_CMD_RECORD_KEEP_H

#include "base/outbuf.h"
#include "event/abi.h"

struct keep;

/**
 * keep_create() - begin
 * @layout: the event whose sample_id records without an id have
 * @programs: keep programs and libraries (neither -N nor -B)
 * @jit: keep names of JIT code (not -N)
 * @cache_size: bytes that perf's cache may have (buildid.cache-size)
 *
 * Return: the keeper; NULL: nothing is wanted, or there is no folder for it.
 */
struct keep *keep_create(const struct perf_event_attr *layout, bool programs, bool jit, u64 cache_size);

/* keep_note - look at a record that is no sample; @k may be NULL, here and below */
void keep_note(struct keep *k, const struct perf_event_header *h);

/* keep_note_all - the same for records that do not come from a kernel buffer */
void keep_note_all(struct keep *k, const struct outbuf *records);

/* keep_timeout - for how long to sleep at most, in milliseconds: processes must be found while they live; -1 */
int keep_timeout(const struct keep *k);

/**
 * keep_ask() - have the names of JIT code copied, for the file that is being written
 * @k: the keeper
 *
 * All records that were noted until now count.
 */
void keep_ask(struct keep *k);

/**
 * keep_answered() - wait until that is done
 * @k: the keeper, after keep_ask()
 * @ms: for how long at most
 *
 * Return: whether it is.
 */
bool keep_answered(struct keep *k, int ms);

/**
 * keep_take_records() - the records that name the copies
 * @k: the keeper
 * @to: where they are appended
 *
 * The next keep_ask() is for the next file.
 */
void keep_take_records(struct keep *k, struct outbuf *to);

/**
 * keep_finished() - a file of the recording is whole: have the files copied that its samples lie in
 * @k: the keeper
 * @path: the recording; opened before this returns
 */
void keep_finished(struct keep *k, const char *path);

/**
 * keep_end() - finish what was asked for, and say what could not be kept
 * @k: the keeper, freed
 *
 * File systems that do not answer are given a few seconds, all together.
 */
void keep_end(struct keep *k);

#endif /* PERF_CMD_RECORD_KEEP_H */
