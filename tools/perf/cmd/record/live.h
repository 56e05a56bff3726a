/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --call-graph live, and bpf for files that have no table yet: a thread replaces copied stacks by
 * callchains, between the drain, which calls live_take(), and the output. A sample waits for the
 * following round, as its mapping's record may be in another CPU's buffer.
 */
#ifndef PERF_CMD_RECORD_LIVE_H
#define PERF_CMD_RECORD_LIVE_H

#include <sys/uio.h>

#include "base/outbuf.h"
#include "cmd/record/describe.h"

struct live;
struct python_reader;

/* live_create - the stage, without its thread; NULL if no stacks are copied. Return: 0, or -1. */
int live_create(const struct record_options *opts, const struct description *desc, struct live **live);
/* live_begin - at the first call note running tasks, by @records or NULL, and start the thread */
int live_begin(struct live *l, const struct outbuf *records);

/*
 * live_take - queue copies of records; @iov: spans that together are complete records. Samples with
 * WALK_COPIED and all of --call-graph live lose their stacks if the queue is full.
 */
void live_take(struct live *l, const struct iovec *iov, u32 nr);
/* live_flush - send queued records to the thread now: the kernel's buffers hold no older records */
void live_flush(struct live *l);

/* live_finished - records to be written, until the next call; @wait: for all flushed; or NULL */
const struct outbuf *live_finished(struct live *l, bool wait);
/* live_python - what reads the Python functions of samples; NULL: nothing does */
struct python_reader *live_python(const struct live *l);
/* live_signals - does each sample send a signal to a thread? @l may be NULL */
bool live_signals(const struct live *l);
/* live_file_ends - a file of the recording has all its samples; @l may be NULL */
void live_file_ends(struct live *l);
/* live_timeout - maximum sleep in milliseconds; -1: unlimited */
int live_timeout(const struct live *l);
/* live_text - append the errors, a sentence per line; @cuts: also how many callchains are cut */
void live_text(struct live *l, bool cuts, struct outbuf *o);
/* live_free - stop the thread and free the stage; @l may be NULL */
void live_free(struct live *l);

#endif /* PERF_CMD_RECORD_LIVE_H */
