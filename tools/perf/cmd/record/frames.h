/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record --call-graph bpf: joins the callchains of a BPF program (bpf/walk.h) to their
 * samples, between the drain and the output. The output is an ordinary recording.
 */
#ifndef PERF_CMD_RECORD_FRAMES_H
#define PERF_CMD_RECORD_FRAMES_H

#include <sys/uio.h>

#include "base/outbuf.h"
#include "bpf/walk.h"
#include "cmd/record/describe.h"

struct frames;

/**
 * frames_create() - create the stage
 * @opts: the options
 * @desc: the events, with their ids
 * @walk: the BPF program; NULL: none
 *
 * Return: the stage; NULL without a program.
 */
struct frames *frames_create(const struct record_options *opts, const struct description *desc, struct bpf_walk *walk);

/**
 * frames_begin() - attach the program to the open events
 * @f: the stage
 *
 * A tracepoint runs the program from then on, even before it is enabled.
 * Return: 0, or -1 after diag_error().
 */
int frames_begin(struct frames *f);

/**
 * frames_join() - join callchains to the samples of a buffer
 * @f: the stage
 * @ring: index of the buffer
 * @iov: spans of the buffer that together are complete records
 * @nr: number of spans
 *
 * Return: the records, valid until the next call: to be written, or for live_take() if stacks are
 * copied.
 */
const struct outbuf *frames_join(struct frames *f, u32 ring, const struct iovec *iov, u32 nr);

/* frames_text - append the callchain errors, one sentence per line; nothing without errors */
void frames_text(const struct frames *f, struct outbuf *o);

/* frames_free - @f may be NULL */
void frames_free(struct frames *f);

#endif /* PERF_CMD_RECORD_FRAMES_H */
