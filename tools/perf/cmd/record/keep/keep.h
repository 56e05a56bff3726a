/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: keeps files for perf report: programs and libraries with samples, also those in
 * containers and those removed while running (program.c), and the files in which JIT compilers in
 * containers name their code (jit.c).
 *
 * The recording thread queues the relevant records and never waits for a file. The keeper thread
 * processes them in order; a child (host/host.h) makes each access to another process's file, as
 * its file system may hang. Descriptors of such files are O_PATH: with others even close() may
 * hang.
 *
 * A new kind of kept file is a file like program.c, whose state is a member of struct keep, with:
 *
 *	KIND_wants()	recording thread: is this record relevant? Accesses no file.
 *	KIND_note()	keeper thread: find the file by places_get() and host_run(), and open it.
 *	KIND_finish()	keeper thread: a file of the recording is complete: copy_file().
 */
#ifndef PERF_CMD_RECORD_KEEP_H
#define PERF_CMD_RECORD_KEEP_H

#include "base/hash.h"
#include "base/outbuf.h"
#include "event/abi.h"

struct host;
struct keep;

/*
 * keep_create - start the keeper; @layout: of the sample_id without an id; @programs: keep programs
 * and libraries (neither -N nor -B); @jit: names of JIT code (not -N); @cache_size: bytes. Return:
 * NULL: nothing is to be kept, or there is no cache folder.
 */
struct keep *keep_create(struct host *host, const struct perf_event_attr *layout, bool programs,
			 bool jit, u64 cache_size);
/* keep_note - queue a record if it is relevant; @k may be NULL, here and below */
void keep_note(struct keep *k, const struct perf_event_header *h);
/* keep_wake - wake the keeper for the records of keep_note(), after the first 100 ms */
void keep_wake(struct keep *k);
/* keep_note_all - keep_note() for synthesised records: their processes run already, and may wait */
void keep_note_all(struct keep *k, const struct outbuf *records);
/* keep_timeout - maximum sleep in ms, to find processes while they live; -1: unlimited */
int keep_timeout(const struct keep *k);

/*
 * keep_ask - request the open file's JIT copies, for all records queued so far; @last: no record
 * follows: of programs queued since keep_wake() only those with samples are opened
 */
void keep_ask(struct keep *k, bool last);
/* keep_answered - wait for the request, @ms at most. Return: true if it is complete. */
bool keep_answered(struct keep *k, int ms);

/*
 * keep_take_records - append the records that name the copies; the next keep_ask() is a new file's
 */
void keep_take_records(struct keep *k, struct outbuf *to);
/* keep_finished - a file of the recording, opened here, is complete: keep its samples' files */
void keep_finished(struct keep *k, const char *path);
/* keep_finished_files - the same; @hits: its files, as by record_hits(); empty afterwards */
void keep_finished_files(struct keep *k, struct hash *hits);
/* keep_end - finish all requests, in a few seconds at most, print the losses, and free it */
void keep_end(struct keep *k);

#endif /* PERF_CMD_RECORD_KEEP_H */
