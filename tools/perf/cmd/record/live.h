/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record --call-graph live: between the drain and the output copies of stacks become callchains.
 *
 * The drain hands records over (live_take()) and gets them back later, in the same order, as a plain
 * recording has them (live_finished()). A thread walks the stacks meanwhile. A sample waits until the round
 * after its own is there, as the record of a mapping that it needs may be in the buffer of another CPU.
 */
#ifndef PERF_CMD_RECORD_LIVE_H
#define PERF_CMD_RECORD_LIVE_H

#include <sys/uio.h>

#include "base/outbuf.h"
#include "cmd/record/describe.h"

struct live;

/**
 * live_create() - begin, without a thread
 * @opts: the options, with events that are recorded live or without
 * @desc: the events, with their ids
 * @live: set to NULL if there are none
 *
 * Return: 0, or -1 after diag_error().
 */
int live_create(const struct record_options *opts, const struct description *desc, struct live **live);

/**
 * live_begin() - learn of what runs, and start the thread
 * @l: the stage
 * @records: of the synthesis, NULL: it is not made now; looked at by the first call only
 *
 * Return: 0, or -1 after diag_error().
 */
int live_begin(struct live *l, const struct outbuf *records);

/**
 * live_take() - records go on their way
 * @l: the stage
 * @iov: spans of the kernel's buffers that together are whole records
 * @nr: how many
 *
 * They are copied: of a stack the bytes that are valid. Where the thread does not keep up, samples
 * are taken without their stacks.
 */
void live_take(struct live *l, const struct iovec *iov, u32 nr);

/* live_flush - what was taken goes to the thread at once: nothing older is in the kernel's buffers */
void live_flush(struct live *l);

/**
 * live_finished() - records that are ready to be written
 * @l: the stage
 * @wait: for all that were taken and flushed; else for none
 *
 * Return: the next ones, valid until the next call; NULL: none.
 */
const struct outbuf *live_finished(struct live *l, bool wait);

/* live_timeout - for how long to sleep at most, in milliseconds; -1: for ever */
int live_timeout(const struct live *l);

/**
 * live_text() - what became of the callchains, one sentence a line
 * @l: the stage, after the last live_finished()
 * @o: where to; nothing where all is well
 */
void live_text(struct live *l, struct outbuf *o);

/* live_free - end the thread; @l may be NULL */
void live_free(struct live *l);

#endif /* PERF_CMD_RECORD_LIVE_H */
